import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { EXIT, EXIT_CODES_HELP, type ExitCode } from './exit-codes.js';
import { FORMATS, type Format, type Session } from './session.js';
import { archivesCommand, timelineCommand } from './commands/archives.js';
import { changesCommand } from './commands/changes.js';
import { checkConfigCommand, healthCommand } from './commands/check-config.js';
import { passwdCommand, tokenCommand } from './commands/credentials.js';
import * as derive from './commands/derive.js';
import { diagnoseCommand } from './commands/diagnose.js';
import { fetchCommand } from './commands/fetch.js';
import { mcpCommand } from './commands/mcp.js';
import { metricCommand } from './commands/metric.js';
import { benchCommand, conformanceCommand } from './commands/proofs.js';
import { rangeCommand, type RangeFlags } from './commands/range.js';
import { searchCommand } from './commands/search.js';
import { streamCommand } from './commands/stream.js';
import { whyCommand } from './commands/why.js';
import { completionScript, SHELLS, type Shell } from './completion/scripts.js';

export interface GlobalFlags {
  readonly url?: string;
  readonly token?: string;
  readonly user?: string;
  readonly output?: Format | 'archive' | 'arrow';
  readonly color?: boolean;
  /** Source and time zone, for commands with a source. */
  readonly archive?: string;
  readonly host?: string | readonly string[];
  readonly zone?: string;
  readonly hostzone?: boolean;
}

export type Act = (flags: GlobalFlags, work: (session: Session) => Promise<ExitCode>) => Promise<void>;

export interface ProgramOptions {
  readonly act: Act;
  readonly version: string;
}

/** What an option takes: one of some words, or what a function makes of its text and of the value before, if it may be repeated. */
type Takes = readonly string[] | ((text: string, before: never) => unknown);
type OptionRow = readonly [flags: string, description: string, takes?: Takes];

type Run = (session: Session, ...parts: never[]) => Promise<ExitCode>;

/** A sub-command. Completion uses the names of its arguments: `<metric>`, `<archive>`, `<file>`. */
interface CommandRow {
  readonly name: string;
  readonly alias?: string;
  readonly description: string;
  readonly arguments?: readonly (readonly [syntax: string, description: string, choices?: readonly string[]])[];
  /** The common options that it has, before its own. */
  readonly has?: readonly OptionRow[];
  readonly options?: readonly OptionRow[];
  readonly examples?: readonly string[];
  readonly help?: string;
  /** Takes its arguments, its flags and the command after the session; instead of it, a command has sub-commands. */
  readonly run: Run | undefined;
  readonly commands?: readonly CommandRow[];
  readonly flagsOf?: (flags: GlobalFlags, argument: string | undefined) => GlobalFlags;
}

function row(
  name: string,
  description: string,
  run: Run | undefined,
  more: Omit<CommandRow, 'name' | 'description' | 'run'> = {},
): CommandRow {
  return { name, description, run, ...more };
}

const SOURCE: readonly OptionRow[] = [
  ['-h, --host <hostspec>', 'host to query (default: localhost)'],
  [
    '-a, --archive <archive>',
    'archive to read instead of a host: one of the gateway, or a local path (without a gateway)',
  ],
  ['-Z, --zone <zone>', 'time zone (default: the local one)'],
  ['-z, --hostzone', 'use the time zone of the host or archive'],
];
const SEVERAL_HOSTS: readonly OptionRow[] = [
  ['-h, --host <hostspec>', 'host to query; may be repeated (default: localhost)', collect],
  ...SOURCE.slice(1),
];
const SELECTION: readonly OptionRow[] = [
  ['-P, --prefix <metric>', 'every metric below a node of the namespace; may be repeated', collect],
  ['-i, --instance <instance>', 'only these instances (sda,sdb); may be repeated', collect],
  ['--instance-id <number>', 'only these instances, by number', collectIntegers],
  ['--match <how>', 'how to match --instance (default: exact)', ['exact', 'glob', 'regex']],
  ['--labels <selector>', 'only instances with these labels: agent="linux",device_type=~"sd.*"'],
  ['--top <count>', 'only the largest values of each metric', count],
  ['--rate', 'convert counters to rates per second'],
  ['-r, --raw', 'do not convert counters (the default); in tables, print all digits and the original units'],
  ['--wrap', 'with --rate: treat a decreased counter as wrapped'],
  ['--units <units>', 'rescale to these units, for example Mbyte or Kbyte/sec'],
];
const PMCD: readonly OptionRow[] = [['-h, --host <host>', 'the pmcd (default: that of this machine)']];
const METRICS = [['[metric...]', 'names of metrics']] as const;
const COMPLETION_HELP = `
To install it:
  bash  pmgate completion bash > ~/.local/share/bash-completion/completions/pmgate
  zsh   pmgate completion zsh > "\${fpath[1]}/_pmgate"
  fish  pmgate completion fish > ~/.config/fish/completions/pmgate.fish
`;

