import { rmdirSync, rmSync } from 'node:fs';
import type { Config } from '../config/index.js';
import { Gateway } from '../gateway/gateway.js';
import type { FromWorker, ToWorker, WorkerChannel, WorkerPlace } from '../gateway/worker-channel.js';
import { socketOf } from '../gateway/worker-team.js';
import { createLog } from '../log/index.js';
import type { Log } from '../log/index.js';
import { systemClock } from '../pmapi/index.js';
import { EXIT_FAILED, listen } from './listen.js';
import { endProcess } from './shutdown.js';

interface Serving {
  readonly gateway: Gateway;
  readonly log: Log;
}

/** Serves as one of several processes, until the parent says that it is over. Node ends it when the parent is gone. */
export async function runWorker(): Promise<void> {
  // Terminals and service managers send them to all processes: the parent decides.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  const channel: WorkerChannel = {
    // The parent may be gone.
    send: (message) => new Promise((resolve) => process.send!(message, undefined, undefined, () => resolve())),
    onMessage: (listener) => process.on('message', listener),
  };
  const worker: { serving?: Serving; latest?: Config | undefined } = {};
  channel.onMessage((message) => {
    const { serving } = worker;
    if (message.kind === 'reload') {
      worker.latest = message.config;
      if (serving) reload(serving, message.config);
    } else if (message.kind === 'stop' && serving) void stop(serving);
    else if (message.kind === 'stop') process.exit();
  });
  const { place, config, reloaded, contexts } = await startOf(channel);
  removeAtExit(place);
  const log = await createLog(config.log.level, systemClock, undefined, { worker: place.index });
  process.on('unhandledRejection', (err) => log.error('internal error: unhandled rejection', { err }));
  const gateway = await Gateway.create({ config, log, worker: { place, channel, contexts } });
  worker.serving = { gateway, log };
  worker.latest ??= reloaded;
  if (worker.latest) reload(worker.serving, worker.latest);
  const address = await listen(gateway, config, log);
  if (!address) process.exit();
  await channel.send({ kind: 'listening', address });
}

function startOf(channel: WorkerChannel): Promise<ToWorker & { kind: 'start' }> {
  return new Promise((resolve) => {
    channel.onMessage((message) => {
      if (message.kind === 'start') resolve(message);
    });
    void channel.send({ kind: 'hello' } satisfies FromWorker);
  });
}

/** The last process that ends removes the directory: the parent may have been killed. */
function removeAtExit({ directory, index }: WorkerPlace): void {
  process.once('exit', () => {
    try {
      rmSync(socketOf(directory, index), { force: true });
      rmdirSync(directory);
    } catch {
      // Other processes still use it.
    }
  });
}

/** The parent has checked and reported it. */
function reload({ gateway, log }: Serving, config: Config): void {
  try {
    gateway.reload(config);
  } catch (err) {
    log.reply('cannot reload the configuration', { err });
  }
}

async function stop({ gateway, log }: Serving): Promise<void> {
  try {
    await gateway.close();
    await endProcess(0);
  } catch (err) {
    log.error('shutdown failed', { err });
    await endProcess(EXIT_FAILED);
  }
}
