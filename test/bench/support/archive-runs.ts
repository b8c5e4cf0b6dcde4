import type { Context } from '../../../src/context/index.js';
import type { Budget } from '../budgets.js';
import { IS_QUICK, report } from './report.js';
import { watchTurns, type Took } from './turns.js';
import { withContexts } from './with-contexts.js';

const ROUNDS = IS_QUICK ? 1 : 5;

/** What some work on an archive takes: cold when nothing of the archive has been read, warm when the same was done before. */
export interface ColdAndWarm {
  readonly cold: readonly Took[];
  readonly warm: readonly Took[];
}

/** Do some work on an archive below `root` in rounds, each with caches of its own, in a process that has done it before. */
export async function coldAndWarm(
  root: string,
  archive: string,
  work: (context: Context) => Promise<void>,
): Promise<ColdAndWarm> {
  const twice = (): Promise<readonly [cold: Took, warm: Took]> =>
    withContexts(root, async (contexts) => {
      const once = (): Promise<Took> =>
        watchTurns(async () => work(await contexts.shared({ kind: 'archive', archive })));
      return [await once(), await once()];
    });
  // The engine compiles what runs often: a gateway has been running for a while.
  if (!IS_QUICK) await twice();
  const rounds: Awaited<ReturnType<typeof twice>>[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await twice());
  return { cold: rounds.map(([cold]) => cold), warm: rounds.map(([, warm]) => warm) };
}

/** Report such runs beside their budgets. */
export function reportRuns(
  { cold, warm }: ColdAndWarm,
  budgets: Readonly<Record<'cold' | 'warm' | 'turn', Budget>>,
): void {
  for (const [name, took] of [
    ['cold', cold],
    ['warm', warm],
  ] as const) {
    report(
      name,
      took.map(({ ms }) => ms),
      'millisec',
      budgets[name].limit,
    );
    report(
      `${name}, CPU time`,
      took.map(({ cpuMs }) => cpuMs),
      'ms CPU',
    );
  }
  const turns = [...cold, ...warm].map(({ turnMs }) => turnMs);
  report('longest turn of the event loop meanwhile, median of runs', turns, 'millisec', budgets.turn.limit);
}
