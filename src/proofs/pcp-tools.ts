import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

/** PCP is not installed, or its pmcd does not answer: the message says what to do. */
export class NoPcpError extends Error {
  override readonly name = 'NoPcpError';
}

/** Where distributions keep the programs of PCP that are not on the path. */
const DIRECTORIES = ['/usr/lib/pcp/bin', '/usr/libexec/pcp/bin', '/usr/lib64/pcp/bin'];
const MOST_BYTES = 2 ** 28;
/** Definitions of derived metrics that PCP ships are no metrics of pmcd. */
export const PCP_ENVIRONMENT = { ...process.env, PCP_DERIVED_CONFIG: '', LC_ALL: 'C' };

/** The path of a program of PCP. Throws {@link NoPcpError}. */
export function findProgram(name: string): string {
  const directories = [...(process.env.PATH ?? '').split(path.delimiter), ...DIRECTORIES];
  const found = directories.map((directory) => path.join(directory, name)).find((file) => existsSync(file));
  if (found !== undefined) return found;
  const install = 'apt-get install pcp (Debian, Ubuntu), dnf install pcp (Fedora, RHEL) or zypper install pcp (SUSE)';
  throw new NoPcpError(`${name} of Performance Co-Pilot is not installed here: ${install}`);
}

/** What pminfo(1) prints about metrics of a pmcd; it says on its own lines what it cannot get. Throws {@link NoPcpError}. */
export function pminfo(hostspec: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  const program = findProgram('pminfo');
  return new Promise((resolve, reject) => {
    const options = { maxBuffer: MOST_BYTES, env: PCP_ENVIRONMENT, signal };
    execFile(program, ['-h', hostspec, ...args], options, (error, out, complaint) => {
      if (signal.aborted) reject(signal.reason as Error);
      else if (/Cannot connect/.test(complaint)) {
        const cure = 'start it (systemctl start pmcd), or name another with --host';
        reject(new NoPcpError(`there is no pmcd at ${hostspec}: ${cure}`));
      } else if (error && out === '') reject(new NoPcpError(`pminfo ${args[0]} -h ${hostspec}: ${complaint.trim()}`));
      else resolve(out);
    });
  });
}

/** The version of the installed PCP: `6.0.3`. Throws {@link NoPcpError}. */
export function pcpVersion(): Promise<string> {
  const program = findProgram('pminfo');
  return new Promise((resolve) => {
    execFile(program, ['--version'], (_error, out, complaint) =>
      resolve(/\d[\d.]*\d/.exec(out + complaint)?.[0] ?? 'of an unknown version'),
    );
  });
}
