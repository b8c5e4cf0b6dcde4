import { pause, type Timers } from '../kit/index.js';
import { ignoreEngineError } from './engine.js';
import type { Member } from './member.js';

const TEND_MS = 700;

/** Does something now and then while this is a member, until the signal is aborted. */
export async function tend(
  { isClosed, member, timers }: { isClosed: AbortSignal; member: Pick<Member, 'isAlone'>; timers: Timers },
  work: () => Promise<void>,
): Promise<void> {
  while (!isClosed.aborted) {
    if (!member.isAlone) await work().catch(ignoreEngineError);
    await pause(TEND_MS, timers, isClosed);
  }
}
