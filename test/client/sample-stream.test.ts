import { createPmgateClient, PmgateError } from '../../src/client/index.js';
import type { StreamHead, StreamOptions, StreamSample } from '../../src/client/index.js';
import { ManualTimers } from '../support/manual-timers.js';
import { errorResponse, PushedBody, refused, ScriptedFetch, settled, textStep } from './support/scripted-fetch.js';
import type { Step } from './support/scripted-fetch.js';
import { rows } from '../support/rows.js';

const sample = (second: number): string => `id: ${second}.0\ndata: {"timestamp":${second}.000000000,"values":[]}\n\n`;
const ended = (reason: string): string => `event: end\ndata: {"reason":"${reason}","message":"it is over"}\n\n`;
const END = ended('archive');

/** A stream over a script, and what it gave so far. */
class Listener {
  readonly timers = new ManualTimers();
  readonly server: ScriptedFetch;
  readonly seen: StreamSample[] = [];
  readonly reconnects: PmgateError[] = [];
  error: unknown;
  isOver = false;
  readonly samples: AsyncGenerator<StreamSample, void>;

  constructor(steps: readonly Step[], options: StreamOptions<'epoch'> = {}) {
    this.server = new ScriptedFetch(...steps);
    const client = createPmgateClient('http://gateway/', {
      fetch: this.server.fetch,
      timers: this.timers,
      random: () => 0.5,
    });
    this.samples = client.stream('a.b', {
      interval: '2s',
      onReconnect: (error) => this.reconnects.push(error),
      ...options,
    });
  }

  async listen(): Promise<void> {
    try {
      for await (const heard of this.samples) this.seen.push(heard);
    } catch (error) {
      this.error = error;
    }
    this.isOver = true;
  }

  get times(): readonly number[] {
    return this.seen.map(({ timestamp }) => timestamp);
  }
}

async function listening(steps: readonly Step[], options?: StreamOptions<'epoch'>): Promise<Listener> {
  const listener = new Listener(steps, options);
  void listener.listen();
  await settled();
  return listener;
}

describe('many streams', () => {
  it('go on after the last sample of each, without those that have ended', async () => {
    const tagged = (id: string, text: string): string => text.replace('data: {', `data: {"subscription":"${id}",`);
    const server = new ScriptedFetch(
      textStep(
        tagged('a', sample(1)) +
          tagged('b', sample(2)) +
          tagged('b', ended('destroyed')) +
          tagged('a', ended('shutdown')),
      ),
      textStep(tagged('a', sample(3)) + tagged('a', ended('failed'))),
    );
    const timers = new ManualTimers();
    const client = createPmgateClient('http://gateway/', { fetch: server.fetch, timers, random: () => 0.5 });
    const seen: unknown[] = [];
    const listen = async (): Promise<void> => {
      const subscriptions = {
        a: { names: ['x'], hostspec: 'web1' },
        b: { names: ['y'], context: 5, lastEventId: '0.5' },
      };
      for await (const { subscription, id } of client.streams(subscriptions)) seen.push([subscription, id]);
    };
    const listening = listen();
    await settled();
    timers.advance(1000);
    await listening;
    expect(seen).toEqual(rows(['a', '1.0'], ['b', '2.0'], ['a', '3.0']));
    const sent = server.requests.map(({ body }) => JSON.parse(body ?? '') as { body: object }[]);
    expect(sent[0]!.map(({ body }) => body)).toEqual([
      { names: ['x'], hostspec: 'web1' },
      { names: ['y'], context: 5, lastEventId: '0.5' },
    ]);
    expect(sent[1]!.map(({ body }) => body)).toEqual([{ names: ['x'], hostspec: 'web1', lastEventId: '1.0' }]);
    expect(server.requests.map(({ url }) => url.pathname)).toEqual(['/pmapi/streams', '/pmapi/streams']);
  });
});

