import { parseEventId, StreamHub } from '../../../src/context/stream/index.js';
import type { OpenJournal } from '../../../src/context/stream/index.js';
import { LiveMemory } from '../../../src/context/range/index.js';
import { compareTimestamps } from '../../../src/pmapi/index.js';
import type { Timestamp } from '../../../src/pmapi/index.js';
import { memoryGateway } from '../../support/memory-gateway.js';
import { countingContent, HandTime, settle, streamRequest, TestSink } from '../../support/stream-fixture.js';

interface Kept {
  readonly id: Timestamp;
  readonly text: string;
  readonly isFull: boolean;
}

/** A journal that all gateways have in common. */
class Journal {
  entries: Kept[] = [];
  /** What must happen before it says what it has. */
  ready: Promise<unknown> = Promise.resolve();
  /** Whether the source belongs to another gateway as soon as a sample is to be kept. */
  hasMoved = false;
  #writer = 0;

  readonly open: OpenJournal = (_context, _group, onDeposed) => {
    const writer = ++this.#writer;
    return {
      before: this.ready.then(() => [...this.entries]),
      append: (entry) => {
        const last = this.entries.at(-1);
        if (this.hasMoved) onDeposed();
        else if (writer !== this.#writer || (last && compareTimestamps(last.id, entry.id) >= 0))
          setImmediate(onDeposed);
        else this.entries.push(entry);
      },
      close: () => undefined,
    };
  };
}

/** Gateways that sample the same host one after the other; each remembers only what it fetched. */
function fleet(changed = false) {
  const time = new HandTime(200);
  const journal = new Journal();
  const { content } = countingContent();
  const gateways = ['one', 'two'].map(() => {
    const memory = new LiveMemory(time, { bytes: 1_000_000, maxAgeMs: 1_800_000 });
    const { contexts } = memoryGateway({ clock: time, content, memory });
    return { contexts, hub: new StreamHub({ clock: time, timers: time, journal: journal.open }) };
  });
  const listen = async (at: number, lastId?: string): Promise<TestSink> => {
    const { contexts, hub } = gateways[at]!;
    const context = await contexts.shared({ kind: 'host', hostspec: 'web1' });
    const lastEventId = lastId === undefined ? undefined : parseEventId(lastId);
    const sink = new TestSink();
    hub.subscribe(await streamRequest(context, ['test.count', 'test.still'], { changed, lastEventId }), sink);
    await settle();
    return sink;
  };
  /** The first gateway dies. */
  const kill = (): void => gateways[0]!.hub.close();
  return { time, journal, listen, kill, hubs: gateways.map(({ hub }) => hub) };
}

const counts = (sink: TestSink): unknown[] =>
  sink.events.flatMap(({ id, values, gap, full }) => {
    const [[, count] = []] = (values?.['test.count'] ?? []) as (readonly [number, number])[];
    return gap ? ['gap'] : id === undefined ? [] : [full === true ? `all ${count}` : count];
  });

describe('a stream that another gateway goes on with', () => {
  it('has what was sent meanwhile, and then tells the gap', async () => {
    const { time, listen, kill } = fleet();
    const first = await listen(0);
    await time.pass(4000);
    const [, second] = first.ids;
    kill();
    time.setWall(5000);
    const resumed = await listen(1, second);
    await time.pass(1000);
    expect(counts(first)).toEqual([1, 2, 3, 4, 5]);
    expect(counts(resumed)).toEqual([3, 4, 5, 'gap', 6, 7]);
    expect(resumed.ids).toEqual([...new Set(resumed.ids)].sort());
  });

  it('has the gap of a gateway that stood still', async () => {
    const { time, listen, kill } = fleet();
    const first = await listen(0);
    await time.pass(2000);
    await time.stall(3000);
    kill();
    expect(counts(first)).toEqual([1, 2, 3, 'gap', 4]);
    const resumed = await listen(1, first.ids[1]);
    expect(counts(resumed).slice(0, 3)).toEqual([3, 'gap', 4]);
  });

  it('begins with no old sample for a new client', async () => {
    const { time, listen } = fleet();
    await listen(0);
    time.setWall(5000);
    expect(counts(await listen(1))).toEqual([2]);
  });

  it('goes on where a client is further than the journal, or not in it', async () => {
    const { time, journal, listen } = fleet();
    const first = await listen(0);
    await time.pass(3000);
    const [earliest, , , latest] = first.ids;
    journal.entries = journal.entries.slice(1, 3);
    expect(counts(await listen(1, latest))).toEqual([5]);
    expect(counts(await listen(1, earliest))).toEqual(['gap', 5]);
  });

  it('of changes continues behind the very sample that a client has', async () => {
    const { time, listen, kill } = fleet(true);
    const first = await listen(0);
    await time.pass(3000);
    const [, second] = first.ids;
    kill();
    const resumed = await listen(1, second);
    await time.pass(1000);
    expect(counts(resumed)).toEqual([3, 4, 'all 5', 6]);
    const other = await listen(1, `${second!.slice(0, -1)}1`);
    expect(counts(other)[0]).toMatch(/^all|gap/);
  });

  it('of changes sends nothing that is older than what a client has from elsewhere', async () => {
    const { time, listen } = fleet(true);
    const first = await listen(1);
    await time.pass(2000);
    const elsewhere = (id: string | undefined): string => `${id!.slice(0, -1)}1`;
    const [, second, third] = first.ids.map(elsewhere);
    expect(counts(await listen(1, second))).toEqual(['all 3']);
    const ahead = await listen(1, third);
    expect([counts(ahead), ahead.state]).toEqual([[], 'ended']);
  });

  it('has ids that grow where a client was at another gateway a moment ago', async () => {
    const { time, listen } = fleet();
    const first = await listen(1);
    await time.pass(2000);
    const later = parseEventId(first.ids.at(-1)!)!;
    const resumed = await listen(1, `${later.sec + 1}.500000000`);
    await time.pass(2000);
    expect(counts(resumed)).toEqual([5]);
  });

  it('has ids that grow where the clock of the host was set back', async () => {
    const { time, listen, kill } = fleet();
    const first = await listen(0);
    await time.pass(1000);
    kill();
    time.setWall(-5000);
    const resumed = await listen(1, first.ids[0]);
    await time.pass(1000);
    expect(counts(resumed)).toEqual([2, 3, 4]);
    expect(resumed.ids).toEqual([...new Set(resumed.ids)].sort());
  });

  it('ends at the gateway that sampled before, so that clients find the other one', async () => {
    const { time, listen } = fleet();
    const first = await listen(0);
    await listen(1);
    expect(first.state).toBe('open');
    await time.pass(1000);
    expect(first.state).toBe('ended');
    expect(first.events.at(-1)).toHaveProperty('id');
  });

  it('sends nothing more where its source has moved', async () => {
    const { time, journal, listen, hubs } = fleet();
    const first = await listen(0);
    journal.hasMoved = true;
    await time.pass(1000);
    expect([first.state, first.ids.length]).toEqual(['ended', 1]);
    expect([hubs[0]!.groups, hubs[0]!.rememberedBytes, hubs[0]!.heldBytes]).toEqual([0, 0, 0]);
  });

  it('takes its first sample once it is known what was sent before', async () => {
    const { time, journal, listen } = fleet();
    let open = (): void => undefined;
    journal.ready = new Promise<void>((resolve) => (open = resolve));
    const sink = await listen(0);
    await time.pass(300);
    expect(sink.ids).toEqual([]);
    open();
    await settle();
    expect(sink.ids).toHaveLength(1);
  });
});
