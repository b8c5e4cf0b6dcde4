import type { StreamGap, StreamHead, StreamSample, Times } from './answers.js';
import { jsonOrUndefined, type OpenAnswer } from './connection.js';
import { expectAnswer } from './expect-answer.js';
import { errorDetails, errorOf, PmgateError, type ErrorDetails } from './pmgate-error.js';
import type { StreamExtras } from './requests.js';
import { serverSentEvents, type ServerSentEvent } from './body-lines.js';
import { pause, type ClientSettings, type ClientTimers } from './client-options.js';

/** The delay before the first reconnection, unless the gateway sets another. */
const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 30_000;
/** The gateway sends comments far more often than this. */
const SILENCE_MS = 60_000;

export interface StreamSource {
  /** Requests the events after `lastEventId`, or from now on. */
  open(lastEventId: string | undefined): Promise<OpenAnswer>;
  readonly settings: Pick<ClientSettings, 'timers' | 'random'>;
  readonly signal: AbortSignal | undefined;
  /** Of a connection of many streams: those that have not ended. */
  readonly left?: Set<string>;
}

/**
 * The samples of a stream. A lost connection is reopened after a delay that grows with every consecutive failure and has a random part, and
 * continues after the last sample received. Errors that a retry cannot fix are thrown, and so are all errors before the first event.
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
      const listener = listenerFor<T>(extras, source.left);
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

function listenerFor<T extends Times>(extras: StreamExtras, left: Set<string> | undefined) {
  let lastFailure: PmgateError | undefined;
  /** `isOver`: the gateway ended the stream for good. */
  const listener = { hear, isOver: false };
  return listener;

  /** The sample of an event; other events go to their callbacks, and unknown events are ignored. */
  function hear({ name, data, id }: ServerSentEvent): StreamSample<T> | undefined {
    const said = jsonOrUndefined(data);
    if (name === '') return { ...(expectAnswer(said, 'RangeSample') as StreamSample<T>), id };
    if (name === 'metrics') extras.onMetrics?.(said as StreamHead);
    else if (name === 'failure') failed(errorDetails(said));
    else if (name === 'gap') extras.onGap?.(said as StreamGap);
    else if (name === 'end') ended(said as StreamEnd);
    return undefined;
  }

  function failed(details: ErrorDetails | undefined): void {
    if (!details) return;
    lastFailure = errorOf(details, { status: 200 });
    extras.onFailure?.(lastFailure);
  }

  /** A gateway that shuts down ends its streams, too: treated as a lost connection. */
  function ended(end: StreamEnd): void {
    const { reason, message, subscription } = end;
    if (left && subscription !== undefined) {
      if (reason !== 'shutdown' && left.delete(subscription)) extras.onEnd?.(end);
      listener.isOver = left.size === 0;
      return;
    }
    if (reason === 'destroyed') throw new PmgateError('UNKNOWN_CONTEXT', message);
    if (reason === 'failed') throw lastFailure ?? new PmgateError('SOURCE_FAILED', message);
    listener.isOver = reason === 'archive';
  }
}

interface StreamEnd {
  readonly reason: 'archive' | 'destroyed' | 'failed' | 'shutdown';
  readonly message: string;
  readonly subscription?: string;
}

/** The text of a response, which is ended after too long a silence. Time that the reader takes does not count. */
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

/** Whether a retry may help: the network is at fault, or the gateway temporarily. */
function mayPass(error: unknown): error is PmgateError {
  if (!(error instanceof PmgateError)) return false;
  const { code, status } = error;
  return code === 'NETWORK' || code === 'TIMEOUT' || status === 408 || status === 429 || status >= 500;
}
