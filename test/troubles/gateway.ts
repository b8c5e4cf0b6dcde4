import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { startServer } from '../bench/support/server-process.js';

let program: string | undefined;

/** The program, bundled from the sources as they are, until this process ends. */
function bundled(): string {
  if (program === undefined) {
    mkdirSync('node_modules/.cache', { recursive: true });
    const directory = mkdtempSync('node_modules/.cache/pmgate-troubles-');
    execFileSync(process.execPath, ['test/support/bundle-program.js', directory]);
    process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
    program = path.join(directory, 'pmgate.js');
  }
  return program;
}

/** A gateway in a process of its own. */
export interface Gateway {
  readonly pid: number;
  /** The answer to a request. Throws unless it is 200. */
  get<T>(path: string): Promise<T>;
  stop(): Promise<void>;
}

/** Starts a gateway with the embedded collector. @param directory for its configuration */
export async function startGateway(directory: string, config: object): Promise<Gateway> {
  const file = path.join(directory, 'pmgate.yaml');
  writeFileSync(file, stringify({ listen: { port: 0 }, local: { source: 'embedded' }, ...config }));
  const { port, child, stop } = await startServer([bundled(), '--config', file]);
  return {
    pid: child.pid!,
    get: async <T>(wanted: string): Promise<T> => {
      const answer = await fetch(`http://127.0.0.1:${port}${wanted}`);
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${wanted}: ${answer.status} ${text}`);
      return JSON.parse(text) as T;
    },
    stop,
  };
}
