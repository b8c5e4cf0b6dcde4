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

/**
 * The streams of the page on one connection, since browsers have six for all tabs together. When a stream begins or ends, the page
 * reconnects, and every stream resumes after its last sample.
 */
export function pageStreams(read: ReadStreams, soon: (callback: () => void) => void) {
  const joined = new Map<string, { readonly listener: StreamListener; readonly fail: (error: Error) => void }>();
  let connection = new AbortController();
  let isDue = false;
  let count = 0;

  /** Stream until the signal is aborted. Rejects when the stream cannot continue. */
  function follow(listener: StreamListener, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const id = `s${count++}`;
      const leave = (): boolean => {
        signal.removeEventListener('abort', onAbort);
        return joined.delete(id);
      };
      const onAbort = (): void => {
        leave();
        renew();
        resolve();
      };
      const fail = (error: Error): void => {
        leave();
        reject(error);
      };
      signal.addEventListener('abort', onAbort);
      joined.set(id, { listener, fail });
      renew();
    });
  }

  function renew(): void {
    if (isDue) return;
    isDue = true;
    soon(() => {
      isDue = false;
      connection.abort(new Error('other streams are wanted'));
      connection = new AbortController();
      if (joined.size > 0) void run(connection.signal);
    });
  }

  async function run(signal: AbortSignal): Promise<void> {
    const subscriptions: Record<string, Subscription<'epoch'>> = {};
    for (const [id, { listener }] of joined) subscriptions[id] = listener.subscription();
    const of = (id: string | undefined): StreamListener | undefined => joined.get(id ?? '')?.listener;
    const failures = new Map<string, PmgateError>();
    try {
      const samples = read(subscriptions, {
        signal,
        onMetrics: (head) => of(head.subscription)?.onMetrics(head),
        onGap: (gap) => of(gap.subscription)?.onGap(gap),
        onFailure: (error) => {
          const id = error.details?.subscription ?? '';
          failures.set(id, error);
          of(id)?.onTrouble(error);
        },
        onReconnect: (error) => {
          for (const { listener } of joined.values()) listener.onTrouble(error);
        },
        onEnd: ({ subscription = '', message }) => {
          joined.get(subscription)?.fail(failures.get(subscription) ?? new Error(message));
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
      for (const { fail } of [...joined.values()]) fail(reason);
    }
  }
  return { follow };
}

/** A function, since a signal may be aborted during any wait. */
export function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}
