import { spawn } from 'node:child_process';
import { bundledProgram } from './bundled-program.js';
import { PATIENT } from './patience.js';

/** A program that was started. */
export interface Run {
  readonly child: ReturnType<typeof spawn>;
  readonly exited: Promise<{ code: number | null; stdout: string; stderr: string }>;
  logged(text: string): Promise<void>;
  printed(text: string): Promise<void>;
  stderr(): string;
}

/** Starts the program as a process of its own, from its sources. */
export function runProgram(args: readonly string[], environment: Readonly<Record<string, string>>): Run {
  const child = spawn(process.execPath, [bundledProgram(), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...PATIENT, ...environment },
  });
  let [stdout, stderr] = ['', ''];
  const watchers = new Set<() => void>();
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    for (const look of watchers) look();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    for (const look of watchers) look();
  });
  const seen = (isThere: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!isThere()) return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
    });
  return {
    child,
    exited: new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr }))),
    logged: (text) => seen(() => stderr.includes(text)),
    printed: (text) => seen(() => stdout.includes(text)),
    stderr: () => stderr,
  };
}
