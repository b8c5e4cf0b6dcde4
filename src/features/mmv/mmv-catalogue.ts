import { INDOM_NULL, INSTANCE_NULL, makeIndom, makePmid } from '../../pmapi/index.js';
import type { Instance, InstanceDomain, Label, LabelSet, LabelTarget, MetricDescriptor } from '../../pmapi/index.js';
import { getOrMake } from '../../kit/index.js';
import { PmnsTree, type HelpLevel, type HelpTarget } from '../../sources/index.js';
import { FileFlag, MAX_CLUSTER, quoted, type MmvLayout, type MmvMetric } from './mmv-layout.js';
import { LabelFlag } from './mmv-label.js';
import type { MmvProblem } from './mmv-directory.js';
import type { MmvFile } from './mmv-file.js';

/** The domain of MMV metrics, and the first component of their names. */
export const MMV_DOMAIN = 70;
export const MMV_ROOT = 'mmv';

/** A whole name must match: as in PCP, but without empty components. */
const NAME = /^[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*$/;

export interface ServedMetric {
  readonly file: MmvFile;
  readonly layout: MmvLayout;
  readonly metric: MmvMetric;
  readonly descriptor: MetricDescriptor;
  /** For each instance of the domain, the index of its value in the metric's records. Undefined for an unknown or empty domain. */
  readonly order: readonly number[] | undefined;
}

/** A file and the cluster of its metrics. */
interface Placed {
  readonly file: MmvFile;
  readonly layout: MmvLayout;
  readonly cluster: number;
}

/** An instance domain: two with one number are merged. */
interface ServedIndom {
  readonly files: Placed[];
  readonly serials: number[];
  readonly instances: Map<number, Instance>;
  /** The place of each instance in {@link instances}, once that is complete. */
  ranks?: ReadonlyMap<number, number>;
  oneline: string | undefined;
  help: string | undefined;
}

/** The metrics of a directory's files at one moment: names, PMIDs, instance domains and labels. */
export class MmvCatalogue {
  readonly pmns = new PmnsTree();
  /** Metrics not served, or not as a file requests. */
  readonly problems: MmvProblem[] = [];
  readonly #metrics = new Map<number, ServedMetric>();
  readonly #indoms = new Map<number, ServedIndom>();
  readonly #placed: readonly Placed[];
  readonly #names = new Set<string>();
  readonly #nodes = new Set<string>();

  /** @param reserved names and PMIDs that no file can have */
  constructor(files: readonly MmvFile[], reserved: Iterable<readonly [name: string, pmid: number]>) {
    for (const [name, pmid] of reserved) {
      this.#addName(name);
      this.pmns.add(name, pmid);
    }
    this.#placed = clustersOf(files, this.problems);
    for (const placed of this.#placed) {
      for (const reason of placed.layout.problems) this.#complain(placed, `left out ${reason}`);
      this.#addIndoms(placed);
    }
    for (const placed of this.#placed) this.#addMetrics(placed);
  }

  get fileCount(): number {
    return this.#placed.length;
  }

  get metricCount(): number {
    return this.#metrics.size;
  }

  metric(pmid: number): ServedMetric | undefined {
    return this.#metrics.get(pmid);
  }

  instances(indom: number): InstanceDomain | undefined {
    const found = this.#indoms.get(indom);
    return found && { indom, instances: [...found.instances.values()] };
  }

  helpText(target: HelpTarget, level: HelpLevel): string | undefined {
    const texts = target.kind === 'metric' ? this.#metrics.get(target.pmid)?.metric : this.#indoms.get(target.indom);
    // As pmLookupText(3) does: where there is no longer text, the one-line text.
    return (level === 'help' && texts?.help) || texts?.oneline;
  }

  labels(target: LabelTarget): readonly LabelSet[] {
    switch (target.kind) {
      case 'cluster': {
        const cluster = (target.pmid >>> 10) & 4095;
        const placed = this.#placed.filter((each) => each.cluster === cluster);
        const identitiesOf = ({ layout }: Placed): readonly number[] => [cluster, layout.header.cluster];
        return single(placed.flatMap((each) => labelsOf(each, LabelFlag.CLUSTER, identitiesOf(each))));
      }
      case 'item': {
        const found = this.#metrics.get(target.pmid);
        const placed = found && this.#placed.find(({ file }) => file === found.file);
        return placed ? single(labelsOf(placed, LabelFlag.ITEM, [found.metric.item])) : [];
      }
      case 'indom': {
        const found = this.#indoms.get(target.indom);
        if (!found) return [];
        return single(found.files.flatMap((placed, i) => labelsOf(placed, LabelFlag.INDOM, [found.serials[i]!])));
      }
      case 'instances': {
        const found = this.#indoms.get(target.indom);
        if (!found) return [];
        const labels = (instance: number): readonly Label[] =>
          found.files.flatMap((placed, i) => labelsOf(placed, LabelFlag.INSTANCES, [found.serials[i]!], instance));
        return [...found.instances.keys()].map((instance) => ({ instance, labels: unique(labels(instance)) }));
      }
      default:
        return [];
    }
  }

  #addIndoms(placed: Placed): void {
    for (const { serial, instances, oneline, help } of placed.layout.indoms) {
      const indom = indomOf(placed.cluster, serial);
      const known = this.#indoms.get(indom);
      const found: ServedIndom = known ?? { files: [], serials: [], instances: new Map(), oneline, help };
      found.oneline ??= oneline;
      found.help ??= help;
      found.files.push(placed);
      found.serials.push(serial);
      for (const instance of instances)
        if (!found.instances.has(instance.id)) found.instances.set(instance.id, instance);
      if (!known) this.#indoms.set(indom, found);
    }
  }

  #addMetrics(placed: Placed): void {
    const { file, layout, cluster } = placed;
    const prefix = (layout.header.flags & FileFlag.NO_PREFIX) === 0 ? `${MMV_ROOT}.${file.title}` : MMV_ROOT;
    for (const metric of layout.metrics) {
      const name = `${prefix}.${metric.name}`;
      const reason = NAME.test(name) ? this.#addName(name) : 'it is not a metric name';
      if (reason !== undefined) {
        this.#complain(placed, `left out ${quoted(name)}: ${reason}`);
        continue;
      }
      const pmid = makePmid(MMV_DOMAIN, cluster, metric.item);
      const indom = metric.serial === undefined ? INDOM_NULL : indomOf(cluster, metric.serial);
      const { type, semantics, units } = metric;
      this.pmns.add(name, pmid);
      this.#metrics.set(pmid, {
        file,
        layout,
        metric,
        descriptor: { pmid, type, indom, semantics, units },
        order: this.#orderOf(metric, indom),
      });
    }
  }

  #orderOf({ values }: MmvMetric, indom: number): readonly number[] | undefined {
    if (indom === INDOM_NULL) return [...values.instances.keys()];
    const found = this.#indoms.get(indom);
    if (!found || found.instances.size === 0) return undefined;
    // By values, not by instances: a file may have a thousand metrics on 100,000 instances.
    found.ranks ??= new Map([...found.instances.keys()].map((instance, rank) => [instance, rank]));
    const { ranks } = found;
    const rankAt = (index: number): number => ranks.get(values.instances[index]!)!;
    return [...values.instances.keys()]
      .filter((index) => ranks.has(values.instances[index]!))
      .sort((a, b) => rankAt(a) - rankAt(b));
  }

  /** Takes a name, or returns why it cannot. The first to take a name keeps it. */
  #addName(name: string): string | undefined {
    if (this.#names.has(name)) return 'the name is taken';
    if (this.#nodes.has(name)) return 'there are names below it';
    const nodes: string[] = [];
    for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) nodes.push(name.slice(0, dot));
    const above = nodes.find((node) => this.#names.has(node));
    if (above !== undefined) return `${above} is a metric`;
    for (const node of nodes) this.#nodes.add(node);
    this.#names.add(name);
    return undefined;
  }

  #complain({ file }: Placed, reason: string): void {
    this.problems.push({ file: file.title, reason });
  }
}

