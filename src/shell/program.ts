import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { EXIT_CODES_HELP } from './exit-codes.js';
import type { ExitCode } from './exit-codes.js';
import { FORMATS } from './session.js';
import type { Format, Session } from './session.js';
import { archivesCommand, timelineCommand } from './commands/archives.js';
import { checkConfigCommand } from './commands/check-config.js';
import { passwdCommand, tokenCommand } from './commands/credentials.js';
import {
  deriveAddCommand,
  deriveCheckCommand,
  deriveListCommand,
  deriveLoadCommand,
  deriveRemoveCommand,
} from './commands/derive.js';
import type { DeriveCheckFlags } from './commands/derive.js';
import { fetchCommand } from './commands/fetch.js';
import type { FetchFlags } from './commands/fetch.js';
import { healthCommand } from './commands/health.js';
import { mcpCommand } from './commands/mcp.js';
import { metricCommand } from './commands/metric.js';
import type { MetricFlags } from './commands/metric.js';
import { arrowCommand, exportCommand, rangeCommand } from './commands/range.js';
import type { RangeFlags } from './commands/range.js';
import { whyCommand } from './commands/why.js';
import type { WhyFlags } from './commands/why.js';
import { changesCommand } from './commands/changes.js';
import type { ChangesFlags } from './commands/changes.js';
import { diagnoseCommand } from './commands/diagnose.js';
import type { DiagnoseFlags } from './commands/diagnose.js';
import type { TimelineFlags } from './commands/archives.js';
import { searchCommand } from './commands/search.js';
import type { SearchFlags } from './commands/search.js';
import { streamCommand } from './commands/stream.js';
import type { StreamFlags } from './commands/stream.js';
import { completionScript, SHELLS } from './completion/scripts.js';
import type { Shell } from './completion/scripts.js';

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

/** Runs a command's work. */
export type Act = (flags: GlobalFlags, work: (session: Session) => Promise<ExitCode>) => Promise<void>;

/** The program's environment. */
export interface ProgramOptions {
  readonly act: Act;
  readonly version: string;
}

