/** Seeds that one test looks at, so that none takes long on a slow machine. */
const AT_ONCE = 25;
/** In how many runs a mistake must show. */
export const RUNS_OF_MISTAKES = 400;

/** The first and the last seed of each test. Repeat one seed: `FLEET_SEEDS=1550 npm run test:long -- fleet/simulation` (or a range, as `1-5000`). */
export function seedRanges(usual: string): readonly (readonly [first: number, last: number])[] {
  const [first = 1, last = first] = (process.env.FLEET_SEEDS ?? usual).split('-').map(Number);
  return Array.from({ length: Math.ceil((last - first + 1) / AT_ONCE) }, (_, i) => {
    const from = first + i * AT_ONCE;
    return [from, Math.min(from + AT_ONCE - 1, last)] as const;
  });
}

/** Simulated failures are errors by the thousand, and nobody reads where they come from. */
export function withoutStackTraces(): void {
  const { stackTraceLimit } = Error;
  beforeAll(() => (Error.stackTraceLimit = 0));
  afterAll(() => (Error.stackTraceLimit = stackTraceLimit));
}
