import { badParameter, GatewayError } from '../../../pmapi/index.js';
import { answerPart } from '../../request/place-call.js';
import { isStreamed, isSubscribed, jsonAnswer, LINE_END } from '../../response/answer.js';
import type { Answer, ContextParameters, OperationRequest, SourceRequest, StreamedAnswer } from '../../contracts.js';
import { errorBody, viewError, type ErrorView } from '../../response/error-response.js';

/** Separates the hosts of a list: a comma separates the ports of one host. */
const SEPARATOR = ';';
const MAX_HOSTS = 100;

export type HostOutcome<T> = { readonly hostspec: string } & (
  | { readonly answer: T; readonly error?: never }
  | { readonly error: ErrorView; readonly context: number | undefined; readonly answer?: never }
);

/** The hosts that a request lists; undefined for one, or for a context. Throws BAD_PARAMETER, LIMIT_EXCEEDED. */
export function listedHosts(request: SourceRequest): readonly string[] | undefined {
  const { query, path, compat } = request;
  const hostspec = query.hostspec ?? query.hostname;
  const namesContext = (query.context ?? path.context) !== undefined;
  // An archive besides hosts is rejected when the context is determined.
  if (!hostspec?.includes(SEPARATOR) || namesContext || compat || query.archive !== undefined) return undefined;
  const hosts = hostspec.split(SEPARATOR);
  const bad = (problem: string): GatewayError =>
    badParameter('hostspec', `'hostspec' lists ${problem}`, `distinct hosts, separated by ${SEPARATOR}`);
  if (hosts.includes('')) throw bad('an empty host');
  const twice = hosts.find((host, i) => hosts.indexOf(host) !== i);
  if (twice !== undefined) throw bad(`${twice.slice(0, 80)} twice`);
  if (hosts.length <= MAX_HOSTS) return hosts;
  const message = `'hostspec' lists ${hosts.length} hosts; at most ${MAX_HOSTS} are allowed`;
  throw new GatewayError('LIMIT_EXCEEDED', message, { parameter: 'hostspec', expected: `at most ${MAX_HOSTS} hosts` });
}

/** Runs the request for each host, without `client`. Errors concern that host alone; an internal error fails all of them. */
export function askHosts<Query extends ContextParameters, T>(
  request: OperationRequest<Query>,
  hosts: readonly string[],
  ask: (request: OperationRequest<Query>) => Promise<T>,
): Promise<HostOutcome<T>[]> {
  return Promise.all(
    hosts.map(async (hostspec): Promise<HostOutcome<T>> => {
      const query: { -readonly [K in keyof Query]: Query[K] } = { ...request.query, hostspec };
      delete query.client;
      const own: OperationRequest<Query> = { ...request, query };
      try {
        return { hostspec, answer: await ask(own) };
      } catch (failure) {
        const error = viewError(failure);
        if (error.code === 'INTERNAL') throw failure;
        return { hostspec, error, context: own.contextId };
      }
    }),
  );
}

/** One JSON response: an entry for each host, with its members or its error. `client` is repeated once, for all. */
export async function answerOfHosts<Query extends ContextParameters>(
  request: OperationRequest<Query>,
  hosts: readonly string[],
  ask: (request: OperationRequest<Query>) => Promise<Answer | StreamedAnswer>,
): Promise<Answer | StreamedAnswer> {
  const { client } = request.query;
  const outcomes = await askHosts(request, hosts, (one) => askAtOwner(one, () => ask(one)));
  const head = client === undefined ? '{' : `{"client":${JSON.stringify(client)},`;
  const large = outcomes.flatMap(({ answer }) => (answer && isStreamed(answer) ? answer : []));
  if (large.length === 0) return jsonAnswer(`${head}"hosts":[${outcomes.map(writeSmall).join(',')}]}`);
  return {
    contentType: 'application/json',
    pieces: { [Symbol.asyncIterator]: () => writeHosts(head, outcomes) },
    heldBytes: large.reduce((sum, { heldBytes = 0 }) => sum + heldBytes, 0),
    isRepeatable: large.every(({ isRepeatable }) => isRepeatable === true),
  };
}

async function askAtOwner(
  request: SourceRequest,
  ask: () => Promise<Answer | StreamedAnswer>,
): Promise<Answer | StreamedAnswer> {
  if (request.options.fleet === undefined) return ask();
  const answer = await answerPart(request, ask);
  if (isSubscribed(answer)) throw new Error('one of several hosts answers with a stream');
  if (isStreamed(answer)) return { ...answer, pieces: { [Symbol.asyncIterator]: () => textOf(answer.pieces) } };
  return { ...answer, body: typeof answer.body === 'string' ? answer.body : new TextDecoder().decode(answer.body) };
}

async function* textOf(pieces: StreamedAnswer['pieces']): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  for await (const piece of pieces) {
    const text = typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
    if (text !== '') yield text;
  }
}

type HostAnswer = HostOutcome<Answer | StreamedAnswer>;

async function* writeHosts(head: string, outcomes: readonly HostAnswer[]): AsyncGenerator<string, void> {
  let separator = `${head}"hosts":[`;
  for (const outcome of outcomes) {
    const { answer } = outcome;
    if (answer && isStreamed(answer)) {
      // A response is an object, and begins with its brace; its line end is a separate piece.
      let before = `${separator}${beginning(outcome)}`;
      for await (const piece of answer.pieces as AsyncIterable<string>) {
        yield before === '' ? (piece === LINE_END ? '' : piece) : before + piece.slice(1);
        before = '';
      }
    } else yield separator + writeSmall(outcome);
    separator = ',';
  }
  yield `]}${LINE_END}`;
}

function beginning({ hostspec }: HostAnswer): string {
  return `{"hostspec":${JSON.stringify(hostspec)},`;
}

function writeSmall(outcome: HostAnswer): string {
  const head = beginning(outcome);
  if (outcome.error) return `${head}"error":${errorBody(outcome.error, { context: outcome.context }).trimEnd()}}`;
  return (
    head +
    String((outcome.answer as Answer).body)
      .trimEnd()
      .slice(1)
  );
}
