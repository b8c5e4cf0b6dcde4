import { CommanderError, type Command } from 'commander';
import { createPmgateClient, type PmgateClient, type PmgateClientOptions } from '../client/index.js';
import { candidateLines, candidatesOf } from './completion/candidates.js';
import { EXIT, describeFailure, type ExitCode } from './exit-codes.js';
import { coloursFor } from './output/terminal-text.js';
import { createProgram, type Act, type GlobalFlags } from './program.js';
import { UsageError, type LocalArchives, type Session, type ShellHost } from './session.js';
import type { Terminal } from './terminal.js';

const DEFAULT_URL = 'http://localhost:44322';
/** The user is waiting. */
const COMPLETION_TIMEOUT_MS = 1000;

/** Runs a sub-command (the words after `pmgate`). Returns the exit code; throws only for defects. */
export async function runShell(words: readonly string[], host: ShellHost): Promise<ExitCode> {
  if (words[0] === 'complete') return complete(words.slice(1), host);
  const { terminal } = host;
  let exitCode: ExitCode = EXIT.OK;
  const written: Promise<void>[] = [];
  const program = createProgram({
    version: host.version,
    act: async (flags, work) => {
      exitCode = await runCommand(flags, host, work);
    },
  });
  for (const command of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => void written.push(terminal.stdout.write(text)),
      writeErr: (text) => void written.push(terminal.stderr.write(text)),
      getOutHelpWidth: () => terminal.stdout.columns ?? 100,
      getErrHelpWidth: () => terminal.stderr.columns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      outputError: (text, write) => write(text.replace(/^error: /, 'pmgate: ')),
    });
    command.showHelpAfterError(`Try ${wordsOf(command)} --help.`);
  }
  try {
    await program.parseAsync(helpWords(words), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    exitCode = error.exitCode === 0 ? EXIT.OK : EXIT.USAGE;
  }
  // The reader of the help has left: as good as read.
  await Promise.allSettled(written);
  return exitCode;
}

/** `help derive add` is `derive add --help`: commander knows help of one word. */
function helpWords(words: readonly string[]): string[] {
  const [first, ...command] = words;
  return first === 'help' && command.length > 1 ? [...command, '--help'] : [...words];
}

function wordsOf(command: Command): string {
  return command.parent ? `${wordsOf(command.parent)} ${command.name()}` : command.name();
}

/** Runs a command's work in its own session, and turns errors into exit codes. */
async function runCommand(flags: GlobalFlags, host: ShellHost, work: Parameters<Act>[1]): Promise<ExitCode> {
  const { terminal } = host;
  const interrupted = new AbortController();
  const stopListening = terminal.onInterrupt(() => interrupted.abort(new Error('interrupted')));
  const { signal } = interrupted;
  const colours = coloursFor('stdout', terminal, flags.color);
  const errorColours = coloursFor('stderr', terminal, flags.color);
  const url = flags.url ?? terminal.environment.PMGATE_URL ?? DEFAULT_URL;
  let local: LocalArchives | undefined;
  try {
    const { archive } = flags;
    if (archive !== undefined && isPath(archive, flags, host)) local = await host.readArchives(archive);
    const client = local ? createPmgateClient(DEFAULT_URL, { fetch: local.fetch }) : connect(url, flags, terminal);
    const { output } = flags;
    const format = output === undefined || output === 'archive' || output === 'arrow' ? 'table' : output;
    const asked = { client, archive: local?.archive ?? archive, host, signal };
    const zone = await zoneOf(asked, flags);
    return await work({ ...asked, zone, terminal, url, format, colours, errorColours });
  } catch (error) {
    const { exitCode, text } = describeFailure(error, { url, signal, colours: errorColours });
    // With `2>&1 | head` standard error is closed as well.
    await terminal.stderr.write(text).catch(() => undefined);
    return exitCode;
  } finally {
    stopListening();
    await local?.close();
  }
}

