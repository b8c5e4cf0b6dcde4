import type { ValueSet } from '../../../pmapi/index.js';
import { addNumber } from '../sample.js';
import { processColumn } from './process-parsers.js';
import type { ProcessColumn } from './process-parsers.js';
import type { ProcessPart, ProcessSnapshot, ProcessTexts } from './process-reader.js';

/** How a per-process metric is answered: what must be read for it, and how a row becomes a value. */
export interface ProcessMetric {
  readonly part: ProcessPart;
  /** Append the value of the process at a row; nothing when it has none. */
  emit(snapshot: ProcessSnapshot, row: number, set: ValueSet): void;
}

/** What metrics need besides /proc/PID. */
export interface ProcessMetricEnvironment {
  /** Clock ticks a second. */
  readonly hz: number;
  /** Bytes of a page. */
  readonly pageSize: number;
  /** Name of a terminal by device number. */
  ttyName(device: number): string;
  /** Name of a user by number. */
  userName(uid: number): string;
}

const MS_PER_S = 1000;
const KBYTE = 1024;

/** All per-process metrics by name. */
export function processMetrics(environment: ProcessMetricEnvironment): ReadonlyMap<string, ProcessMetric> {
  const { hz, pageSize } = environment;
  const number = (part: ProcessPart, column: ProcessColumn, multiplier = 1, divisor = 1): ProcessMetric => ({
    part,
    emit: (snapshot, row, set) =>
      snapshot.numbers.emit(set, snapshot.pids[row]!, row, processColumn(column), multiplier, divisor),
  });
  const text = (part: ProcessPart, key: keyof ProcessTexts): ProcessMetric => ({
    part,
    emit(snapshot, row, set) {
      const value = snapshot.texts[row]![key];
      if (value !== undefined) set.addText(snapshot.pids[row]!, value);
    },
  });
  const nameOf = (part: ProcessPart, column: ProcessColumn, name: (value: number) => string): ProcessMetric => ({
    part,
    emit(snapshot, row, set) {
      const value = snapshot.number(row, column);
      if (!Number.isNaN(value)) set.addText(snapshot.pids[row]!, name(value));
    },
  });
  const stat = (column: ProcessColumn): ProcessMetric => number('stat', column);
  const ticks = (column: ProcessColumn): ProcessMetric => number('stat', column, MS_PER_S, hz);
  const status = (column: ProcessColumn): ProcessMetric => number('status', column);
  const pid: ProcessMetric = {
    part: 'stat',
    emit(snapshot, row, set) {
      if (snapshot.texts[row]!.sname !== undefined) addNumber(set, snapshot.pids[row]!, snapshot.pids[row]!);
    },
  };

  return new Map([
    ['proc.psinfo.pid', pid],
    ['proc.psinfo.cmd', text('stat', 'cmd')],
    ['proc.psinfo.sname', text('stat', 'sname')],
    ['proc.psinfo.ppid', stat('ppid')],
    ['proc.psinfo.minflt', stat('minflt')],
    ['proc.psinfo.maj_flt', stat('maj_flt')],
    ['proc.psinfo.utime', ticks('utime')],
    ['proc.psinfo.stime', ticks('stime')],
    ['proc.psinfo.cutime', ticks('cutime')],
    ['proc.psinfo.cstime', ticks('cstime')],
    // PCP: its agent reads a field too many behind the processor, and shows these four a field off. Differs from PCP: right.
    ['proc.psinfo.priority', stat('priority')],
    ['proc.psinfo.rt_priority', stat('rt_priority')],
    ['proc.psinfo.policy', stat('policy')],
    ['proc.psinfo.guest_time', ticks('guest_time')],
    ['proc.psinfo.nice', stat('nice')],
    ['proc.psinfo.start_time', ticks('start_time')],
    ['proc.psinfo.vsize', number('stat', 'vsize', 1, KBYTE)],
    ['proc.psinfo.rss', number('stat', 'rss', pageSize, KBYTE)],
    ['proc.psinfo.processor', stat('processor')],
    ['proc.psinfo.ttyname', nameOf('stat', 'tty', (device) => environment.ttyName(device))],
    ['proc.psinfo.wchan_s', text('wchan', 'wchan')],
    ['proc.psinfo.psargs', text('cmdline', 'psargs')],
    ['proc.psinfo.cgroups', text('cgroup', 'cgroups')],
    ['proc.id.container', text('cgroup', 'container')],
    ['proc.psinfo.threads', status('threads')],
    ['proc.psinfo.vctxsw', status('vctxsw')],
    ['proc.psinfo.nvctxsw', status('nvctxsw')],
    ['proc.psinfo.oom_score', number('oom_score', 'oom_score')],
    ['proc.memory.share', number('statm', 'share', pageSize, KBYTE)],
    ...(['vmsize', 'vmrss', 'vmdata', 'vmstack', 'vmexe', 'vmlib', 'vmswap'] as const).map(
      (column) => [`proc.memory.${column}`, status(column)] as const,
    ),
    ...(['rchar', 'wchar', 'syscr', 'syscw', 'read_bytes', 'write_bytes', 'cancelled_write_bytes'] as const).map(
      (column) => [`proc.io.${column}`, number('io', column)] as const,
    ),
    // PCP: its agent shows the real user id under proc.id.gid (seen in 6.0.3). Differs from PCP: the real group id.
    ...(['uid', 'euid', 'gid'] as const).map((column) => [`proc.id.${column}`, status(column)] as const),
    ['proc.id.uid_nm', nameOf('status', 'uid', (uid) => environment.userName(uid))],
    ...(['cpu_time', 'run_delay', 'pcount'] as const).map(
      (column) => [`proc.schedstat.${column}`, number('schedstat', column)] as const,
    ),
    ['proc.fd.count', number('fd', 'fd_count')],
  ]);
}
