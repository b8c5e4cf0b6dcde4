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

  clear(): void {
    this.passed = this.total = this.failures.length = 0;
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
