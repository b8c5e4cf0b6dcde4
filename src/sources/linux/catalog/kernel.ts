import { makeLabel } from '../../../pmapi/index.js';
import { indom } from './indom.js';
import { metric } from './metric.js';
import type { CatalogMetric } from './metric.js';

/** /proc/stat, apart from CPU time. @see proc_stat(5) */
export const STAT_METRICS: readonly CatalogMetric[] = [
  metric(
    'kernel.all.intr',
    '60.0.12',
    'u64',
    null,
    'counter',
    'count',
    'Interrupts serviced since boot',
    'The first number of the "intr" line of /proc/stat: all interrupts on all CPUs, architecture-specific ones included.',
  ),
  metric(
    'kernel.all.pswitch',
    '60.0.13',
    'u64',
    null,
    'counter',
    'count',
    'Context switches since boot',
    'The "ctxt" line of /proc/stat: switches from one task to another, on all CPUs, voluntary or not.',
  ),
  metric(
    'kernel.all.sysfork',
    '60.0.14',
    'u64',
    null,
    'counter',
    'count',
    'Tasks created since boot',
    'The "processes" line of /proc/stat. Despite that name new threads count as much as new processes.',
  ),
  metric(
    'kernel.all.running',
    '60.0.15',
    'u64',
    null,
    'instant',
    'none',
    'Tasks running or ready to run',
    'The "procs_running" line of /proc/stat: tasks on a CPU or waiting for one at this moment. kernel.all.runnable, which comes from /proc/loadavg, may differ a little.',
  ),
  metric(
    'kernel.all.blocked',
    '60.0.16',
    'u64',
    null,
    'instant',
    'none',
    'Tasks blocked, waiting for I/O',
    'The "procs_blocked" line of /proc/stat: tasks in uninterruptible sleep until some I/O is done.',
  ),
  metric(
    'kernel.all.boottime',
    '60.0.17',
    'i64',
    null,
    'discrete',
    'sec',
    'When the system booted, in seconds since 1970',
    'The "btime" line of /proc/stat. It is worked out from the wall clock and moves when that clock is set.',
  ),
  metric(
    'kernel.all.hz',
    '60.0.48',
    'u32',
    null,
    'discrete',
    'count / sec',
    'Clock ticks per second in the kernel\u2019s user interfaces',
    'The unit of CPU times in /proc (USER_HZ, what "getconf CLK_TCK" prints), not the rate of the timer interrupt. 100 on nearly every system.',
  ),
];

/** /proc/uptime. */
export const UPTIME_METRICS: readonly CatalogMetric[] = [
  metric(
    'kernel.all.uptime',
    '60.26.0',
    'double',
    null,
    'instant',
    'sec',
    'Time since the system booted',
    'The first field of /proc/uptime, in steps of 10 ms. Time spent suspended is included.',
  ),
  metric(
    'kernel.all.idletime',
    '60.26.1',
    'double',
    null,
    'instant',
    'sec',
    'Time that CPUs were idle since boot',
    'The second field of /proc/uptime: the sum over all CPUs, so it can exceed the uptime.',
  ),
];

/** The login accounting file. @see utmp(5) */
export const LOGIN_METRICS: readonly CatalogMetric[] = [
  metric(
    'kernel.all.nusers',
    '60.25.0',
    'u32',
    null,
    'instant',
    'none',
    'User sessions that are logged in',
    'Records of type USER_PROCESS with a user name in the login accounting file (/var/run/utmp). 0 where that file is missing, as in most containers.',
  ),
  metric(
    'kernel.all.nroots',
    '60.25.1',
    'u32',
    null,
    'instant',
    'none',
    'Sessions of the user root that are logged in',
    'Those of kernel.all.nusers whose user name is root.',
  ),
  metric(
    'kernel.all.nsessions',
    '60.25.2',
    'u32',
    null,
    'instant',
    'none',
    'Records in the login accounting file',
    'Records of any type in /var/run/utmp, USER_PROCESS records without a user name excepted.',
  ),
];

