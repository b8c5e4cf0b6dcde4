import { EXIT, type ExitCode } from '../exit-codes.js';
import type { Session } from '../session.js';

/** `pmgate health`: whether the gateway answers `/healthz`, for supervisors without curl. Exit code 3 if it cannot be reached. */
export async function healthCommand({ url, signal, terminal, errorColours }: Session): Promise<ExitCode> {
  const base = url.includes('://') ? url : `http://${url}`;
  try {
    const { ok, status } = await fetch(`${base.replace(/\/$/, '')}/healthz`, { signal });
    await terminal.stdout.write(ok ? 'healthy\n' : `unhealthy: status ${status}\n`);
    return ok ? EXIT.OK : EXIT.FAILED;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    await terminal.stderr.write(`${errorColours.red('pmgate:')} no gateway at ${url}\n`);
    return EXIT.UNREACHABLE;
  }
}
