import { spawnSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem } from 'node:os';

/** The program that makes the load: wrk takes a fraction of the processor time that autocannon takes from the server beside it. */
export const LOAD_GENERATOR = spawnSync('wrk', ['-v'], { stdio: 'ignore' }).error === undefined ? 'wrk' : 'autocannon';

/** Where and when figures were taken. */
export interface Machine {
  readonly date: string;
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGib: number;
  readonly kernel: string;
  readonly node: string;
  /** Version of PCP's programs, `not installed` without. */
  readonly pcp: string;
  readonly loadGenerator: string;
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
    pcp: pcpVersion(),
    loadGenerator: LOAD_GENERATOR,
    load: loadavg().map((load) => Math.round(load * 100) / 100),
  };
}

/** The description in one sentence. */
export function machineText({ date, cores, cpu, memoryGib, kernel, node, pcp, loadGenerator, load }: Machine): string {
  return (
    `${date.slice(0, 16).replace('T', ' ')} UTC, ${cores} cores of ${cpu}, ${memoryGib} GiB, Linux ${kernel}, ` +
    `Node ${node}, PCP ${pcp}, requests by ${loadGenerator}, load before the start ${load.join(' ')}`
  );
}

/** pmcd and pmproxy do not tell their versions; pminfo comes with them. */
function pcpVersion(): string {
  const { stdout, stderr } = spawnSync('pminfo', ['--version'], { encoding: 'utf8' });
  return /\d+\.\d+\.\d+/.exec(`${stdout}${stderr}`)?.[0] ?? 'not installed';
}
