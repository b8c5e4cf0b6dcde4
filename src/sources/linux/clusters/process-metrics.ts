import type { ValueSet } from '../../../pmapi/index.js';
import { LINUX_CATALOG } from '../catalog/linux-catalog.js';
import type { ClusterEnvironment } from '../cluster.js';
import { addNumber } from '../sample.js';
import { scaleOf } from '../table.js';
import { processColumn } from './process-parsers.js';
import type { ProcessPart, ProcessSnapshot, ProcessTexts } from './process-reader.js';

/** What must be read for a metric, and how a row becomes a value. */
export interface ProcessMetric {
  readonly part: ProcessPart;
  emit(snapshot: ProcessSnapshot, row: number, set: ValueSet): void;
}

interface ProcessMetricEnvironment extends Pick<ClusterEnvironment, 'hz' | 'pageSize'> {
  ttyName(device: number): string;
  userName(uid: number): string;
}

/** All per-process metrics by name: numbers of readings, and texts. PCP's agent shows some beside their names: ours are right. */
export function processMetrics(environment: ProcessMetricEnvironment): ReadonlyMap<string, ProcessMetric> {
  const text = (part: ProcessPart, key: keyof ProcessTexts): ProcessMetric => ({
    part,
    emit(snapshot, row, set) {
      const value = snapshot.texts[row]![key];
      if (value !== undefined) set.addText(snapshot.pids[row]!, value);
    },
  });
  const nameOf = (part: ProcessPart, column: number, name: (value: number) => string): ProcessMetric => ({
    part,
    emit(snapshot, row, set) {
      const value = snapshot.numbers.number(row, column);
      if (!Number.isNaN(value)) set.addText(snapshot.pids[row]!, name(value));
    },
  });
  const pid: ProcessMetric = {
    part: 'stat',
    emit(snapshot, row, set) {
      if (snapshot.texts[row]!.sname !== undefined) addNumber(set, snapshot.pids[row]!, snapshot.pids[row]!);
    },
  };
  // PCP: its agent reads a field too many behind the processor, and shows priority, rt_priority, policy and guest_time a field off;
  // proc.id.gid is the real user id there (seen in 6.0.3).
  const numbers = LINUX_CATALOG.metrics.flatMap(({ name, reading }) => {
    const file = reading && /^proc\/PID\/(\w+)$/.exec(reading.file)?.[1];
    if (!file) return [];
    const column = processColumn(`${file}:${reading.column}`);
    const { multiplier, divisor } = scaleOf(reading, environment);
    const emit: ProcessMetric['emit'] = ({ numbers: grid, pids }, row, set) =>
      grid.emit(set, pids[row]!, row, column, multiplier, divisor);
    return [[name, { part: file as ProcessPart, emit }] as const];
  });
  return new Map([
    ...numbers,
    ['proc.psinfo.pid', pid],
    ['proc.psinfo.cmd', text('stat', 'cmd')],
    ['proc.psinfo.sname', text('stat', 'sname')],
    ['proc.psinfo.ttyname', nameOf('stat', processColumn('stat:7'), (device) => environment.ttyName(device))],
    ['proc.psinfo.wchan_s', text('wchan', 'wchan')],
    ['proc.psinfo.psargs', text('cmdline', 'psargs')],
    ['proc.psinfo.cgroups', text('cgroup', 'cgroups')],
    ['proc.id.container', text('cgroup', 'container')],
    ['proc.id.uid_nm', nameOf('status', processColumn('status:Uid'), (uid) => environment.userName(uid))],
  ]);
}
