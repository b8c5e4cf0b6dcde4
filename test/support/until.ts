const EAGER_TURNS = 100;
const PAUSE_MS = 5;

/** Wait until something is so: a few turns of the event loop eagerly, then a look every few milliseconds. Only the test's own timeout bounds it. */
export async function until(isSo: () => boolean): Promise<void> {
  for (let turns = 0; !isSo(); turns++) {
    await new Promise<void>((resolve) => {
      if (turns < EAGER_TURNS) setImmediate(resolve);
      else setTimeout(resolve, PAUSE_MS);
    });
  }
}
