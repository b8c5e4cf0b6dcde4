/** Requests answered by all gateways of a fleet together: lists and searches. */
import type { LinkAnswer } from '../../fleet/link/index.js';
import { Ending } from '../../kit/index.js';
import type { Answer, AnyRequest, SourceRequest } from '../contracts.js';
import { handedCall, OWN } from '../handing.js';
import type { FleetState } from '../options.js';
import type { Peer } from '../../fleet/index.js';
import { jsonAnswer, type Warning } from '../response/answer.js';
import { isOnThisMachine } from './request-context.js';
import { schemaCompiler } from './compile-schema.js';

const ANSWER_MS = 3000;
/** The longest part of another gateway, which is read whole. */
const MAX_PART_BYTES = 8 * 1024 * 1024;

interface AnswerOfAll<Part> {
  readonly own: () => Part | Promise<Part>;
  /** JSON schema of the parts; may refer to `openapi.json#/components/schemas/X`. */
  readonly schema: object;
  /** The response of all parts, this gateway's first. */
  readonly answer: (parts: readonly Part[], warnings: readonly Warning[]) => Answer;
}

/**
 * Answers with the parts of all gateways, each for the same principal; missing and invalid ones become warnings. A request that names a
 * context or source is about this gateway alone. Throws as `own`.
 */
export async function answerOfAll<Part>(
  request: SourceRequest,
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

/** The JSON schema of a list. */
export function listSchema(items: object): object {
  return { type: 'array', items };
}

/** The JSON schema of an object with all of these members. */
export function objectSchema(properties: Readonly<Record<string, object>>) {
  return { type: 'object', required: Object.keys(properties), properties };
}

/** Whether another gateway asks for what this one has. */
export function asksForPart({ call, headers }: AnyRequest): boolean {
  return call.isHanded === true && headers[OWN] !== undefined;
}

export function namesSource({ query, path }: SourceRequest): boolean {
  const source = query.hostspec ?? query.hostname ?? query.archive;
  return (query.context ?? path.context ?? source) !== undefined;
}

/** Asks all other gateways at once. Never rejects. */
async function askOthers(
  { call, options, onClose }: AnyRequest,
  fleet: FleetState,
): Promise<readonly { readonly name: string; readonly json: unknown }[]> {
  const { timers, guards } = options;
  const over = new Ending();
  const cancel = timers.after(ANSWER_MS, () => over.end());
  onClose(() => over.end());
  const late = new Promise<void>((resolve) => over.onEnd(resolve));
  const { headers, ...rest } = handedCall(call, guards.access);
  const sent = { ...rest, headers: { ...headers, [OWN]: '1' } };
  const ask = async (member: Peer): Promise<unknown> => {
    const answer = await fleet.hand(sent, member, over.onEnd);
    return answer && readPart(answer);
  };
  const asking = [...fleet.others].map(async ([name, member]) => ({
    name,
    json: member && (await Promise.race([ask(member).catch(() => undefined), late])),
  }));
  const asked = await Promise.all(asking);
  cancel();
  // Calls in progress are cancelled.
  over.end();
  return asked;
}

/** The JSON of a part; undefined from a gateway that cannot answer alone. Throws for one that is too long. */
async function readPart({ headers, body }: LinkAnswer): Promise<unknown> {
  if (headers[OWN] === undefined) return undefined;
  if (body instanceof Uint8Array) return JSON.parse(new TextDecoder().decode(body));
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.byteLength;
    if (size > MAX_PART_BYTES) return undefined;
    pieces.push(piece);
  }
  return new Response(new Blob(pieces)).json();
}

/** Warnings for missing parts; gateways are named for local clients and administrators only. */
function warningsOf(request: AnyRequest, { isAlone, others }: FleetState, silent: readonly string[]): Warning[] {
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
