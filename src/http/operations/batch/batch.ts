import pLimit from 'p-limit';
import { Ending, eventLoopTurns, getOrMake } from '../../../kit/index.js';
import { badParameter, GatewayError, limitExceeded } from '../../../pmapi/index.js';
import { isStreamed, isSubscribed, jsonAnswer } from '../../response/answer.js';
import type { Answer, AnyAnswer, AnyRequest, Call, FoundOperation } from '../../contracts.js';
import { errorAnswer, viewError } from '../../response/error-response.js';
import { untilGone, namedContext, repeatedFacts } from '../../request/request-context.js';
import { loggedUrl } from '../../request/exchange.js';
import { parseMediaType } from '../../request/media-type.js';
import { parseParameterBody } from '../../request/read-body.js';
import { bad, readBatch, referencesIn, resolveReferences } from './batch-entry.js';
import type { BatchEntry, BatchReference } from './batch-entry.js';

const SIDE_BY_SIDE = 8;
/** Characters of all entries that have expressions to check or to evaluate. */
const EXPRESSION_CHARACTERS = 65_536;
/** A batch with more of them waits for its turn. */
const SHORT_CHARACTERS = 4096;
/** The headers that an entry may set; all others are those of the batch. */
const OWN_HEADERS = ['accept', 'content-type'] as const;
/** Headers that describe the body and the response of the batch, and do not apply to entries. */
const BATCH_HEADERS = [
  ...OWN_HEADERS,
  'accept-encoding',
  'content-encoding',
  'content-length',
  'expect',
  'if-none-match',
  'range',
  'transfer-encoding',
];

export interface Outcome {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly isJson: boolean;
  readonly text: string;
}

/** An entry that is ready to run: its references are resolved and its operation is found. */
interface Ready extends FoundOperation {
  readonly call: Call;
}

/**
 * Many requests in one: each has the response that it would have by itself. Entries that only read run concurrently; one that
 * changes something waits for all before it, and all after it wait for it.
 */
export async function runBatch(request: AnyRequest): Promise<Answer> {
  const { batch, batchBytes } = request.options.limits;
  const entries = readBatch(request.document, batch);
  const outcomes = await runEntries(request, entries, batchBytes);
  const written = outcomes.map((outcome, i) => writeOutcome(entries[i]!.id, outcome));
  return jsonAnswer(`{"responses":[${written.join(',')}]}`);
}

/** The outcome of one other request that an operation makes for its client: with its identity, limits and budgets, as an entry of a batch. */
export async function askOperation(request: AnyRequest, entry: BatchEntry, answerBytes: number): Promise<Outcome> {
  const leaving = getOrMake(leavings, request, () => leavingOf(request));
  const [outcome] = await runEntries(request, [entry], answerBytes, leaving);
  return outcome!;
}

/** The end of a request that others are part of: they share one listener of its connection. */
export function leavingOf({ onClose }: Pick<AnyRequest, 'onClose'>): Ending {
  const leaving = new Ending();
  onClose(() => leaving.end());
  return leaving;
}

/** One listener for all that an operation asks. */
const leavings = new WeakMap<object, Ending>();

