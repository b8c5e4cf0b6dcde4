import { EXIT, type ExitCode } from '../exit-codes.js';
import { csvLine, jsonLine, jsonText } from '../output/json-and-csv.js';
import { UsageError, type Session } from '../session.js';

/** `pmgate passwd`: hashes a password for the access file; from input, because others can see arguments. */
export async function passwdCommand({ host, terminal, format }: Session): Promise<ExitCode> {
  const password = await terminal.readSecret('Password: ');
  if (password === '') throw new UsageError('the password is empty');
  // Without echo on a terminal.
  if (terminal.isAsked && (await terminal.readSecret('Password again: ')) !== password) {
    throw new UsageError('the passwords differ');
  }
  await write(terminal, format, { password: await host.hashPassword(password) });
  return EXIT.OK;
}

/** `pmgate token`: a new token for a client, and its digest for the access file. */
export async function tokenCommand({ host, terminal, format }: Session): Promise<ExitCode> {
  await write(terminal, format, await host.makeToken());
  return EXIT.OK;
}

async function write(
  terminal: Session['terminal'],
  format: Session['format'],
  values: Readonly<Record<string, string>>,
): Promise<void> {
  const names = Object.keys(values);
  const text = {
    json: () => jsonText(values),
    ndjson: () => jsonLine(values),
    csv: () => csvLine(names) + csvLine(Object.values(values)),
    // A single value without its name can be pasted.
    table: () =>
      names.length === 1
        ? `${Object.values(values)[0]!}\n`
        : names.map((name) => `${name}: ${values[name]!}\n`).join(''),
  }[format]();
  await terminal.stdout.write(text);
}
