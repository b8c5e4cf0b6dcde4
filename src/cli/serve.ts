import type { CommandLine } from './command-line.js';
import { ConfigError } from '../config/index.js';
import type { Config } from '../config/index.js';
import { endProcess } from './shutdown.js';
import { Gateway } from '../gateway/gateway.js';
import { createLog } from '../log/index.js';
import type { Log } from '../log/index.js';
import { systemClock } from '../pmapi/index.js';
import { EXIT_FAILED, EXIT_USAGE, greeting, listen } from './listen.js';
import { configFile, readConfig } from './read-config.js';

/** Serves until a signal stops it. */
export async function serve(command: CommandLine & { kind: 'serve' }): Promise<void> {
  // Workers have a channel to their parent, which tells them what to serve.
  if (process.send && (await import('node:cluster')).default.isWorker) return (await import('./worker.js')).runWorker();
  const file = configFile(command.config);
  const read = (): Config => readConfig(file, command.flags);
  let config: Config;
  try {
    config = read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`pmgate: invalid configuration\n${error.message}\n`);
    process.exitCode = EXIT_USAGE;
    return;
  }

  const log = await createLog(config.log.level, systemClock);
  if (config.listen.workers > 1) {
    const { serveWorkers } = await import('./serve-workers.js');
    serveWorkers({ config, log, read });
    return;
  }
  const gateway = await Gateway.create({ config, log });
  // Before the first line of the log: its reader may send a signal at once.
  stopOnSignals(gateway, log);
  process.on('SIGHUP', () => reload(gateway, log, read));
  process.on('unhandledRejection', (err) => log.error('internal error: unhandled rejection', { err }));
  const address = await listen(gateway, config, log);
  if (address) log.info(greeting(config, address), { startMs: Math.round(performance.now()) });
  else await gateway.close();
}

function stopOnSignals(gateway: Gateway, log: Log): void {
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
