import { EXIT, type ExitCode } from '../exit-codes.js';
import { writeAnswer } from '../output/table.js';
import { UsageError, type Session } from '../session.js';

/** `pmgate passwd`: hashes a password for the access file; from input, because others can see arguments. */
export async function passwdCommand(session: Session): Promise<ExitCode> {
  const { host, terminal } = session;
  const password = await terminal.readSecret('Password: ');
  if (password === '') throw new UsageError('the password is empty');
  // Without echo on a terminal.
  if (terminal.isAsked && (await terminal.readSecret('Password again: ')) !== password) {
    throw new UsageError('the passwords differ');
  }
  await write(session, { password: await host.hashPassword(password) });
  return EXIT.OK;
}

/** `pmgate token`: a new token for a client, and its digest for the access file. */
export async function tokenCommand(session: Session): Promise<ExitCode> {
  await write(session, await session.host.makeToken());
  return EXIT.OK;
}

function write(session: Session, values: Readonly<Record<string, string>>): Promise<void> {
  const names = Object.keys(values);
  // A single value without its name can be pasted.
  const table = (): string =>
    names.map((name) => `${names.length === 1 ? '' : `${name}: `}${values[name]!}\n`).join('');
  const csvRows = (): string[][] => [Object.values(values)];
  return writeAnswer(session, { items: [values], whole: values, csvHead: names, csvRows, table });
}
