/** What the bundle for pages has in place of what is Node's own. */

/** Numbers as JSON, non-finite ones null. */
export class NumberText {
  write(numbers: ArrayLike<number>): string {
    return JSON.stringify(Array.from(numbers)).slice(1, -1);
  }
}

/** Identifiers of series are SHA-1, which pages have only as something to wait for. No page asks about series: theirs are empty. */
export const hash = (): string => '';
