import { addTo } from '../../../kit/index.js';
import { indomDomain, parseIndom } from '../../../pmapi/index.js';
import type { CatalogIndom, CatalogMetric } from '../catalog/catalog.js';
import { LINUX_CATALOG } from '../catalog/linux-catalog.js';
import type { ClusterEnvironment } from '../cluster.js';
import { RememberedNames } from '../remembered-names.js';
import { scaleOf } from '../table.js';

/** How a file of a group is read, by its name; the first that matches counts. */
const FORMATS = [
  /** The container that the group's name tells; a file that is named has to be there. */
  ['container', /:container$/],
  /** The first line. */
  ['text', /^cpuset\.(?:cpus|mems)/],
  /** `some avg10=0.00 avg60=0.05 avg300=0.10 total=12345` */
  ['pressure', /\.pressure/],
  /** A number for each CPU. */
  ['cpus', /^cpuacct\.usage_percpu/],
  /** A line for each disk: `8:0 rbytes=1 …`. */
  ['assigned', /^io\.stat/],
  /** A line for each disk: `8:0 1`. */
  ['disks', /^blkio\.(?:sectors|time)/],
  /** A line for each disk and column: `8:0 Read 1`. */
  ['operations', /^blkio\./],
  /** Lines of a key and a number. */
  ['keyed', /\.(?:stat|events|oom_control):/],
  /** Numbers on a line, `max` among them for no limit. */
  ['numbers', /./],
] as const;
/** Groups without these are no instances. */
const OPTIONAL = ['memory.stat', 'memory.current', 'memory.oom_control'];
const [DISKS, CPUS] = [['3.17', '3.27'].map(parseIndom), ['3.22'].map(parseIndom)];
/** A file that is read where groups are, as readings name it; `-` for none. */
const READING_FILE = /^cgroup\/(\w+)\/(.+)$/;

/** A file that groups of one hierarchy have. */
export interface CgroupFile {
  readonly id: number;
  readonly hierarchy: string;
  readonly name: string;
  readonly format: (typeof FORMATS)[number][0];
  readonly columns: readonly string[];
  /** The instances: groups, disks of groups or CPUs of groups. */
  readonly indom: CatalogIndom;
  readonly perDisk: CatalogIndom | undefined;
  readonly perCpu: CatalogIndom | undefined;
  readonly isOptional: boolean;
  /** What was the key of each line in the last file. */
  readonly names: RememberedNames<number>;
}

/** A metric that is a column of a file, times `multiplier`, divided by `divisor`; of a domain of groups, the sum over their disks. */
export interface CgroupMetric {
  readonly name: string;
  readonly file: CgroupFile;
  readonly indom: CatalogIndom;
  readonly column: number;
  readonly isText: boolean;
  readonly multiplier: number;
  readonly divisor: number;
}

/** The metrics that are read from files of groups. */
export function cgroupMetrics(machine: Pick<ClusterEnvironment, 'hz' | 'pageSize'>): readonly CgroupMetric[] {
  const byFile = new Map<string, CatalogMetric[]>();
  for (const metric of LINUX_CATALOG.metrics) {
    const { descriptor, reading } = metric;
    if (!reading || !READING_FILE.test(reading.file)) continue;
    const isContainer = reading.column === 'container';
    // PCP's metrics have other instances than our own of the same file.
    const key = `${reading.file} ${isContainer} ${indomDomain(descriptor.indom)}`;
    addTo(byFile, key, metric);
  }
  return [...byFile.values()].flatMap((metrics, id) => {
    const file = makeFile(metrics, id);
    const isText = file.format === 'container' || file.format === 'text';
    return metrics.map(({ name, descriptor, reading }): CgroupMetric => {
      const column = file.columns.indexOf(reading!.column);
      return { name, file, indom: indomOf(descriptor.indom), column, isText, ...scaleOf(reading!, machine) };
    });
  });
}

function makeFile(metrics: readonly CatalogMetric[], id: number): CgroupFile {
  const { file, column } = metrics[0]!.reading!;
  const [, hierarchy = '', fileName = ''] = READING_FILE.exec(file)!;
  const name = fileName === '-' ? '' : fileName;
  const columns = [...new Set(metrics.map(({ reading }) => reading!.column))];
  const indoms = [...new Set(metrics.map(({ descriptor }) => descriptor.indom))].map(indomOf);
  const perDisk = indoms.find(({ indom }) => DISKS.includes(indom));
  const perCpu = indoms.find(({ indom }) => CPUS.includes(indom));
  const indom = indoms.find((each) => each !== perDisk && each !== perCpu) ?? indoms[0]!;
  const [format] = FORMATS.find(([, pattern]) => pattern.test(`${name}:${column}`))!;
  const places = new Map(columns.map((key, place) => [key, place]));
  const names = new RememberedNames((key) => places.get(key) ?? -1);
  return { id, hierarchy, name, format, columns, indom, perDisk, perCpu, isOptional: OPTIONAL.includes(name), names };
}

function indomOf(indom: number): CatalogIndom {
  return LINUX_CATALOG.indoms.find((each) => each.indom === indom)!;
}

/** A container's id in the last component of a group's name: behind the engine's name, or alone. */
const CONTAINER = /\/(?:(?:docker|libpod|cri-containerd|crio|containerd)-([^./]{64})\.[^/]*|([^/]{64}))$/;

/** The container that a group's path belongs to; '' for none. */
export function containerOf(name: string): string {
  const [, named, bare] = CONTAINER.exec(name) ?? [];
  return named ?? bare ?? '';
}
