import { readFileSync } from 'node:fs';
import { attempt, endsWithin, getOrMake, systemTimers, type Timers } from '../../kit/index.js';
import { INSTANCE_NULL, MetricType, PM_ERR, PmError, formatPmid, makeLabel } from '../../pmapi/index.js';
import type { Clock, FetchResult, InstanceDomain, Label, LabelSet, LabelTarget, Timestamp } from '../../pmapi/index.js';
import type {
  DescriptorResult,
  HelpLevel,
  HelpTarget,
  MetricSource,
  NameResult,
  PmnsChildren,
  PreparedFetch,
  SourceInfo,
} from '../metric-source.js';
import { PmnsTree } from '../pmns-tree.js';
import type { InstanceProfile } from '../profile.js';
import type { BoundMetric, ClusterFactory, IndomBinding, LocalCluster, SlowSource, SlowValues } from './cluster.js';
import { clusterFactories } from './clusters/index.js';
import { HostIdentity } from './identity.js';
import { InstanceCaches, type CollectorLog } from './instance-caches.js';
import { ProcFiles } from './proc-files.js';
import type { Sample } from './sample.js';
import { UncertainCalls } from './uncertain-calls.js';

const PCP_STATE_DIR = 'var/lib/pcp/config/pmda';
const SNAPSHOT_MS = 10;
const SLOW_DEADLINE_MS = 2000;

/** The agents whose metrics the collector serves, by domain: the value of the label `agent`. */
const AGENTS: ReadonlyMap<number, string> = new Map([
  [2, 'pmcd'],
  [3, 'proc'],
  [60, 'linux'],
]);

export interface LinuxCollectorOptions {
  readonly clock: Clock;
  readonly timers?: Timers;
  /** Directory that contains proc/, sys/ and etc/; '/' except in tests. */
  readonly root?: string;
  /** Directory where instance numbers survive a restart; undefined: they do not. */
  readonly stateDir?: string;
  /** Receives problems: unreadable state files, a bug in a cluster. Silent by default. */
  readonly log?: CollectorLog;
  /** How long fetches share a sample, in milliseconds. */
  readonly snapshotMs?: number;
  /** How long a fetch waits for a slow source before it returns PM_ERR_AGAIN, in milliseconds. */
  readonly slowDeadlineMs?: number;
  /** Whether single processes (proc.psinfo and the like) are served; otherwise they return PM_ERR_PERMISSION. True by default. */
  readonly processes?: boolean;
  /** The caller's own metrics in addition to those of the system. */
  readonly extra?: readonly LocalCluster[];
  /** The agent's name for a domain of {@link extra}, for the label `agent`. */
  readonly extraAgents?: ReadonlyMap<number, string>;
  /** The clusters to serve; by default all if the platform is Linux, otherwise none. */
  readonly clusters?: readonly ClusterFactory[];
  readonly platform?: NodeJS.Platform;
}

/** Reads /proc and /sys and serves them as PCP's Linux agents do. One per process; {@link open} is cheap. */
export class LinuxCollector {
  readonly pmns: PmnsTree;
  readonly #options: LinuxCollectorOptions;
  readonly #files: ProcFiles;
  readonly #caches: InstanceCaches;
  readonly #clusters: readonly LocalCluster[];
  readonly #metrics = new Map<number, BoundMetric>();
  readonly #indoms = new Map<number, IndomBinding>();
  readonly #identity: HostIdentity;
  readonly #log: CollectorLog;
  readonly #complained = new WeakSet<object>();
  readonly #snapshotMs: number;
  readonly #slowDeadlineMs: number;
  readonly #timers: Timers;
  #generation = 1;
  #isClosed = false;
  #round = 0;
  #roundStartMs = -Infinity;
  #roundTime: Timestamp = { sec: 0, nsec: 0 };

