import { createHmac } from 'node:crypto';
import type { ContextDirectory, ContextManager } from '../context/index.js';
import { systemTimers } from '../kit/index.js';
import type { Timers } from '../kit/index.js';
import type { ContextWork } from '../http/index.js';
import type { FromWorker, KeptContext, WorkerPlace } from './worker-channel.js';

/** Ends of contexts that are remembered for a worker. */
const ENDS_KEPT = 4096;

/** What the parent process keeps of the contexts of one worker, for the process that replaces it. */
export class ContextCopies {
  readonly #open = new Map<number, KeptContext>();
  /** Those that ended, oldest first. */
  readonly #ended = new Map<number, KeptContext>();

  take(context: KeptContext): void {
    const { id, ending } = context;
    if (ending === undefined) {
      this.#ended.delete(id);
      this.#open.set(id, context);
      return;
    }
    this.#open.delete(id);
    this.#ended.set(id, context);
    if (this.#ended.size > ENDS_KEPT) this.#ended.delete(this.#ended.keys().next().value!);
  }

  list(): readonly KeptContext[] {
    return [...this.#ended.values(), ...this.#open.values()];
  }
}

/** What {@link WorkerContexts} is made from. */
export interface WorkerContextsOptions {
  readonly place: WorkerPlace;
  /** Of a process that this one replaces. */
  readonly kept: readonly KeptContext[];
  /** Resolves when the parent process will get it, even if this one is killed. */
  readonly send: (message: FromWorker) => Promise<void>;
  /** The system's, except in tests. */
  readonly timers?: Timers | undefined;
}

/**
 * The contexts of a worker, as far as they outlive its process: the parent keeps a record of each, and gives them to the process that takes
 * its place. That one opens a context again when a request names it.
 */
export class WorkerContexts implements ContextDirectory {
  readonly #options: WorkerContextsOptions;
  /** Of the process before this one; those that were opened again are gone. */
  readonly #kept = new Map<number, KeptContext>();
  readonly #restoring = new Map<number, Promise<void>>();
  /** Shared contexts with a record. */
  readonly #shared = new Set<number>();
  #holder: Pick<ContextManager, 'record' | 'unusedMs'> | undefined;

  constructor(options: WorkerContextsOptions) {
    const { kept, timers = systemTimers } = options;
    this.#options = options;
    for (const context of kept) {
      this.#kept.set(context.id, context);
      if (context.ending === undefined) timers.after(context.ttlMs, () => this.#expire(context));
    }
  }

  /** Begins to keep records of contexts. Called once. */
  start(holder: Pick<ContextManager, 'record' | 'unusedMs'>): void {
    this.#holder = holder;
  }

  create(id: number): Promise<void> {
    return this.save(id);
  }

  async save(id: number): Promise<void> {
    const record = this.#holder?.record(id);
    if (record) await this.#send({ id, ...record });
  }

  async end(id: number, ending: string): Promise<void> {
    await this.#send({ id, ending });
  }

  readonly shared = {
    idOf: (key: string): number => this.#idOf(key),
    note: async (id: number): Promise<void> => {
      for (const one of this.#shared) {
        if (this.#holder?.unusedMs(one) !== Infinity) continue;
        this.#shared.delete(one);
        await this.end(one, 'expired');
      }
      this.#shared.add(id);
      await this.save(id);
    },
  };

  /** Does something with a context of this worker; opens it before if the process before this one had it. */
  async at<T extends object>(id: number, work: ContextWork<T>): Promise<T> {
    // A request that cannot open it, since its password is wrong, is no reason for others to fail.
    for (let restoring; (restoring = this.#restoring.get(id));) await restoring.catch(() => undefined);
    const kept = this.#kept.get(id);
    if (!kept) return work.here();
    if (kept.ending !== undefined) return work.gone(kept.ending);
    const restoring = work.restore(kept.text);
    this.#restoring.set(id, restoring);
    try {
      await restoring;
      this.#kept.delete(id);
    } finally {
      this.#restoring.delete(id);
    }
    return work.here();
  }

  /** The number of the shared context with a key: the same in each process of this worker. */
  #idOf(key: string): number {
    const { secret, count, index } = this.#options.place;
    const hash = createHmac('sha256', secret).update(key).digest();
    const number = (hash.readUInt32BE(0) & 0xfffff) * 0x1_0000_0000 + hash.readUInt32BE(4);
    return number - (number % count) + count + index;
  }

  #expire(context: KeptContext): void {
    const { id } = context;
    // It was opened again, or is just now.
    if (this.#kept.get(id) !== context || this.#restoring.has(id)) return;
    this.#kept.set(id, { id, ending: 'expired' });
    void this.end(id, 'expired');
  }

  async #send(context: KeptContext): Promise<void> {
    await this.#options.send({ kind: 'context', context });
  }
}