/** The number of a file's instance domain: PCP packs cluster and serial in a way that large ones overlap. */
function indomOf(cluster: number, serial: number): number {
  return makeIndom(MMV_DOMAIN, (cluster << 11) | serial);
}

function labelsOf(
  { layout }: Placed,
  flag: number,
  identities: readonly number[],
  instance?: number,
): readonly Label[] {
  return layout.labels
    .filter(({ flags, identity }) => (flags & flag) !== 0 && identities.includes(identity))
    .filter((label) => instance === undefined || label.instance === instance)
    .flatMap(({ labels }) => labels);
}

/** Of labels with the same name, the last. */
function unique(labels: readonly Label[]): readonly Label[] {
  return [...new Map(labels.map((label) => [label.name, label])).values()];
}

function single(labels: readonly Label[]): readonly LabelSet[] {
  return labels.length === 0 ? [] : [{ instance: INSTANCE_NULL, labels: unique(labels) }];
}

/**
 * Gives each file its requested cluster, or the lowest free one. As in PCP, except that a later file whose items would collide gets an
 * unrequested cluster (in PCP, pmcd may crash).
 */
function clustersOf(files: readonly MmvFile[], problems: MmvProblem[]): readonly Placed[] {
  const asked = new Set(files.map((file) => file.layout?.header.cluster ?? 0));
  const items = new Map<number, Set<number>>();
  const placed: Placed[] = [];
  for (const file of files) {
    const { layout } = file;
    if (!layout) continue;
    const own = layout.metrics.map(({ item }) => item);
    const wanted = layout.header.cluster;
    const isTaken = own.some((item) => items.get(wanted)?.has(item));
    const cluster =
      wanted === 0 || isTaken ? lowest((each) => items.has(each) || (isTaken && asked.has(each))) : wanted;
    if (isTaken) {
      const outcome = cluster === undefined ? 'no cluster is free' : `it has cluster ${cluster}`;
      problems.push({ file: file.title, reason: `another file has items of it in cluster ${wanted}: ${outcome}` });
    } else if (cluster === undefined) {
      problems.push({ file: file.title, reason: 'no cluster is free' });
    }
    if (cluster === undefined) continue;
    const taken = getOrMake(items, cluster, () => new Set());
    for (const item of own) taken.add(item);
    placed.push({ file, layout, cluster });
  }
  return placed;
}

function lowest(isTaken: (cluster: number) => boolean): number | undefined {
  for (let cluster = 1; cluster <= MAX_CLUSTER; cluster++) if (!isTaken(cluster)) return cluster;
  return undefined;
}
