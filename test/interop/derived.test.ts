import { readFileSync, readdirSync, existsSync } from 'node:fs';
import { type MetricDescriptor, isMetricType } from '../../src/pmapi/index.js';
import { DefinitionStore, bindExpression, operandNames, parseExpression, treeOf } from '../../src/derived/index.js';
import type { SemanticErrorCode } from '../../src/derived/index.js';
import { describeMetadata } from '../derived/support/given.js';
import { linuxOperands } from '../derived/support/linux-operands.js';
import { type AreaName, area } from './support/conformance.js';
import { DEFINITIONS, SYNTAX } from './support/derived-definitions.js';
import { DerivedProbe, describeWithLibpcp, TESTSUITE_ARCHIVES } from './support/derived-probe.js';

/** What one side makes of an expression: `binds TYPE …`, `refused: REASON`, or `refused` when no reason is told. */
interface Verdict {
  readonly text: string;
  readonly code?: SemanticErrorCode;
}

interface Outcome {
  readonly expression: string;
  readonly ours: Verdict;
  readonly theirs: Verdict;
}

const SAMPLE_COUNTER = / (?:counter|instant|discrete) /;

/** Where pmgate differs on purpose; LANGUAGE.md, section 9, says why. */
const DIFFERENCES: readonly { readonly why: string; readonly applies: (outcome: Outcome) => boolean }[] = [
  {
    why: 'a relational or boolean result is no counter',
    applies: ({ ours, theirs }) =>
      / counter /.test(theirs.text) && theirs.text.replace(' counter ', ' instant ') === ours.text,
  },
  {
    why: 'the result of ! is U32, without units, no counter',
    applies: ({ expression, ours, theirs }) =>
      expression.startsWith('!') && ours.text.startsWith('binds U32 ') && theirs.text.startsWith('binds '),
  },
  {
    why: 'a string is neither true nor false',
    applies: ({ expression, ours, theirs }) =>
      expression.startsWith('!') && ours.code === 'non-arithmetic-operand' && theirs.text.startsWith('binds STRING '),
  },
  {
    why: 'only constants without dimension are exempt from the comparison of dimensions, not every U32',
    applies: ({ expression, ours, theirs }) =>
      ours.code === 'different-dimensions' && theirs.text !== 'refused' && / (?:[<>]=?|[=!]=) /.test(expression),
  },
  {
    why: 'any constant without dimension is exempt from the comparison of dimensions, not U32 alone',
    applies: ({ expression, ours, theirs }) =>
      ours.code !== 'different-dimensions' &&
      theirs.text === 'refused: Dimensions are not the same' &&
      / (?:[<>]=?|[=!]=) /.test(expression),
  },
  {
    why: '[instance] and matchinst() need an instance domain',
    applies: ({ ours, theirs }) => ours.code === 'no-instance-domain' && theirs.text.startsWith('binds'),
  },
  {
    why: 'a metric without units plus a count is a count, whichever stands on the left',
    applies: ({ expression, ours, theirs }) =>
      / [-+] /.test(expression) && /"count/.test(ours.text) && ours.text.replace(/"[^"]*"/, '""') === theirs.text,
  },
  {
    why: '6.0.3 binds an unknown metric without a word; 7.2.1 and pmgate refuse it',
    applies: ({ ours, theirs }) => /unknown-metric$/.test(ours.code ?? '') && theirs.text === 'refused',
  },
  {
    why: '6.0.3 looks at both arms of a ternary whose guard can be decided at once; 7.2.1 and pmgate do not',
    applies: ({ expression, ours, theirs }) =>
      /^(?:1|defined\(.*) \? .*\bno\.such\b/.test(expression) &&
      ours.text.startsWith('binds') &&
      theirs.text === 'refused',
  },
  {
    why: '6.0.3 takes only names in instant()',
    applies: ({ expression, theirs }) => expression.startsWith('instant(') && theirs.text.startsWith('syntax'),
  },
  {
    why: 'a guard that is a set of values is over the instance domain of the arms',
    applies: ({ ours, theirs }) => ours.code === 'ternary-instance-domains' && theirs.text.startsWith('binds'),
  },
];

function describeOurs(expression: string, descriptors: Awaited<ReturnType<DerivedProbe['describe']>>): Verdict {
  const parsed = parseExpression(expression);
  if (!parsed.ok) return { text: `syntax ${parsed.fault.offset} ${parsed.fault.reason ?? '-'}` };
  const result = bindExpression(parsed.expression, {
    operand: (name) => {
      const found = descriptors.get(name)!;
      return 'error' in found ? found : { descriptor: found };
    },
    isDerived: () => false,
  });
  if (result.ok) return { text: `binds ${describeMetadata(result.bound.root.meta)}` };
  const [{ reason, code }] = result.errors;
  return { text: `refused: ${reason}`, code };
}

function describeRefusal(message: string): string {
  const [heading = '', expression = '', caret = '', reason] = message.trimEnd().split('\n');
  if (heading.startsWith('Semantic')) return `refused: ${reason ?? '-'}`;
  const offset = expression === '' ? -1 : caret.indexOf('^');
  return `syntax ${offset} ${reason ?? '-'}`;
}

function describeTheirs(found: MetricDescriptor | { readonly error: number }): string {
  if ('error' in found || !isMetricType(found.type)) return 'refused';
  return `binds ${describeMetadata(found)}`;
}

async function compare(expressions: readonly string[]): Promise<Outcome[]> {
  const probe = new DerivedProbe();
  const outcomes: Outcome[] = [];
  try {
    await probe.open(`${TESTSUITE_ARCHIVES}/pyapi`);
    for (const [i, expression] of expressions.entries()) {
      const parsed = parseExpression(expression);
      const names = parsed.ok ? operandNames(parsed.expression).metrics : [];
      const ours = describeOurs(expression, await probe.describe(names));
      const name = `dm.e${i}`;
      const refusal = await probe.add(name, expression);
      const text =
        refusal?.message !== undefined && refusal.message !== ''
          ? describeRefusal(refusal.message)
          : describeTheirs((await probe.describe([name])).get(name)!);
      outcomes.push({ expression, ours, theirs: { text } });
    }
    return outcomes;
  } finally {
    probe.close();
  }
}

/** Counts what is equal and what differs on purpose; what remains is for the caller to complain about. */
function judge(title: string, name: AreaName, outcomes: readonly Outcome[]): string[] {
  const counts = new Map<string, number>();
  const unexplained: string[] = [];
  let equal = 0;
  for (const outcome of outcomes) {
    const { expression, ours, theirs } = outcome;
    const difference = DIFFERENCES.find(({ applies }) => applies(outcome));
    if (ours.text === theirs.text) equal++;
    else if (difference) counts.set(difference.why, (counts.get(difference.why) ?? 0) + 1);
    else unexplained.push(`${expression}\n  pmgate ${ours.text}\n  libpcp ${theirs.text}`);
  }
  const explained = [...counts].map(([why, count]) => `\n  ${count} × ${why}`).join('');
  process.stderr.write(`${title}: ${equal} of ${outcomes.length} as libpcp; deliberately different:${explained}\n`);
  const row = area(name);
  row.equal(equal);
  for (const [why, count] of counts) row.different(why, count);
  for (const detail of unexplained) row.wrong(detail);
  return unexplained;
}

describeWithLibpcp('definitions beside libpcp', () => {
  it('binds, or refuses for the same reason, with the same metadata', async () => {
    const outcomes = await compare(DEFINITIONS);
    expect(outcomes.length).toBeGreaterThan(300);
    expect(judge('definitions', 'derived: metadata', outcomes)).toEqual([]);
    expect(outcomes.filter(({ ours }) => SAMPLE_COUNTER.test(ours.text)).length).toBeGreaterThan(300);
  });

  it('parses, or points at the same place with the same reason', async () => {
    const outcomes = (await compare(SYNTAX)).map(({ expression, ours, theirs }) => {
      // That the names of this corpus are unknown is no matter of syntax.
      const parses = ({ text }: Verdict): Verdict => ({ text: text.startsWith('syntax') ? text : 'parses' });
      return { expression, ours: parses(ours), theirs: parses(theirs) };
    });
    expect(judge('syntax', 'derived: syntax', outcomes)).toEqual([]);
  });
});

const PCP_DEFINITIONS = '/etc/pcp/derived';
const describeWithPcpDefinitions = existsSync(PCP_DEFINITIONS) ? describe : describe.skip;

describeWithPcpDefinitions('the definitions that PCP ships', () => {
  const files = existsSync(PCP_DEFINITIONS)
    ? readdirSync(PCP_DEFINITIONS).filter((name) => name.endsWith('.conf'))
    : [];

  it.each(files)('%s loads without a problem, and binds wherever its operands exist', (file) => {
    const store = new DefinitionStore();
    const text = readFileSync(`${PCP_DEFINITIONS}/${file}`, 'utf8');
    expect(store.load(text, { file, origin: 'file' }).problems).toEqual([]);
    const refused = store.list().flatMap((definition) => {
      const { name, operands } = definition;
      const isKnown = operands.metrics.every((operand) => linuxOperands.metrics.has(operand));
      const result = bindExpression(treeOf(definition), linuxOperands);
      return isKnown && !result.ok ? [`${name}: ${result.errors[0].where}: ${result.errors[0].reason}`] : [];
    });
    expect(refused).toEqual([]);
  });
});
