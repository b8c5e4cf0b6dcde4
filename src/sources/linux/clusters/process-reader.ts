import { closeSync, openSync, read, readdirSync, readSync, statfsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { attempt, eachInTurns, EventLoopTurns } from '../../../kit/index.js';
import type { Clock } from '../../../pmapi/index.js';
import { ByteScanner } from '../proc-files.js';
import { NumberGrid } from '../sample.js';
import { NO_ANSWER, type UncertainCalls } from '../uncertain-calls.js';
import {
  parseCgroups,
  parseCmdline,
  parseIo,
  parseOomScore,
  parseSchedstat,
  parseStat,
  parseStatm,
  parseStatus,
  PROCESS_COLUMNS,
  processColumn,
} from './process-parsers.js';

/** Of a longer command line only the beginning is shown; PCP: as much (measured with 6.0.3). */
const CMDLINE_MAX_BYTES = 4088;

const HELD_FILES: readonly HeldFile[] = ['cmdline', 'io'];
const [VSIZE, RSS, DESCRIPTORS] = [processColumn('stat:23'), processColumn('stat:24'), processColumn('fd:1')];
/** Processes whose held files are read side by side: each read waits for the thread pool, mostly idly. */
const HELD_AT_ONCE = 2;

/** What a pass reads of each process; `fd` is the folder of that name. */
export type ProcessPart = ProcessFile | 'fd';

export interface ProcessQuery {
  readonly parts: ReadonlySet<ProcessPart>;
  includes(pid: number): boolean;
  /** All that it includes, if they are listed, and nothing counts the others. */
  readonly some?: ReadonlySet<number> | undefined;
  readonly countsStates: boolean;
}

interface ProcessReading {
  readonly files: ProcessFiles;
  readonly clock: Clock;
  readonly uncertain: UncertainCalls;
}

/** One pass over /proc, in turns of the event loop. A process that ends or is stuck lacks the values that were not read. */
export async function readProcesses(reading: ProcessReading, query: ProcessQuery): Promise<ProcessSnapshot> {
  const { files, clock } = reading;
  const snapshot = new ProcessSnapshot();
  const pids = await files.list(clock.monotonicMs(), query.some);
  snapshot.processCount = pids.length;
  if (query.parts.size === 0 && !query.countsStates) return snapshot;
  snapshot.numbers.reserve(pids.length);
  const turns = new EventLoopTurns(() => clock.monotonicMs());
  await eachInTurns(pids, (pid) => readProcess(files, query, pid, snapshot), turns);
  await readHeldFiles(reading, query, snapshot);
  return snapshot;
}

function readProcess(files: ProcessFiles, query: ProcessQuery, pid: number, snapshot: ProcessSnapshot): void {
  const isWanted = query.parts.size > 0 && query.includes(pid);
  if (!isWanted && !query.countsStates) return;
  const row = snapshot.addRow(pid);
  if (query.countsStates || query.parts.has('stat')) readStat(files, pid, snapshot, row);
  if (query.countsStates) countState(snapshot, row);
  if (!isWanted) return;
  for (const part of query.parts) readPart(files, part, pid, snapshot, row);
}

async function readHeldFiles(reading: ProcessReading, query: ProcessQuery, snapshot: ProcessSnapshot): Promise<void> {
  const held = HELD_FILES.filter((file) => query.parts.has(file));
  if (held.length === 0) return;
  const rows = snapshot.pids.keys();
  const work = async (): Promise<void> => {
    for (const row of rows) {
      if (!query.includes(snapshot.pids[row]!)) continue;
      for (const file of held) await readHeldFile(reading, file, snapshot, row);
    }
  };
  await Promise.all(Array.from({ length: HELD_AT_ONCE }, work));
}

async function readHeldFile(
  { files, clock, uncertain }: ProcessReading,
  file: HeldFile,
  snapshot: ProcessSnapshot,
  row: number,
): Promise<void> {
  const pid = snapshot.pids[row]!;
  const texts = snapshot.texts[row]!;
  const recent = file === 'io' ? files.recentIo(clock.monotonicMs()) : undefined;
  const read = (): Promise<Uint8Array> => files.read(pid, file);
  const bytes = recent?.get(pid) ?? (await uncertain.ask('process', `${pid} ${file}`, read).catch(() => undefined));
  if (bytes === undefined) return; // gone, or not for us
  if (bytes === NO_ANSWER) {
    // It has a name at least.
    if (file === 'cmdline' && texts.cmd === undefined) readStat(files, pid, snapshot, row);
    return;
  }
  const scanner = new ByteScanner();
  scanner.start(bytes, bytes.length);
  if (recent) {
    recent.set(pid, bytes);
    parseIo(scanner, snapshot.numbers, row);
    return;
  }
  const psargs = parseCmdline(scanner, CMDLINE_MAX_BYTES);
  if (psargs === '' && texts.cmd === undefined) readStat(files, pid, snapshot, row);
  if (psargs !== '') texts.psargs = psargs;
  else if (texts.cmd !== undefined) texts.psargs = `(${texts.cmd})`;
}

function readPart(files: ProcessFiles, part: ProcessPart, pid: number, snapshot: ProcessSnapshot, row: number): void {
  const { numbers } = snapshot;
  if (part === 'stat' || part === 'cmdline' || part === 'io') return; // before, and afterwards
  if (part === 'fd') {
    const count = files.descriptorCount(pid);
    if (count !== undefined) numbers.set(row, DESCRIPTORS, count);
    return;
  }
  const scanner = files.scan(pid, part);
  if (!scanner) return;
  if (part === 'cgroup') Object.assign(snapshot.texts[row]!, parseCgroups(scanner.text(0, scanner.end)));
  else if (part === 'wchan') snapshot.texts[row]!.wchan = scanner.rest();
  else PARSERS[part](scanner, numbers, row);
}

const PARSERS = { status: parseStatus, statm: parseStatm, schedstat: parseSchedstat, oom_score: parseOomScore };

function readStat(files: ProcessFiles, pid: number, snapshot: ProcessSnapshot, row: number): void {
  const scanner = files.scan(pid, 'stat');
  const state = scanner && parseStat(scanner, snapshot.numbers, row);
  if (state) Object.assign(snapshot.texts[row]!, state);
}

function countState(snapshot: ProcessSnapshot, row: number): void {
  const { sname } = snapshot.texts[row]!;
  if (sname === undefined) return; // it has ended
  const { numbers } = snapshot;
  const state = runQueueState(sname, numbers.number(row, VSIZE), numbers.number(row, RSS));
  snapshot.runQueue.set(state, (snapshot.runQueue.get(state) ?? 0) + 1);
}
/** How processes are counted in proc.runq: the last components of its metrics' names. */
export const RUN_QUEUE_STATES = [
  'runnable',
  'blocked',
  'sleeping',
  'stopped',
  'swapped',
  'defunct',
  'unknown',
  'kernel',
] as const;
export type RunQueueState = (typeof RUN_QUEUE_STATES)[number];

const USER_STATES: ReadonlyMap<string, RunQueueState> = new Map([
  ['R', 'runnable'],
  ['S', 'sleeping'],
  ['D', 'blocked'],
  ['P', 'blocked'],
  ['T', 'stopped'],
  ['t', 'stopped'],
]);

/**
 * How one process is counted, from its state letter and its virtual and resident memory (any unit; NaN when unknown).
 *
 * PCP: its agent counts kernel threads, which have no memory, as swapped, and none as kernel, against its own help texts.
 * Differs from PCP: they count as kernel; swapped are processes that have virtual memory and none of it in RAM.
 */
export function runQueueState(sname: string, vsize: number, rss: number): RunQueueState {
  if (sname === 'Z') return 'defunct';
  if (vsize === 0) return 'kernel';
  if (rss === 0) return 'swapped';
  return USER_STATES.get(sname) ?? 'unknown';
}

/** What is read of a process in words; '' is a value, undefined is absent. */
export interface ProcessTexts {
  cmd?: string;
  sname?: string;
  wchan?: string;
  psargs?: string;
  cgroups?: string;
  container?: string;
}

/** What one pass over /proc found: a row for each process that was read. Does not change once the pass is over. */
export class ProcessSnapshot {
  readonly pids: number[] = [];
  readonly texts: ProcessTexts[] = [];
  readonly numbers = new NumberGrid(PROCESS_COLUMNS.length);
  /** All processes that there were, whether they were read or not. */
  processCount = 0;
  /** Processes by state; empty when the pass did not count them. */
  readonly runQueue = new Map<RunQueueState, number>();

  addRow(pid: number): number {
    this.pids.push(pid);
    this.texts.push({});
    return this.numbers.addRow();
  }
}

/** The files of a process that the kernel makes without waiting for anything. */
export type PromptFile = 'stat' | 'statm' | 'status' | 'schedstat' | 'wchan' | 'oom_score' | 'cgroup';

/** Files that a stuck process keeps its reader from: `cmdline` is read from its memory (mmap_lock), `io` waits for an execve(2). */
export type HeldFile = 'cmdline' | 'io';

type ProcessFile = PromptFile | HeldFile;

const INITIAL_BYTES = 16 * 1024;
/** A status file lists all groups of the process, 65536 at most. */
const MAX_BYTES = 1024 * 1024;
/** Listing more processes than these takes over a millisecond: then the thread pool does it. */
const LISTED_AT_ONCE = 500;
/** A longer command line is cut off; `io` is shorter than what Node allocates from its pool. */
const HELD_FILE_BYTES: Readonly<Record<HeldFile, number>> = { cmdline: 4096, io: 1024 };
/** How long a list of all processes says which of some are there. */
const LISTED_MS = 1000;
const PID = /^[1-9]\d{0,9}$/;
const RECENT_MS = 100;
const PROC_FILESYSTEM = 0x9fa0;
const MOST_KEPT = 512;

/** Reads files of processes; `stat`, which is read of all, stays open. One buffer serves all reads: use what {@link scan} gives before the next call. */
export class ProcessFiles {
  readonly #folder: string;
  readonly #scanner = new ByteScanner();
  #buffer = Buffer.allocUnsafe(INITIAL_BYTES);
  #last: ReadonlySet<number> = new Set();
  #listedMs = -Infinity;
  readonly #recent = new Map<number, Uint8Array>();
  #recentSinceMs = -Infinity;
  /** Descriptors of `stat` by process: while it lasts, reading it anew takes half the time. */
  readonly #kept = new Map<number, number>();
  readonly #mostKept: number;
  /** Whether the size of a process's folder `fd` is the number of its descriptors, as in kernels since 6.2. */
  readonly #tellsDescriptors: boolean;

  constructor(folder: string) {
    this.#folder = folder;
    // A file elsewhere would be the same when it is read again, and stay after its process.
    this.#mostKept = attempt(() => statfsSync(folder).type) === PROC_FILESYSTEM ? MOST_KEPT : 0;
    this.#tellsDescriptors =
      folder === '/proc' && (statSync('/proc/self/fd', { throwIfNoEntry: false })?.size ?? 0) > 0;
  }

  /**
   * The ids of all processes, in ascending order; or, if all of `some` were there less than a second ago, those, which may have ended.
   * @param nowMs a monotonic time
   */
  async list(nowMs: number, some?: ReadonlySet<number>): Promise<readonly number[]> {
    const isKnown = some && nowMs - this.#listedMs < LISTED_MS && [...some].every((pid) => this.#last.has(pid));
    if (isKnown) return [...some].sort((a, b) => a - b);
    const isShort = this.#last.size > 0 && this.#last.size < LISTED_AT_ONCE;
    const names = isShort ? readdirSync(this.#folder) : await readdir(this.#folder);
    const pids: number[] = [];
    for (const name of names) if (PID.test(name)) pids.push(Number(name));
    pids.sort((a, b) => a - b);
    this.#last = new Set(pids);
    for (const pid of this.#kept.keys()) if (!this.#last.has(pid)) this.#forget(pid);
    this.#listedMs = nowMs;
    return pids;
  }

  /** Read a file and put the scanner at its start; undefined when the process is gone or the file is not for us. */
  scan(pid: number, file: PromptFile): ByteScanner | undefined {
    const kept = file === 'stat' ? this.#kept.get(pid) : undefined;
    // It throws if the process ended meanwhile (ESRCH), or where the kernel checks permission at the read (EACCES).
    let length = kept === undefined ? undefined : attempt(() => this.#read(kept));
    if (length === undefined) {
      // The number may be that of another process now.
      if (kept !== undefined) this.#forget(pid);
      const fd = attempt(() => openSync(`${this.#folder}/${pid}/${file}`, 'r'));
      if (fd === undefined) return undefined;
      length = attempt(() => this.#read(fd));
      if (file === 'stat' && length !== undefined && this.#kept.size < this.#mostKept) this.#kept.set(pid, fd);
      else closeSync(fd);
      if (length === undefined) return undefined;
    }
    this.#scanner.start(this.#buffer, length);
    return this.#scanner;
  }

  /** What was read of `io` a moment ago, by process: the recorder asks twice, to choose some and to record them. @param nowMs as {@link list} */
  recentIo(nowMs: number): Map<number, Uint8Array> {
    if (nowMs - this.#recentSinceMs > RECENT_MS) {
      this.#recent.clear();
      this.#recentSinceMs = nowMs;
    }
    return this.#recent;
  }

  /** Its beginning, read in the thread pool. Rejects when the process is gone or the file is not for us. */
  read(pid: number, file: HeldFile): Promise<Uint8Array> {
    const fd = openSync(`${this.#folder}/${pid}/${file}`, 'r');
    return new Promise((resolve, reject) => {
      const buffer = Buffer.allocUnsafe(HELD_FILE_BYTES[file]);
      read(fd, buffer, 0, buffer.length, null, (error, length) => {
        closeSync(fd);
        if (error) reject(error);
        else resolve(buffer.subarray(0, length));
      });
    });
  }

  /** Number of open file descriptors; undefined when the process is gone or not ours. */
  descriptorCount(pid: number): number | undefined {
    const folder = `${this.#folder}/${pid}/fd`;
    // To list a hundred thousand takes 100 ms, in which nothing else is done.
    return attempt(() => (this.#tellsDescriptors ? statSync(folder).size : readdirSync(folder).length));
  }

  close(): void {
    for (const pid of this.#kept.keys()) this.#forget(pid);
  }

  #forget(pid: number): void {
    closeSync(this.#kept.get(pid)!);
    this.#kept.delete(pid);
  }

  /** The kernel makes each of these files in one go, so that a read which does not fill the buffer has all of it. */
  #read(fd: number): number {
    let length = 0;
    for (;;) {
      const space = this.#buffer.length - length;
      const got = readSync(fd, this.#buffer, length, space, length);
      length += got;
      if (got < space || this.#buffer.length >= MAX_BYTES) return length;
      const grown = Buffer.allocUnsafe(this.#buffer.length * 2);
      this.#buffer.copy(grown);
      this.#buffer = grown;
    }
  }
}
