import type { CatalogIndom } from '../catalog/catalog.js';
import { LINUX_CATALOG } from '../catalog/linux-catalog.js';
import { RememberedNames } from '../remembered-names.js';

/** How a file of a group is read. */
type Format =
  /** The container that the group's name tells; a file that is named has to be there. */
  | 'container'
  /** The first line. */
  | 'text'
  /** Numbers on a line, `max` among them for no limit. */
  | 'numbers'
  /** Lines of a key and a number. */
  | 'keyed'
  | 'pressure'
  /** A number for each CPU. */
  | 'cpus'
  /** A line for each disk: `8:0 rbytes=1 …` where the columns are assigned, otherwise `8:0 1`. */
  | 'disks'
  /** A line for each disk and column: `8:0 Read 1`. */
  | 'operations';

/** A file that groups of one hierarchy have. */
export interface CgroupFile {
  readonly id: number;
  readonly hierarchy: 'v2' | 'cpu' | 'cpuacct' | 'cpuset' | 'memory' | 'blkio' | 'net_cls' | 'pids';
  /** '' where none is read. */
  readonly name: string;
  readonly format: Format;
  readonly columns: readonly string[];
  /** The instances: groups, disks of groups or CPUs of groups. */
  readonly indom: CatalogIndom;
  readonly perDisk?: CatalogIndom | undefined;
  readonly perCpu?: CatalogIndom | undefined;
  readonly isAssigned: boolean;
  /** Groups without it are no instances. */
  readonly isOptional: boolean;
  /** What was the key of each line in the last file. */
  names?: RememberedNames<number>;
  makeNames(): RememberedNames<number>;
  readonly metrics: readonly CgroupMetric[];
}

/** A metric that is a column of a file, times `multiplier`, divided by `divisor`. */
export interface CgroupMetric {
  readonly name: string;
  readonly file: CgroupFile;
  readonly indom: CatalogIndom;
  readonly column: number;
  readonly isText: boolean;
  readonly multiplier: number;
  readonly divisor: number;
}

interface FileSpec extends Partial<Pick<CgroupFile, 'perDisk' | 'perCpu' | 'isAssigned' | 'isOptional'>> {
  readonly hierarchy: CgroupFile['hierarchy'];
  readonly name: string;
  readonly format: Format;
  readonly indom: string;
  /** Metrics by their columns. */
  readonly metrics: Readonly<Record<string, string>>;
  /** Metrics of sums over the disks of a group, by their columns. */
  readonly sums?: Readonly<Record<string, string>>;
  readonly multiplier?: number;
  readonly divisor?: number;
}

const OPERATIONS = ['read', 'write', 'sync', 'async', 'total'];
const SPANS = ['avg10sec', 'avg1min', 'avg5min', 'total'];

/** All files that metrics come from. @param hz clock ticks a second */
export function cgroupFiles(hz: number): readonly CgroupFile[] {
  return fileSpecs(hz).map(makeFile);
}

/** The metrics of files. */
export function tableMetrics(files: readonly CgroupFile[]): readonly CgroupMetric[] {
  return files.flatMap(({ metrics }) => metrics);
}

function makeFile(spec: FileSpec, id: number): CgroupFile {
  const { metrics, sums = {}, multiplier = 1, divisor = 1, isAssigned = false, isOptional = false } = spec;
  const columns = Object.keys(metrics);
  const places = new Map(columns.map((name, column) => [name, column]));
  const indom = LINUX_CATALOG.indom(spec.indom);
  const made: CgroupMetric[] = [];
  const file: CgroupFile = {
    ...spec,
    id,
    indom,
    columns,
    isAssigned,
    isOptional,
    metrics: made,
    makeNames: () => new RememberedNames((name) => places.get(name) ?? -1),
  };
  const isText = spec.format === 'container' || spec.format === 'text';
  const add = (name: string, of: CatalogIndom, column: number): void => {
    made.push({ name, file, indom: of, column, isText, multiplier, divisor });
  };
  for (const [column, key] of columns.entries()) {
    add(metrics[key]!, spec.perDisk ?? spec.perCpu ?? indom, column);
    if (sums[key] !== undefined) add(sums[key], indom, column);
  }
  return file;
}

