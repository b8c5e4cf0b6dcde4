import { makeLabel } from '../../../pmapi/index.js';
import type { ValueSet } from '../../../pmapi/index.js';
import type { InstanceProfile } from '../../profile.js';
import {
  CPU_INDOM,
  INTERRUPT_INDOM,
  LINUX_CATALOG,
  PERCPU_INTERRUPT_INDOM,
  PERCPU_SOFTIRQ_INDOM,
  SOFTIRQ_INDOM,
} from '../catalog/linux-catalog.js';
import type { ClusterEnvironment, IndomBinding, LocalCluster, MetricBinding } from '../cluster.js';
import { addNumber } from '../sample.js';
import { cellLabels, PerCpuCounts } from './per-cpu-counts.js';

/** Counts of errors, of which there is one for the whole system. */
const NOT_PER_CPU = ['ERR', 'MIS'];

/** kernel.all.interrupts, kernel.percpu.interrupts and kernel.percpu.intr, from /proc/interrupts. */
export function interruptsCluster(environment: ClusterEnvironment): LocalCluster {
  const rows = environment.caches.of(INTERRUPT_INDOM);
  const cells = environment.caches.of(PERCPU_INTERRUPT_INDOM);
  const options = { path: 'proc/interrupts', leaveOut: NOT_PER_CPU, rows, cells };
  const counts = new PerCpuCounts(environment.files, options, environment.instancesChanged);
  const samples = [counts];
  const table = new Map<string, MetricBinding>([
    ['kernel.all.interrupts.total', totals(counts)],
    ['kernel.percpu.interrupts', each(counts)],
    [
      'kernel.percpu.intr',
      {
        kind: 'quick',
        samples,
        fill(set: ValueSet, profile: InstanceProfile): void {
          for (const [column, cpu] of counts.cpus.entries()) {
            if (profile.includes(CPU_INDOM.indom, cpu)) addNumber(set, cpu, counts.columnSum(column));
          }
        },
      },
    ],
  ]);
  const indoms: IndomBinding[] = [
    {
      catalog: INTERRUPT_INDOM,
      samples,
      list: () => counts.rows.list((id) => rows.nameOf(id)),
      labels: ({ name }) => [makeLabel('irq', name), makeLabel('irqtext', counts.textOf(name))],
    },
    {
      catalog: PERCPU_INTERRUPT_INDOM,
      samples,
      list: () => counts.cells().list((id) => cells.nameOf(id)),
      labels(instance) {
        const irq = instance.name.slice(0, instance.name.lastIndexOf('::cpu'));
        return [...cellLabels(instance, 'irq'), makeLabel('irqtext', counts.textOf(irq))];
      },
    },
  ];
  return { name: 'interrupts', metrics: LINUX_CATALOG.bind(table), indoms };
}

/** kernel.all.softirqs and kernel.percpu.softirqs, from /proc/softirqs. */
export function softirqsCluster(environment: ClusterEnvironment): LocalCluster {
  const rows = environment.caches.of(SOFTIRQ_INDOM);
  const cells = environment.caches.of(PERCPU_SOFTIRQ_INDOM);
  const counts = new PerCpuCounts(
    environment.files,
    { path: 'proc/softirqs', rows, cells },
    environment.instancesChanged,
  );
  const samples = [counts];
  const table = new Map<string, MetricBinding>([
    ['kernel.all.softirqs.total', totals(counts)],
    ['kernel.percpu.softirqs', each(counts)],
  ]);
  const indoms: IndomBinding[] = [
    { catalog: SOFTIRQ_INDOM, samples, list: () => counts.rows.list((id) => rows.nameOf(id)) },
    {
      catalog: PERCPU_SOFTIRQ_INDOM,
      samples,
      list: () => counts.cells().list((id) => cells.nameOf(id)),
      labels: (instance) => cellLabels(instance, 'softirq'),
    },
  ];
  return { name: 'softirqs', metrics: LINUX_CATALOG.bind(table), indoms };
}

function totals(counts: PerCpuCounts): MetricBinding {
  return {
    kind: 'quick',
    samples: [counts],
    fill: (set, profile) => counts.rows.fill(set, profile, (into, id, row) => addNumber(into, id, counts.rowSum(row))),
  };
}

function each(counts: PerCpuCounts): MetricBinding {
  return {
    kind: 'quick',
    samples: [counts],
    fill: (set, profile) =>
      counts.cells().fill(set, profile, (into, id, cell) => addNumber(into, id, counts.cellCount(cell))),
  };
}
