import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { EXIT_CODES_HELP } from './exit-codes.js';
import type { ExitCode } from './exit-codes.js';
import { FORMATS } from './session.js';
import type { Format, Session } from './session.js';
import { archivesCommand } from './commands/archives.js';
import { checkConfigCommand } from './commands/check-config.js';
import { passwdCommand, tokenCommand } from './commands/credentials.js';
import {
  deriveAddCommand,
  deriveCheckCommand,
  deriveListCommand,
  deriveLoadCommand,
  deriveRemoveCommand,
} from './commands/derive.js';
import { fetchCommand } from './commands/fetch.js';
import type { FetchFlags } from './commands/fetch.js';
import { metricCommand } from './commands/metric.js';
import type { MetricFlags } from './commands/metric.js';
import { rangeCommand } from './commands/range.js';
import type { RangeFlags } from './commands/range.js';
import { searchCommand } from './commands/search.js';
import type { SearchFlags } from './commands/search.js';
import { streamCommand } from './commands/stream.js';
import type { StreamFlags } from './commands/stream.js';
import { completionScript, SHELLS } from './completion/scripts.js';
import type { Shell } from './completion/scripts.js';
import type { SourceFlags } from './selection.js';

/** Flags that every sub-command has. */
export interface GlobalFlags {
  readonly url?: string;
  readonly token?: string;
  readonly user?: string;
  readonly output?: Format;
  readonly color?: boolean;
  /** Of the commands that have a source: where from, and in which time zone. */
  readonly archive?: string;
  readonly host?: string | readonly string[];
  readonly zone?: string;
  readonly hostzone?: boolean;
}

/** Does a command's work, and answers when it is done. */
export type Act = (flags: GlobalFlags, work: (session: Session) => Promise<ExitCode>) => Promise<void>;

/** What the program needs of who runs it. */
export interface ProgramOptions {
  readonly act: Act;
  readonly version: string;
}

/**
 * The sub-commands and their flags: what help, parsing and completion all read. The names of arguments are what completion goes
 * by: `<metric>`, `<archive>`, `<file>`.
 */
