import { type ChildProcess, spawn } from 'node:child_process';
import {
  FetchResult,
  formatIndom,
  INDOM_NULL,
  MetricType,
  pmidDomain,
  Semantics,
  systemClock,
} from '../../src/pmapi/index.js';
import type { LabelTarget, MetricDescriptor, ValueSet } from '../../src/pmapi/index.js';
import { InstanceProfile } from '../../src/sources/index.js';
import { LinuxCollector, type LinuxSource, pmcdCluster } from '../../src/sources/linux/index.js';
import { area } from './support/conformance.js';
import { type DeliberateDifference, reasonFor } from './support/linux-differences.js';
import { PcpProbe, type ProbedMetadata, type ProbedValues } from './support/pcp-probe.js';
import { type RunningPmcd, describeWithPcp, startPmcd } from './support/pmcd.js';
import { atOneTime, Score } from './support/score.js';

/** A gauge moves between two readings: it has to agree in one of so many rounds. More follow while some gauge has not agreed. */
const ROUNDS = 25;
const MOST_ROUNDS = 150;
/** A counter has to agree in all rounds but these, or this share of them: the kernel's idle and iowait times go back now and then. */
const STRAY = { rounds: 2, share: 0.1 };
const PROCESS_INDOM = '3.9';
/** Gauges that the looking itself moves, and by how much at most. */
const disturbedByLooking: readonly (readonly [name: RegExp, most: (value: number) => number])[] = [
  // The agents' own open files, sockets and kernel memory.
  [/^(?:mem\.(?:numa\.)?util\.slab|vfs\.files\.count|network\.sockstat\.total)/, (value) => 0.05 * Math.abs(value)],
  // pmcd, five agents and the program that asks them are awake while they answer.
  [/^kernel\.all\.(?:running|runnable)$/, () => 7],
];
const UNDISTURBED = (): number => 0;

