/**
 * Hostile expressions: 100,000 of them, from the grammar, from shuffled tokens, from damaged expressions and from bytes. Each
 * is parsed, bound where it parses, and checked. A crash ends the run; what is reported is the longest time of one text.
 * PMGATE_FUZZ_RUNS changes how many there are, PMGATE_FUZZ_SEED repeats a run.
 */
import fc from '../support/properties.js';
import { checkExpression, EXPRESSION_LIMITS, parseExpression, printExpression } from '../../src/derived/index.js';
import type { BindingEnvironment } from '../../src/derived/index.js';
import { MetricType, PM_ERR, Semantics, makePmid, makeUnits } from '../../src/pmapi/index.js';
import { expression, tokenSoup } from '../derived/support/expressions.js';
import { BUDGETS } from './budgets.js';
import { heading, report } from './support/report.js';

const RUNS = Number(process.env['PMGATE_FUZZ_RUNS'] ?? 100_000);
const SEED = Number(process.env['PMGATE_FUZZ_SEED'] ?? Date.now() % 1_000_000);

/** Most names mean something, by their first letter. */
const environment: BindingEnvironment = {
  operand: (name) => {
    const letter = name.charCodeAt(0) - 97;
    if (letter % 13 === 12) return { error: PM_ERR.NAME };
    return {
      descriptor: {
        pmid: makePmid(1, 1, letter),
        type: [MetricType.I32, MetricType.U32, MetricType.I64, MetricType.U64, MetricType.DOUBLE][letter % 5]!,
        semantics: [Semantics.COUNTER, Semantics.INSTANT, Semantics.DISCRETE][letter % 3]!,
        indom: letter % 2 === 0 ? 0xffffffff : 1,
        units: makeUnits(letter % 4 === 0 ? { dimSpace: 1, scaleSpace: letter % 3 } : {}),
      },
    };
  },
  isDerived: (name) => name.startsWith('z'),
};

const damaged = fc
  .tuple(expression, fc.nat(), fc.nat(5), fc.string({ maxLength: 3 }))
  .map(([tree, at, length, junk]) => {
    const text = printExpression(tree);
    const start = at % (text.length + 1);
    return text.slice(0, start) + junk + text.slice(start + length);
  });
/** Each of them might lack the quotes that a text wants which does not parse. */
const UNITS = 'mkconst(1,units=sec)+';
const repeated = fc
  .tuple(
    fc.constantFrom('(', '-', '!', 'a?', 'a?b:', 'a+', '-a*', '!a<', 'rate(', '[', 'matchinst(/', 'a,', '1 ', UNITS),
    fc.nat(9_000),
    fc.constantFrom('', '1', '1)(', 'a "'),
  )
  .map(([part, count, end]) => part.repeat(Math.min(count, Math.floor(EXPRESSION_LIMITS.length / part.length))) + end);
const text = fc.oneof(
  { weight: 40, arbitrary: expression.map((tree) => printExpression(tree)) },
  { weight: 25, arbitrary: damaged },
  { weight: 20, arbitrary: tokenSoup },
  { weight: 14, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  { weight: 1, arbitrary: repeated },
);

heading(`${RUNS} hostile expressions (seed ${SEED})`);
let longestMs = 0;
let longestText = '';
let parsed = 0;
let bound = 0;
fc.assert(
  fc.property(text, (source) => {
    const start = performance.now();
    const { report: verdict } = checkExpression(source, { environment, candidates: ['abc', 'abd'] });
    const elapsedMs = performance.now() - start;
    if (elapsedMs > longestMs) [longestMs, longestText] = [elapsedMs, source];
    if (verdict.ok) bound++;
    const result = parseExpression(source);
    if (!result.ok) return;
    parsed++;
    const again = parseExpression(printExpression(result.expression));
    if (!again.ok) throw new Error(`printed text does not parse: ${JSON.stringify(source)}`);
  }),
  { numRuns: RUNS, seed: SEED },
);
report('of them are expressions', parsed, 'texts');
report('of those bind', bound, 'texts');
report('longest time of one text', longestMs, 'ms', BUDGETS.derivedFuzz.limit);
process.stdout.write(`  ${JSON.stringify(longestText.slice(0, 100))}\n`);