/** The sub-commands and their flags, for help, parsing and completion, which uses argument names: `<metric>`, `<archive>`, `<file>`. */
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
      const { output } = command.optsWithGlobals<GlobalFlags>();
      if ((output !== 'archive' && output !== 'arrow') || command.name() === 'range') return;
      command.error(`error: only 'range' has the output format '${output}'`);
    });

  program
    .command('serve')
    .description('run the gateway (the default command)')
    .option('-c, --config <file>', 'read the configuration from a file')
    .option('--host <address>', 'listen on an address')
    .option('-p, --port <port>', 'listen on a port')
    .option('--log-level <level>', 'minimum level of log messages')
    .option('--open', 'open the page in a browser')
    .action(() =>
      program.error("error: 'serve' must be the first argument, and has its own flags: pmgate serve --help"),
    );

  withSelection(withSource(program.command('fetch'), { severalHosts: true }))
    .description('print current values of metrics')
    .addArgument(new Argument('[metric...]', 'names of metrics'))
    .option('-t, --interval <time>', 'fetch repeatedly at this interval; for an archive: the step')
    .option('-s, --samples <count>', 'number of fetches', count)
    .action((metrics: string[], flags: FetchFlags, command: Command) =>
      act(command.optsWithGlobals(), (session) => fetchCommand(session, metrics, flags)),
    )
    .addHelpText(
      'after',
      examples('fetch kernel.all.load', "fetch --prefix disk.dev --instance 'sd*' --match glob --rate"),
    );

  withSource(program.command('metric'))
    .description('list and describe metrics')
    .addArgument(new Argument('[metric...]', 'metrics or nodes of the namespace (default: all metrics)'))
    .option('-P, --prefix <metric>', 'everything below a node of the namespace; may be repeated', collect)
    .option('-l, --long', 'all metadata, including help texts and labels')
    .option('-f, --fetch', 'print values, as pminfo -f')
    .option('-d, --desc', 'print type, instance domain, semantics and units, as pminfo -d')
    .option('-t, --oneline', 'print the one-line help text, as pminfo -t')
    .option('-T, --helptext', 'print the full help text, as pminfo -T')
    .option('-m, --pmid', 'print the PMID, as pminfo -m')
    .action((metrics: string[], flags: MetricFlags, command: Command) =>
      act(command.optsWithGlobals(), (session) => metricCommand(session, metrics, flags)),
    )
    .addHelpText('after', examples('metric kernel.all', 'metric --long mem.util.free'));

  withSelection(withSource(program.command('range')))
    .description('print values over a time window: from an archive, or recent samples of a host')
    .addArgument(new Argument('[metric...]', 'names of metrics'))
    .option('-S, --start <time>', 'start time: 10 or 5min (from the start), -1hour (from the end), @14:00, ISO 8601')
    .option('-T, --finish <time>', 'end time, in the same formats')
    .option('-t, --interval <time>', 'interval between samples (10, 500msec; default: as recorded)')
    .option('-s, --samples <count>', 'maximum number of samples', count)
    .option('-O, --offset <time>', 'offset of the first sample in the window')
    .option('-A, --align <time>', 'align the start to a multiple of this interval')
    .option('--points <count>', 'split the window into this many parts, and return one sample of each', count)
    .addOption(
      new Option('--decimation <how>', 'how --points aggregates a part').choices(['average', 'min', 'max', 'last']),
    )
    .option(
      '--file <base>',
      'with -o archive: write base.meta, base.index, base.0, … (default: a tar to standard output)',
    )
    .action((metrics: string[], flags: RangeFlags, command: Command) => {
      const all = command.optsWithGlobals<GlobalFlags>();
      if (all.output === 'archive') return act(all, (session) => exportCommand(session, metrics, flags));
      if (flags.file !== undefined) command.error("error: option '--file <base>' needs '--output archive'");
      if (all.output === 'arrow') return act(all, (session) => arrowCommand(session, metrics, flags));
      return act(all, (session) => rangeCommand(session, metrics, flags));
    })
    .addHelpText(
      'after',
      examples(
        'range kernel.all.load --archive web1/20261120 -S -1hour -t 1min -o csv',
        'range -P kernel -P disk --archive recorded -S -1hour -o archive --file incident',
      ),
    );

  withSelection(withSource(program.command('stream')))
    .description('print values continuously, until Ctrl-C (exit code 0)')
    .addArgument(new Argument('[metric...]', 'names of metrics'))
    .option('-t, --interval <time>', 'interval between samples (default: 1s)')
    .option('-s, --samples <count>', 'stop after this many samples', count)
    .option('--changed', 'only changed values')
    .option('-S, --start <time>', 'start time in an archive')
    .option('-T, --finish <time>', 'end time in an archive')
    .option('--speed <factor>', 'replay speed of an archive, relative to the recording', positive)
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
    .description('list archives')
    .action((_flags: object, command: Command) => act(command.optsWithGlobals(), archivesCommand));

  program
    .command('timeline')
    .description('list the archives of a host and what the gateway remembers')
    .addArgument(new Argument('[host]', 'the host (default: localhost)'))
    .addArgument(new Argument('[metric...]', 'only what holds these metrics'))
    .option('-S, --start <time>', 'start time (default: -7days)')
    .option('-T, --finish <time>', 'end time (default: now)')
    .action((host: string | undefined, metrics: string[], flags: TimelineFlags, command: Command) =>
      act(command.optsWithGlobals(), (session) => timelineCommand(session, host, metrics, flags)),
    )
    .addHelpText('after', examples('timeline web1 -S -1day', 'timeline localhost kernel.all.load'));

  withSource(program.command('search'))
    .description('search metrics by their names, help texts, instances and labels')
    .argument('<word...>', 'search words')
    .option('-n, --limit <count>', 'maximum number of results (default: 10)', count)
    .addOption(new Option('--type <type>', 'only results of this type').choices(['metric', 'indom', 'instance']))
    .action((words: string[], flags: SearchFlags, command: Command) =>
      act(command.optsWithGlobals(), (session) => searchCommand(session, words, flags)),
    )
    .addHelpText('after', examples('search disk read'));

  withSource(program.command('changes'))
    .description('list what changed between two time windows, most remarkable first')
    .addArgument(
      new Argument('[metric...]', 'metrics or nodes of the namespace (default: all except single processes)'),
    )
    .option('--after <start,end>', 'the window in question (default: the last 5 minutes)')
    .option('--before <start,end>', 'the window to compare with (default: four times as long, just before)')
    .option('--against <source>', 'compare with another host or archive instead; may be repeated', collect)
    .option('-n, --limit <count>', 'maximum number of findings (default: 20)', count)
    .action((metrics: string[], flags: ChangesFlags, command: Command) =>
      act(command.optsWithGlobals(), (session) => changesCommand(session, metrics, flags)),
    )
    .addHelpText(
      'after',
      examples('changes --after -10min,', 'changes disk network -a web1/20261120 --after @10:20,@10:30'),
    );

  withSource(program.command('diagnose'))
    .description('say what is wrong, since when, and who did it; exit code 0 if nothing is wrong')
    .option('--at <time>', 'the moment in question (default: now, or the end of an archive)')
    .option('--start <time>', 'the start of a window in question')
    .option('--finish <time>', 'the end of it')
    .action((flags: DiagnoseFlags, command: Command) =>
      act(command.optsWithGlobals(), (session) => diagnoseCommand(session, flags)),
    )
    .addHelpText('after', examples('diagnose', 'diagnose --at -10min', 'diagnose -a web1/20261120 --at @03:12'));

  withSelection(withSource(program.command('why')))
    .description('explain values: records, interpolation, rates, definitions, nodes of expressions')
    .addArgument(new Argument('[metric...]', 'names of metrics'))
    .option('--at <time>', 'a time in an archive, or among recent samples of a host (default: now)')
    .action((metrics: string[], flags: WhyFlags, command: Command) =>
      act(command.optsWithGlobals(), (session) => whyCommand(session, metrics, flags)),
    )
    .addHelpText('after', examples('why mem.util.free', 'why disk.all.read -a web1/20261120 --at @10:21'));

  program
    .command('mcp')
    .description('serve an assistant over standard input and output, by the Model Context Protocol')
    .addArgument(new Argument('[file]', 'archives to read in this process, and no others (default: ask a gateway)'))
    .action((file: string | undefined, _flags: object, command: Command) =>
      act(
        { ...command.optsWithGlobals<GlobalFlags>(), ...(file === undefined ? {} : { archive: asPath(file) }) },
        mcpCommand,
      ),
    )
    .addHelpText('after', examples('mcp', 'mcp /var/log/pcp/pmlogger/web1/20261120'));

  program
    .command('check-config')
    .description('check a configuration or an access file (without a gateway)')
    .argument('[file]', 'configuration or access file (default: the configuration that serve would use)')
    .action((file: string | undefined, _flags: object, command: Command) =>
      act(command.optsWithGlobals(), (session) => checkConfigCommand(session, file)),
    );

  program
    .command('health')
    .description('whether the gateway serves: exit code 0, 1 or, if it cannot be reached, 3')
    .action((_flags: object, command: Command) => act(command.optsWithGlobals(), healthCommand));

  program
    .command('passwd')
    .description('read a password and print its hash for the access file (without a gateway)')
    .action((_flags: object, command: Command) => act(command.optsWithGlobals(), passwdCommand));

  program
    .command('token')
    .description('generate a token and print its digest for the access file (without a gateway)')
    .action((_flags: object, command: Command) => act(command.optsWithGlobals(), tokenCommand));

  program
    .command('completion')
    .description('print a shell completion script')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action((shell: Shell, _flags: object, command: Command) =>
      act(command.optsWithGlobals(), async ({ terminal }) => {
        await terminal.stdout.write(completionScript(shell));
        return 0;
      }),
    )
    .addHelpText(
      'after',
      '\nTo install it:\n' +
        '  bash  pmgate completion bash > ~/.local/share/bash-completion/completions/pmgate\n' +
        '  zsh   pmgate completion zsh > "${fpath[1]}/_pmgate"\n' +
        '  fish  pmgate completion fish > ~/.config/fish/completions/pmgate.fish\n',
    );

  return program;
}

