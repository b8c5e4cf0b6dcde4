/** The one connection of the page for all its streams. */
import { jest } from '@jest/globals';
import { PmgateError } from '../../../src/client/index.js';
import { expectFrom, isSilent, runClock } from '../../../src/features/console/page/data/gateway-clock.js';
import { pageStreams } from '../../../src/features/console/page/data/page-streams.js';
import type { ReadStreams, StreamListener } from '../../../src/features/console/page/data/page-streams.js';

type Options = Parameters<ReadStreams>[1];

/** A connection that tests write into. */
class Connection {
  readonly subscriptions: Record<string, unknown>;
  readonly options: Options;
  readonly #waiting: { sample?: object; error?: unknown }[] = [];
  #wake: () => void = () => undefined;

  constructor(subscriptions: Record<string, unknown>, options: Options) {
    this.subscriptions = subscriptions;
    this.options = options;
  }

  async push(item: { sample?: object; error?: unknown }): Promise<void> {
    this.#waiting.push(item);
    this.#wake();
    await settled();
  }

  async *samples(): AsyncGenerator<never, void> {
    for (;;) {
      for (const { sample, error } of this.#waiting.splice(0)) {
        if (error !== undefined) throw error as Error;
        yield sample as never;
      }
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

async function settled(): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.resolve();
}

function begin() {
  const connections: Connection[] = [];
  const due: (() => void)[] = [];
  const read: ReadStreams = (subscriptions, options) => {
    const connection = new Connection(subscriptions, options);
    connections.push(connection);
    return connection.samples();
  };
  const streams = pageStreams(read, (callback) => due.push(callback));
  const pass = (): void => {
    for (const callback of due.splice(0)) callback();
  };
  return { streams, connections, pass };
}

/** A listener that goes on after its last sample. */
function listener(name: string) {
  const seen: string[] = [];
  let lastEventId: string | undefined;
  const heard: StreamListener = {
    subscription: () => ({ names: [name], lastEventId }),
    onSample: ({ id }) => {
      lastEventId = id;
      seen.push(id);
    },
    onMetrics: () => seen.push('metrics'),
    onGap: () => seen.push('gap'),
    onTrouble: ({ code }) => seen.push(code),
  };
  return { heard, seen };
}

const sample = (subscription: string, id: string): { sample: object } => ({ sample: { subscription, id, values: [] } });

describe('the streams of the page', () => {
  it('share a connection, which is made again when one comes or goes, after the last sample of each', async () => {
    const { streams, connections, pass } = begin();
    const [a, b, stopped] = [listener('a'), listener('b'), new AbortController()];
    void streams.follow(a.heard, new AbortController().signal);
    const following = streams.follow(b.heard, stopped.signal);
    pass();
    expect(connections.map(({ subscriptions }) => subscriptions)).toEqual([
      { s0: { names: ['a'] }, s1: { names: ['b'] } },
    ]);
    await connections[0]!.push(sample('s0', '1.0'));
    await connections[0]!.push(sample('s1', '2.0'));
    connections[0]!.options.onGap!({ subscription: 's1', from: 1, to: 2 });
    expect([a.seen, b.seen]).toEqual([['1.0'], ['2.0', 'gap']]);
    stopped.abort();
    await following;
    pass();
    expect(connections[0]!.options.signal!.aborted).toBe(true);
    expect(connections[1]!.subscriptions).toEqual({ s0: { names: ['a'], lastEventId: '1.0' } });
    // What the old connection still has is not heard twice.
    await connections[0]!.push(sample('s0', '3.0'));
    expect(a.seen).toEqual(['1.0']);
  });

  it('closes the connection with the last stream, and needs none before the first', () => {
    const { streams, connections, pass } = begin();
    const stopped = new AbortController();
    void streams.follow(listener('a').heard, stopped.signal);
    stopped.abort();
    pass();
    expect(connections).toEqual([]);
    return streams.follow(listener('a').heard, stopped.signal);
  });

  it('tell the stream that failed why, and others nothing', async () => {
    const { streams, connections, pass } = begin();
    const [a, b] = [listener('a'), listener('b')];
    const failed = streams.follow(a.heard, new AbortController().signal).catch((error: unknown) => error);
    void streams.follow(b.heard, new AbortController().signal);
    pass();
    const { options } = connections[0]!;
    const details = { code: 'SOURCE_TIMEOUT', message: 'no answer', success: false, subscription: 's0' } as const;
    const error = new PmgateError('SOURCE_TIMEOUT', 'no answer', { details });
    options.onFailure!(error);
    options.onEnd!({ subscription: 's0', message: 'no answer' });
    expect(await failed).toBe(error);
    expect([a.seen, b.seen]).toEqual([['SOURCE_TIMEOUT'], []]);
    options.onReconnect!(new PmgateError('NETWORK', 'lost'));
    expect(b.seen).toEqual(['NETWORK']);
  });

  it('all end with a connection that is refused', async () => {
    const { streams, connections, pass } = begin();
    const refused = new PmgateError('AUTHENTICATION_REQUIRED', 'credentials are required', { status: 401 });
    const both = Promise.allSettled(
      ['a', 'b'].map((name) => streams.follow(listener(name).heard, new AbortController().signal)),
    );
    pass();
    await connections[0]!.push({ error: refused });
    expect(await both).toEqual([
      { status: 'rejected', reason: refused },
      { status: 'rejected', reason: refused },
    ]);
  });
});

describe('a gateway that stands still', () => {
  it('is told from one that has nothing to send', () => {
    jest.useFakeTimers();
    Object.assign(globalThis, { document: { hidden: false } });
    const stop = runClock();
    const stream = {};
    const silentAfter = (seconds: number): boolean => {
      jest.advanceTimersByTime(seconds * 1000);
      return isSilent.value;
    };
    expect(silentAfter(60)).toBe(false);
    expectFrom(stream, 10);
    expect([silentAfter(13), silentAfter(2)]).toEqual([false, true]);
    expectFrom(stream, 1);
    expect([isSilent.value, silentAfter(4), silentAfter(2)]).toEqual([false, false, true]);
    expectFrom(stream, undefined);
    expect(silentAfter(60)).toBe(false);
    stop();
    Reflect.deleteProperty(globalThis, 'document');
    jest.useRealTimers();
  });
});
