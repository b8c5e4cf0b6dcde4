/** Requests that all gateways of the fleet answer together: lists of what each of them has, and searches. */
import { systemTimers } from '../../kit/index.js';
import type { LinkAnswer } from '../../fleet/link/index.js';
import type { Answer, ContextParameters, OperationRequest } from '../contracts.js';
import { handedCall, OWN } from '../handing.js';
import type { FleetState } from '../options.js';
import type { Peer } from '../../fleet/index.js';
import { jsonAnswer } from '../response/answer.js';
import type { Warning } from '../response/answer.js';
import { isOnThisMachine } from './request-context.js';
import { schemaCompiler } from './validate.js';

/** How long the other gateways have to answer. */
const ANSWER_MS = 3000;
/** The longest answer of another gateway: it is read whole. */
const MAX_PART_BYTES = 8 * 1024 * 1024;

/** How an answer is made of what each gateway has. */
interface AnswerOfAll<Part> {
  /** What this gateway has. */
  readonly own: () => Part | Promise<Part>;
  /** The JSON schema of that, which the other gateways' JSON must match; it may refer to `openapi.json#/components/schemas/X`. */
  readonly schema: object;
  /** Answers with what all of them have, this gateway first. */
  readonly answer: (parts: readonly Part[], warnings: readonly Warning[]) => Answer;
}

/**
 * Answers a request for what all gateways of the fleet have. Each of the others answers the same call, for the same principal, with what it
 * has; gateways without an answer in time, or with an invalid one, are named in warnings. A request that names a context or a source is about
 * this gateway alone. Throws what `own` throws.
 */
export async function answerOfAll<Part>(
  request: OperationRequest<ContextParameters>,
  { own, schema, answer }: AnswerOfAll<Part>,
): Promise<Answer> {
  const { fleet } = request.options;
  if (asksForPart(request)) return jsonAnswer(JSON.stringify(await own()), [OWN, '1']);
  if (!fleet || namesSource(request)) return answer([await own()], []);
  const [first, others] = await Promise.all([own(), askOthers(request, fleet)]);
  const isPart = schemaCompiler().compile<Part>(schema);
  const parts: Part[] = [first];
  const silent: string[] = [];
  for (const { name, json } of others) {
    if (isPart(json)) parts.push(json);
    else silent.push(name);
  }
  return answer(parts, warningsOf(request, fleet, silent));
}

/** Whether another gateway asks for what this one has. */
export function asksForPart({ call, headers }: OperationRequest<object>): boolean {
  return call.isHanded === true && headers[OWN] !== undefined;
}

/** Whether a request names a context, a host or an archive. */
export function namesSource({ query, path }: OperationRequest<ContextParameters>): boolean {
  const source = query.hostspec ?? query.hostname ?? query.archive;
  return (query.context ?? path.context ?? source) !== undefined;
}

/** What another gateway answered; undefined if it did not. */
interface Asked {
  readonly name: string;
  readonly json: unknown;
}

/** Asks all other gateways at once. Never rejects. */
async function askOthers(request: OperationRequest<object>, fleet: FleetState): Promise<readonly Asked[]> {
  const { call, options, onClose } = request;
  const { timers = systemTimers, access } = options;
  const listeners: (() => void)[] = [];
  let isOver = false;
  const end = (): void => {
    isOver = true;
    for (const listener of listeners.splice(0)) listener();
  };
  const onEnd = (listener: () => void): void => {
    if (isOver) listener();
    else listeners.push(listener);
  };
  const cancel = timers.after(ANSWER_MS, end);
  onClose(end);
  const late = new Promise<undefined>((resolve) => onEnd(() => resolve(undefined)));
  const { headers, ...rest } = handedCall(call, access);
  const sent = { ...rest, headers: { ...headers, [OWN]: '1' } };
  const ask = async (member: Peer): Promise<unknown> => {
    try {
      const answer = await fleet.hand(sent, member, onEnd);
      return answer && (await readPart(answer));
    } catch {
      return undefined;
    }
  };
  const asking = [...fleet.others].map(async ([name, member]) => ({
    name,
    json: member && (await Promise.race([ask(member), late])),
  }));
  const asked = await Promise.all(asking);
  cancel();
  // Calls in progress are cancelled.
  end();
  return asked;
}

/** The JSON of an answer; undefined for one of a gateway that cannot answer for itself alone. Throws for one that is too long. */
async function readPart({ headers, body }: LinkAnswer): Promise<unknown> {
  if (headers[OWN] === undefined) return undefined;
  if (body instanceof Uint8Array) return parse(body);
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.byteLength;
    if (size > MAX_PART_BYTES) return undefined;
    pieces.push(piece);
  }
  return parse(Buffer.concat(pieces));
}

function parse(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
}

/** The gateways that did not answer: only clients on this machine and administrators see their names. */
function warningsOf(
  request: OperationRequest<object>,
  { isAlone, others }: FleetState,
  silent: readonly string[],
): Warning[] {
  const code = 'UNAVAILABLE';
  const alone = 'this gateway cannot reach its fleet: what the other gateways have may be missing';
  const warnings: Warning[] = isAlone ? [{ message: alone, code }] : [];
  if (silent.length === 0) return warnings;
  const isNamed = isOnThisMachine(request) || request.principal?.may('admin') === true;
  const who = isNamed
    ? silent.map((id) => id.replace(/#\w+$/, '')).join(', ')
    : `${silent.length} of ${others.size} other gateways`;
  return [...warnings, { message: `no answer from ${who}: what they have is missing`, code }];
}
