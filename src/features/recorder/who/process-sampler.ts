import { Cells } from '../../../culprits/index.js';
import { eventLoopTurns } from '../../../kit/index.js';
import { formatPmErr, PM_ERR, ValueSet, type Instance } from '../../../pmapi/index.js';
import type { Context, FetchPlan, KeptResult } from '../../../context/index.js';
import type { OwnContext } from '../own-context.js';
import type { RecorderLog, Sampler, SamplerResult } from '../recorder.js';
import { BusiestProcesses, type ProcessDetails, type ProcessNumbers } from './busiest-processes.js';

/** What the choice is made by, of every process: one file for each of them. In the order of {@link ProcessNumbers}. */
const NUMBERS = ['start_time', 'ppid', 'utime', 'stime', 'cutime', 'cstime', 'rss', 'maj_flt'].map(
  (name) => `proc.psinfo.${name}`,
);
const IO = ['proc.io.read_bytes', 'proc.io.write_bytes'];
const FILES = 'proc.fd.count';
const ALL_FILES = 'vfs.files.count';
/** The open files of processes are counted when those of the machine became so many more between two samples. */
const MORE_FILES = 100;
const NOT_RECORDED = 'processes are not recorded';
const IO_WITHHELD = 'the I/O of some processes is not recorded';
const NAME = 'proc.psinfo.cmd';
const COMMAND_LINE = 'proc.psinfo.psargs';
const BESIDES_EVERY = 6;
/** Not a process: a fetch of all others is not remembered for ranges, where thousands of processes would displace the rest. */
const NOBODY = 0x7fffffff;
const INSTANCE_NAME_DIGITS = 6;

export interface ProcessSamplerOptions {
  readonly context: OwnContext;
  readonly metrics: readonly string[];
  /** Metrics of every sixth sample. */
  readonly besides: readonly string[];
  readonly commandLines: boolean;
  readonly log: RecorderLog;
}

/**
 * Samples the busiest processes. Three fetches: numbers of all processes, then the I/O of those that worked, then everything of those that
 * are chosen. Where the source does not let us, there are no samples, and a problem.
 */
export class ProcessSampler implements Sampler {
  readonly #options: ProcessSamplerOptions;
  readonly #busiest = new BusiestProcesses();
  /** What is recorded with a plan: the command line, too, which nothing was fetched for. */
  readonly #recorded = new WeakMap<FetchPlan, SamplerResult['plan']>();
  #taken = 0;
  /** Why processes are not recorded, or only in part. */
  problem: string | undefined;
  /** Of the machine at the last sample. */
  #openFiles = NaN;
  /** Processes whose I/O was withheld when it was last. */
  #withheld: ReadonlySet<number> = new Set();

  constructor(options: ProcessSamplerOptions) {
    this.#options = options;
  }

  close(): void {
    this.#options.context.close();
  }

