import fc, { tries } from '../../support/properties.js';
import { LiveMemory } from '../../../src/context/range/index.js';
import { StreamHub, type StreamSubscription, parseEventId } from '../../../src/context/stream/index.js';
import { memoryGateway } from '../../support/memory-gateway.js';
import {
  countingContent,
  HandTime,
  relayRequest,
  secondsOf,
  settle,
  streamRequest,
  TestSink,
} from '../../support/stream-fixture.js';
import { STREAM_LIMITS } from '../../support/patience.js';

/** One client over all its connections. */
class Client {
  readonly ids: number[] = [];
  readonly gaps: (readonly [number, number])[] = [];
  readonly #read: () => Promise<readonly [TestSink, StreamSubscription]>;
  #connection: readonly [TestSink, StreamSubscription] | undefined;
  lastId: string | undefined;

  constructor(connect: (lastId: string | undefined) => Promise<readonly [TestSink, StreamSubscription]>) {
    this.#read = () => connect(this.lastId);
  }

  async come(): Promise<void> {
    this.#connection ??= await this.#read();
  }

  slow(): void {
    if (this.#connection) this.#connection[0].isSlow = true;
  }

  /** A slow client takes what waits for it; one that was cut off notices. */
  takeAll(): void {
    if (!this.#connection) return;
    const [sink, subscription] = this.#connection;
    if (sink.state !== 'open') {
      this.leave();
      return;
    }
    sink.take();
    subscription.drained();
  }

  leave(): void {
    if (!this.#connection) return;
    const [sink, subscription] = this.#connection;
    this.#connection = undefined;
    subscription.unsubscribe();
    for (const { id, gap } of sink.events) {
      if (gap) this.gaps.push([secondsOf(gap[0]), secondsOf(gap[1])]);
      if (id === undefined) continue;
      this.ids.push(secondsOf(id));
      this.lastId = id;
    }
  }
}

const CLIENTS = 3;
const step = fc.oneof(
  fc.record({ client: fc.nat(CLIENTS - 1), act: fc.constantFrom('come', 'leave', 'slow', 'take') }),
  fc.record({ passMs: fc.integer({ min: 50, max: 8000 }) }),
);

const world = fc.record({
  steps: fc.array(step, { minLength: 5, maxLength: 40 }),
  changed: fc.boolean(),
  ring: fc.boolean(),
  relayed: fc.boolean(),
  limits: fc.record({
    historyBytes: fc.constantFrom(0, 1500, 1_000_000),
    lingerMs: fc.constantFrom(0, 2000, 30_000),
    bufferBytes: fc.constantFrom(300, 100_000),
  }),
});

describe('streams', () => {
  it('lose and double no sample, whoever comes, leaves and comes back', async () => {
    await fc.assert(
      fc.asyncProperty(world, async ({ steps, changed, ring, relayed, limits }) => {
        const time = new HandTime(200);
        const memory = new LiveMemory(time, { bytes: ring ? 1_000_000 : 0, maxAgeMs: 1_800_000 });
        const gateway = memoryGateway({ clock: time, content: countingContent().content, memory });
        const hub = new StreamHub({ clock: time, timers: time, limits: { ...STREAM_LIMITS, ...limits } });
        // Clients at another gateway, which has other limits than the one that samples.
        const owner = relayed ? new StreamHub({ clock: time, timers: time, limits: STREAM_LIMITS }) : hub;
        const context = await gateway.contexts.create({ kind: 'host', hostspec: 'localhost' });
        const source = gateway.sources[0]!;
        const fetch = source.fetch.bind(source);
        const taken: number[] = [];
        source.fetch = async (prepared, profile, into) => {
          await fetch(prepared, profile, into);
          taken.push(secondsOf(`${into.timestamp.sec}.${String(into.timestamp.nsec).padStart(9, '0')}`));
        };
        const connect = async (lastId: string | undefined): Promise<readonly [TestSink, StreamSubscription]> => {
          const sink = new TestSink();
          const lastEventId = lastId === undefined ? undefined : parseEventId(lastId);
          const request = await streamRequest(context, ['test.count'], { changed, lastEventId });
          const subscribe = relayed ? await hub.relay(relayRequest(owner, request)) : undefined;
          const subscription = subscribe ? subscribe(sink) : hub.subscribe(request, sink);
          await settle();
          return [sink, subscription];
        };
        const clients = Array.from({ length: CLIENTS }, () => new Client(connect));
        for (const what of steps) {
          if ('passMs' in what) await time.pass(what.passMs, 250);
          else if (what.act === 'come') await clients[what.client]!.come();
          else if (what.act === 'leave') clients[what.client]!.leave();
          else if (what.act === 'slow') clients[what.client]!.slow();
          else clients[what.client]!.takeAll();
          await settle();
        }
        for (const client of clients) client.takeAll();
        await settle();
        for (const client of clients) client.leave();
        hub.close();
        owner.close();
        expect([hub.groups, hub.subscribers, time.pending, hub.rememberedBytes]).toEqual([0, 0, 0, 0]);

        const cell = (sec: number): number => Math.floor(sec + 0.1);
        for (const { ids, gaps } of clients) {
          expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
          expect(ids.filter((id) => !taken.includes(id))).toEqual([]);
          const [first = 0, last = 0] = [ids[0], ids.at(-1)];
          const cells = new Set(ids.map(cell));
          const inGap = (sec: number): boolean => gaps.some(([from, to]) => from < sec && sec < to);
          const lost = taken.filter((sec) => sec > first && sec < last && !ids.includes(sec) && !inGap(sec));
          // Of two samples of one interval, taken by groups that followed one another, one is enough.
          expect(lost.filter((sec) => !cells.has(cell(sec)))).toEqual([]);
          if (ring) expect(taken.filter((sec) => inGap(sec) && !cells.has(cell(sec)))).toEqual([]);
        }
      }),
      { numRuns: tries(150) },
    );
  });
});
