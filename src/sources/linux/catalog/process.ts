import { indom } from './indom.js';
import { metric } from './metric.js';
import type { CatalogMetric, CatalogSemantics, CatalogType, CatalogUnits } from './metric.js';

/** Instance domain 3.9: processes. */
export const PROCESS_INDOM = indom(
  '3.9',
  'fixed',
  'Processes',
  [],
  'All processes in /proc, kernel threads included. The number is the process id; the name is the process id and the command.',
);

/** A per-process metric: name within its family, PMID, descriptor, one line, what it means and where it is from. */
type ProcessRow = readonly [
  name: string,
  pmid: string,
  type: CatalogType,
  semantics: CatalogSemantics,
  units: CatalogUnits,
  oneline: string,
  help: string,
];

const PSINFO: readonly ProcessRow[] = [
  ['pid', '3.8.0', 'u32', 'discrete', 'none', 'Process id', 'The instance number as well.'],
  [
    'cmd',
    '3.8.1',
    'string',
    'discrete',
    'none',
    'Command name of the process',
    'Field 2 of /proc/PID/stat, without its parentheses: at most 15 bytes, and the process may change it. For the arguments see proc.psinfo.psargs.',
  ],
  [
    'sname',
    '3.8.2',
    'string',
    'instant',
    'none',
    'State of the process, as a letter',
    'Field 3 of /proc/PID/stat: R running or ready, S asleep, D in uninterruptible sleep, Z zombie, T stopped, t traced, I idle kernel thread, X dead.',
  ],
  [
    'ppid',
    '3.8.3',
    'u32',
    'discrete',
    'none',
    'Process id of the parent',
    'Field 4 of /proc/PID/stat; 0 for the first processes.',
  ],
  [
    'minflt',
    '3.8.9',
    'u32',
    'counter',
    'count',
    'Minor page faults of the process',
    'Faults that needed no read from disk: field 10 of /proc/PID/stat, of which the low 32 bits are served. Faults of children are not included.',
  ],
  [
    'maj_flt',
    '3.8.11',
    'u32',
    'counter',
    'count',
    'Major page faults of the process',
    'Faults that needed a read from disk: field 12 of /proc/PID/stat, of which the low 32 bits are served. Faults of children are not included.',
  ],
  [
    'utime',
    '3.8.13',
    'u64',
    'counter',
    'millisec',
    'CPU time in user mode',
    'Field 14 of /proc/PID/stat, over all threads; guest time is included.',
  ],
  [
    'stime',
    '3.8.14',
    'u64',
    'counter',
    'millisec',
    'CPU time in the kernel',
    'Field 15 of /proc/PID/stat, over all threads.',
  ],
  [
    'cutime',
    '3.8.15',
    'u64',
    'counter',
    'millisec',
    'CPU time in user mode of children that ended',
    'Field 16 of /proc/PID/stat: children that the process has waited for, and theirs.',
  ],
  [
    'cstime',
    '3.8.16',
    'u64',
    'counter',
    'millisec',
    'CPU time in the kernel of children that ended',
    'Field 17 of /proc/PID/stat: children that the process has waited for, and theirs.',
  ],
  [
    'priority',
    '3.8.17',
    'i32',
    'instant',
    'none',
    'Priority of the process in the kernel',
    'Field 18 of /proc/PID/stat: 20 plus the nice value for ordinary processes, minus one minus the real-time priority for real-time ones. (PCP\u2019s own agent shows another field under this name.)',
  ],
  [
    'nice',
    '3.8.18',
    'i32',
    'instant',
    'none',
    'Nice value of the process',
    'Field 19 of /proc/PID/stat: from -20, the most favoured, to 19.',
  ],
  [
    'start_time',
    '3.8.21',
    'u64',
    'discrete',
    'millisec',
    'When the process started, since boot',
    'Field 22 of /proc/PID/stat, in steps of a clock tick.',
  ],
  [
    'vsize',
    '3.8.22',
    'u64',
    'instant',
    'Kbyte',
    'Virtual memory of the process',
    'Field 23 of /proc/PID/stat: all mappings, whether they hold memory or not.',
  ],
  [
    'rss',
    '3.8.23',
    'u64',
    'instant',
    'Kbyte',
    'Memory that the process has in RAM',
    'Field 24 of /proc/PID/stat. Pages shared with others count in full for each; the kernel keeps the number loosely and may lag a little.',
  ],
  [
    'processor',
    '3.8.38',
    'u32',
    'instant',
    'none',
    'CPU that the process ran on last',
    'Field 39 of /proc/PID/stat, for the main thread.',
  ],
  [
    'ttyname',
    '3.8.39',
    'string',
    'discrete',
    'none',
    'Controlling terminal of the process',
    'Name below /dev of the device in field 7 of /proc/PID/stat; "?" when there is none.',
  ],
  [
    'wchan_s',
    '3.8.40',
    'string',
    'instant',
    'none',
    'Where in the kernel the process sleeps',
    '/proc/PID/wchan: the name of a kernel function, or 0 when the process runs or the kernel does not tell.',
  ],
  [
    'psargs',
    '3.8.41',
    'string',
    'discrete',
    'none',
    'Command line of the process',
    '/proc/PID/cmdline with spaces between arguments; the command name in parentheses for kernel threads, which have none. At most 4088 bytes of it.',
  ],
  [
    'rt_priority',
    '3.8.42',
    'u32',
    'instant',
    'none',
    'Real-time priority of the process',
    'Field 40 of /proc/PID/stat: 1 to 99 for real-time policies, else 0. (PCP\u2019s own agent shows another field under this name.)',
  ],
  [
    'policy',
    '3.8.43',
    'u32',
    'instant',
    'none',
    'Scheduling policy of the process',
    'Field 41 of /proc/PID/stat: 0 other, 1 FIFO, 2 round robin, 3 batch, 5 idle, 6 deadline, 7 extensible. (PCP\u2019s own agent shows another field under this name.)',
  ],
  [
    'guest_time',
    '3.8.45',
    'u64',
    'counter',
    'millisec',
    'CPU time spent running virtual CPUs',
    'Field 43 of /proc/PID/stat; part of utime. (PCP\u2019s own agent shows another field under this name.)',
  ],
  ['threads', '3.24.28', 'u32', 'instant', 'none', 'Threads of the process', 'The Threads line of /proc/PID/status.'],
  [
    'vctxsw',
    '3.24.29',
    'u32',
    'instant',
    'none',
    'Context switches because the process waited',
    'The voluntary_ctxt_switches line of /proc/PID/status. It counts the main thread only.',
  ],
  [
    'nvctxsw',
    '3.24.30',
    'u32',
    'instant',
    'none',
    'Context switches because the CPU was taken away',
    'The nonvoluntary_ctxt_switches line of /proc/PID/status. It counts the main thread only.',
  ],
  [
    'oom_score',
    '3.62.0',
    'u32',
    'instant',
    'none',
    'How likely the out-of-memory killer picks the process',
    '/proc/PID/oom_score: higher dies first.',
  ],
];