const DERIVE: readonly CommandRow[] = [
  row('check', 'check an expression without registering it (exit code 1 if it is invalid)', derive.deriveCheckCommand, {
    arguments: [['<expression>', "the expression, quoted; '-' reads standard input"]],
    has: SOURCE,
    options: [['--at <time>', 'a time in an archive, or in what is recorded or remembered of a host (default: now)']],
    examples: ["derive check '100 * mem.util.free / mem.physmem'"],
  }),
  row('list', 'list global derived metrics', derive.deriveListCommand, {
    options: [
      ['-P, --prefix <metric>', 'only metrics at or below a node of the namespace'],
      ['--origin <origin>', 'only metrics of this origin', ['api', 'file', 'shipped']],
    ],
  }),
  row('add', 'register a global derived metric', derive.deriveAddCommand, {
    arguments: [
      ['<name>', 'name of the metric'],
      ['<expression>', 'expression, quoted'],
    ],
    examples: ["derive add my.free '100 * mem.util.free / mem.physmem'"],
  }),
  row('rm', 'remove global derived metrics', derive.deriveRemoveCommand, {
    alias: 'remove',
    arguments: [['<derived...>', 'names of the metrics']],
  }),
  row('load', 'register all definitions of a file, or none if any is invalid', derive.deriveLoadCommand, {
    arguments: [['<file>', "lines of `name = expression`; '-' reads standard input"]],
  }),
];

