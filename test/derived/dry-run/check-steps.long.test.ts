import fc from '../../support/properties.js';
import { MetricType, PM_ERR, Semantics, parseUnits } from '../../../src/pmapi/index.js';
import type { BindingEnvironment } from '../../../src/derived/index.js';
import { StepCounter } from '../../support/step-counter.js';

/** What texts are made of: every character that means something, and what begins constructs. */
const PIECES = [
  ...Array.from('[]()"/,.\\=!?:+-*&|<>a1 \n\té'),
  ...['rescale(', 'matchinst(/', 'mkconst(1', ',units=', ',type=32', ',meta=a', 'novalue()', 'avg(', 'rate('],
  ...['a[b]', '&&', '?a', ':a', '+a', "'a'", ',"byte")', '+b', '*a', 'sum(a)'],
];
/** Up to the limits of an expression and beyond. */
const SIZES = [500, 2_000, 4_000, 16_000];
/** For the texts that are known to be bad. */
const LARGE = [...SIZES, 64_000];

const few = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join(''));
/** Texts of one kind: some beginning a few times, and then a body again and again, or two in turn. */
const kind = fc.record({ prefix: few, times: fc.nat(25), body: few, other: fc.option(few, { nil: '' }) });
/** What a cheap text costs anyway. */
const CONSTANT = 30_000;
/** What each character of the costliest texts takes, with some room. */
const MOST_FOR_A_CHARACTER = 1_200;

/** `a` is a counter of several instances, and nothing else is known. */
const environment: BindingEnvironment = {
  operand: (name) =>
    name === 'a'
      ? {
          descriptor: {
            pmid: 1,
            type: MetricType.U64,
            semantics: Semantics.COUNTER,
            units: parseUnits('byte').units,
            indom: 5,
          },
        }
      : { error: PM_ERR.NAME },
  isDerived: () => false,
};
const candidates = ['a', 'aa', 'aaa.b', 'kernel.all.load', 'disk.dev.read'];

describe('the steps of a check', () => {
  let counter: StepCounter;
  let check: (text: string) => string;

  beforeAll(async () => {
    counter = await StepCounter.start(/\/src\/(?:derived|pmapi)\/|\/nearley\//);
    const { checkExpression } = await import('../../../src/derived/index.js');
    check = (text) => {
      const [error] = checkExpression(text, { environment, candidates }).report.errors;
      return error ? `${error.reason}: ${error.repair?.text ?? 'no repair'}` : 'no error';
    };
    await counter.count(() => check('a + b'));
  });
  afterAll(() => counter.stop());

  /** A text may take so many times the steps of a shorter one with the same outcome as it is long, with some room; none takes too many a character. */
  async function requireLinear(textOf: (size: number) => string, sizes = SIZES): Promise<void> {
    const known = new Map<string, { size: number; steps: number }>();
    for (const size of sizes) {
      const text = textOf(size);
      let outcome = '';
      const steps = await counter.count(() => (outcome = check(text)));
      const first = known.get(outcome) ?? { size, steps: MOST_FOR_A_CHARACTER * size };
      const allowed = 2.5 * first.steps * (size / first.size) + 3 * size + CONSTANT;
      if (steps > allowed)
        throw new Error(`${steps} steps for ${size} characters of ${text.slice(0, 60)}…: ${outcome}`);
      if (!known.has(outcome)) known.set(outcome, { size, steps });
    }
  }

  it.each([
    ['brackets that open', '', '['],
    ['brackets behind commas', `[${','.repeat(20)}`, '['],
    ['quotes and brackets', 'a ",,', '["'],
    ['calls that open', '', 'rescale('],
    ['units without quotes', 'rescale(', 'a,b '],
    ['colons', 'a', ':'],
    ['tags', 'mkconst(1', ',type=32'],
    ['quotes of another kind', '', "'a'"],
    ['sums', 'a', '+a'],
    ['sums of what is unknown', 'b', '+b'],
    ['products of counters', 'a', '+(a*a)'],
    ['patterns', 'matchinst(/a/, a)', '+matchinst(/a/, a)'],
    ['constants', '1', '+mkconst(1, units="byte")'],
  ])('grow no faster than the text: %s', (_, prefix, body) =>
    requireLinear((size) => (prefix + body.repeat(size)).slice(0, size), LARGE),
  );

  it('grow no faster than any text of repeated pieces', () =>
    fc.assert(
      fc.asyncProperty(kind, ({ prefix, times, body, other }) =>
        requireLinear((size) => (prefix.repeat(times) + (body + other).repeat(size)).slice(0, size)),
      ),
      { numRuns: 10 },
    ));

  it('grow no faster than a text at random', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...PIECES), { minLength: 1_000, maxLength: 4_000 }), (pieces) =>
        requireLinear((size) => pieces.join('').repeat(64).slice(0, size)),
      ),
      { numRuns: 4 },
    ));
});