  async take(): Promise<SamplerResult | undefined> {
    const context = await this.#options.context.get();
    const all = await context.plans.get({ names: NUMBERS });
    const indom = all.entries[0]?.descriptor.indom;
    if (all.missing.length > 0 || indom === undefined) {
      this.#report(NOT_RECORDED, `the host has no ${all.missing[0]?.requested ?? NUMBERS[0]!}`);
      return undefined;
    }
    let isAfterGap = false;
    const fetch = (plan: FetchPlan): Promise<KeptResult> =>
      context.fetching.fetch(plan, (_result, notes) => {
        isAfterGap ||= notes.reconnected;
        return notes.keep();
      });
    const processes = await this.#numbersOfAll(context, indom, () => fetch(all));
    if (!processes) return undefined;
    const working = await this.#busiest.look(processes);
    const chosen = await this.#busiest.choose(await this.#detailsOf(context, indom, working, fetch));
    const { metrics, besides, commandLines } = this.#options;
    const isFull = this.#taken++ % BESIDES_EVERY === 0;
    const wanted = isFull ? [...metrics, ...besides] : commandLines ? [...metrics, COMMAND_LINE] : metrics;
    const plan = await context.plans.get({ names: wanted.filter((name) => commandLines || name !== COMMAND_LINE) });
    only(context, indom, chosen);
    const kept = await fetch(plan);
    this.#noticeWithheld(plan, kept);
    const hidden = commandLines || !wanted.includes(COMMAND_LINE) ? [] : [COMMAND_LINE];
    return { ...(await this.#resultOf(context, plan, kept, indom, hidden)), isAfterGap };
  }

  /** Undefined, and a problem, if the source does not tell. */
  async #numbersOfAll(
    context: Context,
    indom: number,
    fetch: () => Promise<KeptResult>,
  ): Promise<readonly ProcessNumbers[] | undefined> {
    context.addProfile();
    context.addProfile(indom);
    context.deleteProfile(indom, [NOBODY]);
    const { result, release } = await fetch();
    try {
      const refused = result.sets.find(({ status }) => status < 0);
      if (refused?.status === PM_ERR.AGAIN) throw new Error('the processes were not read in time');
      if (refused) {
        this.#report(NOT_RECORDED, formatPmErr(refused.status));
        return undefined;
      }
      return await numbersIn(result.sets);
    } finally {
      release();
    }
  }

  async #detailsOf(
    context: Context,
    indom: number,
    pids: readonly number[],
    fetch: (plan: FetchPlan) => Promise<KeptResult>,
  ): Promise<ReadonlyMap<number, ProcessDetails>> {
    const details = new Map<number, ProcessDetails>();
    const all = await context.plans.get({
      names: [...((await this.#hasMoreFiles(context, fetch)) ? [FILES] : []), ...IO],
    });
    if (pids.length === 0 || all.entries.length === 0) return details;
    only(context, indom, pids);
    const { result, release } = await fetch(all);
    for (const [i, { name }] of all.entries.entries()) {
      const set = result.sets[i]!;
      for (let row = 0; row < set.status; row++) {
        const [pid, number] = [set.instances[row]!, set.column.numbers[row]!];
        const { io, files } = details.get(pid) ?? { io: undefined, files: undefined };
        details.set(pid, name === FILES ? { io, files: number } : { io: (io ?? 0) + number, files });
      }
    }
    release();
    return details;
  }

  /** Whether many files were opened since the last sample; of one that is not known, no. */
  async #hasMoreFiles(context: Context, fetch: (plan: FetchPlan) => Promise<KeptResult>): Promise<boolean> {
    const plan = await context.plans.get({ names: [ALL_FILES] });
    if (plan.entries.length === 0) return false;
    const { result, release } = await fetch(plan);
    const set = result.sets[0]!;
    const [now, before] = [set.status > 0 ? set.column.numbers[0]! : NaN, this.#openFiles];
    release();
    this.#openFiles = now;
    return now - before > MORE_FILES;
  }

  /** Names the processes; without command lines, theirs is the name in parentheses, as PCP has it where there is none to read. */
  async #resultOf(
    context: Context,
    plan: FetchPlan,
    kept: KeptResult,
    indom: number,
    hidden: readonly string[],
  ): Promise<Omit<SamplerResult, 'isAfterGap'>> {
    const { sets } = kept.result;
    const names = setOf(plan, kept, NAME);
    const commands = textsOf(setOf(plan, kept, COMMAND_LINE));
    const instances = [...textsOf(names)].map(([id, name]): Instance => {
      const digits = String(id).padStart(INSTANCE_NAME_DIGITS, '0');
      return { id, name: `${digits} ${commands.get(id) ?? name}`.trimEnd() };
    });
    let recorded = this.#recorded.get(plan);
    if (!recorded) {
      const { entries } = await context.plans.get({ names: hidden });
      this.#recorded.set(plan, (recorded = { entries: [...plan.entries, ...entries] }));
    }
    const entry = recorded.entries[sets.length];
    if (!entry) return { plan: recorded, kept, named: { indom, instances } };
    const shown = new ValueSet();
    shown.reset(entry.pmid, entry.descriptor.type);
    for (const [id, name] of textsOf(names)) shown.addText(id, `(${name})`);
    const { timestamp } = kept.result;
    const all = { ...kept, result: { timestamp, sets: [...sets, shown] } };
    return { plan: recorded, kept: all, named: { indom, instances } };
  }

  /** A process that lacks its I/O twice has not just ended. */
  #noticeWithheld(plan: FetchPlan, kept: KeptResult): void {
    const told = instancesOf(setOf(plan, kept, IO[0]!));
    const withheld = new Set([...instancesOf(setOf(plan, kept, NAME))].filter((pid) => !told.has(pid)));
    if ([...withheld].some((pid) => this.#withheld.has(pid))) {
      this.#report(IO_WITHHELD, formatPmErr(PM_ERR.PERMISSION));
    } else if (!this.problem?.startsWith(IO_WITHHELD) || [...this.#withheld].some((pid) => told.has(pid))) {
      this.#report(undefined);
    }
    // Processes that are not chosen now say nothing.
    if (withheld.size > 0) this.#withheld = withheld;
  }

  /** Says a problem once, and its end. */
  #report(message: string | undefined, reason = ''): void {
    const problem = message === undefined ? undefined : `${message}: ${reason}`;
    if (problem === this.problem) return;
    this.problem = problem;
    if (message === undefined) this.#options.log.info('processes are recorded', {});
    else this.#options.log.warn(message, { reason });
  }
}

/** Limits what the context fetches to some processes. */
function only(context: Context, indom: number, pids: readonly number[]): void {
  context.addProfile();
  context.deleteProfile(indom);
  if (pids.length > 0) context.addProfile(indom, pids);
}

/** What there is of each process: processes that ended meanwhile are left out. */
async function numbersIn(sets: readonly ValueSet[]): Promise<readonly ProcessNumbers[]> {
  const [start, parent, user, system, childUser, childSystem, memory, faults] = sets.map((set) => new Cells(set));
  const processes: ProcessNumbers[] = [];
  const pids = sets[0]!.instances.subarray(0, sets[0]!.status);
  for (const [i, pid] of pids.entries()) {
    const turn = i % PIDS_PER_LOOK === 0 ? eventLoopTurns.next() : undefined;
    if (turn) await turn;
    processes.push({
      pid,
      startMs: start!.number(pid),
      parent: parent!.number(pid),
      cpuMs: user!.number(pid) + system!.number(pid),
      childrenMs: childUser!.number(pid) + childSystem!.number(pid),
      memory: memory!.number(pid),
      faults: faults!.number(pid),
    });
  }
  return processes;
}

/** Processes between two looks at the time. */
const PIDS_PER_LOOK = 256;

function setOf(plan: FetchPlan, { result }: KeptResult, wanted: string): ValueSet | undefined {
  return result.sets[plan.entries.findIndex(({ name }) => name === wanted)];
}

function instancesOf(set: ValueSet | undefined): ReadonlySet<number> {
  return new Set(set?.instances.subarray(0, Math.max(set.status, 0)));
}

function textsOf(set: ValueSet | undefined): ReadonlyMap<number, string> {
  return new Map(Array.from(instancesOf(set), (id, i) => [id, set!.column.texts[i]!]));
}