const COMMANDS: readonly CommandRow[] = [
  row('serve', 'run the gateway (the default command)', undefined, {
    options: [
      ['-c, --config <file>', 'read the configuration from a file'],
      ['--host <address>', 'listen on an address'],
      ['-p, --port <port>', 'listen on a port'],
      ['--log-level <level>', 'minimum level of log messages'],
      ['--open', 'open the page in a browser'],
    ],
  }),
  row('fetch', 'print current values of metrics', fetchCommand, {
    arguments: METRICS,
    has: [...SEVERAL_HOSTS, ...SELECTION],
    options: [
      ['-t, --interval <time>', 'fetch repeatedly at this interval; for an archive: the step'],
      ['-s, --samples <count>', 'number of fetches', count],
    ],
    examples: ['fetch kernel.all.load', "fetch --prefix disk.dev --instance 'sd*' --match glob --rate"],
  }),
  row('metric', 'list and describe metrics', metricCommand, {
    arguments: [['[metric...]', 'metrics or nodes of the namespace (default: all metrics)']],
    has: SOURCE,
    options: [
      ['-P, --prefix <metric>', 'everything below a node of the namespace; may be repeated', collect],
      ['-l, --long', 'all metadata, including help texts and labels'],
      ['-f, --fetch', 'print values, as pminfo -f'],
      ['-d, --desc', 'print type, instance domain, semantics and units, as pminfo -d'],
      ['-t, --oneline', 'print the one-line help text, as pminfo -t'],
      ['-T, --helptext', 'print the full help text, as pminfo -T'],
      ['-m, --pmid', 'print the PMID, as pminfo -m'],
    ],
    examples: ['metric kernel.all', 'metric --long mem.util.free'],
  }),
  row('range', 'print values over a time window: from an archive, or recent samples of a host', range, {
    arguments: METRICS,
    has: [...SOURCE, ...SELECTION],
    options: [
      ['-S, --start <time>', 'start time: 10 or 5min (from the start), -1hour (from the end), @14:00, ISO 8601'],
      ['-T, --finish <time>', 'end time, in the same formats'],
      ['-t, --interval <time>', 'interval between samples (10, 500msec; default: as recorded)'],
      ['-s, --samples <count>', 'maximum number of samples', count],
      ['-O, --offset <time>', 'offset of the first sample in the window'],
      ['-A, --align <time>', 'align the start to a multiple of this interval'],
      ['--points <count>', 'split the window into this many parts, and return one sample of each', count],
      ['--decimation <how>', 'how --points aggregates a part', ['average', 'min', 'max', 'last']],
      ['--file <base>', 'with -o archive: write base.meta, base.index, base.0, … (default: a tar to standard output)'],
    ],
    examples: [
      'range kernel.all.load --archive web1/20261120 -S -1hour -t 1min -o csv',
      'range -P kernel -P disk --archive recorded -S -1hour -o archive --file incident',
    ],
  }),
  row('stream', 'print values continuously, until Ctrl-C (exit code 0)', streamCommand, {
    arguments: METRICS,
    has: [...SOURCE, ...SELECTION],
    options: [
      ['-t, --interval <time>', 'interval between samples (default: 1s)'],
      ['-s, --samples <count>', 'stop after this many samples', count],
      ['--changed', 'only changed values'],
      ['-S, --start <time>', 'start time in an archive'],
      ['-T, --finish <time>', 'end time in an archive'],
      ['--speed <factor>', 'replay speed of an archive, relative to the recording', positive],
    ],
    examples: ['stream kernel.all.load mem.util.free', 'stream disk.dev.read --rate -t 5s -o ndjson'],
  }),
  row('derive', 'check expressions and manage derived metrics', undefined, { commands: DERIVE }),
  row('archives', 'list archives', archivesCommand),
  row('timeline', 'list the archives of a host and what the gateway remembers', timelineCommand, {
    arguments: [
      ['[host]', 'the host (default: localhost)'],
      ['[metric...]', 'only what holds these metrics'],
    ],
    options: [
      ['-S, --start <time>', 'start time (default: -7days)'],
      ['-T, --finish <time>', 'end time (default: now)'],
    ],
    examples: ['timeline web1 -S -1day', 'timeline localhost kernel.all.load'],
  }),
  row('search', 'search metrics by their names, help texts, instances and labels', searchCommand, {
    arguments: [['<word...>', 'search words']],
    has: SOURCE,
    options: [
      ['-n, --limit <count>', 'maximum number of results (default: 10)', count],
      ['--type <type>', 'only results of this type', ['metric', 'indom', 'instance']],
    ],
    examples: ['search disk read'],
  }),
  row('changes', 'list what changed between two time windows, most remarkable first', changesCommand, {
    arguments: [['[metric...]', 'metrics or nodes of the namespace (default: all except single processes)']],
    has: SOURCE,
    options: [
      ['--after <start,end>', 'the window in question (default: the last 5 minutes)'],
      ['--before <start,end>', 'the window to compare with (default: four times as long, just before)'],
      ['--against <source>', 'compare with another host or archive instead; may be repeated', collect],
      ['-n, --limit <count>', 'maximum number of findings (default: 20)', count],
    ],
    examples: ['changes --after -10min,', 'changes disk network -a web1/20261120 --after @10:20,@10:30'],
  }),
  row('diagnose', 'say what is wrong, since when, and who did it; exit code 0 if nothing is wrong', diagnoseCommand, {
    has: SOURCE,
    options: [
      ['--at <time>', 'the moment in question, to the minute (default: now, or the end of an archive)'],
      ['--start <time>', 'the start of a window in question'],
      ['--finish <time>', 'the end of it'],
    ],
    examples: ['diagnose', 'diagnose --at -10min', 'diagnose -a web1/20261120 --at 03:12'],
  }),
  row('why', 'explain values: records, interpolation, rates, definitions, nodes of expressions', whyCommand, {
    arguments: METRICS,
    has: [...SOURCE, ...SELECTION],
    options: [['--at <time>', 'a time in an archive, or among recent samples of a host (default: now)']],
    examples: ['why mem.util.free', 'why disk.all.read -a web1/20261120 --at @10:21'],
  }),
  row('mcp', 'serve an assistant over standard input and output, by the Model Context Protocol', mcpCommand, {
    arguments: [['[file]', 'archives to read in this process, and no others (default: ask a gateway)']],
    examples: ['mcp', 'mcp /var/log/pcp/pmlogger/web1/20261120'],
    flagsOf: (flags, file) => (file === undefined ? flags : { ...flags, archive: asPath(file) }),
  }),
  row('check-config', 'check a configuration or an access file (without a gateway)', checkConfigCommand, {
    arguments: [['[file]', 'configuration or access file (default: the configuration that serve would use)']],
  }),
  row('health', 'whether the gateway serves: exit code 0, 1 or, if it cannot be reached, 3', healthCommand),
  row(
    'conformance',
    "compare a pmcd's answers through pmgate with PCP's own tools (without a gateway)",
    conformanceCommand,
    {
      has: PMCD,
      examples: ['conformance', 'conformance -h web1:44321 -o json'],
    },
  ),
  row('bench', 'measure pmgate and pmproxy beside each other, at the same pmcd (starts both)', benchCommand, {
    has: PMCD,
    options: [
      ['--against <server>', 'what to measure beside pmgate (default: pmproxy)', ['pmproxy']],
      ['--seconds <count>', 'length of each of the 20 turns (default: 2)', count],
    ],
    examples: ['bench --against pmproxy'],
  }),
  row('passwd', 'read a password and print its hash for the access file (without a gateway)', passwdCommand),
  row('token', 'generate a token and print its digest for the access file (without a gateway)', tokenCommand),
  row('completion', 'print a shell completion script', printCompletion, {
    arguments: [['<shell>', 'the shell', SHELLS]],
    help: COMPLETION_HELP,
  }),
];

