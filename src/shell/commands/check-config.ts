import { EXIT, type ExitCode } from '../exit-codes.js';
import { writeAnswer } from '../output/table.js';
import { printable } from '../output/terminal-text.js';
import type { Session } from '../session.js';

/** `pmgate check-config`: whether a gateway could start with a configuration, and everything that prevents it. */
export async function checkConfigCommand(session: Session, asked: string | undefined): Promise<ExitCode> {
  const { host, terminal, format, colours, errorColours } = session;
  const { file, faults } = await host.checkConfig(asked);
  const isGood = faults.length === 0;
  const problems = faults.map(({ source, line, option, message }) => ({ source, line, option, message }));
  const answer = { file, ok: isGood, problems };
  for (const { place, message } of format === 'table' ? faults : []) {
    await terminal.stderr.write(`${errorColours.bold(printable(place))}: ${printable(message)}\n`);
  }
  await writeAnswer(session, {
    items: [answer],
    whole: answer,
    csvHead: ['source', 'line', 'option', 'problem'],
    csvRows: () => problems.map((problem) => Object.values(problem)),
    table: () => (isGood ? `${printable(file)}: ${colours.green('good')}\n` : ''),
  });
  return isGood ? EXIT.OK : EXIT.USAGE;
}

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
