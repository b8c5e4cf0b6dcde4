import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';

/** Where Debian's pcp-testsuite keeps its archives. */
export const TESTSUITE_ARCHIVES = '/var/lib/pcp/testsuite/archives';

/** Where it keeps those that are damaged. */
export const TESTSUITE_BAD_ARCHIVES = '/var/lib/pcp/testsuite/badarchives';

/** What libpcp may take for an archive: those that it can read take a part of it. */
const CPU_SEC = 5;
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
  // CPU time, which does not depend on what else runs; a loop takes it.
  const limited = `ulimit -t ${CPU_SEC}; exec "$@"`;
  const args = ['-u', SCRIPT, path, String(maxRecords), String(maxMetrics)];
  const child = spawn('bash', ['-c', limited, 'bash', PYTHON, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    // An empty name, not an absent one: derived metrics of the installation would be in the answers.
    env: { ...process.env, PCP_DERIVED_CONFIG: '', TZ: 'UTC' },
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [status, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  const text = Buffer.concat(chunks).toString('latin1');
  const lines = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1);
  return { lines, ended: /^SIG(?:XCPU|KILL)$/.test(signal ?? '') ? 'hung' : status === 0 ? 'whole' : 'crashed' };
}
