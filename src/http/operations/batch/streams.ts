import type { StreamSink, StreamSubscription } from '../../../context/stream/index.js';
import type { Ending } from '../../../kit/index.js';
import { badParameter, GatewayError } from '../../../pmapi/index.js';
import type { AnyRequest, SubscribedAnswer } from '../../contracts.js';
import { isSubscribed } from '../../response/answer.js';
import { errorBody, viewError } from '../../response/error-response.js';
import { EVENT_STREAM_HEADERS } from '../../response/writers/event-stream-writer.js';
import { leavingOf, partOf } from './batch.js';
import { readBatch, type BatchEntry } from './batch-entry.js';

const DATA = Buffer.from('data: {');
const END = 'event: end\n';

/**
 * Many streams on one connection: browsers have six connections to a gateway. Each subscription is a request for a stream, checked and
 * counted as if it came alone; its events have its id as the member `subscription`. One that fails or ends leaves the others alone.
 */
export function runStreams(request: AnyRequest): Promise<SubscribedAnswer> {
  const entries = readBatch(request.document, request.options.limits.batch);
  const leaving = leavingOf(request);
  return Promise.resolve({
    ...EVENT_STREAM_HEADERS,
    subscribe: (sink) => {
      const streams = new Streams(sink, entries.length);
      for (const [i, entry] of entries.entries()) {
        void streams.add(entry.id ?? String(i), () => openStream(request, entry, leaving));
      }
      return streams;
    },
  });
}

/** The answer to one subscription. Throws what a request for that stream alone would be refused for. */
async function openStream(request: AnyRequest, entry: BatchEntry, leaving: Ending): Promise<SubscribedAnswer> {
  const { service, call } = partOf(request, entry, entry.path, leaving.onEnd);
  if (!/^\/pmapi\/(?:\{context\}\/)?stream$/.test(service.operation.path)) {
    throw badParameter('path', `${service.operation.path} is not a stream`, '/pmapi/stream with its parameters');
  }
  const answer = await service.answer(call);
  if (!isSubscribed(answer)) throw new GatewayError('BAD_PARAMETER', 'not a stream', { parameter: 'path' });
  return answer;
}

class Streams implements StreamSubscription {
  readonly #sink: StreamSink;
  readonly #open = new Set<StreamSubscription>();
  /** Subscriptions that have not ended. */
  #left: number;
  #isOver = false;

  constructor(sink: StreamSink, count: number) {
    this.#sink = sink;
    this.#left = count;
  }

  /** Open a stream and forward its events. Never rejects. */
  async add(id: string, open: () => Promise<SubscribedAnswer>): Promise<void> {
    const tagged = taggedSink(this.#sink, id, (reason) => this.#ended(reason));
    try {
      const answer = await open();
      if (this.#isOver) return;
      this.#open.add(answer.subscribe(tagged));
    } catch (error) {
      if (!this.#isOver) tagged.fail(error);
    }
  }

  drained(): void {
    for (const subscription of this.#open) subscription.drained();
  }

  unsubscribe(): void {
    this.#isOver = true;
    for (const subscription of this.#open) subscription.unsubscribe();
    this.#open.clear();
  }

  /** A stream is over; one that ends without saying so is to be opened again, and with it all others. */
  #ended(reason: 'told' | 'untold'): void {
    if (this.#isOver || (--this.#left > 0 && reason === 'told')) return;
    this.unsubscribe();
    this.#sink.end();
  }
}

/** What the events of one stream are written to: it puts the id of the subscription into each. */
function taggedSink(sink: StreamSink, id: string, onEnd: (reason: 'told' | 'untold') => void) {
  const tag = Buffer.from(`"subscription":${JSON.stringify(id)},`);
  let hasSaidEnd = false;
  const tagged = {
    get waitingBytes() {
      return sink.waitingBytes;
    },
    write(bytes: Uint8Array): boolean {
      const event = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      hasSaidEnd = event.indexOf(END) === 0;
      const at = event.indexOf(DATA);
      if (at === -1) return sink.write(bytes);
      const cut = at + DATA.length;
      return sink.write(Buffer.concat([event.subarray(0, cut), tag, event.subarray(cut)]));
    },
    fail(error: unknown): void {
      const view = viewError(error);
      tagged.write(Buffer.from(`event: failure\ndata: ${errorBody(view, {}).trimEnd()}\n\n`));
      const end = { reason: 'failed', message: view.message };
      tagged.write(Buffer.from(`${END}data: ${JSON.stringify(end)}\n\n`));
      tagged.end();
    },
    end: () => onEnd(hasSaidEnd ? 'told' : 'untold'),
    destroy: () => sink.destroy(),
  };
  return tagged;
}