export function createProgram({ act, version }: ProgramOptions): Command {
  const program = new Command('pmgate')
    .description('A REST/JSON gateway to performance metrics, and a client of one for the shell.')
    .usage('[options] <command>')
    .option('--url <url>', 'the gateway to ask (PMGATE_URL; default: http://localhost:44322)')
    .option('--token <token>', 'a token that the gateway, or a proxy before it, knows (PMGATE_TOKEN)')
    .option('--user <name:password>', 'the user to be, for the gateway or for hosts that want one (PMGATE_USER)')
    .addOption(new Option('-o, --output <form>', 'how to write answers (default: table)').choices(FORMATS))
    .option('--color', 'colours even when the output is no terminal')
    .option('--no-color', 'no colours')
    .version(`pmgate ${version}`, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command...]', 'print help, of a command if one is named')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', `\n${EXIT_CODES_HELP}`);

  program
    .command('serve')
    .description('serve metrics: what pmgate does without a command')
    .option('-c, --config <file>', 'read the configuration from a file')
    .option('--host <address>', 'listen on an address')
    .option('-p, --port <port>', 'listen on a port')
    .option('--log-level <level>', 'the least severe messages to write')
    .action(() => program.error("error: 'serve' comes first, and has flags of its own: pmgate serve --help"));

  withSelection(withSource(program.command('fetch'), { severalHosts: true }))
    .description('values of metrics now')
    .addArgument(new Argument('[metric...]', 'names of metrics'))
    .option('-t, --interval <time>', 'fetch again and again, so far apart; of an archive, the step')
    .option('-s, --samples <count>', 'fetch so many times', count)
    .action((metrics: string[], flags: FetchFlags, command: Command) =>
      act(command.optsWithGlobals(), (session) => fetchCommand(session, metrics, flags)),
    )
    .addHelpText(
      'after',
      examples('fetch kernel.all.load', "fetch --prefix disk.dev --instance 'sd*' --match glob --rate"),
    );

  withSource(program.command('metric'))
    .description('what metrics there are, and what they mean')
    .addArgument(new Argument('[metric...]', 'metrics or nodes of the namespace; every metric without any'))
    .option('-P, --prefix <metric>', 'everything below a node of the namespace; may be repeated', collect)
    .option('-l, --long', 'everything that is known, help and labels too')
    .option('-f, --fetch', 'as pminfo: the values')
    .option('-d, --desc', 'as pminfo: type, instance domain, semantics and units')
    .option('-t, --oneline', 'as pminfo: the one-line help text')
    .option('-T, --helptext', 'as pminfo: the whole help text')
    .option('-m, --pmid', 'as pminfo: the PMID')
    .action((metrics: string[], flags: MetricFlags, command: Command) =>
      act(command.optsWithGlobals(), (session) => metricCommand(session, metrics, flags)),
    )
    .addHelpText('after', examples('metric kernel.all', 'metric --long mem.util.free'));

  withSelection(withSource(program.command('range')))
    .description('values over a time window: from an archive, or recent samples of a host')
    .addArgument(new Argument('[metric...]', 'names of metrics'))
    .option('-S, --start <time>', 'the beginning: 10 or 5min (from the start), -1hour (from the end), @14:00, ISO 8601')
    .option('-T, --finish <time>', 'the end, in the same forms')
    .option('-t, --interval <time>', 'the step between samples (10, 500msec); what was recorded without it')
    .option('-s, --samples <count>', 'at most so many samples', count)
    .option('-O, --offset <time>', 'where in the window the first sample is')
    .option('-A, --align <time>', 'begin at a multiple of this')
    .option('--points <count>', 'cut the window into so many parts, and give a sample of each', count)
    .addOption(
      new Option('--decimation <how>', 'what --points keeps of a part').choices(['average', 'min', 'max', 'last']),
    )
    .action((metrics: string[], flags: RangeFlags, command: Command) =>
      act(command.optsWithGlobals(), (session) => rangeCommand(session, metrics, flags)),
    )
    .addHelpText('after', examples('range kernel.all.load --archive web1/20261120 -S -1hour -t 1min -o csv'));

  withSelection(withSource(program.command('stream')))
    .description('values as they come, until Ctrl-C (which ends with 0)')
    .addArgument(new Argument('[metric...]', 'names of metrics'))
    .option('-t, --interval <time>', 'the time between samples (default: 1s)')
    .option('-s, --samples <count>', 'end after so many samples', count)
    .option('--changed', 'only values that changed')
    .option('-S, --start <time>', 'of an archive: where to begin')
    .option('-T, --finish <time>', 'of an archive: where to end')
    .option('--speed <factor>', 'of an archive: how many times as fast as it was recorded', positive)
    .action((metrics: string[], flags: StreamFlags, command: Command) =>
      act(command.optsWithGlobals(), (session) => streamCommand(session, metrics, flags)),
    )
    .addHelpText(
      'after',
      examples('stream kernel.all.load mem.util.free', 'stream disk.dev.read --rate -t 5s -o ndjson'),
    );

  addDerive(program, act);

  program
    .command('archives')
    .description('the archives that the gateway has')
    .action((_flags: object, command: Command) => act(command.optsWithGlobals(), archivesCommand));

  withSource(program.command('search'))
    .description('find metrics by words of their names, help texts, instances and labels')
    .argument('<word...>', 'what to look for')
    .option('-n, --limit <count>', 'at most so many (default: 10)', count)
    .addOption(new Option('--type <type>', 'only these').choices(['metric', 'indom', 'instance']))
    .action((words: string[], flags: SearchFlags, command: Command) =>
      act(command.optsWithGlobals(), (session) => searchCommand(session, words, flags)),
    )
    .addHelpText('after', examples('search disk read'));

  program
    .command('check-config')
    .description('check a configuration, or an access file; asks no gateway')
    .argument('[file]', 'the configuration or the access file; without it, the configuration that serving would take')
    .action((file: string | undefined, _flags: object, command: Command) =>
      act(command.optsWithGlobals(), (session) => checkConfigCommand(session, file)),
    );

  program
    .command('passwd')
    .description('read a password and print its hash for the access file; asks no gateway')
    .action((_flags: object, command: Command) => act(command.optsWithGlobals(), passwdCommand));

  program
    .command('token')
    .description('make a token for a client, and print its digest for the access file; asks no gateway')
    .action((_flags: object, command: Command) => act(command.optsWithGlobals(), tokenCommand));

  program
    .command('completion')
    .description('print the completion script of a shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .action((shell: Shell, _flags: object, command: Command) =>
      act(command.optsWithGlobals(), async ({ terminal }) => {
        await terminal.stdout.write(completionScript(shell));
        return 0;
      }),
    )
    .addHelpText(
      'after',
      '\nTo have it in every session:\n' +
        '  bash  pmgate completion bash > ~/.local/share/bash-completion/completions/pmgate\n' +
        '  zsh   pmgate completion zsh > "${fpath[1]}/_pmgate"\n' +
        '  fish  pmgate completion fish > ~/.config/fish/completions/pmgate.fish\n',
    );

  return program;
}

