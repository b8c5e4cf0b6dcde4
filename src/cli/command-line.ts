import { parseArgs } from 'node:util';

export type CommandLine =
  | { readonly kind: 'help' }
  | { readonly kind: 'version'; readonly isJson: boolean }
  | { readonly kind: 'error'; readonly message: string }
  /** A sub-command, which sends requests to a gateway; the shell room parses its words. */
  | { readonly kind: 'shell'; readonly words: readonly string[] }
  | {
      readonly kind: 'open';
      readonly paths: readonly string[];
      readonly port: string | undefined;
      readonly isPageOpened: boolean;
      /** The file to write a page with the archives into, and the window of time that it gets; all of it by default. */
      readonly html: string | undefined;
      readonly start: string | undefined;
      readonly finish: string | undefined;
    }
  | {
      readonly kind: 'serve';
      readonly isPageOpened: boolean;
      readonly config: string | undefined;
      /** Options given as flags, by dotted path. */
      readonly flags: Readonly<Record<string, string | undefined>>;
    };

export const HELP = `Usage: pmgate [serve] [options]
       pmgate FILE|DIRECTORY|TAR... [--open] [--port PORT]
       pmgate FILE|DIRECTORY|TAR... --html PAGE [--start TIME] [--finish TIME]
       pmgate <command> [options]

A REST/JSON gateway to Performance Co-Pilot metrics, of this machine and others.

With paths of archives, of directories below which archives are, or of a tar with archives (a sos report), pmgate shows these
archives in a browser, and nothing else: to this machine only, until Ctrl-C. With --html it writes one page that has them inside, or what they
have from --start to --finish: it needs no gateway.

Options of serve:
  --config FILE      read the configuration from FILE (default: config/pmgate.yaml)
  --host ADDRESS     listen on ADDRESS (default: 127.0.0.1)
  --port PORT        listen on PORT (default: 44322)
  --log-level LEVEL  trace, debug, info, warn, error, fatal or silent (default: info)
  --open             open the page in a browser
  --help             print this text
  --version          print the version; with --json, also what it runs on

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
  health             tell whether the gateway serves
  mcp [FILE]         serve an assistant over standard input and output
  derive             check, list, add, remove and load derived metrics

Commands that need no gateway:
  check-config FILE  check a configuration or an access file
  conformance        compare a pmcd's answers through pmgate with PCP's own tools
  bench              measure pmgate and pmproxy beside each other
  passwd             read a password and print its hash for the access file
  token              generate a token and its digest for the access file
  completion SHELL   print a completion script for bash, zsh or fish
  help COMMAND       print the options of a command

Output: tables, or json, ndjson or csv with --output. Exit codes: 0 success; 1 the gateway returned an error or could not serve (diagnose:
something is wrong); 2 invalid command line or configuration; 3 no gateway (or no PCP) reachable; 4 partial result; 5 changes: nothing to
compare; 130 interrupted.
`;

/** Flags that the sub-commands share: before the command they are left to the shell room. */
const SHELL_FLAGS: ReadonlySet<string> = new Set('--url --token --user --output -o --color --no-color'.split(' '));

/** The words that are commands, and never paths. */
const COMMANDS: ReadonlySet<string> = new Set(
  [...HELP.matchAll(/^ {2}([a-z][a-z-]*) /gm)].map(([, name = '']) => name).concat('serve', 'complete'),
);

const FLAGS = {
  config: { type: 'string', short: 'c' },
  host: { type: 'string' },
  port: { type: 'string', short: 'p' },
  'log-level': { type: 'string' },
  open: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
  json: { type: 'boolean' },
  html: { type: 'string' },
  start: { type: 'string' },
  finish: { type: 'string' },
} as const;

/** Parses the arguments after the program's name. @param isThere whether a path exists, or is that of an archive */
export function parseCommandLine(
  args: readonly string[],
  isThere: (path: string) => boolean = () => false,
): CommandLine {
  const [first = ''] = args;
  const isServe = first === 'serve';
  const isOpen = isWord(first) && !COMMANDS.has(first) && (/[/.]/.test(first) || isThere(first));
  const isShell = isWord(first) || SHELL_FLAGS.has(first.replace(/=.*$/s, ''));
  if (!isServe && !isOpen && isShell) return { kind: 'shell', words: args };
  try {
    const { values, positionals } = parseArgs({
      args: withTimes(args.slice(isServe ? 1 : 0)),
      strict: true,
      allowPositionals: isOpen,
      options: FLAGS,
    });
    if (values.help) return { kind: 'help' };
    if (isOpen) {
      const { port, open: isPageOpened = false, html, start, finish } = values;
      const taken = html === undefined ? ['port', 'open'] : ['html', 'start', 'finish'];
      const other = Object.keys(values).find((flag) => !taken.includes(flag));
      const when = html === undefined ? 'for opening archives' : 'beside --html';
      if (other !== undefined) throw new Error(`--${other} is no option ${when}`);
      return { kind: 'open', paths: positionals, port, isPageOpened, html, start, finish };
    }
    const ofArchives = ['html', 'start', 'finish'].find((flag) => flag in values);
    if (ofArchives !== undefined) throw new Error(`--${ofArchives} takes the path of an archive before it`);
    if (values.version) return { kind: 'version', isJson: values.json ?? false };
    return {
      kind: 'serve',
      isPageOpened: values.open ?? false,
      config: values.config,
      flags: { 'listen.host': values.host, 'listen.port': values.port, 'log.level': values['log-level'] },
    };
  } catch (error) {
    return { kind: 'error', message: (error as Error).message };
  }
}

function isWord(argument: string): boolean {
  return argument !== '' && !argument.startsWith('-');
}

/** Times may begin with a minus, which no other value may: `--start -1h` becomes `--start=-1h`. */
function withTimes(args: readonly string[]): string[] {
  const words: string[] = [];
  for (const word of args) {
    const last = words.at(-1);
    if (last === '--start' || last === '--finish') words[words.length - 1] = `${last}=${word}`;
    else words.push(word);
  }
  return words;
}
