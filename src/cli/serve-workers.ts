import cluster from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ConfigError } from '../config/index.js';
import type { Config } from '../config/index.js';
import { withRestartOnly } from '../gateway/restart-only.js';
import type { FromWorker } from '../gateway/worker-channel.js';
import { systemTimers } from '../kit/index.js';
import type { Log } from '../log/index.js';
import { EXIT_FAILED, greeting } from './listen.js';
import { WorkerParent } from './worker-parent.js';
import type { WorkerEvents, WorkerProcess } from './worker-parent.js';

/** What workers serve. */
interface Served {
  readonly config: Config;
  readonly log: Log;
  /** Reads the configuration again. Throws ConfigError. */
  readonly read: () => Config;
}

/** Serves with several processes until a signal stops them. */
export function serveWorkers({ config, log, read }: Served): void {
  // The sockets in it are for this user only: its mode is 0700.
  const directory = mkdtempSync(path.join(os.tmpdir(), 'pmgate-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const parent = new WorkerParent({
    config,
    place: { count: config.listen.workers, directory, secret: randomBytes(32).toString('hex') },
    fork,
    timers: systemTimers,
    log,
    onListening: (address) => {
      const { workers } = config.listen;
      log.info(greeting(config, address), { workers, startMs: Math.round(performance.now()) });
    },
    onEnd: (code) => {
      if (code === 0) log.info('stopped');
      process.exit(code);
    },
  });
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    // A second signal: do not wait. The workers end with this process.
    if (stopping) process.exit(EXIT_FAILED);
    stopping = true;
    log.info(`${signal}: finishing requests in progress`);
    parent.stop();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('SIGHUP', () => reload(parent, { config, log, read }));
  parent.start();
}

function reload(parent: WorkerParent, { config: started, log, read }: Served): void {
  try {
    const config = read();
    const { waiting } = withRestartOnly(started, config);
    parent.reload(config);
    log.level = config.log.level;
    log.info('SIGHUP: configuration reloaded', waiting.length > 0 ? { waitsForRestart: waiting } : {});
  } catch (error) {
    const why = error instanceof ConfigError ? { problems: error.problems } : { err: error };
    log.reply('SIGHUP: invalid configuration, keeping the previous one', why);
  }
}

function fork(events: WorkerEvents): WorkerProcess {
  const worker = cluster.fork();
  worker.on('message', (sent: FromWorker) => events.message(sent));
  worker.on('exit', (code: number | null, signal: NodeJS.Signals) => events.exit(code ?? signal));
  // Of a worker that has ended, which its exit reports.
  worker.on('error', () => undefined);
  return {
    send: (sent) => {
      if (worker.isConnected()) worker.send(sent, () => undefined);
    },
    kill: () => worker.process.kill('SIGKILL'),
  };
}
