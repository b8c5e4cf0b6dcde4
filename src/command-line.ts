import { parseArgs } from 'node:util';

/** What the command line asks for. */
export type CommandLine =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'error'; readonly message: string }
  | {
      readonly kind: 'serve';
      /** The file given with --config. */
      readonly config: string | undefined;
      /** Options given as flags, by dotted path. */
      readonly flags: Readonly<Record<string, string | undefined>>;
    };

/** What --help prints. */
export const HELP = `Usage: pmgate [options]

A REST/JSON gateway to performance metrics: this machine's, under PCP's own names.

Options:
  --config FILE      read the configuration from FILE (default: config/pmgate.yaml)
  --host ADDRESS     listen on ADDRESS (default: 127.0.0.1)
  --port PORT        listen on PORT (default: 44322)
  --log-level LEVEL  trace, debug, info, warn, error, fatal or silent (default: info)
  --help             print this text
  --version          print the version

Every option of the file can be set in the environment too: PMGATE_LISTEN_PORT=4711, PMGATE_CONFIG=FILE.
SIGTERM and SIGINT stop the gateway once open requests are answered; SIGHUP reads the configuration again.
`;

/** Read the arguments behind the program's name. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  try {
    const { values } = parseArgs({
      args: [...args],
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
      flags: { 'listen.host': values.host, 'listen.port': values.port, 'log.level': values['log-level'] },
    };
  } catch (error) {
    return { kind: 'error', message: (error as Error).message };
  }
}
