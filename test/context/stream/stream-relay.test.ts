import { parseEventId, StreamHub } from '../../../src/context/stream/index.js';
import type { RelayRequest, StreamLimits, StreamLoad, StreamSubscription } from '../../../src/context/stream/index.js';
import { memoryGateway } from '../../support/memory-gateway.js';
import {
  countingContent,
  HandTime,
  relayRequest,
  settle,
  streamRequest,
  TestSink,
} from '../../support/stream-fixture.js';
import { STREAM_LIMITS } from '../../support/patience.js';

interface Client {
  readonly sink: TestSink;
  readonly subscription: StreamSubscription;
}

/** Two gateways: one samples, the other one has the clients. */
async function twoHubs(limits: Partial<StreamLimits> = {}, changed = false, load?: StreamLoad) {
  const time = new HandTime(200);
  const { content, fetches } = countingContent();
  const gateway = memoryGateway({ clock: time, content });
  const options = { clock: time, timers: time };
  const owner = new StreamHub({ ...options, limits: STREAM_LIMITS });
  const relaying = new StreamHub({ ...options, limits: { ...STREAM_LIMITS, ...limits }, ...(load && { load }) });
  const context = await gateway.contexts.create({ kind: 'host', hostspec: 'web1' });
  const open = async (lastId?: string, more: Partial<RelayRequest> = {}) => {
    const lastEventId = lastId === undefined ? undefined : parseEventId(lastId);
    const request = await streamRequest(context, ['test.count', 'test.still'], { changed, lastEventId });
    return (await relaying.relay({ ...relayRequest(owner, request), ...more }))!;
  };
  const join = async (lastId?: string, more: Partial<RelayRequest> = {}): Promise<Client> => {
    const subscribe = await open(lastId, more);
    const sink = new TestSink();
    const subscription = subscribe(sink);
    await settle();
    return { sink, subscription };
  };
  return { time, owner, relaying, open, join, fetches };
}

