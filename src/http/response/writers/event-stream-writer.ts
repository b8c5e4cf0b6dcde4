import type { GoneInstances, StreamEnd, StreamFormat } from '../../../context/stream/index.js';
import { formatTimestamp, INSTANCE_NULL } from '../../../pmapi/index.js';
import { errorBody, viewError } from '../error-response.js';
import { contextHead, missingWarnings, warningsMember, type Warning } from '../answer.js';
import { writeFetch, type FetchForm } from './fetch-writer.js';
import type { ParameterName } from './event-writer.js';
import { describeMetric } from './metadata-writer.js';

export const EVENT_STREAM_TYPE = 'text/event-stream';
/** The head of each stream: proxies must forward events as they arrive. */
export const EVENT_STREAM_HEADERS = { contentType: EVENT_STREAM_TYPE, headers: ['X-Accel-Buffering', 'no'] };

const RETRY_MS = 1000;

const END_MESSAGES: Readonly<Record<StreamEnd, string>> = {
  archive: 'end of the archive',
  destroyed: 'the context was destroyed',
  failed: 'the stream cannot continue',
  shutdown: 'the gateway is shutting down',
};

export const streamEnds: Pick<StreamFormat, 'heartbeat' | 'end'> = {
  heartbeat: ': heartbeat\n\n',
  end: (reason) => event('end', JSON.stringify({ reason, message: END_MESSAGES[reason] })),
};

export interface EventStreamOptions {
  readonly contextId: number;
  readonly client: string | undefined;
  /** Seconds between samples; undefined: as they were recorded. */
  readonly intervalSec: number | undefined;
  readonly form: FetchForm;
  readonly formKey: string;
  /** How the request named the metrics. */
  readonly by: 'name' | 'pmid';
  readonly unreadable: readonly Warning[];
  readonly nameOf?: ParameterName | undefined;
  /** Called for failures that are internal errors. */
  readonly onFailure: (error: unknown) => void;
}

/** Server-sent events: samples are messages, in the format of responses to fetches. @see https://html.spec.whatwg.org, 9.2 */
export function eventStreamFormat(options: EventStreamOptions): StreamFormat {
  const { contextId, client, intervalSec, form, formKey, by, unreadable, nameOf, onFailure } = options;
  const interval = intervalSec === undefined ? '' : `,"interval":${intervalSec}`;
  return {
    key: JSON.stringify([formKey, by, unreadable]),
    ...streamEnds,
    metrics(metrics, missing, which) {
      const described = metrics.map((metric) => `{${describeMetric(metric)}}`).join(',');
      const warnings = warningsMember([...unreadable, ...missingWarnings(missing, by)]);
      return `retry: ${RETRY_MS}\n${event('metrics', `${contextHead(contextId, which === 'first' ? client : undefined)}${interval},"metrics":[${described}]${warnings}}`)}`;
    },
    sample({ id, answered, result, reconnected, changes }) {
      const members: string[] = [];
      if (reconnected) members.push('"reconnected":true');
      if (changes?.isFull === true) members.push('"full":true');
      if (changes && changes.gone.length > 0) members.push(`"gone":${writeGone(changes.gone)}`);
      return `id: ${formatTimestamp(id)}\ndata: ${writeFetch(`{${members.join(',')}`, answered, result, form, [], nameOf)}\n\n`;
    },
    failure(error) {
      onFailure(error);
      return event('failure', errorBody(viewError(error), { context: contextId }).trimEnd());
    },
    gap: (from, to) => event('gap', `{"from":${form.timestamp(from)},"to":${form.timestamp(to)}}`),
  };
}

function writeGone(gone: readonly GoneInstances[]): string {
  const numbers = ({ instances }: GoneInstances): (number | null)[] =>
    instances.map((instance) => (instance === INSTANCE_NULL ? null : instance));
  return JSON.stringify(gone.map((one) => ({ name: one.name, instances: numbers(one) })));
}

function event(name: string, data: string): string {
  return `event: ${name}\ndata: ${data}\n\n`;
}
