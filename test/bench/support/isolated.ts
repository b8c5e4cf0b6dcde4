import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** How a process is run by {@link runIsolated}. */
export interface Isolation {
  readonly env?: NodeJS.ProcessEnv;
  readonly limitMs: number;
}

/**
 * Run a Node program to its end, in a process group of its own: when it ends, in whatever way, the servers and agents that it
 * started end, too. Its exit code; 124 when it took too long, as timeout(1) says it.
 */
export async function runIsolated(args: readonly string[], { env, limitMs }: Isolation): Promise<number> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true, env });
  const endGroup = (): void => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // Nobody is left.
    }
  };
  const limit = AbortSignal.timeout(limitMs);
  limit.addEventListener('abort', endGroup);
  // Ctrl-C goes to the group of the terminal, which is not that of the program.
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const interrupt = (): void => {
    endGroup();
    process.exit(130);
  };
  for (const signal of signals) process.once(signal, interrupt);
  const [code] = (await once(child, 'exit')) as [number | null];
  for (const signal of signals) process.off(signal, interrupt);
  limit.removeEventListener('abort', endGroup);
  endGroup();
  return code ?? (limit.aborted ? 124 : 1);
}
