/**
 * Work in steps: what takes long yields after each piece of it, so that whoever drives it can let others have their turn in between.
 */
export type InSteps<T> = Generator<void, T>;

/** Do all steps of some work at once. */
export function atOnce<T>(steps: InSteps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
