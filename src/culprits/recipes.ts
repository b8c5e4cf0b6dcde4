/** How it is found who uses a resource: the metrics, all of PCP's names. */
export interface Recipe {
  readonly unit: string;
  /** Whether counters grow, a level is what it is or rises, or new processes are counted by their parents. */
  readonly measure: 'growth' | 'level' | 'rise' | 'children';
  /** What it is measured by where the use itself is not counted, in words. */
  readonly by?: string;
  /** From seconds, bytes or counts, which values are converted to, to the unit. */
  readonly factor: number;
  /** Metrics of processes whose sum is the use, and of their children that ended. */
  readonly processes: readonly string[];
  readonly children: readonly string[];
  /** Metrics of control groups whose sum is the use: version 2, then version 1. */
  readonly groups: readonly (readonly string[])[];
  /** Metrics of the machine whose sum is the use by all. */
  readonly totals: readonly string[];
}

const CPU = 'kernel.all.cpu';
const NONE = { children: [], groups: [], totals: [] } as const;

const PROCESSOR = {
  unit: '%',
  measure: 'growth',
  factor: 100,
  processes: ['proc.psinfo.utime', 'proc.psinfo.stime'],
  children: ['proc.psinfo.cutime', 'proc.psinfo.cstime'],
  groups: [['cgroup.cpu.stat.usage'], ['cgroup.cpuacct.usage']],
  totals: [`${CPU}.user`, `${CPU}.nice`, `${CPU}.sys`, `${CPU}.intr`],
} as const satisfies Recipe;

const MEMORY = {
  ...NONE,
  unit: 'byte',
  measure: 'level',
  factor: 1,
  processes: ['proc.psinfo.rss'],
  groups: [['cgroup.memory.current'], ['cgroup.memory.usage']],
} as const satisfies Recipe;

const DESCRIPTORS = {
  ...NONE,
  unit: 'count',
  measure: 'level',
  factor: 1,
  processes: ['proc.fd.count'],
  totals: ['vfs.files.count'],
} as const satisfies Recipe;

const RECIPES = {
  processor: PROCESSOR,
  memory: MEMORY,
  'memory.growth': { ...MEMORY, unit: 'byte / sec', measure: 'rise' },
  disk: {
    unit: 'byte / sec',
    measure: 'growth',
    factor: 1,
    processes: ['proc.io.read_bytes', 'proc.io.write_bytes'],
    children: [],
    groups: [['cgroup.io.stat.rbytes', 'cgroup.io.stat.wbytes'], ['cgroup.blkio.all.throttle.io_service_bytes.total']],
    totals: ['disk.all.read_bytes', 'disk.all.write_bytes'],
  },
  network: { ...PROCESSOR, by: 'by processor time, as packets are not counted by process' },
  descriptors: DESCRIPTORS,
  'descriptors.growth': { ...DESCRIPTORS, unit: 'count / sec', measure: 'rise' },
  processes: {
    ...NONE,
    unit: 'count / sec',
    measure: 'children',
    factor: 1,
    processes: ['proc.psinfo.ppid'],
    totals: ['kernel.all.sysfork'],
  },
  /** Processes that end before they are seen are known by what their parents waited for. */
  children: {
    ...PROCESSOR,
    ...NONE,
    processes: PROCESSOR.children,
    by: 'by the processor time of children that ended',
  },
} as const satisfies Record<string, Recipe>;

/** A resource whose users can be found. */
export type CulpritResource = keyof typeof RECIPES;
export const CULPRIT_RESOURCES = Object.keys(RECIPES) as readonly CulpritResource[];

export function isCulpritResource(resource: string): resource is CulpritResource {
  return Object.hasOwn(RECIPES, resource);
}

export function recipeOf(resource: CulpritResource): Recipe {
  return RECIPES[resource];
}

/** What is missing where no one can be named. */
export const CULPRIT_METRICS_HINT = 'metrics of processes and control groups (proc.*, cgroup.*)';

/** What a process is: without a start time, there is no telling it from a later one with the same number. */
export const START_TIME = 'proc.psinfo.start_time';
export const UPTIME = 'kernel.all.uptime';
export const IDENTITY = {
  name: 'proc.psinfo.cmd',
  parent: 'proc.psinfo.ppid',
  user: 'proc.id.uid_nm',
  groups: 'proc.psinfo.cgroups',
  container: 'proc.id.container',
  number: 'proc.psinfo.pid',
} as const;

/** The metrics that are needed to find who uses a resource; not every host has all of them. */
export function culpritMetrics(resource: CulpritResource): readonly string[] {
  const { processes, children, groups, totals } = recipeOf(resource);
  const identity = [START_TIME, UPTIME, ...Object.values(IDENTITY)];
  const instead = resource === 'processes' ? RECIPES.children.processes : [];
  return [...new Set([...processes, ...children, ...groups.flat(), ...totals, ...identity, ...instead])];
}
