import { INSTANCE_NULL, makeLabel } from '../../../pmapi/index.js';
import type { ValueSet } from '../../../pmapi/index.js';
import { CPU_INDOM, LINUX_CATALOG, NODE_INDOM } from '../catalog/linux-catalog.js';
import type { ClusterEnvironment, LocalCluster, MetricBinding } from '../cluster.js';
import { CpuTimes, TIME } from './cpu-times.js';
import { NodeTimes } from './node-times.js';
import { NumaNodes } from './numa-nodes.js';
import { cell } from './singular.js';
import { addNumber } from '../sample.js';
import type { NumberGrid } from '../sample.js';

/** How a state of a CPU is made from the columns of its line: one, or the sum or difference of two. */
type State = readonly [name: string, column: number, other?: number, sign?: 1 | -1];

const STATES: readonly State[] = [
  ['user', TIME.user],
  ['nice', TIME.nice],
  ['sys', TIME.system],
  ['idle', TIME.idle],
  ['wait.total', TIME.iowait],
  ['intr', TIME.irq, TIME.softirq, 1],
  ['irq.hard', TIME.irq],
  ['irq.soft', TIME.softirq],
  ['steal', TIME.steal],
  ['guest', TIME.guest],
  ['guest_nice', TIME.guestNice],
  ['vuser', TIME.user, TIME.guest, -1],
  ['vnice', TIME.nice, TIME.guestNice, -1],
];

/** kernel.*.cpu.*, the counters of /proc/stat and which CPUs and nodes there are. @see proc_stat(5) */
export function statCluster(environment: ClusterEnvironment): LocalCluster {
  const { files, hz } = environment;
  const nodes = new NumaNodes(environment);
  const stat = new CpuTimes(files, nodes, environment.instancesChanged);
  const nodeTimes = new NodeTimes(stat, nodes);
  const samples = [stat];
  const nodeSamples = [stat, nodeTimes];
  const milliseconds = 1000 / gcd(1000, hz);
  const perTicks = hz / gcd(1000, hz);
  const emitter =
    (grid: NumberGrid, firstRow: number, [, column, other, sign]: State) =>
    (set: ValueSet, id: number, row: number): void => {
      if (other === undefined) grid.emit(set, id, firstRow + row, column, milliseconds, perTicks);
      else grid.emitSum(set, id, firstRow + row, column, other, sign, milliseconds, perTicks);
    };
  const table = new Map<string, MetricBinding>([
    ['kernel.all.intr', cell(samples, stat.totals, stat.total('intr'))],
    ['kernel.all.pswitch', cell(samples, stat.totals, stat.total('ctxt'))],
    ['kernel.all.sysfork', cell(samples, stat.totals, stat.total('processes'))],
    ['kernel.all.running', cell(samples, stat.totals, stat.total('procs_running'))],
    ['kernel.all.blocked', cell(samples, stat.totals, stat.total('procs_blocked'))],
    ['kernel.all.boottime', cell(samples, stat.totals, stat.total('btime'))],
    ['kernel.all.hz', { kind: 'quick', samples: [], fill: (set) => set.setNumber(hz) }],
    [
      'hinv.ncpu',
      {
        kind: 'quick',
        samples,
        fill(set) {
          if (stat.cpus.count > 0) set.setNumber(stat.cpus.count);
        },
      },
    ],
    [
      'hinv.nnode',
      {
        kind: 'quick',
        samples: [],
        fill(set) {
          nodes.ensure(false);
          set.setNumber(nodes.numbers.length);
        },
      },
    ],
    [
      'hinv.cpu.online',
      {
        kind: 'quick',
        samples,
        fill: (set, profile) =>
          stat.cpus.fill(set, profile, (into, cpu) => {
            const text = files.text(`sys/devices/system/cpu/cpu${cpu}/online`);
            addNumber(into, cpu, text === undefined ? 1 : Number(text));
          }),
      },
    ],
    [
      'hinv.map.cpu_num',
      {
        kind: 'quick',
        samples,
        fill: (set, profile) => stat.cpus.fill(set, profile, (into, cpu) => addNumber(into, cpu, cpu)),
      },
    ],
    [
      'hinv.map.cpu_node',
      {
        kind: 'quick',
        samples,
        fill: (set, profile) =>
          stat.cpus.fill(set, profile, (into, cpu) => addNumber(into, cpu, nodes.numbers[nodes.rowOf(cpu)] ?? 0)),
      },
    ],
  ]);
  for (const state of STATES) {
    const [name] = state;
    const all = emitter(stat.times, CpuTimes.ALL_ROW, state);
    const each = emitter(stat.times, CpuTimes.FIRST_CPU_ROW, state);
    table.set(`kernel.all.cpu.${name}`, { kind: 'quick', samples, fill: (set) => all(set, INSTANCE_NULL, 0) });
    table.set(`kernel.percpu.cpu.${name}`, {
      kind: 'quick',
      samples,
      fill: (set, profile) => stat.cpus.fill(set, profile, each),
    });
    const perNode = `kernel.pernode.cpu.${name}`;
    if (!LINUX_CATALOG.has(perNode)) continue;
    const node = emitter(nodeTimes.times, 0, state);
    table.set(perNode, {
      kind: 'quick',
      samples: nodeSamples,
      fill: (set, profile) => nodes.table.fill(set, profile, node),
    });
  }
  return {
    name: 'stat',
    metrics: LINUX_CATALOG.bind(table),
    indoms: [
      {
        catalog: CPU_INDOM,
        samples,
        list: () => stat.cpus.list((cpu) => `cpu${cpu}`),
        labels: ({ id }) => [makeLabel('cpu', id)],
      },
      {
        catalog: NODE_INDOM,
        samples,
        list: () => nodes.table.list((id) => nodes.nameOf(id)),
        labels: ({ id }) => [makeLabel('numa_node', id)],
      },
    ],
  };
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}
