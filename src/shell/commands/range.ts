import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { open, unlink } from 'node:fs/promises';
import { ReadableStream } from 'node:stream/web';
import type { RangeOptions, RangeSample, Warning, Where } from '../../client/index.js';
import { EXIT, exitCodeOf, warn, writeWarnings, type ExitCode } from '../exit-codes.js';
import { metricDirectory, isoMoment } from '../metric-directory.js';
import { UnixLines } from '../output/json-and-csv.js';
import { sampleSink } from '../output/sample-sink.js';
import { tableTime } from '../output/sample-table.js';
import { choiceOf, selectionOf, timeOf, whereOf, type SelectionFlags, type TextFlags } from '../selection.js';
import { UsageError, type Session } from '../session.js';
import { OutputFailedError, type Terminal } from '../terminal.js';

export interface RangeFlags
  extends SelectionFlags, TextFlags<'start' | 'finish' | 'interval' | 'offset' | 'align' | 'file'> {
  readonly samples?: number;
  readonly points?: number;
  readonly decimation?: 'min' | 'max' | 'average' | 'last';
}

/** `pmgate range`: samples in the session's format; with `--output archive` or `arrow`, the bytes of a PCP archive or of Arrow's batches. */
export async function rangeCommand(
  session: Session,
  metrics: readonly string[],
  flags: RangeFlags,
  output?: string,
): Promise<ExitCode> {
  const { client, terminal, host } = session;
  const { file } = flags;
  if (output === 'archive' && file === undefined && terminal.stdout.isTerminal) {
    throw new UsageError('cannot write a tar to a terminal: redirect the output, or name the archive with --file');
  }
  if (output === 'arrow' && terminal.stdout.isTerminal) {
    throw new UsageError('cannot write Arrow to a terminal: redirect the output');
  }
  const where = whereOf(flags, session);
  const warnings: Warning[] = [];
  const request = requestOf(session, metrics, flags, warnings);
  const progress = progressOn(terminal, () => host.nowMs());
  const stopListening = listenToTrailers(warnings);
  let had: number | undefined;
  try {
    if (output === 'archive' || output === 'arrow') {
      const pieces = counted(client[output](request), progress);
      if (file !== undefined) await writeArchiveFiles(file, pieces);
      else for await (const piece of pieces) await terminal.stdout.write(piece);
    } else if (session.format === 'csv') {
      had = await writeCsv(session, client.csv(request), progress);
    } else {
      had = await writeSamples(session, flags, where, client.range(request), progress);
    }
  } finally {
    stopListening();
    progress.end();
  }
  if (had === 0 && warnings.length === 0) await warn(session, 'no samples in this time window');
  await writeWarnings(session, warnings);
  // Metrics that are not there are left out of every sample: with none of them left there are no values.
  const missing = warnings.filter(({ name, pmid }) => name !== undefined || pmid !== undefined);
  return missing.length >= request.prefix.length ? EXIT.FAILED : exitCodeOf(1, warnings.length);
}

/**
 * Add the warnings that follow a body, such as damage found on the way: `fetch` does not show trailers, Node's channel does.
 * @returns stops it
 */
function listenToTrailers(warnings: Warning[]): () => void {
  const channel = 'undici:request:trailers';
  const listen = (message: unknown): void => {
    const trailers = (message as { readonly trailers: readonly Buffer[] }).trailers.map(String);
    const at = trailers.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === 'x-pmgate-warnings');
    if (at >= 0) warnings.push(...(JSON.parse(trailers[at + 1]!) as Warning[]));
  };
  subscribe(channel, listen);
  return () => void unsubscribe(channel, listen);
}

async function* counted(pieces: AsyncIterable<Uint8Array>, progress: Progress): AsyncGenerator<Uint8Array, void> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    await progress.report(undefined, `${Math.round(bytes / 1024)} KiB`);
    yield piece;
  }
}

function requestOf(session: Session, metrics: readonly string[], flags: RangeFlags, warnings: Warning[]) {
  return {
    ...choiceOf(metrics, flags.prefix),
    ...selectionOf(flags, session),
    ...windowOf(flags),
    ...whereOf(flags, session),
    signal: session.signal,
    onWarnings: (some: readonly Warning[]) => void warnings.push(...some),
  };
}

function windowOf({ start, finish, offset, ...flags }: RangeFlags): Partial<RangeOptions<'iso'>> {
  const { interval, samples, align, points, decimation } = flags;
  const times = { start: timeOf(start), finish: timeOf(finish), offset: timeOf(offset) };
  return { ...times, interval, samples, align, points, decimation };
}