describeWithPcp('the embedded collector beside pmcd', () => {
  let pmcd: RunningPmcd;
  let probe: PcpProbe;
  let collector: LinuxCollector;
  let source: LinuxSource;
  let metadata: ProbedMetadata;
  let names: readonly string[];
  let pmids: readonly number[];
  let descriptors: readonly MetricDescriptor[];
  /** Processes come and go: this one stays, and does nothing. */
  let sleeper: ChildProcess;

  beforeAll(async () => {
    sleeper = spawn('sleep', ['1000']);
    pmcd = await startPmcd();
    probe = new PcpProbe(`unix://${pmcd.socket}`);
    const facts = {
      hostName: () => 'unused',
      timeZone: () => 'unused',
      zoneInfo: () => 'unused',
      version: '7.2.1',
      agents: new Map([[60, 'linux']]),
      clients: () => 0,
      requests: () => 0,
      answers: () => 0,
    };
    collector = new LinuxCollector({
      clock: systemClock,
      snapshotMs: 0,
      extra: [pmcdCluster(facts)],
      log: (message, cause) => process.stderr.write(`${message} ${String(cause)}\n`),
    });
    source = collector.open();
    // Control groups are compared with recorded trees (test/sources/linux/clusters/cgroups.test.ts): the agent of PCP is wrong where v2 is mounted last.
    names = (await source.traverse('')).filter((name) => !name.startsWith('cgroup.'));
    pmids = await source.lookupNames(names);
    descriptors = (await source.describe(pmids)) as MetricDescriptor[];
    await probe.fetch(names); // agents enumerate some instance domains at the first fetch only
    metadata = await probe.describe(names);
  });

  afterAll(async () => {
    probe.close();
    await collector.close();
    await pmcd.stop();
    sleeper.kill();
  });

  it('has the same descriptors', () => {
    const score = new Score('Linux collector');
    for (const [i, name] of names.entries()) {
      const { pmid, type, indom, semantics, units } = descriptors[i]!;
      const theirs = metadata.metrics[name];
      const { dimSpace, dimTime, dimCount, scaleSpace, scaleTime, scaleCount } = units;
      score.check(
        name,
        theirs && {
          pmid: theirs.pmid,
          type: isDifferent(name, 'type') ? type : theirs.type,
          indom: theirs.indom,
          semantics: theirs.semantics,
          units: theirs.units,
        },
        { pmid, type, indom, semantics, units: [dimSpace, dimTime, dimCount, scaleSpace, scaleTime, scaleCount] },
      );
    }
    score.report('linux interop, descriptors');
  });

  it('has the same instances', async () => {
    const score = new Score('Linux collector');
    for (const { indom, user } of indomsInUse()) {
      if (isDifferent(user, 'instances')) continue;
      const lasting = (pairs: readonly (readonly [number, string])[]): unknown =>
        pairs.filter(([id]) => formatIndom(indom) !== PROCESS_INDOM || id === sleeper.pid).sort(([a], [b]) => a - b);
      const { theirs, ours } = await atOneTime(
        async () => lasting((await probe.describe([user])).indoms[indom]!.instances),
        async () => lasting((await source.instances(indom)).instances.map(({ id, name }) => [id, name] as const)),
      );
      score.check(`instances of ${formatIndom(indom)}`, theirs, ours);
    }
    score.report('linux interop, instance domains');
  });

  it('has the same labels', async () => {
    const score = new Score('Linux collector');
    const { userid, groupid, ...identity } = metadata.contextLabels; // who asks, over a Unix domain socket only
    expect([userid, groupid]).toEqual([process.getuid?.(), process.getgid?.()]);
    score.check('context', identity, await labels({ kind: 'context' }));
    for (const { indom, user } of indomsInUse()) {
      if (isDifferent(user, 'labels')) continue;
      const theirs = metadata.indoms[indom]!;
      score.check(`indom ${formatIndom(indom)}`, theirs.labels, await labels({ kind: 'indom', indom }));
      const lasting = (found: Readonly<Record<string, unknown>>): unknown =>
        formatIndom(indom) === PROCESS_INDOM ? found[String(sleeper.pid)] : found;
      if (reasonFor(user, 'instances') !== undefined) continue;
      const labelled = await atOneTime(
        async () => lasting((await probe.describe([user])).indoms[indom]!.instanceLabels),
        async () => lasting(await instanceLabels(indom)),
      );
      score.check(`instances of ${formatIndom(indom)}`, labelled.theirs, labelled.ours);
    }
    for (const [i, name] of names.entries()) {
      const theirs = metadata.metrics[name];
      if (!theirs) continue;
      const pmid = pmids[i]!;
      score.check(`item ${name}`, theirs.labels, await labels({ kind: 'item', pmid }));
      score.check(`cluster of ${name}`, theirs.clusterLabels, await labels({ kind: 'cluster', pmid }));
      const domain = pmidDomain(pmid);
      score.check(`domain of ${name}`, theirs.domainLabels, await labels({ kind: 'domain', domain }));
    }
    score.report('linux interop, labels');
  });

  it('has the same values', async () => {
    const compared = names.filter((name) => metadata.metrics[name]);
    // Some of what PCP gives wrong spoils what is fetched with it.
    const isExcused = (name: string): boolean => reasonFor(name, 'value') !== undefined;
    const sound = compared.filter((name) => !isExcused(name));
    const excused = compared.filter(isExcused);
    const prepared = source.prepare(compared.map((name) => pmids[names.indexOf(name)]!));
    const [before, after] = [new FetchResult(), new FetchResult()];
    const profile = new InstanceProfile();
    const agreed = new Set<string>();
    const lastSeen = new Map<string, string>();
    const strays = new Map<string, number>();
    const isSettled = (name: string): boolean => agreed.has(name) || isExcused(name);
    let round = 0;
    for (; round < ROUNDS || (round < MOST_ROUNDS && !compared.every(isSettled)); round++) {
      await source.fetch(prepared, profile, before);
      const theirs = { ...(await probe.fetch(sound)), ...(await probe.fetch(excused)) };
      await source.fetch(prepared, profile, after);
      for (const [i, name] of compared.entries()) {
        const descriptor = descriptors[names.indexOf(name)]!;
        const slack = disturbedByLooking.find(([pattern]) => pattern.test(name))?.[1] ?? UNDISTURBED;
        const difference = differs(descriptor, before.sets[i]!, theirs[name]!, after.sets[i]!, slack, sleeper.pid!);
        if (difference === undefined) {
          agreed.add(name);
          continue;
        }
        lastSeen.set(name, difference);
        // Mounts, interfaces and disks may come and go between the two.
        const hasMoved = before.sets[i]!.status !== after.sets[i]!.status;
        if (descriptor.semantics === Semantics.COUNTER && !hasMoved) strays.set(name, (strays.get(name) ?? 0) + 1);
      }
    }
    const score = new Score('Linux collector');
    const most = Math.max(STRAY.rounds, STRAY.share * round);
    for (const name of compared) {
      const isSound = agreed.has(name) && (strays.get(name) ?? 0) <= most;
      const trouble = isSound ? undefined : lastSeen.get(name);
      if (trouble === undefined || !isDifferent(name, 'value')) score.check(name, 'agrees', trouble ?? 'agrees');
    }
    score.report('linux interop, values');
  });

  /** Whether a metric differs from PCP's on purpose, which is counted. */
  function isDifferent(metric: string, aspect: DeliberateDifference['aspect']): boolean {
    const reason = reasonFor(metric, aspect);
    if (reason !== undefined) area('Linux collector').different(reason);
    return reason !== undefined;
  }

  function indomsInUse(): readonly { readonly indom: number; readonly user: string }[] {
    const users = new Map<number, string>();
    for (const [i, name] of names.entries()) {
      const { indom } = descriptors[i]!;
      if (indom !== INDOM_NULL && !users.has(indom)) users.set(indom, name);
    }
    return [...users].map(([indom, user]) => ({ indom, user }));
  }

  async function labels(target: LabelTarget): Promise<unknown> {
    const [set] = await source.labels(target);
    return parsed(set?.labels ?? []);
  }

  async function instanceLabels(indom: number): Promise<Readonly<Record<string, unknown>>> {
    const sets = await source.labels({ kind: 'instances', indom });
    return Object.fromEntries(sets.map((set) => [String(set.instance), parsed(set.labels)]));
  }

  function parsed(list: readonly { readonly name: string; readonly json: string }[]): unknown {
    return Object.fromEntries(list.map(({ name, json }) => [name, JSON.parse(json) as unknown]));
  }
});

