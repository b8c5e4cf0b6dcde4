import type { StreamHead } from '../../client/index.js';
import { EXIT, exitCodeOf, warn, writeWarnings, type ExitCode } from '../exit-codes.js';
import { metricDirectory } from '../metric-directory.js';
import { sampleSink } from '../output/sample-sink.js';
import { choiceOf, selectionOf, timeOf, whereOf, type SelectionFlags, type TextFlags } from '../selection.js';
import type { Session } from '../session.js';

interface StreamFlags extends SelectionFlags, TextFlags<'interval' | 'start' | 'finish'> {
  readonly changed?: boolean;
  readonly samples?: number;
  readonly speed?: number;
}

const MAX_RECONNECTS = 10;

/** `pmgate stream`: values as they arrive, until Ctrl-C, the requested number of samples, or the end of an archive. */
export async function streamCommand(
  session: Session,
  metrics: readonly string[],
  flags: StreamFlags,
): Promise<ExitCode> {
  const { client, signal } = session;
  const where = whereOf(flags, session);
  const directory = metricDirectory(client, where, flags, signal);
  const { interval, changed, start, finish, speed } = flags;
  let head: StreamHead | undefined;
  const say = (text: string): void => {
    // A warning that cannot be written is no reason to stop: the rows are what matters.
    warn(session, text).catch(() => undefined);
  };
  const samples = client.stream({
    ...choiceOf(metrics, flags.prefix),
    ...selectionOf(flags, session),
    ...where,
    interval,
    changed,
    start: timeOf(start),
    finish: timeOf(finish),
    speed,
    signal,
    maxReconnects: MAX_RECONNECTS,
    onMetrics: (said) => {
      directory.knowUnits(said.metrics);
      head ??= said;
    },
    onFailure: (error) => say(`no sample: ${error.message}`),
    onReconnect: (error) => say(`stream interrupted, reconnecting: ${error.message}`),
  });
  const sink = sampleSink(session);
  let count = 0;
  let isWhole = false;
  try {
    for await (const sample of samples) {
      await sink.add(await directory.name(sample));
      if (++count === flags.samples) break;
    }
    isWhole = true;
  } catch (error) {
    // Ctrl-C is the normal end of a stream.
    if (!signal.aborted) throw error;
    isWhole = true;
  } finally {
    await sink.end(!isWhole);
  }
  await writeWarnings(session, head?.warnings ?? []);
  return signal.aborted ? EXIT.OK : exitCodeOf(head?.metrics.length ?? 0, head?.warnings?.length ?? 0);
}
