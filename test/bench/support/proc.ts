import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** CPU time of all threads of some processes so far, in microseconds. @see proc(5), schedstat */
export function cpuUs(...pids: readonly number[]): number {
  let ns = 0;
  for (const pid of pids) {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      ns += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0]);
    }
  }
  return ns / 1000;
}

/** CPU time of this process so far, user and system, in microseconds. */
export function ownCpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Resident memory of a process in Mbyte, now or at its highest; NaN when it has ended. @see proc(5), VmRSS and VmHWM */
export function residentMbyte(pid: number, when: 'now' | 'highest' = 'now'): number {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return Number.NaN;
  const line = when === 'now' ? /^VmRSS:\s+(\d+) kB$/m : /^VmHWM:\s+(\d+) kB$/m;
  return (Number(line.exec(readFileSync(file, 'latin1'))?.[1]) * 1024) / 1e6;
}
