import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Where Debian's pcp-testsuite keeps its archives. */
export const TESTSUITE_ARCHIVES = '/var/lib/pcp/testsuite/archives';

/** Where it keeps those that are damaged. */
export const TESTSUITE_BAD_ARCHIVES = '/var/lib/pcp/testsuite/badarchives';

const PYTHON = '/usr/bin/python3';
const SCRIPT = new URL('archive-probe.py', `file://${process.cwd()}/test/interop/support/`).pathname;

/** What libpcp says of an archive, line by line; `ended` tells why it stopped early, if it did. */
export interface ProbedArchive {
  readonly lines: readonly string[];
  readonly ended: 'whole' | 'crashed' | 'hung';
}

/** Whether libpcp's Python, the archives and all are there. */
export function hasTestsuite(): boolean {
  return existsSync(TESTSUITE_ARCHIVES) && existsSync(PYTHON);
}

/** Ask libpcp, in a process of its own: some archives make it crash or loop. */
export async function probeArchive(path: string, maxRecords: number, maxMetrics: number): Promise<ProbedArchive> {
  const child = spawn(PYTHON, ['-u', SCRIPT, path, String(maxRecords), String(maxMetrics)], {
    stdio: ['ignore', 'pipe', 'ignore'],
    // An empty name, not an absent one: derived metrics of the installation would be in the answers.
    env: { ...process.env, PCP_DERIVED_CONFIG: '', TZ: 'UTC' },
  });
  const state = { hung: false };
  const timer = setTimeout(() => {
    state.hung = true;
    child.kill('SIGKILL');
  }, 10_000);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  const text = Buffer.concat(chunks).toString('latin1');
  const lines = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1);
  return { lines, ended: state.hung ? 'hung' : status === 0 ? 'whole' : 'crashed' };
}
