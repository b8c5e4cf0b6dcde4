import { type ChildProcess, spawn } from 'node:child_process';

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

/** Start a program that prints a line holding `http://HOST:PORT` to stdout or stderr once it listens. */
export async function startServer(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const child = spawn(process.execPath, args, {
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
      child.kill('SIGTERM');
      await exited;
    },
  };
}
