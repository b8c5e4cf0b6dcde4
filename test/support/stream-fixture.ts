import type { Timers } from '../../src/kit/index.js';
import { type Clock, type Timestamp, formatTimestamp, makePmid, makeTimestamp } from '../../src/pmapi/index.js';
import type { Context, MetricSelector } from '../../src/context/index.js';
import { type SelectionParameters, parseSelection } from '../../src/context/selection/index.js';
import { parseEventId } from '../../src/context/stream/index.js';
import type {
  LiveStreamRequest,
  RelayedEvent,
  RelayRequest,
  StreamFormat,
  StreamHub,
  StreamSink,
} from '../../src/context/stream/index.js';
import { ManualTimers } from './manual-timers.js';
import { descriptor } from './memory-gateway.js';
import type { MemoryContent } from './memory-source.js';

/** Both clocks and the timers, moved by hand; the wall clock may be set. */
export class HandTime implements Clock, Timers {
  readonly #timers = new ManualTimers();
  #wallMs: number;

  /** Starts at 2026-01-01T00:00:00Z, or so many milliseconds later. */
  constructor(offsetMs = 0) {
    this.#wallMs = Date.UTC(2026, 0, 1) + offsetMs;
  }

  now(): Timestamp {
    const ms = this.#wallMs + this.#timers.nowMs();
    return makeTimestamp(Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6));
  }

  monotonicMs(): number {
    return this.#timers.nowMs();
  }

  nowMs(): number {
    return this.#timers.nowMs();
  }

  after(delayMs: number, callback: () => void): () => void {
    return this.#timers.after(delayMs, callback);
  }

  get pending(): number {
    return this.#timers.pending;
  }

  /** Set the wall clock on or back. */
  setWall(byMs: number): void {
    this.#wallMs += byMs;
  }

  /** Let time pass, in steps after each of which everything that was begun is done. */
  async pass(ms: number, stepMs = 50): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      this.#timers.advance(Math.min(left, stepMs));
      await settle();
    }
  }

  /** Let time pass in which the process stands still, and then what became due meanwhile. */
  async stall(ms: number): Promise<void> {
    this.#timers.stall(ms);
    await settle();
  }
}

/** Let everything that waits for nothing but its turn be done; on a busy machine work gives way to other turns more often. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 16; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** Writes events that tests can read: one JSON text per line. */
const TEST_FORMAT: StreamFormat = {
  key: 'test',
  heartbeat: '"heartbeat"\n',
  metrics: (metrics) => `${JSON.stringify({ metrics: metrics.map(({ name }) => name) })}\n`,
  sample: ({ id, answered, result, reconnected, changes }) =>
    `${JSON.stringify({
      id: formatTimestamp(id),
      values: Object.fromEntries(
        answered.entries.map(({ name }, i) => {
          const { status, instances, column } = result.sets[i]!;
          const value = (_: unknown, v: number): unknown => [instances[v], column.texts[v] ?? column.numbers[v]];
          return [name, status < 0 ? status : Array.from({ length: status }, value)];
        }),
      ),
      ...(reconnected ? { reconnected } : {}),
      ...(changes?.isFull === true ? { full: true } : {}),
      ...(changes && changes.gone.length > 0 ? { gone: changes.gone } : {}),
    })}\n`,
  failure: (error) => `${JSON.stringify({ failure: (error as Error).message })}\n`,
  gap: (from, to) => `${JSON.stringify({ gap: [formatTimestamp(from), formatTimestamp(to)] })}\n`,
  end: (reason) => `${JSON.stringify({ end: reason })}\n`,
};

/** One event of TEST_FORMAT. */
export interface TestEvent {
  readonly metrics?: readonly string[];
  readonly id?: string;
  readonly values?: Readonly<Record<string, unknown>>;
  readonly full?: true;
  readonly gone?: unknown;
  readonly reconnected?: true;
  readonly failure?: string;
  readonly gap?: readonly [string, string];
  readonly end?: string;
}

