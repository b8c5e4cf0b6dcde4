import type { CallOptions, PmgateError, StreamExtras, StreamSample, Subscription } from '../../../../client/index.js';

/** Reads many streams on one connection: `streams()` of the client. */
export type ReadStreams = (
  subscriptions: Readonly<Record<string, Subscription<'epoch'>>>,
  options: Omit<StreamExtras, 'lastEventId'> & CallOptions,
) => AsyncIterable<StreamSample>;

/** Receives the events of a stream. `onSample` remembers the id: the stream resumes after it on the next connection. */
export interface StreamListener {
  /** What to stream, resuming after the last sample. */
  readonly subscription: () => Subscription<'epoch'>;
  readonly onSample: (sample: StreamSample) => void;
  readonly onMetrics: NonNullable<StreamExtras['onMetrics']>;
  readonly onGap: NonNullable<StreamExtras['onGap']>;
  /** A sample or the connection failed; the stream continues. */
  readonly onTrouble: (error: PmgateError) => void;
}

interface Joined {
  readonly listener: StreamListener;
  readonly fail: (error: Error) => void;
}

/**
 * The streams of the page on one connection, since browsers have six for all tabs together. When a stream begins or ends, the page
 * reconnects, and every stream resumes after its last sample.
 */
export class PageStreams {
  readonly #read: ReadStreams;
  readonly #soon: (callback: () => void) => void;
  readonly #joined = new Map<string, Joined>();
  #connection = new AbortController();
  #isDue = false;
  #count = 0;

  /** @param soon calls back after a short time, so that streams that begin together need one connection */
  constructor(read: ReadStreams, soon: (callback: () => void) => void) {
    this.#read = read;
    this.#soon = soon;
  }

  /** Stream until the signal is aborted. Rejects when the stream cannot continue. */
  follow(listener: StreamListener, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const id = `s${this.#count++}`;
      const leave = (): boolean => {
        signal.removeEventListener('abort', onAbort);
        return this.#joined.delete(id);
      };
      const onAbort = (): void => {
        leave();
        this.#renew();
        resolve();
      };
      const fail = (error: Error): void => {
        leave();
        reject(error);
      };
      signal.addEventListener('abort', onAbort);
      this.#joined.set(id, { listener, fail });
      this.#renew();
    });
  }

  #renew(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#soon(() => {
      this.#isDue = false;
      this.#connection.abort(new Error('other streams are wanted'));
      this.#connection = new AbortController();
      if (this.#joined.size > 0) void this.#run(this.#connection.signal);
    });
  }

  async #run(signal: AbortSignal): Promise<void> {
    const subscriptions: Record<string, Subscription<'epoch'>> = {};
    for (const [id, { listener }] of this.#joined) subscriptions[id] = listener.subscription();
    const of = (id: string | undefined): StreamListener | undefined => this.#joined.get(id ?? '')?.listener;
    const failures = new Map<string, PmgateError>();
    try {
      const samples = this.#read(subscriptions, {
        signal,
        onMetrics: (head) => of(head.subscription)?.onMetrics(head),
        onGap: (gap) => of(gap.subscription)?.onGap(gap),
        onFailure: (error) => {
          const id = error.details?.subscription ?? '';
          failures.set(id, error);
          of(id)?.onTrouble(error);
        },
        onReconnect: (error) => {
          for (const { listener } of this.#joined.values()) listener.onTrouble(error);
        },
        onEnd: ({ subscription = '', message }) => {
          this.#joined.get(subscription)?.fail(failures.get(subscription) ?? new Error(message));
        },
      });
      for await (const sample of samples) {
        if (isOver(signal)) return;
        failures.delete(sample.subscription ?? '');
        of(sample.subscription)?.onSample(sample);
      }
    } catch (error) {
      if (isOver(signal)) return;
      const reason = error instanceof Error ? error : new Error(String(error));
      for (const { fail } of [...this.#joined.values()]) fail(reason);
    }
  }
}

/** A function, since a signal may be aborted during any wait. */
export function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}
