import { loadConfig } from '../../../src/config/index.js';
import { ContextManager } from '../../../src/context/index.js';
import type { Context } from '../../../src/context/index.js';
import { Archives } from '../../../src/gateway/targets/archives.js';
import { systemClock } from '../../../src/pmapi/index.js';
import type { Budget } from '../budgets.js';
import { IS_QUICK, report } from './report.js';
import { watchTurns, type Took } from './turns.js';

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
  const twice = async (): Promise<readonly [cold: Took, warm: Took]> => {
    const archives = new Archives(systemClock, { ...loadConfig({}).archives, roots: [root] });
    const contexts = new ContextManager({
      sources: { open: (spec) => archives.open({ archive: spec.kind === 'archive' ? spec.archive : '' }) },
      clock: systemClock,
      limits: { contexts: 1, pollTimeoutMs: 3_600_000, maxPollTimeoutMs: 3_600_000 },
    });
    const once = (): Promise<Took> => watchTurns(async () => work(await contexts.shared({ kind: 'archive', archive })));
    const took = [await once(), await once()] as const;
    await contexts.close();
    await archives.close();
    return took;
  };
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
