import { addTo, eventLoopTurns } from '../../kit/index.js';
import { isAlive } from '../../kit/node/index.js';
import { MetricType, PM_ERR, PmError, pmidDomain } from '../../pmapi/index.js';
import type { Clock, InstanceDomain, LabelSet, LabelTarget, MetricDescriptor } from '../../pmapi/index.js';
import type { AgentFetch, MetricAgent, HelpLevel, HelpTarget, PmnsTree } from '../../sources/index.js';
import { ControlMetrics, type ControlMetric } from './control-metrics.js';
import { MMV_DOMAIN, MMV_ROOT, MmvCatalogue } from './mmv-catalogue.js';
import { MmvDirectory, type MmvProblem } from './mmv-directory.js';
import { MMV_LIMITS, type MmvFile, type MmvLimits } from './mmv-file.js';
import { FileFetch, type WantedMetric } from './value-reader.js';

/** Problems that are logged: hostile files could cause any number of them. */
const MOST_LOGGED = 1000;
/** Bytes that a fetch reads in one turn of the event loop. */
const BYTES_PER_TURN = 1024 * 1024;

/** The share of the time for checks, and their burst, in milliseconds of CPU: anyone may write to the directory. */
const CHECK_SHARE = 0.1;
const CHECK_BURST_MS = 100;

export interface MmvAgentOptions {
  /** The directory of the files; it need not exist yet. */
  readonly directory: string;
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>;
  /** CPU time of this process, in milliseconds; replaced in tests. */
  readonly usedMs?: () => number;
  /** Receives each file that is not served, in whole or in part, once. */
  readonly log?: (problem: MmvProblem) => void;
  readonly limits?: Partial<MmvLimits>;
  /** Whether a process exists; replaced in tests. */
  readonly isAlive?: (process: number) => boolean;
}

/**
 * Metrics from MMV files, as PCP's agent serves them (domain 70, `mmv.*`). Checks the directory and headers at requests; if that has become
 * expensive, only every few seconds. Values are always current.
 */
