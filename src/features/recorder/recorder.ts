import path from 'node:path';
import type { Timers } from '../../kit/index.js';
import { addInterval, compareTimestamps, earlier, PM_ERR, PmError } from '../../pmapi/index.js';
import type { Clock, FetchResult, InstanceDomain, Timestamp } from '../../pmapi/index.js';
import { planAnew, type Context, type ContextManager, type FetchPlan, type KeptResult } from '../../context/index.js';
import { Ticker } from '../../context/stream/index.js';
import type { SourceSpec } from '../../sources/index.js';
import { ArchiveWriter, type ArchiveLabel, type WritableDirectory } from '../../sources/archive/writing/index.js';
import { OwnContext } from './own-context.js';
import type { ByteAllowance } from './who/byte-allowance.js';
import { DirectoryLock } from './directory-lock.js';
import { Recordings, type CurrentFiles, type RecordingLimits } from './recordings.js';
import { SampleWriter, type WrittenMetrics } from '../../archiving/index.js';

/** Metrics that are recorded at one interval. */
export interface RecordedGroup {
  readonly intervalMs: number;
  readonly metrics: readonly string[];
  /** The host may have none of its metrics: then nothing is recorded. */
  readonly isOptional?: boolean;
  /** Takes its samples; by default, all of its metrics are fetched. */
  readonly sampler?: Sampler;
  /** What it may write; beyond it, samples are left out. */
  readonly allowance?: ByteAllowance;
}

/** Takes samples in a way of its own. */
export interface Sampler {
  /** Undefined if there is nothing to record. Rejects if the source fails. */
  take(): Promise<SamplerResult | undefined>;
  close(): void;
}

export interface SamplerResult {
  /** Of the same origin as the recorder's context. */
  readonly plan: WrittenMetrics;
  readonly kept: Pick<KeptResult, 'release'> & { readonly result: Pick<FetchResult, 'timestamp' | 'sets'> };
  /** Samples may be missing before it: the connection was lost. */
  readonly isAfterGap: boolean;
  /** The instances of a domain, in place of all. */
  readonly named?: InstanceDomain;
}

export interface RecorderOptions extends RecordingLimits {
  readonly contexts: Pick<ContextManager, 'create' | 'destroy'>;
  readonly spec: SourceSpec;
  readonly groups: readonly RecordedGroup[];
  /** Whether a derived metric may be recorded: recordings show it to roles that may not see its operands. */
  readonly recordsDerived: (name: string) => boolean;
  readonly directory: string;
  /** Bytes of a volume, before it is compressed. */
  readonly volumeBytes: number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: RecorderLog;
  /** Writes files; the file system by default. */
  readonly files?: WritableDirectory;
}

