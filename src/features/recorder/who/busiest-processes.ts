import { throughInTurns } from '../../../kit/index.js';

/** How many processes are chosen by each measure: CPU, memory, its growth, I/O, growth of open files. */
const CHOSEN = 10;
const MEASURES = 5;
/** How many that began since the last sample are chosen besides: those that worked most. */
const CHOSEN_NEW = 64;
/** How many processes are asked for their I/O: those that worked most. At the first sample all did, and nothing is known of when. */
const ASKED_FOR_IO = 256;
const ASKED_FIRST = 32;
const STEP = 256;

/** What is known of every process at a moment. Unknown numbers are NaN. */
export interface ProcessNumbers {
  readonly pid: number;
  /** Since the machine's start: with the pid, the identity of a process. */
  readonly startMs: number;
  readonly parent: number;
  /** Its own CPU time, and that of children which it has waited for. */
  readonly cpuMs: number;
  readonly childrenMs: number;
  /** Resident memory, in any unit. */
  readonly memory: number;
  /** Page faults that needed I/O. */
  readonly faults: number;
}

/** What is read of those that worked only; undefined: not known yet. */
export interface ProcessDetails {
  /** Bytes read and written. */
  readonly io: number | undefined;
  readonly files: number | undefined;
}

interface KnownProcess extends ProcessDetails {
  readonly process: ProcessNumbers;
}

const NO_DETAILS: ProcessDetails = { io: undefined, files: undefined };

/** What a process did since the sample before. */
interface Work {
  readonly process: ProcessNumbers;
  /** Undefined: it is new. */
  readonly before: KnownProcess | undefined;
  readonly cpuMs: number;
}

/**
 * Chooses the busiest processes of each interval, from counters that need no clock. A process that is new counts with all that it did since
 * its start, also if it has the pid of another; at the first sample, all are new. Children that ended count for their parents, except for
 * what they did while they were seen themselves.
 */
export class BusiestProcesses {
  #known: ReadonlyMap<number, KnownProcess> = new Map();
  #works: readonly Work[] = [];
  /** The last choice: these stay for one more sample, so that each has a rate. */
  #chosen: ReadonlyMap<number, number> = new Map();

  /** Takes the next sample; returns the processes whose I/O is worth reading: all that worked since the last one, within reason. */
  async look(processes: readonly ProcessNumbers[]): Promise<readonly number[]> {
    this.#works = await throughInTurns(this.#compare(processes));
    const asked = new Greatest(this.#known.size === 0 ? ASKED_FIRST : ASKED_FOR_IO);
    for (const { process, before, cpuMs } of this.#works) {
      // Nothing is read or written without any work.
      asked.offer(process.pid, cpuMs + process.faults - (before ? before.process.faults : -1));
    }
    return asked.pids;
  }

  /**
   * The processes to record, in ascending order: the busiest ten by CPU, memory, I/O and growth of memory and of open files, those of the
   * last choice, and those that are new, once.
   * @param details of the processes that {@link look} named, as far as they may be known
   */
  async choose(details: ReadonlyMap<number, ProcessDetails>): Promise<readonly number[]> {
    const known = new Map<number, KnownProcess>();
    const byMeasure = Array.from({ length: MEASURES }, () => new Greatest(CHOSEN));
    const byBeginning = new Greatest(this.#known.size === 0 ? 0 : CHOSEN_NEW);
    await throughInTurns(this.#rank(details, byMeasure, byBeginning, known));
    const busiest = new Set(byMeasure.flatMap(({ pids }) => pids));
    const chosen = new Set([...busiest, ...byBeginning.pids]);
    for (const [pid, startMs] of this.#chosen) if (known.get(pid)?.process.startMs === startMs) chosen.add(pid);
    this.#chosen = new Map([...busiest].map((pid) => [pid, known.get(pid)!.process.startMs]));
    this.#known = known;
    this.#works = [];
    return [...chosen].sort((a, b) => a - b);
  }

  *#compare(processes: readonly ProcessNumbers[]): Generator<void, readonly Work[]> {
    const starts = new Map<number, number>();
    for (const [i, { pid, startMs }] of processes.entries()) {
      starts.set(pid, startMs);
      if (i % STEP === STEP - 1) yield;
    }
    const counted = new Map<number, number>();
    let i = 0;
    for (const { process } of this.#known.values()) {
      const { pid, startMs, parent, cpuMs, childrenMs } = process;
      if (++i % STEP === 0) yield;
      if (starts.get(pid) === startMs) continue;
      const passed = new Set<number>();
      // A parent that ended, too, was waited for with it.
      for (let above: number | undefined = parent; above !== undefined && !passed.has(above);) {
        passed.add(above);
        counted.set(above, (counted.get(above) ?? 0) + cpuMs + childrenMs);
        const next: ProcessNumbers | undefined = this.#known.get(above)?.process;
        above = next && starts.get(above) !== next.startMs ? next.parent : undefined;
      }
    }
    const works: Work[] = [];
    for (const process of processes) {
      const known = this.#known.get(process.pid);
      const before = known?.process.startMs === process.startMs ? known : undefined;
      const own = process.cpuMs - (before?.process.cpuMs ?? 0);
      const ended = process.childrenMs - (before ? before.process.childrenMs + (counted.get(process.pid) ?? 0) : 0);
      works.push({ process, before, cpuMs: own + Math.max(0, ended) });
      if (works.length % STEP === 0) yield;
    }
    return works;
  }

  *#rank(
    details: ReadonlyMap<number, ProcessDetails>,
    [byCpu, byMemory, byGrowth, byIo, byFiles]: readonly Greatest[],
    byBeginning: Greatest,
    known: Map<number, KnownProcess>,
  ): Generator<void, void> {
    for (const { process, before, cpuMs } of this.#works) {
      const { pid, memory } = process;
      const { io = before?.io, files = before?.files } = details.get(pid) ?? NO_DETAILS;
      byCpu!.offer(pid, cpuMs);
      if (!before) byBeginning.offer(pid, 1 + cpuMs);
      byMemory!.offer(pid, memory);
      byGrowth!.offer(pid, memory - (before?.process.memory ?? 0));
      if (io !== undefined) byIo!.offer(pid, io - (before ? (before.io ?? io) : 0));
      // Those that were not counted before may all be new: the greatest are worth a sample.
      if (files !== undefined) byFiles!.offer(pid, files - (before?.files ?? 0));
      known.set(pid, { process, io, files });
      if (known.size % STEP === 0) yield;
    }
  }
}

/** The pids with the greatest values above 0; of equal ones the first. */
class Greatest {
  readonly #most: number;
  readonly pids: number[] = [];
  readonly #values: number[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  offer(pid: number, value: number): void {
    const values = this.#values;
    if (!(value > 0) || this.#most === 0 || (values.length === this.#most && value <= values.at(-1)!)) return;
    let at = values.length;
    while (at > 0 && values[at - 1]! < value) at--;
    values.splice(at, 0, value);
    this.pids.splice(at, 0, pid);
    if (values.length <= this.#most) return;
    values.pop();
    this.pids.pop();
  }
}
