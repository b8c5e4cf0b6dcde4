import type { AddressInfo } from 'node:net';
import type { Config } from '../config/index.js';
import type { FromWorker, ToWorker, WorkerPlace } from '../gateway/worker-channel.js';
import { ContextCopies } from '../gateway/worker-contexts.js';
import type { Timers } from '../kit/index.js';
import type { Log } from '../log/index.js';
import { EXIT_FAILED } from './listen.js';

/** A process that was started. */
export interface WorkerProcess {
  send(message: ToWorker): void;
  kill(): void;
}

/** What a process reports. */
export interface WorkerEvents {
  message(message: FromWorker): void;
  /** @param why its exit code, or the signal that ended it */
  exit(why: number | NodeJS.Signals): void;
}

/** What {@link WorkerParent} needs. */
export interface WorkerParentOptions {
  readonly config: Config;
  readonly place: Omit<WorkerPlace, 'index'>;
  readonly fork: (events: WorkerEvents) => WorkerProcess;
  readonly timers: Timers;
  readonly log: Log;
  /** Called once, when all workers listen. */
  readonly onListening: (address: AddressInfo) => void;
  /** Called once, when no worker is left, with the exit code. */
  readonly onEnd: (code: number) => void;
}

/** So many crashes of workers within this time, and all of them are stopped. */
const MOST_CRASHES = 5;
const CRASH_WINDOW_MS = 60_000;
/** How long a worker that has ended is not started again; doubled with each crash in the window. */
const RESTART_MS = 100;
/** A worker that has not taken over definitions for so long is killed: changes wait for it. */
const DEFINE_MS = 30_000;
/** How much longer than its clients may take a worker may take to end. */
const END_MS = 10_000;

/** One worker, while its process is there. */
interface Worker {
  readonly process: WorkerProcess;
  isListening: boolean;
  /** Whether it has, or waits for, the global definitions. */
  hasJoined: boolean;
  isDrained: boolean;
}

/** Definitions that were published. */
interface Published {
  /** The process that published them, and its number for them. */
  readonly by: Worker;
  readonly number: number;
  /** Those that have to take them over. */
  readonly waitsFor: Set<Worker>;
  readonly stopTimer: () => void;
}

/**
 * Starts the workers that serve a port together, starts those again that end, and passes messages on between them. The first worker starts
 * alone, so that what is wrong with the port or the configuration is reported once.
 */
export class WorkerParent {
  readonly #options: WorkerParentOptions;
  readonly #workers = new Map<number, Worker>();
  readonly #published = new Map<number, Published>();
  /** By the index of the worker. */
  readonly #contexts: readonly ContextCopies[];
  #lastNumber = 0;
  /** Whether all workers have listened once. */
  #hasStarted = false;
  #reloaded: Config | undefined;
  /** When workers crashed. */
  #crashesMs: readonly number[] = [];
  readonly #restarts = new Set<() => void>();
  /** The exit code; undefined while the workers serve. */
  #endsWith: number | undefined;
  #stopDeadline = (): void => undefined;

  constructor(options: WorkerParentOptions) {
    this.#options = options;
    this.#contexts = Array.from({ length: options.place.count }, () => new ContextCopies());
  }

  start(): void {
    this.#start(0);
  }