/** Recognizes an archive's path, by its start or its file's ending. */
const PATH = /^(\.{0,2}\/|\.{1,2}$)|\.(meta|index|\d+)(\.(xz|lzma|gz|bz2|zst))?$/;

/** Whether an archive is a path to read here: it looks like one, or exists and no gateway is named. */
function isPath(archive: string, { url }: GlobalFlags, host: ShellHost): boolean {
  return archive.split(',').every((name) => PATH.test(name) || (url === undefined && host.hasArchive(name)));
}

/** The time zone of input and output: as requested, that of the source, or the local one. */
async function zoneOf(
  { client, archive, host, signal }: Pick<Session, 'client' | 'archive' | 'host' | 'signal'>,
  { zone, hostzone, host: hosts }: GlobalFlags,
): Promise<string> {
  if (hostzone !== true) return zone ?? host.zone;
  if (zone !== undefined) throw new UsageError('--zone and --hostzone are mutually exclusive');
  const [hostspec] = [hosts ?? []].flat();
  const context = await client.context({ hostspec, archive, signal });
  try {
    const { timezone } = await context.describe({ signal });
    if (timezone !== undefined) return timezone;
    const { values } = await context.fetch({ names: ['pmcd.timezone'], signal });
    const value = values[0]?.instances[0]?.value;
    if (typeof value === 'string' && value !== '') return value;
  } finally {
    await context.destroy();
  }
  throw new UsageError('the time zone of the source is unknown: set one with --zone');
}

function connect(
  url: string,
  flags: Pick<GlobalFlags, 'token' | 'user'>,
  { environment }: Terminal,
  options: PmgateClientOptions = {},
): PmgateClient {
  const token = flags.token ?? environment.PMGATE_TOKEN;
  const user = flags.user ?? environment.PMGATE_USER;
  if (token !== undefined && user !== undefined && flags.token === undefined && flags.user === undefined) {
    throw new UsageError('PMGATE_TOKEN and PMGATE_USER are mutually exclusive');
  }
  if (flags.token !== undefined && flags.user !== undefined)
    throw new UsageError('--token and --user are mutually exclusive');
  const credentials = flags.token === undefined && user !== undefined ? credentialsOf(user) : undefined;
  return createPmgateClient(gatewayUrl(url), {
    ...(credentials ? { credentials } : token === undefined ? {} : { token }),
    ...options,
  });
}

/** An address as users write it: `localhost:44322` too. Throws {@link UsageError} for an invalid one. */
function gatewayUrl(text: string): string {
  const url = text.includes('://') ? text : `http://${text}`;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    throw new UsageError(`invalid gateway URL '${text}': expected one like ${DEFAULT_URL}`);
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new UsageError('the gateway URL must not contain a user: use --user or PMGATE_USER');
  }
  if (parsed.search !== '' || parsed.hash !== '') {
    const message = `the gateway URL '${text}' must not have a query or fragment: expected one like ${DEFAULT_URL}`;
    throw new UsageError(message);
  }
  return url;
}

function credentialsOf(user: string): { readonly username: string; readonly password: string } {
  const colon = user.indexOf(':');
  if (colon <= 0) throw new UsageError('invalid user: expected name:password in PMGATE_USER or --user');
  return { username: user.slice(0, colon), password: user.slice(colon + 1) };
}

/** `pmgate complete -- WORDS`, for completion scripts. Silent on errors. */
async function complete(words: readonly string[], { terminal, version }: ShellHost): Promise<ExitCode> {
  const program = createProgram({ version, act: () => Promise.resolve() });
  const candidates = await candidatesOf(program, words[0] === '--' ? words.slice(1) : words, ({ url, ...values }) =>
    connect(url ?? terminal.environment.PMGATE_URL ?? DEFAULT_URL, values, terminal, {
      timeoutMs: COMPLETION_TIMEOUT_MS,
      retries: 0,
    }),
  );
  await terminal.stdout.write(candidateLines(candidates));
  return EXIT.OK;
}
