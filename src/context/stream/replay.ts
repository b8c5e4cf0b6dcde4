import { pause, type Timers } from '../../kit/index.js';
import { compareTimestamps, formatIsoTime, later, secondsBetween, UTC_ZONE } from '../../pmapi/index.js';
import type { Timestamp } from '../../pmapi/index.js';
import { recordsOf } from '../../sources/index.js';
import type { OpenRange } from '../open-range.js';
import { DEFAULT_RANGE_LIMITS } from '../range/index.js';
import { ChangedValues } from './changed-values.js';
import type { ReplayRequest } from './stream-request.js';

/** A replay keeps nothing, at its client's pace: no bound is needed. */
const LIMITS = { ...DEFAULT_RANGE_LIMITS, values: Number.MAX_SAFE_INTEGER };

/** Plans a replay without reading. Resuming reads the client's last sample again, for rates. Throws BAD_PARAMETER and CONVERSION. */
export async function openReplay(request: ReplayRequest, signal: AbortSignal): Promise<OpenRange> {
  const { context, plan, parameters, selection, lastEventId } = request;
  const settings = { limits: LIMITS, signal, selection, wrap: selection?.rate?.wrap };
  const range = await context.fetching.range(plan, parameters, settings);
  const { start, finish } = range.request;
  if (!lastEventId || compareTimestamps(lastEventId, start) < 0) return range;
  const rest = {
    start: formatIsoTime(lastEventId, UTC_ZONE),
    finish: formatIsoTime(later(lastEventId, finish), UTC_ZONE),
  };
  return context.fetching.range(plan, { ...parameters, ...rest }, settings);
}

/** Events of an archive's samples, each when due. Ends when the signal is aborted. */
export async function* replay(
  { format, changed, speed, lastEventId }: ReplayRequest,
  { samples, instanceName }: OpenRange,
  timers: Timers,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const answered = { entries: samples.metrics, instanceName };
  const changes = changed ? new ChangedValues() : undefined;
  let begin: { readonly at: Timestamp; readonly ms: number } | undefined;
  for await (const { isMark, result } of recordsOf(samples.batches())) {
    const id = result.timestamp;
    if (isMark || (lastEventId && compareTimestamps(id, lastEventId) <= 0)) continue;
    const sample = changes?.next(answered, result) ?? { answered, result };
    const text = format.sample({ id, reconnected: false, changes: undefined, ...sample });
    begin ??= { at: id, ms: timers.nowMs() };
    const dueMs = begin.ms + (secondsBetween(id, begin.at) * 1000) / speed;
    await until(dueMs, timers, signal);
    if (signal.aborted) return;
    yield text;
  }
}

const LONGEST_WAIT_MS = 3_600_000;

async function until(dueMs: number, timers: Timers, signal: AbortSignal): Promise<void> {
  for (let leftMs = dueMs - timers.nowMs(); leftMs > 0 && !signal.aborted; leftMs = dueMs - timers.nowMs()) {
    await pause(Math.min(leftMs, LONGEST_WAIT_MS), timers, signal);
  }
}
