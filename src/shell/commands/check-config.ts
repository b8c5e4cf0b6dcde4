import { EXIT, type ExitCode } from '../exit-codes.js';
import { csvLine, jsonLine, jsonText } from '../output/json-and-csv.js';
import { printable } from '../output/terminal-text.js';
import type { Session } from '../session.js';

/** `pmgate check-config`: whether a gateway could start with a configuration, and everything that prevents it. */
export async function checkConfigCommand(
  { host, terminal, format, colours, errorColours }: Session,
  asked: string | undefined,
): Promise<ExitCode> {
  const { file, faults } = await host.checkConfig(asked);
  const isGood = faults.length === 0;
  const answer = {
    file,
    ok: isGood,
    problems: faults.map(({ source, line, option, message }) => ({ source, line, option, message })),
  };
  if (format === 'csv') {
    const rows = faults.map(({ source, line, option, message }) => csvLine([source, line, option, message]));
    await terminal.stdout.write(csvLine(['source', 'line', 'option', 'problem']) + rows.join(''));
  } else if (format === 'table') {
    for (const { place, message } of faults) {
      await terminal.stderr.write(`${errorColours.bold(printable(place))}: ${printable(message)}\n`);
    }
    if (isGood) await terminal.stdout.write(`${printable(file)}: ${colours.green('good')}\n`);
  } else {
    await terminal.stdout.write(format === 'json' ? jsonText(answer) : jsonLine(answer));
  }
  return isGood ? EXIT.OK : EXIT.USAGE;
}
