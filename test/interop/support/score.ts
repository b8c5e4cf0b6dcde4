import { type AreaName, area } from './conformance.js';

/** Counts checks against PCP's answers, of one area of the matrix. */
export class Score {
  readonly #area: AreaName;
  passed = 0;
  total = 0;
  readonly failures: string[] = [];

  constructor(name: AreaName) {
    this.#area = name;
  }

  check(what: string, expected: unknown, received: unknown): void {
    this.total++;
    const [left, right] = [canonical(expected), canonical(received)];
    if (left === right) this.passed++;
    else this.failures.push(`${what}: PCP has ${left}, pmgate ${right}`);
  }

  report(title: string): void {
    this.keep(title);
    expect(this.failures.slice(0, 20)).toEqual([]);
    expect(this.total).toBeGreaterThan(0);
  }

  /** Say how many passed, without failing. */
  keep(title: string): void {
    process.stderr.write(`${title}: ${this.passed} of ${this.total}\n`);
    const row = area(this.#area);
    row.equal(this.passed);
    for (const failure of this.failures) row.wrong(failure);
  }
}

/** JSON with sorted keys. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** How often what moves is looked at: processes, mounts and interfaces come and go while other suites run. */
const LOOKS = 50;

/**
 * What two sides say of one thing that may move: PCP is asked before and after, until it says the same both times and the other side agrees; the
 * last answers when it never does.
 *
 *     const { theirs, ours } = await atOneTime(() => askPcp(indom), () => source.instances(indom));
 */
export async function atOneTime<Theirs, Ours>(
  askPcp: () => Promise<Theirs>,
  ask: () => Promise<Ours>,
  isEqual: (theirs: Theirs, ours: Ours) => boolean = (theirs, ours) => canonical(theirs) === canonical(ours),
): Promise<{ readonly theirs: Theirs; readonly ours: Ours }> {
  let theirs = await askPcp();
  for (let look = 1; ; look++) {
    const ours = await ask();
    const before = theirs;
    theirs = await askPcp();
    const isStill = canonical(before) === canonical(theirs);
    if ((isStill && isEqual(theirs, ours)) || look === LOOKS) return { theirs, ours };
  }
}
