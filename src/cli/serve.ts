import { spawn } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import type { CommandLine } from './command-line.js';
import { ConfigError, type Config } from '../config/index.js';
import { endProcess } from './shutdown.js';
import { Gateway } from '../gateway/gateway.js';
import { recordedRoot, stateDirectory } from '../gateway/room-options.js';
import { rarely, systemTimers } from '../kit/index.js';
import { createLog, type Log } from '../log/index.js';
import { systemClock } from '../pmapi/index.js';
import { configFile, readConfig } from './read-config.js';
import { VERSION } from '../version.js';

/** Exit codes: 0 stopped on request, 1 could not serve, 2 invalid configuration. */
const [EXIT_FAILED, EXIT_USAGE] = [1, 2] as const;
/** How long signals to reload wait after a reload. */
const RELOAD_REST_MS = 1000;

/** Serves until a signal stops it. */
export async function serve(command: CommandLine & { kind: 'serve' }): Promise<void> {
  const file = configFile(command.config);
  const read = (): Config => readConfig(file, command.flags);
  let config: Config;
  let log: Log;
  let gateway: Gateway;
  try {
    config = read();
    log = await createLog(config.log.level, systemClock);
    gateway = await Gateway.create({ config, log });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`pmgate: invalid configuration\n${error.message}\n`);
    process.exitCode = EXIT_USAGE;
    return;
  }

  // Before the first line of the log: its reader may send a signal at once.
  stopOnSignals(gateway, log);
  process.on(
    'SIGHUP',
    rarely(() => reload(gateway, log, read), RELOAD_REST_MS, systemTimers),
  );
  process.on('unhandledRejection', (err) => log.error('internal error: unhandled rejection', { err }));
  const address = await listen(gateway, config, log);
  if (!address) return gateway.close();
  const url = urlOf(config, address);
  log.info(`pmgate ${VERSION} listens on ${url}`, {
    startMs: Math.round(performance.now()),
    state: stateDirectory(config),
    records: config.record.enabled ? recordedRoot(config) : 'nothing',
  });
  if (process.stderr.isTTY) {
    const hint = command.isPageOpened ? '' : ' (pmgate --open does it)';
    process.stderr.write(`Open ${url} in a browser${hint}. Ctrl-C stops pmgate.\n`);
  }
  if (command.isPageOpened) openPage(url);
  // Without a signal, the end is a failure: service managers begin again only after one.
  process.on('beforeExit', () => {
    log.error('internal error: the gateway has stopped serving');
    process.exit(EXIT_FAILED);
  });
}

/** Closes a gateway at SIGTERM or SIGINT, and then ends the process; at once at a second one. */
export function stopOnSignals(gateway: Gateway, log: Log): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(EXIT_FAILED); // a second signal: do not wait
    stopping = true;
    log.info(`${signal}: finishing requests in progress`);
    gateway.close().then(
      () => {
        log.info('stopped');
        void endProcess(0);
      },
      (err: unknown) => {
        log.error('shutdown failed', { err });
        void endProcess(EXIT_FAILED);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

function reload(gateway: Gateway, log: Log, read: () => Config): void {
  try {
    const waiting = gateway.reload(read());
    log.info('SIGHUP: configuration reloaded', waiting.length > 0 ? { waitsForRestart: waiting } : {});
  } catch (error) {
    const why = error instanceof ConfigError ? { problems: error.problems } : { err: error };
    log.reply('SIGHUP: invalid configuration, keeping the previous one', why);
  }
}

/** Has a gateway listen. If that is not possible, logs why, and sets the exit code of the process. */
export async function listen(gateway: Gateway, { listen: at }: Config, log: Log): Promise<AddressInfo | undefined> {
  try {
    return await gateway.listen();
  } catch (error) {
    const reason = WHY_NOT_LISTENING.get((error as NodeJS.ErrnoException).code)?.(at);
    log.error(reason ?? `cannot listen on ${at.host} port ${at.port}`, reason === undefined ? { err: error } : {});
    process.exitCode = EXIT_FAILED;
    return undefined;
  }
}

function urlOf(config: Config, { address, port, family }: AddressInfo): string {
  const host = family === 'IPv6' ? `[${address}]` : address;
  return `${config.listen.certificateFile === null ? 'http' : 'https'}://${host}:${port}`;
}

/** Shows a page in the browser of this machine; says so if there is no display. */
export function openPage(url: string): void {
  const { platform, env } = process;
  const hasDisplay = platform === 'darwin' || env.DISPLAY !== undefined || env.WAYLAND_DISPLAY !== undefined;
  const complain = (why: string): void => void process.stderr.write(`pmgate: ${why}: open ${url} in a browser\n`);
  if (!hasDisplay) {
    complain('there is no display here');
    return;
  }
  spawn(platform === 'darwin' ? 'open' : 'xdg-open', [url], { stdio: 'ignore', detached: true })
    .on('error', ({ message }) => complain(message))
    .unref();
}

/** Errors of listen(2) that the user can correct. */
const WHY_NOT_LISTENING = new Map<string | undefined, (at: Config['listen']) => string>([
  ['EADDRINUSE', ({ port }) => `port ${port} is in use: is pmgate already running?`],
  ['EACCES', ({ port }) => `cannot listen on port ${port}: permission denied`],
  ['EADDRNOTAVAIL', ({ host }) => `cannot listen on ${host}: this machine has no such address`],
  ['EINVAL', ({ host }) => `cannot listen on ${host}: this machine has no such address`],
  ['ENOTFOUND', ({ host }) => `cannot listen on ${host}: the name cannot be resolved`],
]);