describe('a stream', () => {
  it('gives samples with their ids, until the end of an archive', async () => {
    const listener = await listening([textStep(sample(1) + ': heartbeat\n\n' + sample(2) + END)]);
    expect(listener.seen).toEqual([
      { timestamp: 1, values: [], id: '1.0' },
      { timestamp: 2, values: [], id: '2.0' },
    ]);
    expect([listener.isOver, listener.error]).toEqual([true, undefined]);
    expect(listener.server.requests.map(({ url, headers }) => [url.href, headers.get('accept')])).toEqual([
      ['http://gateway/pmapi/stream?names=a.b&interval=2s', 'text/event-stream, application/json'],
    ]);
    expect(listener.timers.pending).toBe(0);
  });

  it('tells what the values are, and of rounds that failed', async () => {
    const heads: StreamHead[] = [];
    const failures: PmgateError[] = [];
    const head = { interval: 2, metrics: [{ name: 'a.b', pmid: '1.1.1', type: 'u32', sem: 'instant', units: 'none' }] };
    const failure = { message: 'gone', success: false, code: 'SOURCE_UNREACHABLE' };
    const text =
      `event: metrics\ndata: ${JSON.stringify(head)}\n\n` +
      `event: failure\ndata: ${JSON.stringify(failure)}\n\nevent: news\ndata: 1\n\n${sample(1)}${END}`;
    const listener = await listening([textStep(text)], {
      onMetrics: (given) => heads.push(given),
      onFailure: (error) => failures.push(error),
    });
    expect(heads).toEqual([head]);
    expect(failures).toMatchObject([{ code: 'SOURCE_UNREACHABLE', message: 'gone' }]);
    expect(listener.times).toEqual([1]);
  });

  it('resumes after the last sample, with pauses that grow and are random', async () => {
    const listener = await listening([
      textStep('retry: 400\n\n' + sample(1) + sample(2)),
      refused,
      () => errorResponse(503, 'UNAVAILABLE'),
      textStep(sample(3)),
      textStep(END),
    ]);
    const { timers, server } = listener;
    const attempts: number[] = [];
    for (let ms = 0; ms <= 4000; ms += 100) {
      while (attempts.length < server.requests.length) attempts.push(ms);
      timers.advance(100);
      await settled();
    }
    // 0.75 of 400, 800, 1600 ms, and of 400 again once a sample came.
    expect(attempts).toEqual([0, 300, 900, 2100, 2400]);
    expect(listener.times).toEqual([1, 2, 3]);
    expect(server.requests.map(({ headers }) => headers.get('last-event-id'))).toEqual([
      null,
      '2.0',
      '2.0',
      '2.0',
      '3.0',
    ]);
    expect(listener.reconnects.map(({ code }) => code)).toEqual(['NETWORK', 'NETWORK', 'UNAVAILABLE', 'NETWORK']);
    expect([listener.isOver, listener.error, timers.pending]).toEqual([true, undefined, 0]);
  });

  it('begins after a sample of an earlier stream', async () => {
    const listener = await listening([textStep(END)], { lastEventId: '9.5' });
    expect(listener.server.requests[0]?.headers.get('last-event-id')).toBe('9.5');
    expect(listener.server.requests[0]?.url.search).toBe('?names=a.b&interval=2s');
  });

  it.each([
    ['that cannot be reached', refused, { code: 'NETWORK', status: 0 }],
    ['that refuses', () => errorResponse(400, 'BAD_PARAMETER'), { code: 'BAD_PARAMETER', status: 400 }],
  ])('fails at once at a gateway %s', async (_, step, error) => {
    const listener = await listening([step]);
    expect(listener.error).toMatchObject(error);
    expect(listener.timers.pending).toBe(0);
  });

  it('does not come back to a gateway that says it is wrong', async () => {
    const listener = await listening([textStep(sample(1)), () => errorResponse(404, 'UNKNOWN_METRIC')]);
    listener.timers.advance(1000);
    await settled();
    expect(listener.error).toMatchObject({ code: 'UNKNOWN_METRIC' });
  });

  it('gives up after so many reconnections in vain', async () => {
    const listener = await listening([textStep(sample(1)), refused], { maxReconnects: 2 });
    for (let i = 0; i < 5; i++) {
      listener.timers.advance(10_000);
      await settled();
    }
    expect(listener.error).toMatchObject({ code: 'NETWORK' });
    expect(listener.server.requests).toHaveLength(3);
  });

  it('ends with an error when the context or the archive is no more', async () => {
    const gone = await listening([textStep(sample(1) + ended('destroyed'))]);
    expect(gone.error).toMatchObject({ code: 'UNKNOWN_CONTEXT', message: 'it is over' });
    const bad = 'event: failure\ndata: {"message":"torn","success":false,"code":"BAD_ARCHIVE"}\n\n';
    const torn = await listening([textStep(sample(1) + bad + ended('failed'))]);
    expect(torn.error).toMatchObject({ code: 'BAD_ARCHIVE', message: 'torn' });
  });

  it('comes back to a gateway that shut down, and tells of gaps', async () => {
    const gaps: unknown[] = [];
    const gap = 'event: gap\ndata: {"from":1.5,"to":3}\n\n';
    const listener = await listening([textStep(sample(1) + ended('shutdown')), textStep(gap + sample(3) + END)], {
      onGap: (missed) => gaps.push(missed),
    });
    listener.timers.advance(1000);
    await settled();
    expect([listener.times, gaps, listener.isOver, listener.error]).toEqual([
      [1, 3],
      [{ from: 1.5, to: 3 }],
      true,
      undefined,
    ]);
  });

  it('takes a long silence for a loss; heartbeats break it', async () => {
    const body = new PushedBody();
    const listener = await listening([body.step, textStep(END)], { silenceMs: 5000 });
    body.push(sample(1));
    await settled();
    listener.timers.advance(4900);
    body.push(': heartbeat\n\n');
    await settled();
    listener.timers.advance(4900);
    await settled();
    expect(listener.reconnects).toEqual([]);
    listener.timers.advance(100);
    await settled();
    expect(listener.reconnects).toMatchObject([{ code: 'TIMEOUT', message: 'the stream was silent for 5000 ms' }]);
    listener.timers.advance(750);
    await settled();
    expect([listener.isOver, listener.error]).toEqual([true, undefined]);
  });

  it('closes the connection when the loop is left', async () => {
    const body = new PushedBody();
    const listener = new Listener([body.step]);
    const first = listener.samples.next();
    await settled();
    body.push(sample(1) + sample(2));
    expect((await first).value).toMatchObject({ timestamp: 1 });
    expect(body.isCancelled).toBe(false);
    await listener.samples.return();
    expect(body.isCancelled).toBe(true);
    expect(listener.timers.pending).toBe(0);
  });

  it('reads no faster than the loop', async () => {
    const body = new PushedBody();
    const listener = new Listener([body.step]);
    const first = listener.samples.next();
    await settled();
    body.push(sample(1));
    await first;
    const { pulls } = body;
    await settled();
    expect(body.pulls).toBe(pulls);
    void listener.samples.next();
    await settled();
    expect(body.pulls).toBe(pulls + 1);
  });

  it('ends with the reason of its signal, while it listens and while it waits', async () => {
    const reason = new Error('enough');
    for (const steps of [[new PushedBody().step], [textStep(sample(1)), refused]]) {
      const giveUp = new AbortController();
      const listener = await listening(steps, { signal: giveUp.signal });
      expect(listener.isOver).toBe(false);
      giveUp.abort(reason);
      await settled();
      expect(listener.error).toBe(reason);
      expect(listener.timers.pending).toBe(0);
    }
  });

  it('says when what it gets are no samples', async () => {
    const listener = await listening([textStep('data: {"values":[]}\n\n')]);
    expect(listener.error).toMatchObject({ code: 'UNEXPECTED_ANSWER' });
  });
});
