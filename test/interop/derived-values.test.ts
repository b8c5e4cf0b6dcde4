import { INDOM_NULL, isWideType, MetricType, ValueSet, type InstanceDomain } from '../../src/pmapi/index.js';
import { compileProgram, evaluate, History } from '../../src/derived/evaluation/index.js';
import { parseExpression } from '../../src/derived/language/parse.js';
import { bindExpression, operandNames } from '../../src/derived/semantics/bind.js';
import type { BoundExpression } from '../../src/derived/semantics/bound-expression.js';
import { area } from './support/conformance.js';
import { DIFFERENCES, GROUPS, type ExpressionGroup } from './support/derived-expressions.js';
import {
  DerivedProbe,
  describeWithLibpcp,
  TESTSUITE_ARCHIVES,
  pythonNumber,
  toValueSet,
  type ProbedError,
  type ProbedSet,
} from './support/derived-probe.js';

/** What both sides made of one expression; `mismatch` is the first sample in which they differ. */
interface Outcome {
  readonly expression: string;
  readonly mismatch: string | undefined;
}

/** One expression bound and evaluated by pmgate beside libpcp. */
interface Ours {
  readonly name: string;
  readonly expression: string;
  readonly bound: BoundExpression;
  readonly program: ReturnType<typeof compileProgram>;
  readonly history: History;
}

async function bindGroup(probe: DerivedProbe, group: ExpressionGroup): Promise<{ ours: Ours[]; refused: Outcome[] }> {
  const ours: Ours[] = [];
  const refused: Outcome[] = [];
  for (const [i, expression] of group.expressions.entries()) {
    const name = `dm.e${i}`;
    const parsed = parseExpression(expression);
    if (!parsed.ok) throw new Error(`${expression} does not parse`);
    const descriptors = await probe.describe(operandNames(parsed.expression).metrics);
    const outcome = bindExpression(parsed.expression, {
      operand: (operand) => {
        const found = descriptors.get(operand)!;
        return 'error' in found ? found : { descriptor: found };
      },
      isDerived: () => false,
    });
    const theirs = await probe.add(name, expression);
    if (outcome.ok && !theirs) {
      const program = compileProgram(outcome.bound);
      ours.push({ name, expression, bound: outcome.bound, program, history: new History(program.slots) });
    } else if (outcome.ok || !theirs) {
      refused.push({ expression, mismatch: outcome.ok ? `libpcp: ${theirs!.message!}` : 'bound by libpcp only' });
    }
  }
  return { ours, refused };
}

async function compareGroup(group: ExpressionGroup): Promise<Outcome[]> {
  const probe = new DerivedProbe();
  try {
    await probe.open(`${TESTSUITE_ARCHIVES}/${group.archive}`);
    const { ours, refused } = await bindGroup(probe, group);
    if (group.interpolate) await probe.interpolate(group.interpolate.from, group.interpolate.intervalMs);
    const operands = new Set(ours.flatMap(({ bound }) => bound.operands.map(({ name }) => name)));
    const domains = new Map<number, InstanceDomain>();
    for (const indom of new Set(ours.flatMap(({ program }) => program.indoms))) {
      if (indom !== INDOM_NULL) domains.set(indom, await probe.instances(indom));
    }
    const mismatches = new Map<string, string>();
    for (let sequence = 1; sequence <= group.samples; sequence++) {
      const sample = await probe.fetch([...ours.map(({ name }) => name), ...operands]);
      const timestamp = { sec: sample.seconds[0], nsec: sample.seconds[1] * 1000 };
      for (const { name, expression, bound, program, history } of ours) {
        const into = new ValueSet();
        const sets = bound.operands.map((operand) => toValueSet(operand.descriptor.type, sample.values[operand.name]!));
        const inputs = { sequence, timestamp, operands: sets, instances: (indom: number) => domains.get(indom) };
        evaluate(program, inputs, history, into);
        const mismatch = compare(into, sample.values[name]!);
        if (mismatch !== undefined && !mismatches.has(expression)) {
          mismatches.set(expression, `sample ${sequence}: ${mismatch}`);
        }
      }
    }
    return [...refused, ...ours.map(({ expression }) => ({ expression, mismatch: mismatches.get(expression) }))];
  } finally {
    probe.close();
  }
}

/** What differs between our values and libpcp's, or undefined. */
function compare(ours: ValueSet, theirs: ProbedSet | ProbedError): string | undefined {
  const shown = Array.from(
    { length: Math.max(0, ours.status) },
    (_, i) => [ours.instances[i]!, textAt(ours, i)] as const,
  );
  const equal =
    'error' in theirs
      ? ours.status === theirs.error
      : ours.status === theirs.values.length &&
        theirs.values.every(([instance, text], i) => ours.instances[i] === instance && sameText(ours, i, text));
  return equal ? undefined : `pmgate ${ours.status} ${JSON.stringify(shown)}, libpcp ${JSON.stringify(theirs)}`;
}

function textAt(set: ValueSet, i: number): string | null {
  if (set.type > MetricType.STRING) return null;
  if (set.type === MetricType.STRING) return set.column.texts[i]!;
  return isWideType(set.type) ? String(set.column.integerAt(i)) : String(set.column.numbers[i]!);
}

/** Integers and texts are compared digit by digit, DOUBLE to 1e-12, FLOAT to 1e-6 (libpcp averages in single precision). */
function sameText(set: ValueSet, i: number, theirs: string | null): boolean {
  const ours = textAt(set, i);
  if (ours === theirs) return true;
  if (theirs === null || (set.type !== MetricType.FLOAT && set.type !== MetricType.DOUBLE)) return false;
  const [a, b] = [set.column.numbers[i]!, pythonNumber(theirs)];
  const tolerance = set.type === MetricType.FLOAT ? 1e-6 : 1e-12;
  return Object.is(a, b) || Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b));
}

describeWithLibpcp('values of derived metrics beside libpcp', () => {
  let equal = 0;
  let compared = 0;

  for (const group of GROUPS) {
    it(`agrees over ${group.archive}, but for the listed differences`, async () => {
      const outcomes = await compareGroup(group);
      const differing = outcomes.filter(({ mismatch }) => mismatch !== undefined);
      equal += outcomes.length - differing.length;
      compared += outcomes.length;
      const row = area('derived: values');
      row.equal(outcomes.length - differing.length);
      for (const { expression, mismatch } of differing) {
        const known = DIFFERENCES.find((each) => each.archive === group.archive && each.expression === expression);
        if (known) row.different(known.why);
        else row.wrong(`${expression}: ${mismatch!}`);
      }
      const listed = DIFFERENCES.filter(({ archive }) => archive === group.archive).map(({ expression }) => expression);
      const unlisted = differing.filter(({ expression }) => !listed.includes(expression));
      expect(unlisted).toEqual([]);
      // A difference that is gone is to leave the list.
      expect(differing.map(({ expression }) => expression).sort()).toEqual([...listed].sort());
    });
  }

  it('compares at least 300 expressions', () => {
    process.stderr.write(
      `derived values: ${equal} of ${compared} expressions equal, ${DIFFERENCES.length} differ deliberately\n`,
    );
    expect(compared).toBeGreaterThanOrEqual(300);
  });
});