async function writeSamples(
  session: Session,
  flags: RangeFlags,
  where: Where,
  samples: AsyncIterable<RangeSample<'iso'>>,
  progress: Progress,
): Promise<number> {
  const { client, signal } = session;
  const directory = metricDirectory(client, where, flags, signal);
  const sink = sampleSink(session);
  const shareAt = rangeShare(session, flags);
  let count = 0;
  let isWhole = false;
  try {
    for await (const sample of samples) {
      await sink.add(await directory.name(sample));
      if (!sample.mark) count++;
      await progress.report(await shareAt(sample.timestamp), `${count} samples, ${tableTime(sample.timestamp)}`);
    }
    isWhole = true;
  } finally {
    await sink.end(!isWhole);
  }
  return count;
}

/** The gateway's own CSV: a line for each sample, a column for each metric and instance. */
async function writeCsv(
  { terminal: { stdout } }: Session,
  pieces: AsyncIterable<string>,
  progress: Progress,
): Promise<number> {
  const unixLines = new UnixLines();
  let length = 0;
  let lines = 0;
  for await (const piece of pieces) {
    await stdout.write(unixLines.convert(piece));
    length += piece.length;
    lines += piece.split('\n').length - 1;
    await progress.report(undefined, `${Math.round(length / 1024)} KiB`);
  }
  await stdout.write(unixLines.end());
  return Math.max(0, lines - 1);
}

/** Estimates the progress through a range, if its end is known here. */
function rangeShare(session: Session, flags: RangeFlags) {
  let startMs: number | undefined;
  let end: Promise<number | undefined> | undefined;

  /** From 0 to 1; undefined if unknown. */
  async function at(timestamp: string): Promise<number | undefined> {
    const { terminal } = session;
    if (!terminal.stderr.isTerminal || terminal.stdout.isTerminal) return undefined;
    const ms = Date.parse(timestamp);
    startMs ??= ms;
    end ??= findEnd();
    const endMs = await end;
    if (endMs === undefined || endMs <= startMs) return undefined;
    return Math.min(1, (ms - startMs) / (endMs - startMs));
  }

  /** The end in the flags, if readable without a gateway; else that of the archive. */
  async function findEnd(): Promise<number | undefined> {
    const { finish, samples } = flags;
    if (samples !== undefined) return undefined;
    if (finish !== undefined) {
      const ms = Date.parse(finish);
      return Number.isNaN(ms) ? undefined : ms;
    }
    const { client, signal, archive } = session;
    const known = archive === undefined ? [] : await client.archives({ signal });
    const end = known.find(({ name }) => name === archive)?.end;
    return end === undefined ? undefined : Date.parse(isoMoment(end));
  }
  return at;
}

const SUFFIX = /\.(?:meta|index|\d{1,9})$/;

/** Writes a tar's archive files under a base name, all or none. Throws {@link OutputFailedError} if one exists or cannot be written. */
async function writeArchiveFiles(base: string, tar: AsyncIterable<Uint8Array>): Promise<void> {
  const { createTarDecoder } = await import('modern-tar');
  const decoder = createTarDecoder({ strict: true });
  const written: string[] = [];
  try {
    for await (const { header, body } of ReadableStream.from(tar).pipeThrough(decoder)) {
      const [suffix] = SUFFIX.exec(header.name) ?? [];
      if (suffix === undefined) throw new OutputFailedError(new Error('the response is not an archive'));
      await writeFile(base + suffix, body, written);
    }
  } catch (error) {
    for (const file of written) await unlink(file).catch(() => undefined);
    throw error;
  }
}

async function writeFile(name: string, body: AsyncIterable<Uint8Array>, written: string[]): Promise<void> {
  const file = await orFailure(open(name, 'wx'));
  written.push(name);
  try {
    for await (const piece of body) await orFailure(file.writeFile(piece));
  } finally {
    await file.close();
  }
}

function orFailure<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw new OutputFailedError(error as Error);
  });
}

/** A range that finishes sooner shows no progress. */
const QUIET_MS = 1000;

interface Progress {
  /** @param done from 0 to 1, or undefined if the total is unknown; `note` follows the bar. */
  report(done: number | undefined, note: string): Promise<void>;
  end(): void;
}

const NO_PROGRESS: Progress = { report: () => Promise.resolve(), end: () => undefined };

/** A bar on standard error after a second, if that is a terminal and standard output is not. */
export function progressOn({ stdout, stderr }: Terminal, nowMs: () => number): Progress {
  const { stream } = stderr;
  if (!stderr.isTerminal || stdout.isTerminal || !stream) return NO_PROGRESS;
  const startMs = nowMs();
  let bar: { update(value: number, payload: object): void; stop(): void } | undefined;
  return {
    async report(done, note) {
      if (nowMs() - startMs < QUIET_MS) return;
      if (!bar) {
        const { default: progress } = await import('cli-progress');
        const shape = done === undefined ? '{note}' : '{bar} {percentage}% {note}';
        const options = { stream, format: shape, clearOnComplete: true, hideCursor: true };
        const made = new progress.SingleBar(options);
        made.start(1000, 0, { note });
        bar = made;
      }
      bar.update(Math.round((done ?? 0) * 1000), { note });
    },
    end: () => bar?.stop(),
  };
}