/** The sub-commands and their flags, for help, parsing and completion. */
export function createProgram({ act, version }: ProgramOptions): Command {
  const program = new Command('pmgate')
    .description('A REST/JSON gateway to performance metrics, and its command-line client.')
    .usage('[options] <command>')
    .option('--url <url>', 'URL of the gateway (PMGATE_URL; default: http://localhost:44322)')
    .option('--token <token>', 'bearer token for the gateway or a proxy in front of it (PMGATE_TOKEN)')
    .option('--user <name:password>', 'user name and password for the gateway or the host (PMGATE_USER)')
    .addOption(
      new Option('-o, --output <form>', 'output format (default: table)').choices([...FORMATS, 'archive', 'arrow']),
    )
    .option('--color', 'use colours even if the output is not a terminal')
    .option('--no-color', 'do not use colours')
    .version(`pmgate ${version}`, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command...]', 'print help for pmgate or a command')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', `\n${EXIT_CODES_HELP}`)
    .hook('preAction', (_program, command) => {
      const { output, file } = command.optsWithGlobals<GlobalFlags & Pick<RangeFlags, 'file'>>();
      if (command.name() === 'serve') {
        command.error("error: 'serve' must be the first argument, and has its own flags: pmgate serve --help");
      }
      if (command.name() === 'range') {
        if (file !== undefined && output !== 'archive') {
          command.error("error: option '--file <base>' needs '--output archive'");
        }
      } else if (output === 'archive' || output === 'arrow') {
        command.error(`error: only 'range' has the output format '${output}'`);
      }
    });
  for (const row of COMMANDS) addCommand(program, row, act);
  return program;
}

function addCommand(parent: Command, row: CommandRow, act: Act): void {
  const { alias, has = [], options = [], examples, help, run, flagsOf = (flags: GlobalFlags) => flags } = row;
  const command = parent.command(row.name).description(row.description);
  if (alias !== undefined) command.alias(alias);
  for (const [syntax, description, choices] of row.arguments ?? []) {
    const argument = new Argument(syntax, description);
    command.addArgument(choices ? argument.choices(choices) : argument);
  }
  for (const [flags, description, takes] of [...has, ...options]) {
    const option = new Option(flags, description);
    if (typeof takes === 'function') option.argParser(takes as (text: string, before: unknown) => unknown);
    else if (takes) option.choices(takes);
    if (option.long === '--raw') option.conflicts('rate');
    command.addOption(option);
  }
  // -h is a host there.
  if (has.length > 0) command.helpOption('--help', 'print help');
  if (examples) command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  pmgate ${line}\n`).join('')}`);
  if (help !== undefined) command.addHelpText('after', help);
  for (const below of row.commands ?? []) addCommand(command, below, act);
  if (row.commands) return;
  command.action((...parts: unknown[]) => {
    const [word] = parts;
    const flags = flagsOf(command.optsWithGlobals(), typeof word === 'string' ? word : undefined);
    return act(flags, (session) => run!(session, ...(parts as never[])));
  });
}

function range(session: Session, metrics: string[], flags: RangeFlags, command: Command): Promise<ExitCode> {
  return rangeCommand(session, metrics, flags, command.optsWithGlobals<GlobalFlags>().output);
}

async function printCompletion({ terminal }: Session, shell: Shell): Promise<ExitCode> {
  await terminal.stdout.write(completionScript(shell));
  return EXIT.OK;
}

/** Paths of archives, written so that they cannot be names of a gateway's. */
function asPath(archives: string): string {
  return archives
    .split(',')
    .map((one) => (/^[./]/.test(one) ? one : `./${one}`))
    .join(',');
}

function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

function collectIntegers(value: string, before: readonly number[] | undefined): readonly number[] {
  if (!/^-?\d{1,10}$/.test(value)) throw new InvalidArgumentError('Expected an integer.');
  return [...(before ?? []), Number(value)];
}

function count(value: string): number {
  if (!/^[1-9]\d{0,14}$/.test(value)) throw new InvalidArgumentError('Expected an integer of at least 1.');
  return Number(value);
}

function positive(value: string): number {
  const number = Number(value);
  if (!(number > 0) || !Number.isFinite(number)) throw new InvalidArgumentError('Expected a number greater than 0.');
  return number;
}