/** uname(2) and the release files of distributions. */
export const UNAME_METRICS: readonly CatalogMetric[] = [
  metric(
    'kernel.uname.release',
    '60.12.0',
    'string',
    null,
    'discrete',
    'none',
    'Release of the running kernel',
    'The release field of uname(2), as "uname -r" prints it.',
  ),
  metric(
    'kernel.uname.version',
    '60.12.1',
    'string',
    null,
    'discrete',
    'none',
    'Build number and date of the running kernel',
    'The version field of uname(2), as "uname -v" prints it; for the kernel\u2019s version number see kernel.uname.release.',
  ),
  metric(
    'kernel.uname.sysname',
    '60.12.2',
    'string',
    null,
    'discrete',
    'none',
    'Name of the operating system: Linux',
    'The sysname field of uname(2), as "uname -s" prints it.',
  ),
  metric(
    'kernel.uname.machine',
    '60.12.3',
    'string',
    null,
    'discrete',
    'none',
    'Hardware name of the machine, such as x86_64',
    'The machine field of uname(2), as "uname -m" prints it.',
  ),
  metric(
    'kernel.uname.nodename',
    '60.12.4',
    'string',
    null,
    'discrete',
    'none',
    'Host name as the kernel knows it',
    'The nodename field of uname(2), as "uname -n" prints it. Not necessarily a name that the DNS knows.',
  ),
  metric(
    'kernel.uname.distro',
    '60.12.7',
    'string',
    null,
    'discrete',
    'none',
    'Name and version of the Linux distribution',
    'The first line of the first release file found in /etc (debian_version, oracle-release, fedora-release, redhat-release, \u2026). "?" when there is none.',
  ),
];

/** Single numbers in /proc/sys/kernel. */
export const KERNEL_LIMIT_METRICS: readonly CatalogMetric[] = [
  metric(
    'kernel.all.entropy.avail',
    '60.72.0',
    'u32',
    null,
    'instant',
    'none',
    'Entropy in the kernel\u2019s random number pool, in bits',
    '/proc/sys/kernel/random/entropy_avail. Kernels since 5.18 show the pool\u2019s size once it has been seeded.',
  ),
  metric(
    'kernel.all.entropy.poolsize',
    '60.72.1',
    'u32',
    null,
    'instant',
    'none',
    'Size of the kernel\u2019s random number pool, in bits',
    '/proc/sys/kernel/random/poolsize.',
  ),
  metric(
    'kernel.all.pid_max',
    '60.72.2',
    'u32',
    null,
    'discrete',
    'none',
    'Process ids stay below this number',
    '/proc/sys/kernel/pid_max: at this value ids wrap around. An upper bound for the number of tasks.',
  ),
  metric(
    'kernel.all.nptys',
    '60.72.3',
    'u32',
    null,
    'instant',
    'none',
    'Pseudo terminals in use',
    '/proc/sys/kernel/pty/nr.',
  ),
];

/** Instance domain 60.4: rows of /proc/interrupts. */
export const INTERRUPT_INDOM = indom(
  '60.4',
  'cached-saved',
  'Interrupt lines',
  [makeLabel('device_type', 'irq'), makeLabel('indom_name', 'per irq')],
  'The rows of /proc/interrupts but ERR and MIS. The instance number is not the number of the interrupt.',
);

/** Instance domain 60.40: cells of /proc/interrupts. */
export const PERCPU_INTERRUPT_INDOM = indom(
  '60.40',
  'cached-saved',
  'Interrupt lines on each CPU',
  [makeLabel('device_type', ['irq', 'cpu']), makeLabel('indom_name', 'per cpu, per irq')],
  'One instance for each row and CPU column of /proc/interrupts, named line::cpuN.',
);

/** Instance domain 60.36: rows of /proc/softirqs. */
export const SOFTIRQ_INDOM = indom(
  '60.36',
  'cached-saved',
  'Kinds of soft interrupts',
  [makeLabel('indom_name', 'per softirq')],
  'The rows of /proc/softirqs: timers, network receive and transmit, block completion and so on.',
);

/** Instance domain 60.41: cells of /proc/softirqs. */
export const PERCPU_SOFTIRQ_INDOM = indom(
  '60.41',
  'cached-saved',
  'Kinds of soft interrupts on each CPU',
  [makeLabel('device_type', 'cpu'), makeLabel('indom_name', 'per cpu, per softirq')],
  'One instance for each row and CPU column of /proc/softirqs, named kind::cpuN.',
);

