import { PmgateError, type Metric, type PmgateClient, type Value } from '../client/index.js';
import { pcpVersion, pminfo } from './pcp-tools.js';
import { readEntries, readFacts, readParts } from './pminfo-text.js';

const AREAS = ['names', 'descriptors', 'help texts', 'labels', 'instances', 'values'] as const;
type AreaName = (typeof AREAS)[number];

/** How often what moves between two readings is read again, and how many metrics at a time. */
const ATTEMPTS = 5;
const AT_A_TIME = 500;
/** libpcp has these itself; no pmcd has them. */
const OF_LIBPCP: ReadonlySet<string> = new Set(['event.flags', 'event.missed']);
/** What pminfo moves by its process and its connection: it is the same in two readings of pminfo, and another without it. */
const OF_ASKING =
  /^(kernel\.all\.(running|runnable|nprocs)|proc\.|network\.(sockstat|tcpconn|tcp6?|unix)|vfs\.|mem\.|pmcd\.|cgroup\.)/;
/** Records of events and aggregates are printed in parts. */
const PRINTED_WHOLE: ReadonlySet<string> = new Set(['32', 'u32', '64', 'u64', 'float', 'double', 'string']);

interface AreaCounts {
  readonly area: AreaName;
  equal: number;
  /** Values that changed while they were read: nothing is known of them. */
  moving: number;
  wrong: number;
}

type Labels = Readonly<Record<string, unknown>>;
type Instances = ReadonlyMap<number, { readonly name: string; readonly labels: Labels }>;

/**
 * Compares what a gateway says of a pmcd with what PCP's own pminfo(1) says. Returns the counts, and one sentence for all that is wrong. Throws a
 * NoPcpError, and what the client throws.
 */