  constructor(options: LinuxCollectorOptions) {
    this.#options = options;
    this.#log = options.log ?? (() => undefined);
    this.#snapshotMs = options.snapshotMs ?? SNAPSHOT_MS;
    this.#slowDeadlineMs = options.slowDeadlineMs ?? SLOW_DEADLINE_MS;
    const { clock, stateDir, timers = systemTimers } = options;
    this.#timers = timers;
    const log = this.#log;
    this.#files = new ProcFiles(options.root ?? '/', clock);
    this.#caches = new InstanceCaches({
      stateDir,
      pcpStateDir: this.#files.resolve(PCP_STATE_DIR),
      clock,
      timers,
      log,
    });
    const environment = {
      files: this.#files,
      caches: this.#caches,
      clock,
      log,
      uncertain: new UncertainCalls(timers),
      ...readSystemConstants(),
      processes: options.processes ?? true,
      instancesChanged: () => {
        this.#generation++;
      },
    };
    const factories = options.clusters ?? (this.#isLinux ? clusterFactories : []);
    this.#clusters = [...factories.map((make) => make(environment)), ...(options.extra ?? [])];
    for (const cluster of this.#clusters) this.#register(cluster);
    this.pmns = PmnsTree.of([...this.#metrics].map(([pmid, { metric }]) => [metric.name, pmid]));
    this.#identity = new HostIdentity(this.#files, clock);
  }

  /** Changes when the members of an instance domain, or the identity of this machine, have changed. @see MetricSource.generation */
  get generation(): number {
    if (this.#identity.refresh()) this.#generation++;
    return this.#generation;
  }

  get identity(): Pick<HostIdentity, 'hostName' | 'timeZone' | 'zoneInfo' | 'labels'> {
    if (this.#identity.refresh()) this.#generation++;
    return this.#identity;
  }

  open(): LinuxSource {
    return new LinuxSource(this);
  }

  /** What cannot be served here and why, one sentence each; empty if everything is available. */
  missing(): readonly string[] {
    if (!this.#isLinux) {
      return [`This system is ${this.#platform}, not Linux: only the gateway's own metrics are served.`];
    }
    return REQUIRED_FILES.filter(([path]) => !this.#files.exists(path)).map(
      ([path, what]) => `/${path} is absent: no values for ${what}.`,
    );
  }

  /** Closes all files and waits until instance numbers are on disk. Open sources fail from now on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const cluster of this.#clusters) cluster.close?.();
    this.#files.close();
    await this.#caches.flush();
  }

  metric(pmid: number): BoundMetric | undefined {
    return this.#metrics.get(pmid);
  }

  async fetch(plan: SamplingPlan, profile: InstanceProfile, into: FetchResult): Promise<void> {
    if (this.#isClosed) throw new PmError(PM_ERR.NOCONTEXT);
    const sampling = plan.slow.map((group) => this.#withinDeadline(group, profile));
    const slow = sampling.length === 0 ? undefined : await Promise.all(sampling);
    const round = this.#currentRound();
    into.timestamp = this.#roundTime;
    into.resize(plan.pmids.length);
    this.#refresh(plan.samples, round);
    for (let i = 0; i < plan.pmids.length; i++) {
      const set = into.sets[i]!;
      const bound = plan.metrics[i];
      set.reset(plan.pmids[i]!, bound?.metric.descriptor.type ?? MetricType.U32);
      if (bound === undefined) {
        set.fail(PM_ERR.PMID);
        continue;
      }
      if (bound.binding.kind === 'slow') continue;
      try {
        bound.binding.fill(set, profile);
      } catch (cause) {
        this.#complain(bound, `cannot read ${bound.metric.name}`, cause);
        set.fail(PM_ERR.GENERIC);
      }
    }
    if (slow !== undefined) this.#fillSlow(plan, slow, profile, into);
  }

  /** The instances of an instance domain, now. Throws PM_ERR_INDOM. */
  async instances(indom: number): Promise<InstanceDomain> {
    const binding = this.#indoms.get(indom);
    if (!binding) throw new PmError(PM_ERR.INDOM);
    return { indom, instances: await this.#list(binding) };
  }

  async labels(target: LabelTarget): Promise<readonly LabelSet[]> {
    switch (target.kind) {
      case 'context':
        return single(this.identity.labels);
      case 'domain': {
        const agent = AGENTS.get(target.domain) ?? this.#options.extraAgents?.get(target.domain);
        return single(agent === undefined ? [] : [makeLabel('agent', agent)]);
      }
      case 'cluster':
        return [];
      case 'indom':
        return single(this.#indoms.get(target.indom)?.catalog.labels ?? []);
      case 'item':
        return single(this.#metrics.get(target.pmid)?.metric.labels ?? []);
      case 'instances': {
        const binding = this.#indoms.get(target.indom);
        if (binding?.labels === undefined) return [];
        const instances = await this.#list(binding);
        return instances.map((instance) => ({ instance: instance.id, labels: binding.labels!(instance) }));
      }
    }
  }

  helpText(target: HelpTarget, level: HelpLevel): string | undefined {
    const entry =
      target.kind === 'metric' ? this.#metrics.get(target.pmid)?.metric : this.#indoms.get(target.indom)?.catalog;
    return entry?.[level];
  }

  get #platform(): NodeJS.Platform {
    return this.#options.platform ?? process.platform;
  }

  get #isLinux(): boolean {
    return this.#platform === 'linux';
  }

  #register(cluster: LocalCluster): void {
    for (const bound of cluster.metrics) {
      const { name, descriptor } = bound.metric;
      const other = this.#metrics.get(descriptor.pmid);
      if (other) throw new Error(`${name} and ${other.metric.name} share PMID ${formatPmid(descriptor.pmid)}`);
      this.#metrics.set(descriptor.pmid, bound);
    }
    for (const binding of cluster.indoms ?? []) {
      if (this.#indoms.has(binding.catalog.indom)) throw new Error(`two clusters enumerate one instance domain`);
      this.#indoms.set(binding.catalog.indom, binding);
    }
  }

  #list(binding: IndomBinding): ReturnType<IndomBinding['list']> {
    if (this.#isClosed) throw new PmError(PM_ERR.NOCONTEXT);
    this.#refresh(binding.samples, this.#currentRound());
    return binding.list();
  }

  /** A sample that throws is a bug: its metrics keep their values, the others are not affected. */
  #refresh(samples: readonly Sample[], round: number): void {
    for (const sample of samples) {
      try {
        sample.ensure(round);
      } catch (cause) {
        this.#complain(sample, `cannot read ${sample.constructor.name}`, cause);
      }
    }
  }

  /** The number of the current sampling round; a new one begins when the last is `snapshotMs` old. */
  #currentRound(): number {
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs - this.#roundStartMs >= this.#snapshotMs) {
      this.#round++;
      this.#roundStartMs = nowMs;
      this.#roundTime = this.#options.clock.now();
    }
    return this.#round;
  }

  async #withinDeadline(group: SlowGroup, profile: InstanceProfile): Promise<SlowValues | undefined> {
    try {
      const values = group.source.sample(group.items, profile, this.#currentRound());
      if (!(values instanceof Promise)) return values;
      if (await endsWithin(this.#slowDeadlineMs, this.#timers, values)) return await values;
      values.catch(() => undefined); // too late: the fetch has returned
      return undefined;
    } catch (cause) {
      this.#log('a slow source of the local collector failed', cause);
      return undefined;
    }
  }

  #fillSlow(
    plan: SamplingPlan,
    found: readonly (SlowValues | undefined)[],
    profile: InstanceProfile,
    into: FetchResult,
  ): void {
    for (const [g, group] of plan.slow.entries()) {
      const values = found[g];
      for (const [i, position] of group.positions.entries()) {
        const set = into.sets[position]!;
        if (values === undefined) {
          set.fail(PM_ERR.AGAIN);
          continue;
        }
        try {
          values.fill(group.items[i], set, profile);
        } catch (cause) {
          const bound = plan.metrics[position]!;
          this.#complain(bound, `cannot read ${bound.metric.name}`, cause);
          set.fail(PM_ERR.GENERIC);
        }
      }
    }
  }

  /** A bug: logged once per item, since fetches may come every second. */
  #complain(about: object, message: string, cause: unknown): void {
    if (this.#complained.has(about)) return;
    this.#complained.add(about);
    this.#log(message, cause);
  }
}

/** One context's view of the collector; only knows whether it is still open. Made by `LinuxCollector.open()`. */
export class LinuxSource implements MetricSource {
  readonly kind = 'local';
  readonly #collector: LinuxCollector;
  #gone: Error | undefined;

  constructor(collector: LinuxCollector) {
    this.#collector = collector;
  }

  get generation(): number {
    return this.#collector.generation;
  }

  get origin(): object {
    return this.#collector;
  }

  info(): Promise<SourceInfo> {
    return this.#ask(({ identity: { hostName, timeZone } }) => ({ kind: this.kind, hostName, timezone: timeZone }));
  }

  lookupNames(names: readonly string[]): Promise<readonly NameResult[]> {
    return this.#ask(({ pmns }) => names.map((name) => pmns.lookup(name)));
  }

  namesOf(pmid: number): Promise<readonly string[]> {
    return this.#ask(({ pmns }) => pmns.namesOf(pmid));
  }

  children(prefix: string): Promise<PmnsChildren> {
    return this.#ask(({ pmns }) => pmns.children(prefix));
  }

  traverse(prefix: string): Promise<readonly string[]> {
    return this.#ask(({ pmns }) => pmns.traverse(prefix));
  }

  describe(pmids: readonly number[]): Promise<readonly DescriptorResult[]> {
    return this.#ask((collector) => pmids.map((pmid) => collector.metric(pmid)?.metric.descriptor ?? PM_ERR.PMID));
  }

  instances(indom: number): Promise<InstanceDomain> {
    return this.#ask((collector) => collector.instances(indom));
  }

  labels(target: LabelTarget): Promise<readonly LabelSet[]> {
    return this.#ask((collector) => collector.labels(target));
  }

  helpText(target: HelpTarget, level: HelpLevel): Promise<string | undefined> {
    return this.#ask((collector) => collector.helpText(target, level));
  }

  prepare(pmids: readonly number[]): PreparedFetch {
    return new SamplingPlan(pmids, this.#collector);
  }

  fetch(prepared: PreparedFetch, profile: InstanceProfile, into: FetchResult): Promise<void> {
    if (this.#gone) return Promise.reject(this.#gone);
    const plan = prepared instanceof SamplingPlan ? prepared : new SamplingPlan(prepared.pmids, this.#collector);
    return this.#collector.fetch(plan, profile, into);
  }

  async close(): Promise<void> {
    await Promise.resolve();
    this.#gone ??= new PmError(PM_ERR.NOCONTEXT);
  }

  destroy(reason: Error): void {
    this.#gone ??= reason;
  }

  async #ask<T>(answer: (collector: LinuxCollector) => T | Promise<T>): Promise<T> {
    if (this.#gone) throw this.#gone;
    return answer(this.#collector);
  }
}

interface SlowGroup {
  readonly source: SlowSource;
  /** What it samples, and the position of each in the fetch. */
  readonly items: readonly unknown[];
  readonly positions: readonly number[];
}

/** A prepared fetch: each sample and slow source that its metrics need, once. */
class SamplingPlan implements PreparedFetch {
  readonly pmids: readonly number[];
  readonly metrics: readonly (BoundMetric | undefined)[];
  readonly samples: readonly Sample[];
  readonly slow: readonly SlowGroup[];

  constructor(pmids: readonly number[], collector: LinuxCollector) {
    this.pmids = pmids;
    this.metrics = pmids.map((pmid) => collector.metric(pmid));
    const samples = new Set<Sample>();
    const slow = new Map<SlowSource, { source: SlowSource; items: unknown[]; positions: number[] }>();
    for (const [position, bound] of this.metrics.entries()) {
      if (bound === undefined) continue;
      const { binding } = bound;
      if (binding.kind === 'quick') {
        for (const sample of binding.samples) samples.add(sample);
        continue;
      }
      const group = getOrMake(slow, binding.source, () => ({ source: binding.source, items: [], positions: [] }));
      group.items.push(binding.item);
      group.positions.push(position);
    }
    this.samples = [...samples];
    this.slow = [...slow.values()];
  }
}

/** Files whose absence is logged at the start, and what depends on each. */
const REQUIRED_FILES: readonly (readonly [path: string, what: string])[] = [
  ['proc/stat', 'kernel.all.cpu, kernel.percpu, kernel.pernode'],
  ['proc/meminfo', 'mem.util, mem.physmem, swap'],
  ['proc/vmstat', 'mem.vmstat, swap.pagesin, swap.pagesout'],
  ['proc/diskstats', 'disk'],
  ['proc/net/dev', 'network.interface'],
  ['proc/net/snmp', 'network.ip, network.icmp, network.tcp, network.udp'],
  ['proc/pressure', 'kernel.all.pressure (CONFIG_PSI)'],
  ['sys/block', 'disk.dev.scheduler, hinv.map.dmname'],
];

function single(labels: readonly Label[]): readonly LabelSet[] {
  return labels.length === 0 ? [] : [{ instance: INSTANCE_NULL, labels }];
}

const AT_PAGESZ = 6n;
const AT_CLKTCK = 17n;
const ENTRY_BYTES = 16;

interface SystemConstants {
  readonly pageSize: number;
  /** Clock ticks a second in which the kernel reports CPU time (_SC_CLK_TCK). */
  readonly hz: number;
}

/** The kernel's constants from this process's auxiliary vector; 4096 and 100 where there is none. @see getauxval(3) */
function readSystemConstants(): SystemConstants {
  const found = new Map<bigint, number>();
  // Absent where this is not Linux, or /proc is not mounted.
  const bytes = attempt(() => readFileSync('/proc/self/auxv')) ?? Buffer.alloc(0);
  for (let at = 0; at + ENTRY_BYTES <= bytes.length; at += ENTRY_BYTES) {
    found.set(bytes.readBigUInt64LE(at), Number(bytes.readBigUInt64LE(at + 8)));
  }
  return { pageSize: found.get(AT_PAGESZ) ?? 4096, hz: found.get(AT_CLKTCK) ?? 100 };
}