/** Instance domain 60.37: the spans that pressure is averaged over. */
export const PRESSURE_INDOM = indom(
  '60.37',
  'fixed',
  'Spans of time that pressure is averaged over',
  [],
  '10, 60 and 300 seconds; the instance number is the span in seconds.',
);

/** /proc/interrupts. */
export const INTERRUPT_METRICS: readonly CatalogMetric[] = [
  metric(
    'kernel.all.interrupts.total',
    '60.4.0',
    'u64',
    '60.4',
    'counter',
    'count',
    'Interrupts by line, all CPUs',
    'The sum of each row of /proc/interrupts over its CPU columns. Rows are numbered lines of devices and architecture-specific interrupts such as LOC or NMI.',
  ),
  metric(
    'kernel.percpu.interrupts',
    '60.4.1',
    'u32',
    '60.40',
    'counter',
    'count',
    'Interrupts by line and CPU',
    'Each cell of /proc/interrupts: one instance per row and CPU, which are many on large machines. The kernel\u2019s counts are 32-bit and wrap.',
  ),
  metric(
    'kernel.percpu.intr',
    '60.4.4',
    'u64',
    '60.0',
    'counter',
    'count',
    'Interrupts serviced, each CPU',
    'The sum of each CPU\u2019s column of /proc/interrupts. The ERR and MIS rows, which belong to no CPU, are left out, so the sum differs from kernel.all.intr.',
  ),
];

/** /proc/softirqs. */
export const SOFTIRQ_METRICS: readonly CatalogMetric[] = [
  metric(
    'kernel.all.softirqs.total',
    '60.82.0',
    'u64',
    '60.36',
    'counter',
    'count',
    'Soft interrupts by kind, all CPUs',
    'The sum of each row of /proc/softirqs over its CPU columns.',
  ),
  metric(
    'kernel.percpu.softirqs',
    '60.63.0',
    'u32',
    '60.41',
    'counter',
    'count',
    'Soft interrupts by kind and CPU',
    'Each cell of /proc/softirqs: one instance per kind and CPU. The kernel\u2019s counts are 32-bit and wrap.',
  ),
];

/** A resource with pressure-stall information, its cluster, and the items of its two kinds of stall. */
interface Pressure {
  readonly name: string;
  readonly cluster: number;
  readonly waitedFor: string;
  readonly some?: readonly [avg: number, total: number];
  readonly full?: readonly [avg: number, total: number];
}

const PRESSURES: readonly Pressure[] = [
  { name: 'cpu', cluster: 83, waitedFor: 'a CPU', some: [0, 1] },
  { name: 'memory', cluster: 84, waitedFor: 'memory', some: [0, 1], full: [2, 3] },
  { name: 'io', cluster: 85, waitedFor: 'I/O', some: [0, 1], full: [2, 3] },
  { name: 'irq', cluster: 93, waitedFor: 'interrupt handling', full: [0, 1] },
];

const PRESSURE_NOTE =
  'There are no values when the kernel is built without PSI, when it is switched off (psi=0), or when this kernel lacks the line.';

/** /proc/pressure. @see the kernel's Documentation/accounting/psi.rst */
export const PRESSURE_METRICS: readonly CatalogMetric[] = PRESSURES.flatMap(
  ({ name, cluster, waitedFor, some, full }) =>
    [
      { kind: 'some', items: some, who: 'some tasks' },
      { kind: 'full', items: full, who: 'all tasks' },
    ].flatMap(({ kind, items, who }) =>
      items === undefined
        ? []
        : [
            metric(
              `kernel.all.pressure.${name}.${kind}.avg`,
              `60.${cluster}.${items[0]}`,
              'float',
              '60.37',
              'instant',
              'none',
              `Percentage of time that ${who} waited for ${waitedFor}`,
              `Mean over the last 10, 60 and 300 seconds, from the "${kind}" line of /proc/pressure/${name}. ${PRESSURE_NOTE}`,
            ),
            metric(
              `kernel.all.pressure.${name}.${kind}.total`,
              `60.${cluster}.${items[1]}`,
              'u64',
              null,
              'counter',
              'microsec',
              `Time that ${who} waited for ${waitedFor}`,
              `Total stall time since boot, from the "${kind}" line of /proc/pressure/${name}. ${PRESSURE_NOTE}`,
            ),
          ],
    ),
);
