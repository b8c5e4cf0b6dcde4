import { type ChildProcess, spawn } from 'node:child_process';
import { BUDGETS } from '../budgets.js';
import { residentMbyte } from './proc.js';
import { heading, report } from './report.js';

/** The gateway as users run it, and unbundled, so that a profile names its modules. */
const [GATEWAY, UNBUNDLED] = ['dist/pmgate.js', 'dist/main.js'];
/** Where gateways leave profiles of their CPU time, when a run asks for them. */
const PROFILES = process.env['BENCH_PROFILES'];

/** A server in a process of its own, so that the load does not run on its event loop. */
export interface ServerProcess {
  readonly port: number;
  readonly child: ChildProcess;
  stop(): Promise<void>;
}

/** The environment without settings of a gateway: what is measured is configured by the benchmark alone. */
export function environmentOfServers(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PMGATE_')));
}

let highestMbyte = 0;

/** Note how much memory a gateway had at its highest, before it ends: the most that any had is reported when the benchmark ends. */
export function noteMemory(pid: number): void {
  const mbyte = residentMbyte(pid, 'highest');
  if (Number.isNaN(mbyte)) return;
  if (highestMbyte === 0) process.once('exit', reportMemory);
  highestMbyte = Math.max(highestMbyte, mbyte);
}

function reportMemory(): void {
  heading('all gateways of this benchmark');
  report('resident memory of one, highest', highestMbyte, 'Mbyte', BUDGETS.everyMemory.limit);
}

/** Start a program that prints a line holding `http://HOST:PORT` to stdout or stderr once it listens. */
export async function startServer(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const isGateway = args[0] === GATEWAY;
  const words =
    isGateway && PROFILES !== undefined
      ? ['--cpu-prof', `--cpu-prof-dir=${PROFILES}`, UNBUNDLED, ...args.slice(1)]
      : args;
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environmentOfServers(), ...env },
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    let output = '';
    const look = (chunk: Buffer): void => {
      output += chunk.toString();
      const found = /http:\/\/[^\s"]*:(\d+)/.exec(output);
      if (found) resolve(Number(found[1]));
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.once('exit', () => reject(new Error(`the server ended: ${output}`)));
  });
  return {
    port,
    child,
    async stop() {
      if (isGateway) noteMemory(child.pid!);
      child.kill('SIGTERM');
      await exited;
    },
  };
}