const MEMORY: readonly ProcessRow[] = [
  [
    'share',
    '3.9.2',
    'u32',
    'instant',
    'Kbyte',
    'Shared memory that the process has in RAM',
    'The third field of /proc/PID/statm: file-backed pages and shared memory, whether another process uses them or not.',
  ],
  ...(
    [
      ['vmsize', 20, 'VmSize', 'Virtual memory of the process', 'All mappings, whether they hold memory or not.'],
      ['vmrss', 22, 'VmRSS', 'Memory that the process has in RAM', 'Anonymous, file-backed and shared pages together.'],
      [
        'vmdata',
        23,
        'VmData',
        'Private data of the process',
        'Size of writable private mappings such as the heap, resident or not, without the stack.',
      ],
      [
        'vmstack',
        24,
        'VmStk',
        'Stack of the main thread',
        'Size of the mapping, resident or not. Stacks of other threads are part of vmdata.',
      ],
      ['vmexe', 25, 'VmExe', 'Code of the program', 'Size of the program\u2019s own text, resident or not.'],
      ['vmlib', 26, 'VmLib', 'Code of shared libraries', 'Size of the libraries\u2019 text, resident or not.'],
      [
        'vmswap',
        27,
        'VmSwap',
        'Memory of the process that is in swap',
        'Anonymous pages only; shared memory in swap is not included.',
      ],
    ] as const
  ).map(([name, item, line, oneline, help]): ProcessRow => [
    name,
    `3.24.${item}`,
    'u32',
    'instant',
    'Kbyte',
    oneline,
    `${help} The ${line} line of /proc/PID/status; 0 for kernel threads, which have no memory of their own.`,
  ]),
];

const IO_NOTE =
  'Readable for processes of the same user only, unless the collector is privileged; else there is no value.';

const IO = (
  [
    [
      'rchar',
      0,
      'byte',
      'Bytes that read calls returned',
      'Whatever they came from: page cache, pipes and terminals count too.',
    ],
    ['wchar', 1, 'byte', 'Bytes that were passed to write calls', 'Whether they reached a disk or not.'],
    ['syscr', 2, 'count', 'Read calls', 'read(2), pread(2) and the like.'],
    ['syscw', 3, 'count', 'Write calls', 'write(2), pwrite(2) and the like.'],
    ['read_bytes', 4, 'byte', 'Bytes read from storage', 'Reads that the process caused at the block layer.'],
    [
      'write_bytes',
      5,
      'byte',
      'Bytes to be written to storage',
      'Counted when a page becomes dirty, long before it is written.',
    ],
    [
      'cancelled_write_bytes',
      6,
      'byte',
      'Bytes not written to storage after all',
      'Dirty pages that went away, as when a file was truncated. They may have been dirtied by another process.',
    ],
  ] as const
).map(([name, item, units, oneline, help]): ProcessRow => [
  name,
  `3.32.${item}`,
  'u64',
  'counter',
  units,
  oneline,
  `${help} The ${name} line of /proc/PID/io, with that of threads and waited-for children that ended. ${IO_NOTE}`,
]);