describe('streams that another gateway samples', () => {
  it('are one stream there, however many clients they have', async () => {
    const { time, owner, relaying, join, fetches } = await twoHubs();
    const clients = await Promise.all(Array.from({ length: 50 }, () => join()));
    await time.pass(3000);
    expect([owner.subscribers, owner.groups, relaying.subscribers, fetches()]).toEqual([1, 1, 50, 4]);
    for (const { sink } of clients) {
      expect(sink.events[0]).toEqual({ metrics: ['test.count', 'test.still'] });
      expect(sink.ids).toEqual(clients[0]!.sink.ids);
      expect(sink.ids).toHaveLength(4);
    }
    expect(owner.statistics.events).toBe(5);
  });

  it('begin while the gateway is overloaded, even if samples are there before their first client', async () => {
    const load = { isStrained: true, admitSampling: () => undefined };
    const { time, open } = await twoHubs({}, false, load);
    const subscribe = await open();
    await time.pass(1000);
    const sink = new TestSink();
    subscribe(sink);
    await time.pass(1000);
    expect(sink.ids).toHaveLength(2);
  });

  it('begin with the last sample, and go on without a hole', async () => {
    const { time, join } = await twoHubs();
    const first = await join();
    await time.pass(2000);
    const second = await join();
    await time.pass(1000);
    expect(second.sink.ids).toEqual(first.sink.ids.slice(-2));
  });

  it('resume from what the relay remembers', async () => {
    const { time, owner, join } = await twoHubs();
    const first = await join();
    await time.pass(1000);
    first.subscription.unsubscribe();
    await time.pass(3000);
    const again = await join(first.sink.ids.at(-1));
    expect(again.sink.seconds.map(Math.round)).toEqual([2, 3, 4]);
    expect(owner.subscribers).toBe(1);
  });

  it('resume from what the owner remembers, and then share the stream of all', async () => {
    const { time, owner, relaying, join } = await twoHubs();
    const early = await join();
    await time.pass(2000);
    const [id] = early.sink.ids;
    relaying.interrupt();
    await settle();
    expect(owner.subscribers).toBe(0);
    await join();
    const late = await join(id);
    await time.pass(2000);
    expect(late.sink.seconds.map(Math.round)).toEqual([1, 2, 3, 4]);
    expect(owner.subscribers).toBe(1);
  });

  it('of changes begin with all values for each client', async () => {
    const { time, owner, join } = await twoHubs({}, true);
    await join();
    await time.pass(2000);
    const second = await join();
    await time.pass(2000);
    const [, sample, ...changes] = second.sink.events;
    expect(sample).toMatchObject({ full: true, values: { 'test.count': [[-1, 3]], 'test.still': [[-1, 7]] } });
    expect(changes.map(({ values, full }) => [values, full])).toEqual([
      [{ 'test.count': [[-1, 4]] }, undefined],
      [{ 'test.count': [[-1, 5]] }, undefined],
    ]);
    expect(owner.subscribers).toBe(1);
  });

  it('go on for a while without clients, and then end there, too', async () => {
    const { time, owner, relaying, join } = await twoHubs({ lingerMs: 2000 });
    const { subscription } = await join();
    await time.pass(5000);
    subscription.unsubscribe();
    await time.pass(1000);
    expect(owner.subscribers).toBe(1);
    await time.pass(2000);
    expect([owner.subscribers, relaying.rememberedBytes, relaying.heldBytes]).toEqual([0, 0, 0]);
  });

  it('wait for no slow client, and cut it off', async () => {
    const { time, relaying, join } = await twoHubs({ bufferBytes: 300 });
    const [slow, quick] = [await join(), await join()];
    slow.sink.isSlow = true;
    await time.pass(20_000);
    expect(slow.sink.state).toBe('destroyed');
    expect(quick.sink.ids).toHaveLength(21);
    expect(relaying.statistics.dropped).toBe(1);
  });

  it('break off when the owner ends, so that clients resume elsewhere', async () => {
    const { time, owner, relaying, join } = await twoHubs();
    const { sink } = await join();
    await time.pass(1000);
    owner.interrupt();
    await settle();
    expect(sink.state).toBe('ended');
    expect(sink.events.at(-1)).toHaveProperty('id');
    expect([relaying.subscribers, relaying.rememberedBytes]).toEqual([0, 0]);
  });

  it('end with the last event of the owner', async () => {
    const { owner, join } = await twoHubs();
    const { sink } = await join();
    owner.close();
    await settle();
    expect([sink.state, sink.events.at(-1)]).toEqual(['ended', { end: 'shutdown' }]);
  });

  it('are for a client alone what it asks of the past', async () => {
    const { owner, join, time } = await twoHubs();
    await join();
    await time.pass(1000);
    const { sink } = await join(undefined, { hasPast: true });
    await time.pass(1000);
    expect(sink.seconds.map(Math.round)).toEqual([1, 2]);
    expect(owner.subscribers).toBe(1);
  });

  it('leave nothing behind a client that leaves while it is brought up to date', async () => {
    const { owner, join } = await twoHubs();
    await join();
    const never = new Promise<undefined>(() => undefined);
    let aborted = false;
    const { subscription } = await join('1.000000000', {
      open: (_, signal) => {
        signal.addEventListener('abort', () => (aborted = true));
        return never;
      },
    });
    subscription.unsubscribe();
    expect(aborted).toBe(true);
    expect(owner.subscribers).toBe(1);
  });

  it('are refused with the error of the other gateway, and tried again by the next client', async () => {
    const { join, relaying } = await twoHubs();
    const open = (): Promise<never> => Promise.reject(new Error('no such metric'));
    await expect(join(undefined, { open })).rejects.toThrow('no such metric');
    expect(relaying.heldBytes).toBe(0);
    expect((await join()).sink.ids).toHaveLength(1);
  });

  it('are not opened at a gateway that cannot be reached', async () => {
    const { relaying, join } = await twoHubs();
    await join();
    const request = { key: 'another', hasPast: false, lastEventId: undefined };
    const format = { heartbeat: '', end: () => '' };
    const open = (): Promise<undefined> => Promise.resolve(undefined);
    expect(await relaying.relay({ ...request, format, open, begin: (metrics) => metrics })).toBeUndefined();
  });
});