/** Paths of archives, written so that they cannot be names of a gateway's. */
function asPath(archives: string): string {
  return archives
    .split(',')
    .map((one) => (/^[./]/.test(one) ? one : `./${one}`))
    .join(',');
}

function addDerive(program: Command, act: Act): void {
  const derive = program.command('derive').description('check expressions and manage derived metrics');
  withSource(derive.command('check'))
    .description('check an expression without registering it (exit code 1 if it is invalid)')
    .argument('<expression>', "the expression, quoted; '-' reads standard input")
    .option('--at <time>', 'a time in an archive, or in what is recorded or remembered of a host (default: now)')
    .action((expression: string, flags: DeriveCheckFlags, command: Command) =>
      act(command.optsWithGlobals(), (session) => deriveCheckCommand(session, expression, flags)),
    )
    .addHelpText('after', examples("derive check '100 * mem.util.free / mem.physmem'"));
  derive
    .command('list')
    .description('list global derived metrics')
    .option('-P, --prefix <metric>', 'only metrics at or below a node of the namespace')
    .addOption(new Option('--origin <origin>', 'only metrics of this origin').choices(['api', 'file', 'shipped']))
    .action((flags: { prefix?: string; origin?: 'api' | 'file' | 'shipped' }, command: Command) =>
      act(command.optsWithGlobals(), (session) => deriveListCommand(session, flags)),
    );
  derive
    .command('add')
    .description('register a global derived metric')
    .argument('<name>', 'name of the metric')
    .argument('<expression>', 'expression, quoted')
    .action((name: string, expression: string, _flags: object, command: Command) =>
      act(command.optsWithGlobals(), (session) => deriveAddCommand(session, name, expression)),
    )
    .addHelpText('after', examples("derive add my.free '100 * mem.util.free / mem.physmem'"));
  derive
    .command('rm')
    .alias('remove')
    .description('remove global derived metrics')
    .argument('<derived...>', 'names of the metrics')
    .action((names: string[], _flags: object, command: Command) =>
      act(command.optsWithGlobals(), (session) => deriveRemoveCommand(session, names)),
    );
  derive
    .command('load')
    .description('register all definitions of a file, or none if any is invalid')
    .argument('<file>', "lines of `name = expression`; '-' reads standard input")
    .action((file: string, _flags: object, command: Command) =>
      act(command.optsWithGlobals(), (session) => deriveLoadCommand(session, file)),
    );
}

