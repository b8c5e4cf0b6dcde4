/** What derived metrics cost: parsing and binding an expression, and the values of twenty of them over 64 instances. */
import { MetricType, makeUnits, Semantics, ValueSet, type MetricDescriptor } from '../../src/pmapi/index.js';
import {
  bindExpression,
  compileProgram,
  evaluate,
  History,
  parseExpression,
  type BindingEnvironment,
  type BoundExpression,
} from '../../src/derived/index.js';
import { BUDGETS } from './budgets.js';
import { cpuMs, heading, IS_QUICK, median, report } from './support/report.js';

const INSTANCES = 64;
const INDOM = 251658241;
const OPERANDS = ['user', 'nice', 'sys', 'idle', 'wait', 'read', 'write', 'read_bytes', 'write_bytes', 'avactive'];
const TIMES = new Set(['user', 'nice', 'sys', 'idle', 'wait', 'avactive']);
const BYTES = new Set(['read_bytes', 'write_bytes']);

/** Twenty definitions of the kinds that dashboards use, all over one instance domain. */
const EXPRESSIONS = [
  'rate(m.user)',
  'rate(m.sys)',
  'rate(m.idle)',
  'rate(m.wait)',
  '100 * rate(m.user)',
  '100 * rate(m.avactive)',
  'rate(m.user) + rate(m.nice)',
  'rate(m.sys) / (rate(m.user) + rate(m.sys) + rate(m.idle))',
  'delta(m.avactive) / delta(m.read)',
  'delta(m.read_bytes) / delta(m.read)',
  'm.read + m.write',
  'm.read_bytes + m.write_bytes',
  'rate(m.read_bytes + m.write_bytes)',
  'rescale(m.read_bytes, "Mbyte")',
  'sum(m.read)',
  'avg(m.read)',
  'max(m.write)',
  'matchinst(/^cpu1/, m.user)',
  'm.read > m.write',
  'delta(m.read) == 0 ? novalue() : delta(m.read_bytes)',
];
/** What parse and bind are measured with; `N` makes each text a new one, for parsed texts are remembered. */
const TYPICAL = 'N * (delta(m.read) + delta(m.write)) / (delta(m.read_bytes) + delta(m.write_bytes))';

const descriptors = new Map(OPERANDS.map((name, i) => [`m.${name}`, descriptor(name, i)]));
const environment: BindingEnvironment = {
  operand: (name) => ({ descriptor: descriptors.get(name)! }),
  isDerived: () => false,
};

function descriptor(name: string, index: number): MetricDescriptor {
  const units = TIMES.has(name)
    ? makeUnits({ dimTime: 1, scaleTime: 2 })
    : makeUnits(BYTES.has(name) ? { dimSpace: 1, scaleSpace: 1 } : { dimCount: 1 });
  return { pmid: index + 1, type: MetricType.U64, indom: INDOM, semantics: Semantics.COUNTER, units };
}

function bind(text: string): BoundExpression {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.fault.reason ?? 'does not parse'}`);
  const outcome = bindExpression(parsed.expression, environment);
  if (!outcome.ok) throw new Error(`${text}: ${outcome.errors[0].reason}`);
  return outcome.bound;
}

/** Microseconds of processor time of one `run`, the middle of many short series: other work on the machine disturbs. */
function microseconds(run: () => void, runs: number): number {
  for (let i = 0; i < runs * 10; i++) run();
  const series = Array.from({ length: IS_QUICK ? 3 : 31 }, () => {
    const beforeMs = cpuMs();
    for (let i = 0; i < runs; i++) run();
    return (cpuMs(beforeMs) * 1000) / runs;
  });
  return median(series);
}

heading('an expression');
let fresh = 0;
report(
  'parse and bind a typical expression, never seen before',
  microseconds(() => compileProgram(bind(TYPICAL.replace('N', String(++fresh)))), 100),
  'microsec',
  BUDGETS.derivedBind.limit,
);
report(
  'bind it again, parsed before',
  microseconds(() => compileProgram(bind(TYPICAL.replace('N', '1'))), 100),
  'microsec',
);

/** Ten samples of every operand: counters that grow, from `base` up. */
function makeSamples(base: bigint): ValueSet[][] {
  return Array.from({ length: 10 }, (_, sample) =>
    OPERANDS.map((_name, operand) => {
      const set = new ValueSet();
      set.reset(operand + 1, MetricType.U64);
      for (let i = 0; i < INSTANCES; i++) set.addInteger(i, base + BigInt((operand + 1) * (sample + 1) * (1000 + i)));
      return set;
    }),
  );
}

function evaluationMicroseconds(base: bigint): number {
  const samples = makeSamples(base);
  const domain = { indom: INDOM, instances: Array.from({ length: INSTANCES }, (_, id) => ({ id, name: `cpu${id}` })) };
  const metrics = EXPRESSIONS.map((text) => {
    const bound = bind(text);
    const program = compileProgram(bound);
    const operands = bound.operands.map(({ descriptor: { pmid } }) => pmid - 1);
    return { program, history: new History(program.slots), into: new ValueSet(), operands };
  });
  // The inputs of every sample are made beforehand, as a fetch plan holds them: evaluation alone is measured.
  const inputs = samples.map((sets) => metrics.map(({ operands }) => operands.map((operand) => sets[operand]!)));
  let sequence = 0;
  return microseconds(() => {
    sequence++;
    const sample = inputs[sequence % samples.length]!;
    const timestamp = { sec: sequence, nsec: 0 };
    for (let i = 0; i < metrics.length; i++) {
      const { program, history, into } = metrics[i]!;
      evaluate(program, { sequence, timestamp, operands: sample[i]!, instances: () => domain }, history, into);
    }
  }, 50);
}

heading(`${EXPRESSIONS.length} derived metrics over ${INSTANCES} instances, per fetch`);
report('evaluation', evaluationMicroseconds(0n), 'microsec', BUDGETS.derivedEvaluate.limit);
report('the same beyond 2^53, in 64-bit integers', evaluationMicroseconds(2n ** 60n), 'microsec');