/** The outcomes of entries, of which none rejects. */
async function runEntries(
  request: AnyRequest,
  entries: readonly BatchEntry[],
  maxBytes: number,
  leaving = leavingOf(request),
): Promise<readonly Outcome[]> {
  const outcomes: Promise<Outcome>[] = [];
  let written = 0;
  let characters = 0;
  /** Gives the place of a batch with long expressions back. */
  let turn: Promise<() => void> | undefined;
  const places = new Map(entries.flatMap(({ id }, i) => (id === undefined ? [] : [[id, i]])));
  const limit = pLimit(SIDE_BY_SIDE);
  for (const [index, entry] of entries.entries()) {
    const ready = await prepare(entry, index).catch((error: unknown) => error);
    if (!isReady(ready)) {
      outcomes[index] = Promise.resolve(failure(ready, entry.path));
    } else if (ready.service.mustTakeTurn(namedContext(ready.call.url, ready.path) ?? contextInBody(entry))) {
      await Promise.all(outcomes);
      outcomes[index] = perform(ready);
      await outcomes[index];
    } else {
      outcomes[index] = limit(() => perform(ready));
    }
  }
  const all = await Promise.all(outcomes);
  void turn?.then(
    (leave) => leave(),
    () => undefined,
  );
  return all;

  /** Prepares an entry; waits for the entries that it refers to. */
  async function prepare(entry: BatchEntry, index: number): Promise<Ready> {
    const url = await resolve(entry.path, index);
    const ready = partOf(request, entry, url, leaving.onEnd);
    const { operation, route } = ready.service;
    if (route.growsWithText === true) await requireLittleText(entry);
    if (route.standsAlone !== true) return ready;
    const message = `${operation.path} cannot be part of a batch`;
    throw badParameter('path', message, 'a request other than a batch, a stream or the documentation');
  }

  /** Throws LIMIT_EXCEEDED for too much text of all entries, and OVERLOADED where it is long and no place becomes free. */
  async function requireLittleText({ path, body }: BatchEntry): Promise<void> {
    characters += path.length + (body === undefined ? 0 : JSON.stringify(body).length);
    if (characters > EXPRESSION_CHARACTERS) {
      const expected = `expressions of at most ${EXPRESSION_CHARACTERS} characters in one batch, paths and bodies included`;
      throw limitExceeded(`too many expressions: expected ${expected}`, expected);
    }
    if (characters <= SHORT_CHARACTERS) return;
    turn ??= request.options.guards.overload.longBatches.enter(untilGone(request));
    await turn;
  }

  async function resolve(path: string, index: number): Promise<string> {
    const answers = new Map<BatchReference['entry'], unknown>();
    for (const reference of referencesIn(path)) {
      if (!answers.has(reference.entry)) answers.set(reference.entry, await referred(reference, index));
    }
    return answers.size === 0 ? path : resolveReferences(path, ({ entry }) => answers.get(entry));
  }

  async function referred({ text, entry }: BatchReference, index: number): Promise<unknown> {
    const place = typeof entry === 'number' ? entry : places.get(entry);
    if (place === undefined || place >= index) throw bad(text, 'does not name an earlier entry');
    const outcome = (await outcomes[place])!;
    if (outcome.status >= 400) {
      throw new GatewayError('FAILED_DEPENDENCY', `entry ${place}, which ${text} refers to, failed`, {
        parameter: 'path',
      });
    }
    if (!outcome.isJson) throw bad(text, 'refers to a response that is not JSON');
    return JSON.parse(outcome.text);
  }

  /** Runs an entry; never rejects. */
  async function perform({ service, call }: Ready): Promise<Outcome> {
    try {
      if (leaving.isOver) throw new GatewayError('UNAVAILABLE', 'the client disconnected');
      requireRoom(0);
      // Entries that need no I/O would otherwise all run in one turn of the event loop.
      const turn = eventLoopTurns.next();
      if (turn) await turn;
      const answer = await service.answer(call);
      const text = await collect(answer);
      return outcomeOf(answer, text);
    } catch (error) {
      return failure(error, call.url, service.operation.path, call);
    }
  }

  /** The text of a response, as far as there is room for it. */
  async function collect(answer: AnyAnswer): Promise<string> {
    if (isSubscribed(answer)) throw new GatewayError('BAD_PARAMETER', 'a stream cannot be part of a batch');
    if (!isStreamed(answer)) {
      const text = typeof answer.body === 'string' ? answer.body : Buffer.from(answer.body).toString('utf8');
      requireRoom(Buffer.byteLength(text));
      return text;
    }
    const pieces: string[] = [];
    for await (const piece of answer.pieces) {
      if (typeof piece !== 'string') {
        throw new GatewayError('BAD_PARAMETER', 'a binary response cannot be part of a batch', { parameter: 'path' });
      }
      requireRoom(Buffer.byteLength(piece));
      pieces.push(piece);
      if (leaving.isOver) throw new GatewayError('UNAVAILABLE', 'the client disconnected');
    }
    return pieces.join('');
  }

  /** Counts bytes of responses; throws LIMIT_EXCEEDED beyond the limit. */
  function requireRoom(bytes: number): void {
    if (written + bytes <= maxBytes && written < maxBytes) {
      written += bytes;
      return;
    }
    const message = `the responses of the batch exceed ${maxBytes} bytes (limits.batchBytes)`;
    throw limitExceeded(message, 'fewer entries, or smaller responses');
  }

  function failure(error: unknown, url: string, route = '/pmapi/batch', call?: Call): Outcome {
    const { options, call: batch } = request;
    const { requestId } = batch;
    if (viewError(error).code === 'INTERNAL') {
      options.observer?.defect?.({ requestId, route, url: loggedUrl(url), error });
    }
    const answer = errorAnswer(error, requestId, call && repeatedFacts(call));
    return outcomeOf(answer, answer.body as string);
  }
}

