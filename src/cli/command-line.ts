import { parseArgs } from 'node:util';

/** What the command line asks for. */
export type CommandLine =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'error'; readonly message: string }
  /** A sub-command, which sends requests to a gateway; the shell room parses its words. */
  | { readonly kind: 'shell'; readonly words: readonly string[] }
  | {
      readonly kind: 'serve';
      /** The file given with --config. */
      readonly config: string | undefined;
      /** Options given as flags, by dotted path. */
      readonly flags: Readonly<Record<string, string | undefined>>;
    };

/** The text of --help. */
export const HELP = `Usage: pmgate [serve] [options]
       pmgate <command> [options]

A REST/JSON gateway to Performance Co-Pilot metrics, of this machine and others.

Options of serve:
  --config FILE      read the configuration from FILE (default: config/pmgate.yaml)
  --host ADDRESS     listen on ADDRESS (default: 127.0.0.1)
  --port PORT        listen on PORT (default: 44322)
  --log-level LEVEL  trace, debug, info, warn, error, fatal or silent (default: info)
  --help             print this text
  --version          print the version

Every option of the file can also be set in the environment: PMGATE_LISTEN_PORT=4711, PMGATE_CONFIG=FILE.
SIGTERM and SIGINT stop the gateway after the requests in progress; SIGHUP reloads the configuration.

Commands that query a running gateway (--url URL or PMGATE_URL; default: http://localhost:44322) or an archive (--archive PATH):
  fetch METRIC...    print current values
  metric [NAME...]   list and describe metrics
  range METRIC...    print values over a time window, from an archive or a host's past
  stream METRIC...   print values continuously, until Ctrl-C
  search WORD...     search metrics
  why METRIC...      explain values: records, interpolation, rates, definitions
  changes            list what changed between two time windows
  diagnose           say what is wrong, since when, and who did it
  timeline           list what is recorded and remembered of a host
  archives           list archives
  derive             check, list, add, remove and load derived metrics

Commands that need no gateway:
  check-config FILE  check a configuration or an access file
  passwd             read a password and print its hash for the access file
  token              generate a token and its digest for the access file
  completion SHELL   print a completion script for bash, zsh or fish
  help COMMAND       print the options of a command

Output: tables, or json, ndjson or csv with --output. Exit codes: 0 success; 1 the gateway returned an error or could not serve;
2 invalid command line or configuration; 3 no gateway reachable; 4 partial result; 130 interrupted.
`;

/** Flags that the sub-commands share: before the command they are left to the shell room. */
const SHELL_FLAGS: ReadonlySet<string> = new Set([
  '--url',
  '--token',
  '--user',
  '--output',
  '-o',
  '--color',
  '--no-color',
]);

/** Parses the arguments after the program's name. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const [first = ''] = args;
  const isServe = first === 'serve';
  if (!isServe && (isWord(first) || SHELL_FLAGS.has(first.replace(/=.*$/s, '')))) return { kind: 'shell', words: args };
  try {
    const { values } = parseArgs({
      args: args.slice(isServe ? 1 : 0),
      strict: true,
      allowPositionals: false,
      options: {
        config: { type: 'string', short: 'c' },
        host: { type: 'string' },
        port: { type: 'string', short: 'p' },
        'log-level': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'V' },
      },
    });
    if (values.help) return { kind: 'help' };
    if (values.version) return { kind: 'version' };
    return {
      kind: 'serve',
      config: values.config,
      flags: {
        'listen.host': values.host,
        'listen.port': values.port,
        'log.level': values['log-level'],
      },
    };
  } catch (error) {
    return { kind: 'error', message: (error as Error).message };
  }
}

function isWord(argument: string): boolean {
  return argument !== '' && !argument.startsWith('-');
}