function withSource(command: Command, { severalHosts = false } = {}): Command {
  const ask = severalHosts
    ? 'host to query; may be repeated (default: localhost)'
    : 'host to query (default: localhost)';
  const host = new Option('-h, --host <hostspec>', ask);
  return command
    .addOption(severalHosts ? host.argParser(collect) : host)
    .option(
      '-a, --archive <archive>',
      'archive to read instead of a host: one of the gateway, or a local path (without a gateway)',
    )
    .option('-Z, --zone <zone>', 'time zone (default: the local one)')
    .option('-z, --hostzone', 'use the time zone of the host or archive')
    .helpOption('--help', 'print help');
}

function withSelection(command: Command): Command {
  return command
    .option('-P, --prefix <metric>', 'every metric below a node of the namespace; may be repeated', collect)
    .option('-i, --instance <instance>', 'only these instances (sda,sdb); may be repeated', collect)
    .option('--instance-id <number>', 'only these instances, by number', collectIntegers)
    .addOption(
      new Option('--match <how>', 'how to match --instance (default: exact)').choices(['exact', 'glob', 'regex']),
    )
    .option('--labels <selector>', 'only instances with these labels: agent="linux",device_type=~"sd.*"')
    .option('--top <count>', 'only the largest values of each metric', count)
    .option('--rate', 'convert counters to rates per second')
    .addOption(
      new Option(
        '-r, --raw',
        'do not convert counters (the default); in tables, print all digits and the original units',
      ).conflicts('rate'),
    )
    .option('--wrap', 'with --rate: treat a decreased counter as wrapped')
    .option('--units <units>', 'rescale to these units, for example Mbyte or Kbyte/sec');
}

function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  pmgate ${line}\n`).join('')}`;
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