export async function compareWithPcp(client: PmgateClient, hostspec: string, signal: AbortSignal) {
  const pcp = await pcpVersion();
  const where = { hostspec, signal };
  const areas: readonly AreaCounts[] = AREAS.map((area) => ({ area, equal: 0, moving: 0, wrong: 0 }));
  const differences: string[] = [];
  const domains = new Map<string, Promise<Instances>>();
  /** What pminfo printed last, and the metrics of which it printed something else before. */
  const seen = new Map<string, string | undefined>();
  const moving = new Set<string>();
  const facts = readFacts(await pminfo(where.hostspec, ['-dmt'], where.signal));
  const { metrics } = await client.metrics([], where);
  const ours = new Map(metrics.map((metric) => [metric.name, metric]));
  const theirs = [...facts.keys()].filter((name) => !OF_LIBPCP.has(name));
  for (const name of new Set([...theirs, ...ours.keys()])) judge('names', name, facts.has(name), ours.has(name));

  const names = theirs.filter((name) => ours.has(name));
  const help = await partsOf('-T', names);
  const labels = await partsOf('-l', names);
  const values = await partsOf('-f', names);
  for (const name of names) {
    const metric = ours.get(name)!;
    compareFacts(metric, facts.get(name)!, help.get(name) ?? '');
    await compareInstances(metric, labels.get(name) ?? '', values.get(name) ?? '');
  }
  let open = names.filter((name) => PRINTED_WHOLE.has(ours.get(name)!.type));
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const left: string[] = [];
    for (let i = 0; i < open.length; i += AT_A_TIME)
      left.push(...(await compareValues(open.slice(i, i + AT_A_TIME), ours, attempt === ATTEMPTS)));
    open = left;
  }
  return { pcp, hostspec, metrics: names.length, areas, differences };

  function compareFacts(metric: Metric, printed: Readonly<Record<string, string | undefined>>, help: string): void {
    const { name, pmid, type, indom, sem, units, 'text-oneline': oneline, 'text-help': text } = metric;
    const { oneline: theirs, ...descriptor } = printed;
    judge('descriptors', name, descriptor, { pmid, type, indom, sem, units });
    judge('help texts', `${name}, one line`, theirs, oneline);
    judge('help texts', name, help.replace(/^Help:\n/, '').trim(), (text === '' ? oneline : text).trim());
  }

  /** The labels of a metric and its instances, and the names of those that have values. Processes and connections come and go. */
  async function compareInstances({ name, indom, labels }: Metric, labelled: string, valued: string): Promise<void> {
    if (indom !== undefined && !domains.has(indom)) domains.set(indom, instancesOf(name));
    const instances = indom === undefined ? undefined : await domains.get(indom);
    for (const { instance, text } of readEntries(labelled, 'labels')) {
      const own = instance === null ? {} : instances?.get(instance)?.labels;
      if (own) judge('labels', `${name} ${instance ?? ''}`, JSON.parse(text), { ...labels, ...own });
    }
    for (const { instance, name: printed } of readEntries(valued, 'value')) {
      const known = instance === null ? undefined : instances?.get(instance);
      if (known) judge('instances', `${name} ${instance}`, printed, known.name);
    }
  }

  /** The instances of a metric's domain, with the labels that are theirs alone: those of the domain are weaker than those of the metric. */
  async function instancesOf(name: string): Promise<Instances> {
    // Of what one may not see, and of agents that are not there, pminfo gets none either.
    const found = await client.indom(name, where).catch((error: unknown) => {
      if (error instanceof PmgateError && error.details?.pmErr !== undefined) return undefined;
      throw error;
    });
    if (!found) return new Map();
    const labels: Labels = found.labels;
    return new Map(
      found.instances.map((one) => {
        const own = Object.entries(one.labels).filter(([label, value]) => textOf(value) !== textOf(labels[label]));
        return [one.instance, { name: one.name, labels: Object.fromEntries(own) }];
      }),
    );
  }

  /** Reads PCP's values, the gateway's, and PCP's again; returns the names that are to be read once more. */
  async function compareValues(
    names: readonly string[],
    metrics: ReadonlyMap<string, Metric>,
    isLast: boolean,
  ): Promise<readonly string[]> {
    const before = await partsOf('-f', names);
    const { values } = await client.fetch({ names, numbers: 'exact', ...where });
    const after = await partsOf('-f', names);
    const answered = new Map(values.map(({ name, instances }) => [name, instances]));
    return names.filter((name) => {
      // What moved once may move there and back between two looks.
      if (new Set([seen.get(name) ?? before.get(name), before.get(name), after.get(name)]).size > 1) moving.add(name);
      seen.set(name, after.get(name));
      const { type } = metrics.get(name)!;
      const printed = readEntries(before.get(name) ?? '', 'value');
      const theirs = new Map(printed.map(({ instance, text }) => [instance, printedValue(text, type)]));
      const found = answered.get(name) ?? [];
      const ours = new Map(found.map(({ instance, value }) => [instance, printedValue(value, type)]));
      const all = [...new Set([...theirs.keys(), ...ours.keys()])];
      const isEqual = all.every((instance) => theirs.get(instance) === ours.get(instance));
      if (!isEqual && !isLast) return true;
      const hasMoved = moving.has(name) || OF_ASKING.test(name);
      if (!isEqual && hasMoved) of('values').moving += all.length;
      else if (all.length === 0) judge('values', name, 'none', 'none');
      else
        for (const instance of all)
          judge('values', `${name} ${instance ?? ''}`, theirs.get(instance), ours.get(instance));
      return false;
    });
  }

  async function partsOf(flag: string, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return readParts(await pminfo(where.hostspec, [flag, ...names], where.signal), names);
  }

  function judge(area: AreaName, what: string, theirs: unknown, ours: unknown): void {
    const [expected, found] = [textOf(theirs), textOf(ours)];
    of(area)[expected === found ? 'equal' : 'wrong']++;
    if (expected !== found) differences.push(`${area}: ${what.trim()}: PCP has ${expected}, pmgate ${found}`);
  }

  function of(area: AreaName): AreaCounts {
    return areas[AREAS.indexOf(area)]!;
  }
}

/** A value with as many digits as pminfo prints: 8 of a float, 16 of a double. */
function printedValue(value: Value, type: string): string {
  if (type === 'float') return String(Number(Math.fround(Number(value)).toPrecision(8)));
  return type === 'double' ? String(Number(Number(value).toPrecision(16))) : String(value);
}

/** Members have no order. */
function textOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return JSON.stringify(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}