const ID: readonly ProcessRow[] = [
  [
    'uid',
    '3.24.0',
    'u32',
    'discrete',
    'none',
    'Real user id of the process',
    'The first number of the Uid line of /proc/PID/status.',
  ],
  [
    'euid',
    '3.24.1',
    'u32',
    'discrete',
    'none',
    'Effective user id of the process',
    'The second number of the Uid line of /proc/PID/status.',
  ],
  [
    'gid',
    '3.24.4',
    'u32',
    'discrete',
    'none',
    'Real group id of the process',
    'The first number of the Gid line of /proc/PID/status. (PCP\u2019s own agent shows the user id under this name.)',
  ],
  [
    'uid_nm',
    '3.24.8',
    'string',
    'discrete',
    'none',
    'Name of the real user of the process',
    'The name that /etc/passwd has for proc.id.uid; empty when it has none.',
  ],
];

const SCHEDSTAT: readonly ProcessRow[] = [
  [
    'cpu_time',
    '3.31.0',
    'u64',
    'counter',
    'nanosec',
    'Time on a CPU',
    'The first number of /proc/PID/schedstat, for the main thread.',
  ],
  [
    'run_delay',
    '3.31.1',
    'u64',
    'counter',
    'nanosec',
    'Time ready to run but waiting for a CPU',
    'The second number of /proc/PID/schedstat, for the main thread.',
  ],
  [
    'pcount',
    '3.31.2',
    'u64',
    'counter',
    'count',
    'Times put on a CPU',
    'The third number of /proc/PID/schedstat, for the main thread.',
  ],
];

const FD: readonly ProcessRow[] = [
  [
    'count',
    '3.51.0',
    'u32',
    'instant',
    'count',
    'Open file descriptors of the process',
    'Entries of /proc/PID/fd. Readable for processes of the same user only, unless the collector is privileged; else there is no value.',
  ],
];

function perProcess(family: string, rows: readonly ProcessRow[]): readonly CatalogMetric[] {
  return rows.map(([name, pmid, type, semantics, units, oneline, help]) =>
    metric(`proc.${family}.${name}`, pmid, type, '3.9', semantics, units, oneline, help),
  );
}

const RUNQ_NOTE = 'Counted from /proc/PID/stat of every process at the time of the fetch; threads do not count.';

/** Counts of processes by state, from the stat file of every process. */
export const RUNQ_METRICS: readonly CatalogMetric[] = (
  [
    ['runnable', 0, 'User processes running or ready to run', 'State R.'],
    ['blocked', 1, 'User processes in uninterruptible sleep', 'State D or P: waiting for I/O, as a rule.'],
    ['sleeping', 2, 'User processes asleep', 'State S: waiting for an event, a signal or time to pass.'],
    ['stopped', 3, 'User processes stopped or traced', 'State T or t.'],
    [
      'swapped',
      4,
      'User processes that are swapped out',
      'Processes with virtual memory of which nothing is in RAM. (PCP\u2019s own agent counts kernel threads here.)',
    ],
    ['defunct', 5, 'Processes that ended and were not waited for', 'State Z.'],
    [
      'unknown',
      6,
      'User processes in any other state',
      'States that the rest of proc.runq does not count, and processes whose state could not be read.',
    ],
    [
      'kernel',
      7,
      'Kernel threads',
      'Processes with no virtual memory that are not zombies. (PCP\u2019s own agent counts them as swapped.)',
    ],
  ] as const
).map(([name, item, oneline, help]) =>
  metric(`proc.runq.${name}`, `3.13.${item}`, 'i32', null, 'instant', 'count', oneline, `${help} ${RUNQ_NOTE}`),
);

/** Single processes. @see proc_pid_stat(5), proc_pid_status(5), proc_pid_io(5) */
export const PROCESS_METRICS: readonly CatalogMetric[] = [
  ...perProcess('psinfo', PSINFO),
  ...perProcess('memory', MEMORY),
  ...perProcess('io', IO),
  ...perProcess('id', ID),
  ...perProcess('schedstat', SCHEDSTAT),
  ...perProcess('fd', FD),
];

/** The number of processes. */
export const PROCESS_COUNT_METRICS: readonly CatalogMetric[] = [
  metric(
    'proc.nprocs',
    '3.8.99',
    'u32',
    null,
    'instant',
    'none',
    'Processes that exist',
    'The number of process directories in /proc. Threads do not count, kernel threads do; kernel.all.nprocs counts threads.',
  ),
];
