import { spawnSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem } from 'node:os';

/** Where and when figures were taken. */
export interface Machine {
  /** ISO 8601. */
  readonly date: string;
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGib: number;
  readonly kernel: string;
  readonly node: string;
  /** Versions of pmcd and pmproxy, `not installed` without. */
  readonly pmcd: string;
  readonly pmproxy: string;
  /** Load averages of 1, 5 and 15 minutes before the run. */
  readonly load: readonly number[];
}

/** Describe this machine as it is now. */
export function describeMachine(): Machine {
  return {
    date: new Date().toISOString(),
    cores: cpus().length,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGib: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    pmcd: versionOf('pmcd'),
    pmproxy: versionOf('pmproxy'),
    load: loadavg().map((load) => Math.round(load * 100) / 100),
  };
}

/** The description in one sentence. */
export function machineText({ date, cores, cpu, memoryGib, kernel, node, pmcd, pmproxy, load }: Machine): string {
  return (
    `${date.slice(0, 16).replace('T', ' ')} UTC, ${cores} cores of ${cpu}, ${memoryGib} GiB, Linux ${kernel}, ` +
    `Node ${node}, pmcd ${pmcd}, pmproxy ${pmproxy}, load before the start ${load.join(' ')}`
  );
}

function versionOf(program: string): string {
  for (const directory of ['/usr/lib/pcp/bin', '/usr/libexec/pcp/bin']) {
    const { stdout, stderr } = spawnSync(`${directory}/${program}`, ['--version'], { encoding: 'utf8' });
    const [version] = /\d+\.\d+\.\d+/.exec(`${stdout}${stderr}`) ?? [];
    if (version !== undefined) return version;
  }
  return 'not installed';
}