function addDerive(program: Command, act: Act): void {
  const derive = program.command('derive').description('derived metrics: check an expression, and keep definitions');
  withSource(derive.command('check'))
    .description('what an expression would be and give, or what is wrong with it (then it ends with 1)')
    .argument('<expression>', "the expression, quoted; '-' reads standard input")
    .action((expression: string, flags: SourceFlags, command: Command) =>
      act(command.optsWithGlobals(), (session) => deriveCheckCommand(session, expression, flags)),
    )
    .addHelpText('after', examples("derive check '100 * mem.util.free / mem.physmem'"));
  derive
    .command('list')
    .description('the global derived metrics')
    .option('-P, --prefix <metric>', 'only those at or below a node of the namespace')
    .addOption(new Option('--origin <origin>', 'only those from here').choices(['api', 'file', 'shipped']))
    .action((flags: { prefix?: string; origin?: 'api' | 'file' | 'shipped' }, command: Command) =>
      act(command.optsWithGlobals(), (session) => deriveListCommand(session, flags)),
    );
  derive
    .command('add')
    .description('register a global derived metric')
    .argument('<name>', 'its name')
    .argument('<expression>', 'its expression, quoted')
    .action((name: string, expression: string, _flags: object, command: Command) =>
      act(command.optsWithGlobals(), (session) => deriveAddCommand(session, name, expression)),
    )
    .addHelpText('after', examples("derive add my.free '100 * mem.util.free / mem.physmem'"));
  derive
    .command('rm')
    .alias('remove')
    .description('remove global derived metrics')
    .argument('<derived...>', 'their names')
    .action((names: string[], _flags: object, command: Command) =>
      act(command.optsWithGlobals(), (session) => deriveRemoveCommand(session, names)),
    );
  derive
    .command('load')
    .description('register all definitions of a file, or after any error none')
    .argument('<file>', "lines of `name = expression`; '-' reads standard input")
    .action((file: string, _flags: object, command: Command) =>
      act(command.optsWithGlobals(), (session) => deriveLoadCommand(session, file)),
    );
}

function withSource(command: Command, { severalHosts = false } = {}): Command {
  const ask = severalHosts
    ? 'the host to ask; may be repeated (default: localhost)'
    : 'the host to ask (default: localhost)';
  const host = new Option('-h, --host <hostspec>', ask);
  return command
    .addOption(severalHosts ? host.argParser(collect) : host)
    .option(
      '-a, --archive <archive>',
      'an archive instead of a host: one of the gateway, or a path, which needs no gateway',
    )
    .option('-Z, --zone <zone>', 'the time zone of times (default: the local one)')
    .option('-z, --hostzone', 'the time zone of the host or the archive instead')
    .helpOption('--help', 'print help');
}

function withSelection(command: Command): Command {
  return command
    .option('-P, --prefix <metric>', 'every metric below a node of the namespace; may be repeated', collect)
    .option('-i, --instance <instance>', 'only these instances (sda,sdb); may be repeated', collect)
    .option('--instance-id <number>', 'the same, by identifier', collectIntegers)
    .addOption(
      new Option('--match <how>', 'how --instance is compared (default: exact)').choices(['exact', 'glob', 'regex']),
    )
    .option('--labels <selector>', 'only instances with these labels: agent="linux",device_type=~"sd.*"')
    .option('--top <count>', 'only the greatest values of each metric', count)
    .option('--rate', 'counters as rates per second')
    .addOption(
      new Option('-r, --raw', 'counters as they are (the default); in tables, all digits and own units').conflicts(
        'rate',
      ),
    )
    .option('--wrap', 'with --rate: a counter that went down has wrapped')
    .option('--units <units>', 'units to rescale to: Mbyte, Kbyte/sec');
}

function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  pmgate ${line}\n`).join('')}`;
}

function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

function collectIntegers(value: string, before: readonly number[] | undefined): readonly number[] {
  if (!/^-?\d{1,10}$/.test(value)) throw new InvalidArgumentError('It must be a whole number.');
  return [...(before ?? []), Number(value)];
}

function count(value: string): number {
  if (!/^[1-9]\d{0,14}$/.test(value)) throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return Number(value);
}

function positive(value: string): number {
  const number = Number(value);
  if (!(number > 0) || !Number.isFinite(number)) throw new InvalidArgumentError('It must be a number greater than 0.');
  return number;
}
