import type { AddressInfo } from 'node:net';
import type { Config } from '../config/index.js';

/** A worker: one of the processes that serve a port together. */
export interface WorkerPlace {
  /** From 0; the first one does what only one process may do. */
  readonly index: number;
  readonly count: number;
  /** A directory that only this user may enter, for the sockets between workers. */
  readonly directory: string;
  /** What workers prove to one another that they belong together. */
  readonly secret: string;
}

/** A context of a worker, as the parent process keeps it: what it is opened from again, or how it ended. */
export type KeptContext =
  | { readonly id: number; readonly text: string; readonly ttlMs: number; readonly ending?: undefined }
  | { readonly id: number; readonly ending: string };

/** What the parent process sends to a worker. */
export type ToWorker =
  /**
   * Serve. `reloaded` is the configuration that has been put in force since the start, and `contexts` are those of the process that this one
   * replaces.
   */
  | {
      readonly kind: 'start';
      readonly place: WorkerPlace;
      readonly config: Config;
      readonly reloaded?: Config;
      readonly contexts?: readonly KeptContext[];
    }
  /** To the first worker: another one needs the global definitions. */
  | { readonly kind: 'join'; readonly index: number }
  /** Global definitions: a change of them or, `isWhole`, all. */
  | { readonly kind: 'define'; readonly number: number; readonly isWhole: boolean; readonly text: string }
  /** To the first worker: all that have to know what it published know it. */
  | { readonly kind: 'settled'; readonly number: number }
  | { readonly kind: 'reload'; readonly config: Config }
  /** Finish the requests of clients. */
  | { readonly kind: 'stop' }
  /** All workers have finished: end. */
  | { readonly kind: 'finish' };

/** What a worker sends to the parent process. */
export type FromWorker =
  | { readonly kind: 'hello' }
  | { readonly kind: 'listening'; readonly address: AddressInfo }
  /** It needs the global definitions. */
  | { readonly kind: 'join' }
  /** Of the first worker: global definitions for all others, or for one. */
  | {
      readonly kind: 'publish';
      readonly number: number;
      readonly isWhole: boolean;
      readonly text: string;
      readonly to?: number;
    }
  /** What was published is in force at this worker. */
  | { readonly kind: 'defined'; readonly number: number }
  /** A context was opened, has changed or ended. */
  | { readonly kind: 'context'; readonly context: KeptContext }
  /** It no longer has clients. */
  | { readonly kind: 'drained' };

/** The channel between a worker and its parent: messages arrive whole and in order. */
export interface WorkerChannel {
  /** Never rejects; resolves when the parent will get the message, even if this process is killed. */
  send(message: FromWorker): Promise<void>;
  /** Adds a listener; all of them get each message. */
  onMessage(listener: (message: ToWorker) => void): void;
}
