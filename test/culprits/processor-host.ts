import { makeIndom, makePmid, makeUnits, MetricType, Semantics } from '../../src/pmapi/index.js';
import { descriptor } from '../support/memory-gateway.js';
import type { MemoryContent, MemoryMetric } from '../support/memory-source.js';

/** A process at a moment; times in milliseconds. */
export interface FakeProcess {
  /** Of its instance, and its own if that is another one. */
  readonly pid: number;
  readonly number?: number;
  readonly startMs: number;
  readonly name: string;
  readonly parent?: number;
  readonly cpuMs: number;
  readonly childrenMs?: number;
  /** As pmdaproc writes them: `cpu:/a;memory:/a`. */
  readonly groups?: string;
}

const PROC = makeIndom(3, 9);
const GROUPS = makeIndom(3, 16);
const MS = makeUnits({ dimTime: 1, scaleTime: 2 });
const US = makeUnits({ dimTime: 1, scaleTime: 1 });
const SEC = makeUnits({ dimTime: 1, scaleTime: 3 });

/** What a fake host has at a moment. */
export interface HostState {
  readonly uptimeSec: number;
  /** Of all processors; `busyMs` is user time. */
  readonly busyMs: number;
  readonly idleMs: number;
  readonly processes: readonly FakeProcess[];
  /** Microseconds by name. */
  readonly groups?: Readonly<Record<string, number>>;
}

/** A host with processor metrics, of processes only if they are wanted. */
export function processorHost(state: () => HostState, parts: readonly ('proc' | 'cgroup')[] = ['proc']): MemoryContent {
  const counter = { type: MetricType.U64, semantics: Semantics.COUNTER, units: MS };
  const cpu = (item: number, name: string, read: (now: HostState) => number): MemoryMetric => ({
    name: `kernel.all.cpu.${name}`,
    descriptor: descriptor(makePmid(60, 0, item), counter),
    values: () => BigInt(Math.round(read(state()))),
  });
  const proc = (item: number, name: string, type: object, read: (one: FakeProcess) => bigint | string | number) => ({
    name: `proc.psinfo.${name}`,
    descriptor: descriptor(makePmid(3, 8, item), { indom: PROC, ...type }),
    values: () => new Map(state().processes.map((one) => [one.pid, read(one)])),
  });
  const text = { type: MetricType.STRING, semantics: Semantics.DISCRETE };
  const processes: readonly MemoryMetric[] = [
    proc(0, 'pid', {}, ({ pid, number = pid }) => number),
    proc(1, 'cmd', text, ({ name }) => name),
    proc(3, 'ppid', {}, ({ parent }) => parent ?? 1),
    proc(13, 'utime', counter, ({ cpuMs }) => BigInt(cpuMs)),
    proc(14, 'stime', counter, () => 0n),
    proc(15, 'cutime', counter, ({ childrenMs }) => BigInt(childrenMs ?? 0)),
    proc(16, 'cstime', counter, () => 0n),
    proc(22, 'cgroups', text, ({ groups }) => groups ?? ''),
    proc(21, 'start_time', { type: MetricType.U64, semantics: Semantics.DISCRETE, units: MS }, ({ startMs }) =>
      BigInt(startMs),
    ),
  ];
  const names = Object.keys(state().groups ?? {});
  const groups: MemoryMetric = {
    name: 'cgroup.cpu.stat.usage',
    descriptor: descriptor(makePmid(3, 67, 2), { ...counter, units: US, indom: GROUPS }),
    values: () => {
      const now = state().groups ?? {};
      return new Map(names.flatMap((name, i) => (now[name] === undefined ? [] : [[i, BigInt(now[name])]])));
    },
  };
  return {
    hostName: 'web1',
    metrics: [
      cpu(20, 'user', ({ busyMs }) => busyMs),
      cpu(21, 'nice', () => 0),
      cpu(22, 'sys', () => 0),
      cpu(23, 'idle', ({ idleMs }) => idleMs),
      cpu(34, 'intr', () => 0),
      cpu(35, 'wait.total', () => 0),
      cpu(55, 'steal', () => 0),
      {
        name: 'kernel.all.uptime',
        descriptor: descriptor(makePmid(60, 26, 0), { type: MetricType.DOUBLE, units: SEC }),
        values: () => state().uptimeSec,
      },
      ...(parts.includes('proc') ? processes : []),
      ...(parts.includes('cgroup') ? [groups] : []),
    ],
    indoms: [
      { indom: PROC, instances: state().processes.map(({ pid, name }) => ({ id: pid, name: `${pid} ${name}` })) },
      { indom: GROUPS, instances: names.map((name, id) => ({ id, name })) },
    ],
  };
}
