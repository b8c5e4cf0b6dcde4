import type { StreamGap, StreamHead, StreamSample, Times } from './answers.js';
import type { ClientSettings } from './client-options.js';
import { jsonOrUndefined } from './connection.js';
import type { OpenAnswer } from './connection.js';
import { expectAnswer } from './expect-answer.js';
import { errorDetails, errorOf, PmgateError } from './pmgate-error.js';
import type { ErrorDetails } from './pmgate-error.js';
import type { StreamExtras } from './requests.js';
import { serverSentEvents } from './server-sent-events.js';
import type { ServerSentEvent } from './server-sent-events.js';
import { pause } from './timers.js';
import type { ClientTimers } from './timers.js';

/** How long to wait before the first reconnection, unless the gateway says otherwise. */
const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 30_000;
/** The gateway sends a comment when it has nothing else to say, far more often than this. */
const SILENCE_MS = 60_000;

/** What a stream needs to be opened, and opened again. */
export interface StreamSource {
  /** Ask for the events after `lastEventId`, or from now on. */
  open(lastEventId: string | undefined): Promise<OpenAnswer>;
  readonly settings: Pick<ClientSettings, 'timers' | 'random'>;
  readonly signal: AbortSignal | undefined;
}

/**
 * The samples of a stream. When the connection is lost it is made again, after a time that grows with every failure in a row and
 * has a random part, and goes on after the last sample that came. Errors that another try does not mend are thrown, and so is
 * whatever goes wrong before anything came.
 */
export async function* samplesOf<T extends Times>(
  source: StreamSource,
  extras: StreamExtras,
): AsyncGenerator<StreamSample<T>, void> {
  const { timers, random } = source.settings;
  const { silenceMs = SILENCE_MS, maxReconnects = Number.POSITIVE_INFINITY } = extras;
  let { lastEventId } = extras;
  let retryMs = FIRST_DELAY_MS;
  let hasBegun = false;
  let failures = 0;
  for (;;) {
    let lost: PmgateError | undefined;
    try {
      const answer = await source.open(lastEventId);
      const listener = new Listener<T>(extras);
      for await (const event of serverSentEvents(watched(answer, timers, silenceMs))) {
        hasBegun = true;
        retryMs = event.retryMs ?? retryMs;
        const sample = listener.hear(event);
        if (listener.isOver) return;
        if (sample === undefined) continue;
        failures = 0;
        lastEventId = event.id;
        yield sample;
      }
    } catch (error) {
      if (!hasBegun || source.signal?.aborted === true || !mayPass(error)) throw error;
      lost = error;
    }
    lost ??= new PmgateError('NETWORK', 'the gateway ended the stream');
    if (++failures > maxReconnects) throw lost;
    extras.onReconnect?.(lost);
    const delayMs = Math.min(LONGEST_DELAY_MS, retryMs * 2 ** (failures - 1)) * (0.5 + random() / 2);
    await pause(timers, Math.max(delayMs, lost.retryAfterMs ?? 0), source.signal);
  }
}

/** Takes the events of one connection. */
class Listener<T extends Times> {
  /** Whether the gateway said that there is nothing more. */
  isOver = false;
  readonly #extras: StreamExtras;
  #lastFailure: PmgateError | undefined;

  constructor(extras: StreamExtras) {
    this.#extras = extras;
  }

  /** The sample that an event is; others are told to whom they concern, and events of later gateways passed over. */
  hear({ name, data, id }: ServerSentEvent): StreamSample<T> | undefined {
    const said = jsonOrUndefined(data);
    switch (name) {
      case '':
        return { ...(expectAnswer(said, 'RangeSample') as StreamSample<T>), id };
      case 'metrics':
        this.#extras.onMetrics?.(said as StreamHead);
        return undefined;
      case 'failure':
        this.#failed(errorDetails(said));
        return undefined;
      case 'gap':
        this.#extras.onGap?.(said as StreamGap);
        return undefined;
      case 'end':
        this.#ended(said as StreamEnd);
        return undefined;
      default:
        return undefined;
    }
  }

  #failed(details: ErrorDetails | undefined): void {
    if (!details) return;
    this.#lastFailure = errorOf(details, { status: 200 });
    this.#extras.onFailure?.(this.#lastFailure);
  }

  /** A gateway that shuts down ends its streams, too: that is a loss like others. */
  #ended({ reason, message }: StreamEnd): void {
    if (reason === 'destroyed') throw new PmgateError('UNKNOWN_CONTEXT', message);
    if (reason === 'failed') throw this.#lastFailure ?? new PmgateError('SOURCE_FAILED', message);
    this.isOver = reason === 'archive';
  }
}

/** What the last event of a stream says. */
interface StreamEnd {
  readonly reason: 'archive' | 'destroyed' | 'failed' | 'shutdown';
  readonly message: string;
}

/** The text of an answer, which is ended when nothing comes for too long. Time that the reader takes does not count. */
async function* watched(answer: OpenAnswer, timers: ClientTimers, silenceMs: number): AsyncGenerator<string, void> {
  const watch = (): (() => void) =>
    timers.after(silenceMs, () => {
      answer.abort(new PmgateError('TIMEOUT', `the stream was silent for ${silenceMs} ms`));
    });
  let rest = watch();
  try {
    for await (const piece of answer.text) {
      rest();
      yield piece;
      rest = watch();
    }
  } finally {
    rest();
  }
}

/** Whether another try may help: the way to the gateway, or the gateway for the moment, is at fault. */
function mayPass(error: unknown): error is PmgateError {
  if (!(error instanceof PmgateError)) return false;
  const { code, status } = error;
  return code === 'NETWORK' || code === 'TIMEOUT' || status === 408 || status === 429 || status >= 500;
}
