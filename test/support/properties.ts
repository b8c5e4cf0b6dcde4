import fc from 'fast-check';

/**
 * fast-check with a fixed seed, so that a run of the tests says something about the code and nothing about luck.
 * `PMGATE_SEED=random` looks for counterexamples that nobody has seen; `PMGATE_SEED=<number>` repeats what it printed.
 */
const wanted = process.env.PMGATE_SEED ?? '20261123';
if (wanted !== 'random') fc.configureGlobal({ seed: Number(wanted) });

/** Set by the configurations of jest. */
declare const IS_LONG: boolean;

/** On how many inputs a property is tried: all of them by `npm run test:long`, a quarter by `npm test`. */
export function tries(all: number): number {
  return IS_LONG ? all : Math.ceil(all / 4);
}

export default fc;