/** Receives problems of the recorder, and their end. */
export interface RecorderLog {
  info(message: string, fields: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
}

const MAX_METRICS = 10_000;
const RETRY_MS = 60_000;
/** A check takes as much time as a tenth of a sample. */
const CHECK_MS = 500;
/** How often data is synced: a power failure loses at most this much. */
const SYNC_MS = 60_000;
/** Maximum number of a group's samples that wait to be written. */
const MAX_WAITING = 16;
const MARK_DISTANCE: Timestamp = { sec: 0, nsec: 1_000_000 };
const DAY_SEC = 86_400;
/** The maximum share of an archive in all that is kept: removing the oldest leaves most. */
const ARCHIVES_KEPT = 8;
/** Descriptor conflicts between archive and source: they require a new archive. */
const CONTRADICTIONS: ReadonlySet<number> = new Set([
  PM_ERR.LOGCHANGETYPE,
  PM_ERR.LOGCHANGESEM,
  PM_ERR.LOGCHANGEINDOM,
  PM_ERR.LOGCHANGEUNITS,
  PM_ERR.PMID,
]);

interface TakenSample extends SamplerResult {
  readonly context: Context;
  readonly isClockSetBack: boolean;
}

interface CurrentArchive {
  readonly writer: ArchiveWriter;
  readonly samples: SampleWriter;
  readonly context: Context;
  readonly day: number;
}

/** Records metrics of one host: an archive a day, in volumes that are compressed when complete. Any failure is logged once and retried. */
export class Recorder {
  readonly statistics = {
    samples: 0,
    values: 0,
    /** Bytes of volumes and metadata. */
    bytes: 0,
    /** Samples that could not be taken or written, and archives that were removed while they were written. */
    errors: 0,
    /** Ticks while the previous sample was still being fetched, or too many waited to be written. */
    missed: 0,
    /** Ticks of groups that had used up their allowance. */
    thinned: 0,
  };
  readonly #options: RecorderOptions;
  readonly #recordings: Recordings;
  readonly #ticker: Ticker;
  #lock: DirectoryLock | undefined;
  #lockedAtMs = 0;
  #checkedAtMs = -Infinity;
  /** Derived metrics keep their history there. */
  readonly #context: OwnContext;
  #archive: CurrentArchive | undefined;
  /** The last record of the archive before the current one. */
  #endBefore: Timestamp | undefined;
  #hasResumed = false;
  /** Samples are missing after the last record. */
  #owesMark = false;
  /** The last problem of each group, and (without a group) of the directory. */
  readonly #troubles = new Map<RecordedGroup | undefined, string>();
  /** Fetches in progress, at most one for each group. */
  readonly #sampling = new Map<RecordedGroup, Promise<void>>();
  /** How many samples of each group wait to be written. */
  readonly #waiting = new Map<RecordedGroup, number>();
  /** The latest timestamp of all samples since the start, or since the clock was set back. */
  #latest: Timestamp | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #tidying: Promise<void> = Promise.resolve();
  #stops: (() => void)[] = [];
  #isClosed = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#context = new OwnContext(options.contexts, options.spec, () => {
      void this.#enqueue(() => void (this.#owesMark = true));
    });
    this.#recordings = new Recordings(options.directory, options);
    this.#ticker = new Ticker(options.clock, options.timers);
  }

  get isRecording(): boolean {
    return this.#lock !== undefined && this.#troubles.size === 0 && this.statistics.samples > 0;
  }

  get keptBytes(): number {
    return this.#recordings.keptBytes;
  }

  /** Begin to record. Never throws: problems are logged. */
  async start(): Promise<void> {
    await this.#enqueue(() => this.#begin());
  }

  async settled(): Promise<void> {
    await Promise.all(this.#sampling.values());
    for (let last; last !== this.#queue;) await (last = this.#queue);
    await this.#tidying;
  }

  /** Finish the samples in progress, close the archive and release the directory. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    await this.settled();
    await this.#closeArchive();
    this.#context.close();
    for (const { sampler } of this.#options.groups) sampler?.close();
    await this.#lock?.release();
    this.#lock = undefined;
  }

  async #begin(): Promise<void> {
    if (this.#isClosed) return;
    const { directory, timers } = this.#options;
    try {
      this.#lock = await DirectoryLock.take(directory, this.#options.clock);
    } catch (error) {
      this.#complain('cannot record', error);
      this.#stops = [timers.after(RETRY_MS, () => void this.start())];
      return;
    }
    this.#tidy();
    await this.#prepare();
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#stops = this.#options.groups.map((group) => this.#repeat(group));
    this.#stops.push(this.#ticker.every(SYNC_MS, () => void this.#enqueue(() => this.#sync())));
  }

  /** Looks up the metrics early; problems are reported by the samples. */
  async #prepare(): Promise<void> {
    try {
      const context = await this.#context.get();
      const plain = this.#options.groups.filter(({ sampler }) => !sampler);
      await Promise.all(plain.map(async (group) => planOf(context, group)));
    } catch {
      // The first sample fails for the same reason.
    }
  }

  #repeat(group: RecordedGroup): () => void {
    const tick = (): void => {
      if (this.#sampling.has(group) || (this.#waiting.get(group) ?? 0) >= MAX_WAITING) {
        this.statistics.missed++;
        return;
      }
      if (group.allowance?.isOpen() === false) {
        this.statistics.thinned++;
        return;
      }
      const sample = this.#sample(group).finally(() => this.#sampling.delete(group));
      this.#sampling.set(group, sample);
    };
    tick();
    return this.#ticker.every(group.intervalMs, tick);
  }

  #enqueue(work: () => Promise<void> | void): Promise<void> {
    const mine = this.#queue.then(work);
    this.#queue = mine.catch(() => undefined);
    return mine;
  }

  /** Takes a sample, concurrently with other groups, and queues it for writing. Never throws. */
  async #sample(group: RecordedGroup): Promise<void> {
    if (this.#isClosed) return;
    try {
      const sample = await planAnew(() => this.#take(group));
      if (!sample) {
        this.#recover(group);
        return;
      }
      this.#waiting.set(group, (this.#waiting.get(group) ?? 0) + 1);
      void this.#enqueue(() => this.#record(group, sample));
    } catch (error) {
      void this.#enqueue(() => this.#fail(group, error));
    }
  }

  async #take(group: RecordedGroup): Promise<TakenSample | undefined> {
    const context = await this.#context.get();
    const known = this.#latest;
    const taken = await (group.sampler ? group.sampler.take() : takeAll(context, group));
    if (!taken) return undefined;
    const { timestamp } = taken.kept.result;
    const isClockSetBack = known !== undefined && compareTimestamps(timestamp, known) < 0;
    if (isClockSetBack || !this.#latest || compareTimestamps(timestamp, this.#latest) > 0) this.#latest = timestamp;
    return { ...taken, context, isClockSetBack };
  }

  async #record(group: RecordedGroup, sample: TakenSample): Promise<void> {
    try {
      await this.#keepDirectory();
      if (sample.isAfterGap) this.#owesMark = true;
      const written = await this.#write(sample);
      group.allowance?.spend(written);
      this.#recover(group);
    } catch (error) {
      this.#fail(group, error);
    } finally {
      sample.kept.release();
      this.#waiting.set(group, this.#waiting.get(group)! - 1);
    }
  }

  #fail(group: RecordedGroup, error: unknown): void {
    this.statistics.errors++;
    this.#complain('cannot record a sample', error, group);
    if (this.#options.groups.every((one) => this.#troubles.has(one))) this.#owesMark = true;
  }

  /** A sample's time. One overtaken by other groups' gets the last record's; any other that is too early: the clock was set back. */
  #timeOf({ kept, isClockSetBack }: TakenSample): Timestamp {
    const { timestamp } = kept.result;
    const end = this.#archive?.writer.end;
    return end && !isClockSetBack && compareTimestamps(timestamp, end) < 0 ? end : timestamp;
  }

  async #write(sample: TakenSample): Promise<number> {
    const { context, plan, kept, named } = sample;
    const timestamp = this.#timeOf(sample);
    const { writer, samples } = await this.#archiveFor(context, timestamp);
    const bytes = writer.bytes;
    const { volume } = writer;
    if (writer.volumeBytes >= this.#options.volumeBytes) await writer.rotate();
    if (this.#owesMark && writer.end) await writer.mark(earlier(addInterval(writer.end, MARK_DISTANCE), timestamp));
    this.#owesMark = false;
    try {
      this.statistics.values += await samples.write(plan, { timestamp, sets: kept.result.sets, named });
    } catch (error) {
      // An archive cannot change a descriptor: the next sample goes into a new archive.
      if (error instanceof PmError && CONTRADICTIONS.has(error.pmErr)) await this.#closeArchive();
      // A problem of the disk concerns every group.
      if (!(error instanceof PmError)) this.#owesMark = true;
      throw error;
    }
    this.statistics.samples++;
    const written = Math.max(writer.bytes - bytes, 0);
    this.statistics.bytes += written;
    if (writer.volume > volume) this.#tidy();
    return written;
  }

  /** The archive of a sample: the current one, the latest one at the start, or a new one. */
  async #archiveFor(context: Context, time: Timestamp): Promise<CurrentArchive> {
    const day = Math.floor(time.sec / DAY_SEC);
    if (this.#archive && this.#fits(this.#archive, time, day)) {
      if (this.#archive.context !== context) this.#archive = this.#currentArchive(this.#archive.writer, context, day);
      return this.#archive;
    }
    await this.#closeArchive();
    const { hostName, timezone = 'UTC' } = await context.info();
    if (!this.#hasResumed) {
      // Until then the latest archive counts as the current one.
      const resumed = await this.#resume(context, hostName, time, day).finally(() => (this.#hasResumed = true));
      if (resumed) return resumed;
    }
    const end = this.#endBefore;
    const base = await this.#recordings.pathFor(time, end !== undefined && compareTimestamps(time, end) < 0);
    const label: ArchiveLabel = { pid: process.pid, hostName, timezone, zoneinfo: '' };
    const writer = ArchiveWriter.create(base, label, this.#options.files);
    this.#archive = this.#currentArchive(writer, context, day);
    return this.#archive;
  }

  /** Whether a sample can be appended: of the same day, not before the last one, and within the size limit. */
  #fits({ writer, day: own }: CurrentArchive, time: Timestamp, day: number): boolean {
    if (day !== own || writer.bytes > this.#options.keepBytes / ARCHIVES_KEPT) return false;
    return !writer.end || compareTimestamps(time, writer.end) >= 0;
  }

  #currentArchive(writer: ArchiveWriter, context: Context, day: number): CurrentArchive {
    const samples = new SampleWriter({ writer, context, recordsDerived: this.#options.recordsDerived });
    return { writer, samples, context, day };
  }

  async #resume(context: Context, hostName: string, time: Timestamp, day: number): Promise<CurrentArchive | undefined> {
    const base = await this.#recordings.latest();
    if (base === undefined) return undefined;
    let writer: ArchiveWriter;
    try {
      writer = await ArchiveWriter.resume(base, this.#options.files);
    } catch (err) {
      this.#options.log.warn('recording continues in a new archive', { archive: base, reason: (err as Error).message });
      return undefined;
    }
    const own = Math.floor((writer.end?.sec ?? 0) / DAY_SEC);
    const archive = this.#currentArchive(writer, context, own);
    if (writer.label.hostName === hostName && this.#fits(archive, time, day)) return (this.#archive = archive);
    this.#endBefore = writer.end;
    await writer.close();
    return undefined;
  }

  async #closeArchive(): Promise<void> {
    const archive = this.#archive;
    if (!archive) return;
    // It is the current one until it is closed: nothing else touches its files.
    this.#endBefore = archive.writer.end ?? this.#endBefore;
    await archive.writer.close().catch((error: unknown) => this.#complain('cannot close an archive', error));
    this.#archive = undefined;
    if (!this.#isClosed) this.#tidy();
  }

  async #sync(): Promise<void> {
    await this.#archive?.writer.sync().catch((error: unknown) => this.#complain('cannot write to the disk', error));
  }

  /** Makes sure that files can be found, once for the samples of one moment: the directory or the archive may have been removed. */
  async #keepDirectory(): Promise<void> {
    const { directory, clock, timers } = this.#options;
    if (this.#lock && timers.nowMs() - this.#checkedAtMs < CHECK_MS) return;
    this.#checkedAtMs = timers.nowMs();
    const writer = this.#archive?.writer;
    const isHeld = await this.#lock?.isHeld();
    const isLost = writer?.end !== undefined && !(await this.#recordings.has(writer));
    if (isLost) this.#reportLoss(writer);
    try {
      if (!isHeld) this.#lock = undefined;
      this.#lock ??= await DirectoryLock.take(directory, clock);
    } finally {
      if (!isHeld || isLost) await this.#closeArchive();
    }
    const nowMs = timers.nowMs();
    if (nowMs - this.#lockedAtMs < RETRY_MS / 2) return;
    this.#lockedAtMs = nowMs;
    await this.#lock.refresh();
  }

  #reportLoss({ base, start, end }: ArchiveWriter): void {
    this.statistics.errors++;
    const [from, to] = [start!, end!].map((time) => new Date(time.sec * 1000).toISOString());
    const reason = `${path.basename(base)} of ${from!} to ${to!}`;
    const { directory, log } = this.#options;
    log.warn('recordings were removed while they were written', { directory, reason });
  }

  /** Compress and remove old archives in the background, unless another gateway has the directory. */
  #tidy(): void {
    if (!this.#lock) return;
    const findCurrent = async (): Promise<CurrentFiles | undefined> => {
      const { writer } = this.#archive ?? {};
      return writer ? { base: writer.base, volume: writer.volume } : this.#lastOne();
    };
    this.#tidying = this.#tidying.then(() => this.#recordings.tidy(findCurrent, this.#options.clock.now()));
    this.#tidying = this.#tidying.catch((error: unknown) => this.#complain('cannot tidy the recordings', error));
  }

  /** Before the first sample, the latest archive may be continued: its last volume must stay uncompressed. */
  async #lastOne(): Promise<CurrentFiles | undefined> {
    const base = this.#hasResumed ? undefined : await this.#recordings.latest();
    return base === undefined ? undefined : { base, volume: 0 };
  }

  /** Log a problem, once for all groups that have it. */
  #complain(message: string, error: unknown, group?: RecordedGroup): void {
    const reason = (error as Error).message;
    const isKnown = [...this.#troubles.values()].includes(reason);
    this.#troubles.set(group, reason);
    if (!isKnown) this.#options.log.warn(message, { directory: this.#options.directory, reason });
  }

  #recover(group: RecordedGroup): void {
    if (this.#troubles.size === 0) return;
    this.#troubles.delete(group);
    this.#troubles.delete(undefined);
    if (this.#troubles.size === 0) this.#options.log.info('recording again', { directory: this.#options.directory });
  }
}

async function takeAll(context: Context, group: RecordedGroup): Promise<SamplerResult | undefined> {
  const plan = await planOf(context, group);
  if (plan.entries.length === 0) return undefined;
  let isAfterGap = false;
  const kept = await context.fetching.fetch(plan, (_result, notes): KeptResult => {
    isAfterGap = notes.reconnected;
    return notes.keep();
  });
  return { plan, kept, isAfterGap };
}

async function planOf(context: Context, { metrics, isOptional }: RecordedGroup): Promise<FetchPlan> {
  const plan = await context.plans.get({ prefixes: metrics, most: MAX_METRICS });
  if (plan.entries.length === 0 && !isOptional) throw new Error(`none of the metrics exists: ${metrics.join(', ')}`);
  return plan;
}