  /** Puts another configuration, which was checked, in force at all workers. */
  reload(config: Config): void {
    this.#reloaded = config;
    for (const { process } of this.#workers.values()) process.send({ kind: 'reload', config });
  }

  /** Ends all workers when they have answered their clients. */
  stop(code = 0): void {
    if (this.#endsWith !== undefined) return;
    this.#endsWith = code;
    for (const cancel of this.#restarts) cancel();
    for (const { process } of this.#workers.values()) process.send({ kind: 'stop' });
    const { timers, config, log } = this.#options;
    this.#stopDeadline = timers.after(config.limits.drainSec * 1000 + END_MS, () => {
      log.warn('workers did not end in time', { workers: [...this.#workers.keys()] });
      this.#endsWith = EXIT_FAILED;
      for (const { process } of this.#workers.values()) process.kill();
    });
    this.#endIfDone();
  }

  #start(index: number): void {
    const worker: Worker = {
      isListening: false,
      hasJoined: false,
      isDrained: false,
      process: this.#options.fork({
        message: (message) => this.#take(index, worker, message),
        exit: (why) => this.#ended(index, worker, why),
      }),
    };
    this.#workers.set(index, worker);
  }

  #take(index: number, worker: Worker, message: FromWorker): void {
    const { config, place } = this.#options;
    switch (message.kind) {
      case 'hello':
        if (this.#endsWith !== undefined) {
          worker.process.send({ kind: 'stop' });
          return;
        }
        worker.process.send({
          kind: 'start',
          place: { ...place, index },
          config,
          ...(this.#reloaded && { reloaded: this.#reloaded }),
          ...(this.#hasStarted && { contexts: this.#contexts[index]!.list() }),
        });
        return;
      case 'listening':
        worker.isListening = true;
        this.#listens(index, message.address);
        return;
      case 'join':
        worker.hasJoined = true;
        // One that starts publishes its definitions anyway.
        this.#workers.get(0)?.process.send({ kind: 'join', index });
        return;
      case 'publish':
        this.#publish(worker, message);
        return;
      case 'defined':
        this.#defined(worker, message.number);
        return;
      case 'context':
        this.#contexts[index]!.take(message.context);
        return;
      case 'drained':
        worker.isDrained = true;
        this.#endIfDone();
    }
  }

  #listens(index: number, address: AddressInfo): void {
    const { place, onListening, log } = this.#options;
    if (this.#hasStarted) {
      log.info('a worker serves again', { worker: index });
      return;
    }
    if (index === 0) for (let i = 1; i < place.count; i++) if (!this.#workers.has(i)) this.#start(i);
    const workers = [...this.#workers.values()];
    if (workers.length < place.count || !workers.every(({ isListening }) => isListening)) return;
    this.#hasStarted = true;
    onListening(address);
  }

  #publish(by: Worker, { number, isWhole, text, to }: FromWorker & { kind: 'publish' }): void {
    const others = [...this.#workers.values()].filter((worker) => worker !== by && worker.hasJoined);
    const waitsFor = new Set(to === undefined ? others : others.filter((worker) => worker === this.#workers.get(to)));
    const own = ++this.#lastNumber;
    const stopTimer = this.#options.timers.after(DEFINE_MS, () => {
      this.#options.log.error('killing a worker that does not respond', {});
      for (const { process } of waitsFor) process.kill();
    });
    this.#published.set(own, { by, number, waitsFor, stopTimer });
    for (const { process } of waitsFor) process.send({ kind: 'define', number: own, isWhole, text });
    this.#settle(own);
  }

  #defined(worker: Worker, number: number): void {
    this.#published.get(number)?.waitsFor.delete(worker);
    this.#settle(number);
  }

  #settle(own: number): void {
    const published = this.#published.get(own);
    if (!published || published.waitsFor.size > 0) return;
    published.stopTimer();
    this.#published.delete(own);
    published.by.process.send({ kind: 'settled', number: published.number });
  }

  #ended(index: number, worker: Worker, why: number | NodeJS.Signals): void {
    this.#workers.delete(index);
    for (const number of [...this.#published.keys()]) this.#defined(worker, number);
    if (this.#endsWith !== undefined) {
      this.#endIfDone();
      return;
    }
    // It has logged why it does not listen.
    if (index === 0 && !this.#hasStarted && !worker.isListening) this.stop(why === 0 ? EXIT_FAILED : Number(why) || 1);
    else this.#restart(index, why);
  }

  #restart(index: number, why: number | NodeJS.Signals): void {
    const { timers, log } = this.#options;
    const nowMs = timers.nowMs();
    this.#crashesMs = [...this.#crashesMs.filter((ms) => nowMs - ms < CRASH_WINDOW_MS), nowMs];
    log.error('a worker has ended', { worker: index, ...(typeof why === 'number' ? { code: why } : { signal: why }) });
    if (this.#crashesMs.length >= MOST_CRASHES) {
      log.error(`${MOST_CRASHES} workers have ended within a minute: stopping`, {});
      this.stop(EXIT_FAILED);
      return;
    }
    const cancel = timers.after(RESTART_MS * 2 ** (this.#crashesMs.length - 1), () => {
      this.#restarts.delete(cancel);
      this.#start(index);
    });
    this.#restarts.add(cancel);
  }

  #endIfDone(): void {
    if (this.#endsWith === undefined) return;
    const workers = [...this.#workers.values()];
    if (workers.length === 0) {
      this.#stopDeadline();
      this.#options.onEnd(this.#endsWith);
    } else if (workers.every(({ isDrained }) => isDrained)) {
      for (const { process } of workers) process.send({ kind: 'finish' });
    }
  }
}
