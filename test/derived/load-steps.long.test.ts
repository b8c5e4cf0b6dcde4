import fc from '../support/properties.js';
import { StepCounter } from '../support/step-counter.js';

const PIECES = [
  ...[
    'a.b = 1\n',
    'a.c = a + 1;',
    'a.b(oneline) = text\n',
    'a.b(helptext) = "text\n',
    '"',
    "'",
    '\\\n',
    '\n',
    ' \t',
    '&',
    ';',
  ],
  ...[
    '= ',
    '(',
    ')',
    '[',
    ']',
    '&&',
    '#',
    '#control GLOBAL_LIMIT=1,',
    ',',
    'a',
    'no line\n',
    'a.d = [\n',
    '\\"',
    '1 +',
  ],
];
const SIZES = [1_000, 8_000, 60_000];
const MOST_FOR_A_CHARACTER = 1_500;
const CONSTANT = 50_000;

const few = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join(''));

describe('the steps of reading a text of definitions', () => {
  let counter: StepCounter;
  let load: (text: string) => unknown;

  beforeAll(async () => {
    counter = await StepCounter.start(/\/src\/(?:derived|pmapi)\/|\/nearley\//);
    const { atOnce } = await import('../../src/kit/index.js');
    const { DefinitionStore, DerivedScope } = await import('../../src/derived/index.js');
    const { GatewayError } = await import('../../src/pmapi/index.js');
    const tried = (work: () => unknown): void => {
      try {
        work();
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        JSON.stringify(error.details.position);
      }
    };
    load = (text) => {
      tried(() => new DefinitionStore().load(text, { file: 'body', origin: 'api' }));
      tried(() => atOnce(new DerivedScope(new DefinitionStore()).parseFileInSteps(text)));
    };
    await counter.count(() => load('a = 1\n'));
  });
  afterAll(() => counter.stop());

  it('are no more than so many a character, whatever the text is', () =>
    fc.assert(
      fc.asyncProperty(few, fc.nat(25), few, async (prefix, times, body) => {
        for (const size of SIZES) {
          const text = (prefix.repeat(times) + body.repeat(size)).slice(0, size);
          const steps = await counter.count(() => load(text));
          if (steps <= MOST_FOR_A_CHARACTER * size + CONSTANT) continue;
          throw new Error(`${steps} steps for ${size} characters of ${JSON.stringify(text.slice(0, 60))}…`);
        }
      }),
      { numRuns: 10 },
    ));
});