function fileSpecs(hz: number): readonly FileSpec[] {
  const msOfTicks = { multiplier: 1000, divisor: hz };
  const container = (hierarchy: FileSpec['hierarchy'], node: string, indom: string): FileSpec => ({
    hierarchy,
    name: '',
    format: 'container',
    indom,
    metrics: { id: `cgroup.${node}.id.container` },
  });
  const one = (
    hierarchy: FileSpec['hierarchy'],
    name: string,
    indom: string,
    metric: string,
    format: Format = 'numbers',
  ): FileSpec => ({ hierarchy, name, format, indom, metrics: { value: metric } });
  const keyed = (
    hierarchy: FileSpec['hierarchy'],
    name: string,
    indom: string,
    metrics: FileSpec['metrics'],
  ): FileSpec => ({ hierarchy, name, format: 'keyed', indom, metrics });
  return [
    keyed('v2', 'cpu.stat', '3.16', {
      user_usec: 'cgroup.cpu.stat.user',
      system_usec: 'cgroup.cpu.stat.system',
      usage_usec: 'cgroup.cpu.stat.usage',
    }),
    ...['cpu', 'memory', 'io', 'irq'].map((resource): FileSpec => ({
      hierarchy: 'v2',
      name: `${resource}.pressure`,
      format: 'pressure',
      indom: '3.16',
      metrics: Object.fromEntries(
        ['some', 'full'].flatMap((kind) =>
          SPANS.map((span) => [`${kind} ${span}`, `cgroup.pressure.${resource}.${kind}.${span}`] as const).filter(
            ([, name]) => LINUX_CATALOG.has(name),
          ),
        ),
      ),
    })),
    {
      hierarchy: 'v2',
      name: 'io.stat',
      format: 'disks',
      indom: '3.17',
      perDisk: LINUX_CATALOG.indom('3.17'),
      isAssigned: true,
      metrics: Object.fromEntries(
        ['rbytes', 'wbytes', 'rios', 'wios', 'dbytes', 'dios'].map((key) => [key, `cgroup.io.stat.${key}`]),
      ),
    },
    one('cpuset', 'cpuset.cpus', '3.20', 'cgroup.cpuset.cpus', 'text'),
    one('cpuset', 'cpuset.mems', '3.20', 'cgroup.cpuset.mems', 'text'),
    container('cpuset', 'cpuset', '3.20'),
    {
      ...keyed('cpuacct', 'cpuacct.stat', '3.21', {
        user: 'cgroup.cpuacct.stat.user',
        system: 'cgroup.cpuacct.stat.system',
      }),
      ...msOfTicks,
    },
    one('cpuacct', 'cpuacct.usage', '3.21', 'cgroup.cpuacct.usage'),
    {
      ...one('cpuacct', 'cpuacct.usage_percpu', '3.22', 'cgroup.cpuacct.usage_percpu', 'cpus'),
      perCpu: LINUX_CATALOG.indom('3.22'),
    },
    container('cpuacct', 'cpuacct', '3.21'),
    one('cpu', 'cpu.shares', '3.23', 'cgroup.cpusched.shares'),
    one('cpu', 'cpu.cfs_period_us', '3.23', 'cgroup.cpusched.cfs_period'),
    one('cpu', 'cpu.cfs_quota_us', '3.23', 'cgroup.cpusched.cfs_quota'),
    keyed('cpu', 'cpu.stat', '3.23', {
      nr_periods: 'cgroup.cpusched.periods',
      nr_throttled: 'cgroup.cpusched.throttled',
      throttled_time: 'cgroup.cpusched.throttled_time',
    }),
    container('cpu', 'cpusched', '3.23'),
    {
      ...keyed(
        'memory',
        'memory.stat',
        '3.24',
        Object.fromEntries(
          LINUX_CATALOG.below('cgroup.memory.stat').map((name) => [
            name.replace('.', '_'),
            `cgroup.memory.stat.${name}`,
          ]),
        ),
      ),
      isOptional: true,
    },
    one('memory', 'memory.usage_in_bytes', '3.24', 'cgroup.memory.usage'),
    one('memory', 'memory.limit_in_bytes', '3.24', 'cgroup.memory.limit'),
    one('memory', 'memory.failcnt', '3.24', 'cgroup.memory.failcnt'),
    { ...one('memory', 'memory.current', '3.24', 'cgroup.memory.current'), isOptional: true },
    { ...container('memory', 'memory', '3.24'), name: 'memory.stat', isOptional: true },
    one('net_cls', 'net_cls.classid', '3.25', 'cgroup.netclass.classid'),
    container('net_cls', 'netclass', '3.25'),
    ...[
      'io_merged',
      'io_queued',
      'io_service_bytes',
      'io_serviced',
      'io_service_time',
      'io_wait_time',
      'throttle.io_service_bytes',
      'throttle.io_serviced',
    ].map((kind): FileSpec => ({
      hierarchy: 'blkio',
      name: `blkio.${kind}`,
      format: 'operations',
      indom: '3.26',
      perDisk: LINUX_CATALOG.indom('3.27'),
      metrics: Object.fromEntries(OPERATIONS.map((key) => [key, `cgroup.blkio.dev.${kind}.${key}`])),
      sums: Object.fromEntries(OPERATIONS.map((key) => [key, `cgroup.blkio.all.${kind}.${key}`])),
    })),
    ...(['sectors', 'time'] as const).map((kind): FileSpec => ({
      hierarchy: 'blkio',
      name: `blkio.${kind}`,
      format: 'disks',
      indom: '3.26',
      perDisk: LINUX_CATALOG.indom('3.27'),
      metrics: { value: `cgroup.blkio.dev.${kind}` },
      sums: { value: `cgroup.blkio.all.${kind}` },
      ...(kind === 'sectors' ? { divisor: 2 } : msOfTicks),
    })),
    container('blkio', 'blkio', '3.26'),
    keyed('v2', 'cpu.stat', '500.100', {
      nr_periods: 'cgroup.pmgate.cpu.periods',
      nr_throttled: 'cgroup.pmgate.cpu.throttled',
      throttled_usec: 'cgroup.pmgate.cpu.throttled_time',
    }),
    {
      ...one('v2', 'cpu.max', '500.100', ''),
      metrics: { quota: 'cgroup.pmgate.cpu.quota', period: 'cgroup.pmgate.cpu.period' },
    },
    keyed(
      'v2',
      'memory.events',
      '500.100',
      Object.fromEntries(
        ['low', 'high', 'max', 'oom', 'oom_kill'].map((key) => [key, `cgroup.pmgate.memory.events.${key}`]),
      ),
    ),
    {
      ...keyed('memory', 'memory.oom_control', '500.100', { oom_kill: 'cgroup.pmgate.memory.oom_kill' }),
      isOptional: true,
    },
    one('v2', 'memory.high', '500.100', 'cgroup.pmgate.memory.high'),
    one('v2', 'memory.max', '500.100', 'cgroup.pmgate.memory.max'),
    one('v2', 'memory.peak', '500.100', 'cgroup.pmgate.memory.peak'),
    one('v2', 'memory.swap.current', '500.100', 'cgroup.pmgate.memory.swap'),
    one('pids', 'pids.current', '500.100', 'cgroup.pmgate.pids.current'),
    one('pids', 'pids.max', '500.100', 'cgroup.pmgate.pids.max'),
    keyed('pids', 'pids.events', '500.100', { max: 'cgroup.pmgate.pids.events' }),
  ];
}

/** A container's id in the last component of a group's name: behind the engine's name, or alone. */
const CONTAINER = /\/(?:(?:docker|libpod|cri-containerd|crio|containerd)-([^./]{64})\.[^/]*|([^/]{64}))$/;

/** The container that a group's path belongs to; '' for none. */
export function containerOf(name: string): string {
  const [, named, bare] = CONTAINER.exec(name) ?? [];
  return named ?? bare ?? '';
}