/** A client that keeps what it was sent. */
export class TestSink implements StreamSink {
  text = '';
  /** Whether the client takes nothing for now. */
  isSlow = false;
  /** What became of the connection. */
  state: 'open' | 'ended' | 'destroyed' = 'open';
  #waitingBytes = 0;

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  write(bytes: Uint8Array): boolean {
    if (this.state !== 'open') throw new Error(`written to when ${this.state}`);
    this.text += Buffer.from(bytes).toString();
    if (this.isSlow) this.#waitingBytes += bytes.length;
    return !this.isSlow;
  }

  /** Take everything; the caller tells the subscription. */
  take(): void {
    this.isSlow = false;
    this.#waitingBytes = 0;
  }

  end(): void {
    this.state = 'ended';
  }

  destroy(): void {
    this.state = 'destroyed';
  }

  get events(): readonly TestEvent[] {
    return this.text
      .split('\n')
      .slice(0, -1)
      .map((line) => (line === '"heartbeat"' ? {} : (JSON.parse(line) as TestEvent)));
  }

  get ids(): readonly string[] {
    return this.events.flatMap(({ id }) => (id === undefined ? [] : [id]));
  }

  /** The ids as seconds after the start of 2026. */
  get seconds(): readonly number[] {
    return this.ids.map(secondsOf);
  }
}

/** Seconds after the start of 2026. */
export function secondsOf(id: string): number {
  const [sec = '', nsec = ''] = id.split('.');
  return Number(sec) - Date.UTC(2026, 0, 1) / 1000 + Number(nsec) / 1e9;
}

/** What a stream of a context asks for. */
export async function streamRequest(
  context: Context,
  names: readonly string[],
  options: Partial<LiveStreamRequest> & { readonly select?: SelectionParameters } = {},
): Promise<LiveStreamRequest> {
  const selector: MetricSelector = { names };
  const { select = {}, ...rest } = options;
  return {
    context,
    selector,
    plan: await context.plans.get(selector),
    selection: parseSelection(select),
    format: TEST_FORMAT,
    changed: false,
    lastEventId: undefined,
    intervalMs: 1000,
    ...rest,
  };
}

/** A source with one metric that counts its fetches, and one that stands still. */
export function countingContent(): { content: MemoryContent; fetches: () => number } {
  let fetches = 0;
  const content: MemoryContent = {
    metrics: [
      { name: 'test.count', descriptor: descriptor(makePmid(29, 0, 1)), values: () => ++fetches },
      { name: 'test.still', descriptor: descriptor(makePmid(29, 0, 2)), values: 7 },
    ],
  };
  return { content, fetches: () => fetches };
}

/** The link between two hubs: what one sends, as the events that the other relays. */
class LinkedSink implements StreamSink {
  readonly waitingBytes = 0;
  readonly #isChanges: boolean;
  readonly #events: RelayedEvent[] = [];
  #isOver = false;
  #wake = (): void => undefined;

  constructor(isChanges: boolean) {
    this.#isChanges = isChanges;
  }

  write(bytes: Uint8Array): boolean {
    const text = Buffer.from(bytes);
    const event = JSON.parse(text.toString()) as TestEvent | 'heartbeat';
    if (event === 'heartbeat') return true;
    const id = event.id === undefined ? undefined : parseEventId(event.id);
    const isFull = event.full === true || !this.#isChanges;
    const kind = event.metrics ? 'metrics' : event.id ? 'sample' : event.end ? 'end' : 'other';
    this.#events.push({ kind, id, bytes: text, isFull });
    this.#wake();
    return true;
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  destroy(): void {
    this.end();
  }

  async *events(): AsyncGenerator<RelayedEvent, undefined> {
    for (;;) {
      const event = this.#events.shift();
      if (event) yield event;
      else if (this.#isOver) return undefined;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

/** What a client of one hub requests of a stream that another hub samples. */
export function relayRequest(owner: StreamHub, request: LiveStreamRequest, key = 'key'): RelayRequest {
  return {
    key,
    format: TEST_FORMAT,
    lastEventId: request.lastEventId,
    hasPast: false,
    begin: (metrics) => metrics,
    open: (whose, signal) => {
      const sink = new LinkedSink(request.changed);
      const lastEventId = whose === 'all' ? undefined : request.lastEventId;
      const subscription = owner.subscribe({ ...request, lastEventId }, sink);
      signal.addEventListener('abort', () => {
        subscription.unsubscribe();
        sink.end();
      });
      return Promise.resolve(sink.events());
    },
  };
}
