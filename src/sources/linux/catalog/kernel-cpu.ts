import { makeLabel } from '../../../pmapi/index.js';
import { indom } from './indom.js';
import { metric } from './metric.js';
import type { CatalogMetric } from './metric.js';

/** Instance domain 60.0: CPUs. */
export const CPU_INDOM = indom(
  '60.0',
  'fixed',
  'CPUs',
  [makeLabel('device_type', 'cpu'), makeLabel('indom_name', 'per cpu')],
  'CPUs that are online, numbered as the kernel numbers them: a number stays when another CPU goes offline.',
);

/** Instance domain 60.19: NUMA nodes. */
export const NODE_INDOM = indom(
  '60.19',
  'cached',
  'NUMA nodes',
  [makeLabel('device_type', 'numa_node'), makeLabel('indom_name', 'per numa_node')],
  'The nodes in /sys/devices/system/node; node0 alone on machines without any.',
);

/** One state of a CPU, and the item numbers (cluster 60.0) of its metric for all CPUs, each CPU and each NUMA node. */
interface CpuState {
  readonly name: string;
  readonly all: number;
  readonly percpu: number;
  readonly pernode?: number;
  /** Completes "CPU time …". */
  readonly spent: string;
  readonly help: string;
}

const STATES: readonly CpuState[] = [
  {
    name: 'user',
    all: 20,
    percpu: 0,
    pernode: 62,
    spent: 'in user mode, including time lent to guests',
    help: 'Ordinary (not niced) user code. The kernel adds the time of virtual CPUs here as well as to guest: vuser leaves it out.',
  },
  {
    name: 'nice',
    all: 21,
    percpu: 1,
    pernode: 63,
    spent: 'in niced user mode, including niced guests',
    help: 'User code of processes with a positive nice value. Niced virtual CPUs are counted here and in guest_nice: vnice leaves them out.',
  },
  {
    name: 'sys',
    all: 22,
    percpu: 2,
    pernode: 64,
    spent: 'in the kernel',
    help: 'System calls, page faults and kernel threads; interrupt handling is counted apart, in irq.hard and irq.soft.',
  },
  {
    name: 'idle',
    all: 23,
    percpu: 3,
    pernode: 65,
    spent: 'with nothing to run',
    help: 'Idle time while no task of the CPU waited for block I/O; the rest of the idle time is wait.total.',
  },
  {
    name: 'wait.total',
    all: 35,
    percpu: 30,
    pernode: 69,
    spent: 'idle with block I/O outstanding',
    help:
      'Idle time during which at least one task that last ran on the CPU waited for block I/O (iowait). The kernel warns that ' +
      'this value is an estimate and may even step back; a small step back is held at the last value seen.',
  },
  {
    name: 'intr',
    all: 34,
    percpu: 31,
    spent: 'handling interrupts, hard and soft',
    help: 'The sum of irq.hard and irq.soft.',
  },
  {
    name: 'irq.hard',
    all: 54,
    percpu: 57,
    pernode: 71,
    spent: 'handling hardware interrupts',
    help: 'Time inside interrupt handlers proper. Zero throughout when the kernel is built without interrupt time accounting.',
  },
  {
    name: 'irq.soft',
    all: 53,
    percpu: 56,
    pernode: 70,
    spent: 'handling soft interrupts',
    help: 'Work that interrupt handlers put off: network receive and transmit, block completion, timers, RCU and the like.',
  },
  {
    name: 'steal',
    all: 55,
    percpu: 58,
    pernode: 67,
    spent: 'taken by the hypervisor',
    help: 'Time that a virtual CPU was ready to run but the hypervisor ran something else. Zero on bare hardware.',
  },
  {
    name: 'guest',
    all: 60,
    percpu: 61,
    pernode: 68,
    spent: 'running virtual CPUs of guests',
    help: 'Time given to guests by KVM. It is part of user as well.',
  },
  {
    name: 'guest_nice',
    all: 81,
    percpu: 83,
    pernode: 85,
    spent: 'running niced virtual CPUs of guests',
    help: 'Time given to guests whose virtual CPU threads are niced. It is part of nice as well.',
  },
  {
    name: 'vuser',
    all: 78,
    percpu: 76,
    pernode: 77,
    spent: 'in user mode, without time lent to guests',
    help: 'The user time less the guest time.',
  },
  {
    name: 'vnice',
    all: 82,
    percpu: 84,
    pernode: 86,
    spent: 'in niced user mode, without niced guests',
    help: 'The nice time less the guest_nice time.',
  },
];

const SOURCE = 'Read from /proc/stat, whose clock ticks are turned into milliseconds.';

/** CPU time by state: of all CPUs together, of each CPU and of each NUMA node. @see proc_stat(5) */
export const CPU_METRICS: readonly CatalogMetric[] = [
  ...STATES.map((state) =>
    metric(
      `kernel.all.cpu.${state.name}`,
      `60.0.${state.all}`,
      'u64',
      null,
      'counter',
      'millisec',
      `CPU time ${state.spent}, all CPUs`,
      `${state.help} Summed over all CPUs, so n CPUs can gain n seconds a second. ${SOURCE}`,
      [makeLabel('device_type', 'cpu')],
    ),
  ),
  ...STATES.map((state) =>
    metric(
      `kernel.percpu.cpu.${state.name}`,
      `60.0.${state.percpu}`,
      'u64',
      '60.0',
      'counter',
      'millisec',
      `CPU time ${state.spent}, each CPU`,
      `${state.help} ${SOURCE} CPUs that are offline have no value.`,
    ),
  ),
  ...STATES.flatMap((state) =>
    state.pernode === undefined
      ? []
      : [
          metric(
            `kernel.pernode.cpu.${state.name}`,
            `60.0.${state.pernode}`,
            'u64',
            '60.19',
            'counter',
            'millisec',
            `CPU time ${state.spent}, each NUMA node`,
            `${state.help} Summed over the CPUs of the node. ${SOURCE} Membership is taken from /sys/devices/system/node.`,
            [makeLabel('device_type', ['numa_node', 'cpu'])],
          ),
        ],
  ),
];