/** What is wrong with their values, given ours right before and after; undefined when nothing is. */
function differs(
  { type, indom }: MetricDescriptor,
  before: ValueSet,
  theirs: ProbedValues,
  after: ValueSet,
  slack: (value: number) => number,
  process: number,
): string | undefined {
  if ('error' in theirs && typeof theirs.error === 'number') {
    return before.status === theirs.error ? undefined : `PCP has error ${theirs.error}, pmgate status ${before.status}`;
  }
  const found = theirs as Readonly<Record<string, string | null>>;
  const isProcess = formatIndom(indom) === PROCESS_INDOM;
  const ids = isProcess ? [String(process)] : Object.keys(found);
  if (!isProcess && (before.status !== ids.length || after.status !== ids.length)) {
    return `PCP has ${ids.length} values, pmgate ${before.status}`;
  }
  for (const id of ids) {
    const [low, middle, high] = [valueOf(before, id), found[id] ?? undefined, valueOf(after, id)];
    if (low === middle || high === middle) continue;
    if (low === undefined || middle === undefined || high === undefined || type === MetricType.STRING) {
      return `instance ${id}: PCP has ${middle}, pmgate ${low}`;
    }
    const between = isBetween(type, low, middle, high, slack(Number(middle)));
    if (!between) return `instance ${id}: PCP has ${middle}, pmgate ${low} before and ${high} after`;
  }
  return undefined;
}

function valueOf(set: ValueSet, id: string): string | undefined {
  const i = set.instances.subarray(0, Math.max(0, set.status)).indexOf(Number(id));
  if (i < 0) return undefined;
  if (set.type === MetricType.STRING) return set.column.texts[i];
  if (set.type === MetricType.I64 || set.type === MetricType.U64) return set.column.integerAt(i).toString();
  return String(set.column.numbers[i]);
}

/** Whether `middle` lies between the others, or beyond them by no more than the slack. */
function isBetween(type: MetricType, low: string, middle: string, high: string, most: number): boolean {
  if (most === 0 && (type === MetricType.I64 || type === MetricType.U64)) {
    const [a, b, c] = [BigInt(low), BigInt(middle), BigInt(high)];
    return (a <= b && b <= c) || (c <= b && b <= a);
  }
  const [a, b, c] = [Number(low), Number(middle), Number(high)];
  const rounding = type === MetricType.FLOAT ? 1e-6 : 1e-12;
  const slack = Math.max(most, Math.abs(b) * rounding);
  return b >= Math.min(a, c) - slack && b <= Math.max(a, c) + slack;
}