export class MmvAgent implements MetricAgent {
  readonly domain = MMV_DOMAIN;
  readonly name = MMV_ROOT;
  readonly #directory: MmvDirectory;
  readonly #control: ControlMetrics;
  readonly #log: (problem: MmvProblem) => void;
  readonly #logged = new Set<string>();
  #catalogue = new MmvCatalogue([], []);
  #problems: readonly MmvProblem[] = [];
  generation = 1;
  /** The files were checked in this turn of the event loop. */
  #hasLooked = false;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #usedMs: () => number;
  /** Milliseconds that checks may take, as of `#creditedMs`. */
  #creditMs = CHECK_BURST_MS;
  #creditedMs: number;
  readonly #forget = (): void => {
    this.#hasLooked = false;
  };

  constructor({ directory, clock, log, limits, isAlive: isProcessAlive = isAlive, usedMs = cpuMs }: MmvAgentOptions) {
    this.#clock = clock;
    this.#usedMs = usedMs;
    this.#creditedMs = clock.monotonicMs();
    this.#log = log ?? (() => undefined);
    this.#directory = new MmvDirectory({
      path: directory,
      clock,
      limits: { ...MMV_LIMITS, ...limits },
      isAlive: isProcessAlive,
    });
    this.#control = new ControlMetrics();
  }

  get problems(): readonly MmvProblem[] {
    this.look();
    return this.#problems;
  }

  covers(subject: string | number): boolean {
    if (typeof subject === 'number') return pmidDomain(subject) === MMV_DOMAIN;
    return subject === '' || subject === MMV_ROOT || subject.startsWith(`${MMV_ROOT}.`);
  }

  look(): void {
    if (this.#hasLooked) return;
    this.#hasLooked = true;
    // Concurrent requests share the result of a check: until this callback of the event loop ends.
    process.nextTick(this.#forget);
    const nowMs = this.#clock.monotonicMs();
    this.#creditMs = Math.min(CHECK_BURST_MS, this.#creditMs + (nowMs - this.#creditedMs) * CHECK_SHARE);
    this.#creditedMs = nowMs;
    if (this.#creditMs <= 0) return;
    const beforeMs = this.#usedMs();
    if (this.#directory.lookAtDirectory() || this.#directory.lookAtFiles()) this.#renew();
    this.#creditMs -= this.#usedMs() - beforeMs;
  }

  names(): PmnsTree {
    this.look();
    return this.#catalogue.pmns;
  }

  descriptor(pmid: number): MetricDescriptor | undefined {
    this.look();
    return this.#controlMetric(pmid)?.descriptor ?? this.#catalogue.metric(pmid)?.descriptor;
  }

  instances(indom: number): InstanceDomain {
    this.look();
    const found = this.#control.instances(indom) ?? this.#catalogue.instances(indom);
    if (!found) throw new PmError(PM_ERR.INDOM);
    return found;
  }

  labels(target: LabelTarget): readonly LabelSet[] {
    this.look();
    return this.#catalogue.labels(target);
  }

  helpText(target: HelpTarget, level: HelpLevel): string | undefined {
    this.look();
    return this.#control.helpText(target, level) ?? this.#catalogue.helpText(target, level);
  }

  /** A fetch of metrics as they are now: each file is read once. */
  prepare(pmids: readonly number[]): AgentFetch {
    const byFile = new Map<MmvFile, WantedMetric[]>();
    const controls: [number, ControlMetric][] = [];
    const unknown: number[] = [];
    const types = pmids.map((pmid, position) => {
      const control = this.#controlMetric(pmid);
      const served = this.#catalogue.metric(pmid);
      if (control) controls.push([position, control]);
      else if (!served) unknown.push(position);
      else addTo(byFile, served.file, { served, position });
      return (control ?? served)?.descriptor.type ?? MetricType.NOSUPPORT;
    });
    const files = [...byFile].map(([file, wanted]) => new FileFetch(file, wanted));
    return {
      fill: async (sets, profile, now) => {
        for (let i = 0; i < sets.length; i++) sets[i]!.reset(pmids[i]!, types[i]!);
        for (const position of unknown) sets[position]!.fail(PM_ERR.PMID);
        for (const [position, metric] of controls) metric.fill(sets[position]!, profile);
        let bytes = 0;
        for (const file of files) {
          if (bytes > BYTES_PER_TURN) {
            await eventLoopTurns.own();
            bytes = 0;
          }
          file.fill(sets, profile, now);
          bytes += file.bytes;
        }
      },
    };
  }

  close(): void {
    this.#directory.close();
    this.#catalogue = new MmvCatalogue([], []);
  }

  #controlMetric(pmid: number): ControlMetric | undefined {
    return this.#directory.exists ? this.#control.metric(pmid) : undefined;
  }

  #renew(): void {
    const { files, exists } = this.#directory;
    this.generation++;
    this.#catalogue = new MmvCatalogue(files, exists ? this.#control.names : []);
    const refused = files.flatMap(({ now, title }) =>
      now.state === 'refused' ? [{ file: title, reason: now.reason }] : [],
    );
    this.#problems = [...refused, ...this.#directory.problems, ...this.#catalogue.problems];
    this.#control.update({
      isWriting: files.some(({ now }) => now.state === 'writing'),
      files: this.#catalogue.fileCount,
      metrics: this.#catalogue.metricCount,
      refused: refused.length + this.#directory.problems.length,
      problems: this.#problems,
    });
    for (const problem of this.#problems) this.#logOnce(problem);
  }

  #logOnce(problem: MmvProblem): void {
    const key = `${problem.file}/${problem.reason}`;
    if (this.#logged.size >= MOST_LOGGED || this.#logged.has(key)) return;
    this.#logged.add(key);
    this.#log(problem);
  }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