/** An entry as a request of its own, with the headers of the whole except those about its body. Throws why it is refused. */
export function partOf(
  { call, directory }: AnyRequest,
  entry: BatchEntry,
  url: string,
  onClose: Call['onClose'],
): Ready {
  const { method = 'GET', body } = entry;
  const found = directory.find(method, url);
  const { operation } = found.service;
  if (body !== undefined && !operation.hasBody) {
    throw new GatewayError('BAD_PARAMETER', `${method} ${operation.path} takes no body`, { parameter: 'body' });
  }
  const headers = { ...call.headers };
  for (const name of BATCH_HEADERS) Reflect.deleteProperty(headers, name);
  Object.assign(headers, ownHeaders(entry));
  const type = headers['content-type'] ?? (typeof body === 'object' ? 'application/json' : undefined);
  const bytes = Buffer.from(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body));
  const bodyHeaders = type === undefined ? {} : { 'content-type': type };
  return {
    ...found,
    call: {
      ...call,
      method,
      url,
      path: found.path,
      headers,
      readBody: (_maxBytes, described) =>
        new Promise((resolve) => resolve(parseParameterBody(bytes, bodyHeaders, described))),
      readDocument: () => Promise.resolve(body),
      readBytes: () => Promise.resolve(bytes),
      isPart: true,
      onClose,
    },
  };
}

function isReady(value: unknown): value is Ready {
  return typeof value === 'object' && value !== null && 'call' in value && 'service' in value;
}

function contextInBody({ body }: BatchEntry): number | undefined {
  if (typeof body === 'string') return namedContext(`?${body}`, {});
  const context = body?.context;
  return typeof context === 'number' || typeof context === 'string'
    ? namedContext(`?context=${context}`, {})
    : undefined;
}

/** The headers of an entry. Throws BAD_PARAMETER for one that only the batch can have. */
function ownHeaders({ headers = {} }: BatchEntry): Record<string, string> {
  const own: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const known = OWN_HEADERS.find((header) => header === name.toLowerCase());
    if (known === undefined) {
      throw badParameter('headers', `an entry cannot have the header '${name.slice(0, 80)}'`, OWN_HEADERS.join(' or '));
    }
    own[known] = value;
  }
  return own;
}

function outcomeOf(answer: AnyAnswer, text: string): Outcome {
  const headers: Record<string, string> = { 'content-type': answer.contentType };
  const more = answer.headers ?? [];
  for (let i = 0; i + 1 < more.length; i += 2) {
    // Responses of entries are not cached.
    if (more[i] !== 'Vary') headers[more[i]!.toLowerCase()] = more[i + 1]!;
  }
  return {
    status: ('status' in answer ? answer.status : undefined) ?? 200,
    headers,
    isJson: parseMediaType(answer.contentType)?.name === 'application/json',
    text,
  };
}

/** JSON is copied verbatim, so that numbers keep their digits; other texts become JSON strings. */
function writeOutcome(id: string | undefined, { status, headers, isJson, text }: Outcome): string {
  const head = JSON.stringify({ id, status, headers }).slice(0, -1);
  return `${head},"body":${isJson ? text.trimEnd() : JSON.stringify(text)}}`;
}
