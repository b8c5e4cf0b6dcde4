import { spawn } from 'node:child_process';

/** A program that makes load: what it gets, and who is told that it has begun. */
export interface ClientsRun {
  readonly input?: string;
  readonly onBegin?: () => unknown;
}

/**
 * Run clients in a process of their own, so that they do not run on the event loop of what they measure: a program that writes
 * `begin` when all are connected, and one line of JSON at its end, which is the outcome.
 */
export async function runClients<Outcome>(
  args: readonly string[],
  { input, onBegin }: ClientsRun = {},
): Promise<Outcome> {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(input);
  let output = '';
  let hasBegun = false;
  for await (const chunk of child.stdout) {
    output += String(chunk);
    if (hasBegun || !output.startsWith('begin\n')) continue;
    hasBegun = true;
    await onBegin?.();
  }
  const last = output.trimEnd().split('\n').at(-1)!;
  if (!last.startsWith('{')) throw new Error(`the clients ended without a result: ${args.slice(0, 3).join(' ')}`);
  return JSON.parse(last) as Outcome;
}
