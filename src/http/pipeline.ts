import type { Permission } from '../access/index.js';
import { GatewayError, ERROR_CATALOGUE } from '../pmapi/index.js';
import type {
  Answer,
  AnyAnswer,
  Call,
  CallableOperation,
  OperationFinder,
  OperationRequest,
  Route,
} from './contracts.js';
import { isLoopback, originOf } from './guards/client-limits.js';
import { WebPages } from './guards/web-pages.js';
import type { FleetState, HttpOptions, AuditRecord } from './options.js';
import type { OperationDescription } from './request/openapi.js';
import { namesSource } from './request/ask-members.js';
import { answerPlaced } from './request/place-call.js';
import { splitUrl } from './request/request-context.js';
import { validatorOf, type Parameters, type ParameterValidator } from './request/validate.js';
import { isStreamed, isSubscribed } from './response/answer.js';
import { viewError } from './response/error-response.js';

/** A list in a longer URL would take too much memory. */
const LONGEST_URL = 256;
const MOST_URLS = 16;

interface Passage {
  readonly call: Call;
  readonly pipeline: RequestPipeline;
  /** The JSON body of routes that read a document. */
  document?: unknown;
  /** Called when the answer is sent, or the call has failed: what the stages took is given back. */
  readonly releases: (() => void)[];
  /** Logs the outcome of an audited call; undefined for all others. */
  record?: (outcome: AuditOutcome) => void;
}

/** One stage of a call: refuses it by throwing, and returns a promise only where it has to wait. */
type Stage = (passage: Passage) => void | Promise<void>;

/** The life of a call before its operation runs, in order. README.md draws it. */
const STAGES: readonly Stage[] = [
  checkUrl,
  takeOn,
  beginRecord,
  identify,
  checkPage,
  authorize,
  count,
  readBody,
  readParameters,
];

/** Those stages that apply to a call that another gateway handed over. */
const HANDED_STAGES: readonly Stage[] = [takeOn, authorize, readBody, readParameters];

/** One operation of openapi.yaml: each call passes the {@link STAGES}, then the route's function runs. Knows no sockets. */
export class RequestPipeline implements CallableOperation {
  readonly permission: Permission | 'none';
  /** Whether its requests are about one source, that of a hostspec or an archive. */
  readonly #namesSource: boolean;
  readonly #recent = new RecentParameters();
  #validator: ParameterValidator | undefined;
  #pages: WebPages | undefined;

  constructor(
    readonly operation: OperationDescription,
    readonly route: Route,
    readonly options: HttpOptions,
    readonly directory: OperationFinder,
  ) {
    this.permission = route.permission ?? 'read';
    this.#namesSource = operation.parameters.some(({ name }) => name === 'hostspec');
  }

  /** Whether the sender of a call must be known: not where the operation is for everyone, or for everyone at its address. */
  needsIdentity({ remoteAddress }: Pick<Call, 'remoteAddress'>): boolean {
    return this.permission !== 'none' && this.route.isOpenTo?.(remoteAddress) !== true;
  }

  get pages(): WebPages {
    return (this.#pages ??= new WebPages(this.options.guards));
  }

  /** The parameters of a call, checked against openapi.yaml; those of a fetch by URL are kept for the next such fetch. */
  parametersOf(call: Call): Parameters {
    const isKept = this.route.effect === 'moves' && call.body === undefined;
    return isKept ? this.#recent.of(call.url, () => this.#readParameters(call)) : this.#readParameters(call);
  }

  answer(call: Call): Answer | Promise<AnyAnswer> {
    return this.#pass({ call, pipeline: this, releases: [] }, 0);
  }

  mustTakeTurn(context: number | undefined): boolean {
    const { effect = 'reads' } = this.route;
    if (effect !== 'moves') return effect === 'changes';
    try {
      return this.#movesPosition(context);
    } catch {
      // It may be a context of another gateway.
      return this.options.fleet !== undefined;
    }
  }

  #readParameters({ url, path, body }: Call): Parameters {
    this.#validator ??= validatorOf(this.operation);
    const raw = { query: this.route.leavesQuery === true ? '' : splitUrl(url)[1], path };
    return this.#validator.read(body ? { ...raw, body } : raw, this.options.limits.names);
  }

  /** Pass the stages from the one at `next` on, then run the operation. */
  #pass(passage: Passage, next: number): Answer | Promise<AnyAnswer> {
    try {
      const stages = passage.call.isHanded === true ? HANDED_STAGES : STAGES;
      for (let i = next; i < stages.length; i++) {
        const waiting = stages[i]!(passage);
        if (waiting) return this.#resume(passage, i + 1, waiting);
      }
      const request = passage.call.request!;
      const { fleet } = this.options;
      const answer = fleet === undefined ? this.#answer(request) : this.#answerInFleet(request, fleet);
      if (answer instanceof Promise) return this.#finish(passage, answer);
      giveBack(request.held);
      giveBack(passage.releases);
      passage.record?.({ answer });
      return answer;
    } catch (error) {
      fail(passage, error);
      throw error;
    }
  }

  #answer(request: OperationRequest<object>): Answer | Promise<AnyAnswer> {
    if (this.route.off !== undefined) throw new GatewayError('NOT_FOUND', this.route.off);
    return this.#isJustAsked(request)
      ? { contentType: this.route.contentType ?? 'application/json', body: '' }
      : this.route.run(request);
  }

  #answerInFleet(request: OperationRequest<object>, fleet: FleetState): Answer | Promise<AnyAnswer> {
    const { route } = this;
    const isAboutSource = this.#namesSource && (route.asksAll !== true || namesSource(request));
    return answerPlaced({ request, fleet, isAboutSource, route, here: () => this.#answer(request) });
  }

  async #resume(passage: Passage, next: number, waiting: Promise<void>): Promise<AnyAnswer> {
    try {
      await waiting;
    } catch (error) {
      fail(passage, error);
      throw error;
    }
    return this.#pass(passage, next);
  }

  async #finish(passage: Passage, answering: Promise<AnyAnswer>): Promise<AnyAnswer> {
    const { call, releases, record } = passage;
    let answer: AnyAnswer;
    try {
      answer = await answering;
      // The other gateways of a fleet have to know what changed before the client does.
      if (this.options.fleet !== undefined) await this.#noteChanges(call, answer);
    } catch (error) {
      fail(passage, error);
      throw error;
    }
    giveBack(call.request?.held);
    // An answer that is written while it is made holds its place until it is sent; one that is complete counts by its size, and a stream
    // has been answered when it begins.
    if (isStreamed(answer) && answer.heldBytes === undefined) call.onClose(() => giveBack(releases));
    else giveBack(releases);
    record?.({ answer });
    return answer;
  }

  async #noteChanges({ request, onClose }: Call, answer: AnyAnswer): Promise<void> {
    const context = request?.context;
    if (!context) return;
    const { contexts } = this.options;
    if (isStreamed(answer)) onClose(() => void contexts.save(context)?.catch(() => undefined));
    try {
      await contexts.save(context);
    } catch (error) {
      // A position that is noted later may only repeat a sample; the answer itself would be lost.
      const isNotedLater = error instanceof GatewayError && error.code === 'OUTCOME_UNKNOWN';
      if (this.route.effect !== 'moves' || !isNotedLater) throw error;
    }
  }

  /** Whether it is a HEAD of a GET that would change something: the answer says only that the client may. */
  #isJustAsked({ call, query, path }: OperationRequest<{ readonly context?: number }>): boolean {
    if (call.method !== 'HEAD') return false;
    const { effect = 'reads' } = this.route;
    return effect === 'changes' || (effect === 'moves' && this.#movesPosition(query.context ?? path.context));
  }

  /** Whether a fetch moves the position of the context that it names. Throws UNKNOWN_CONTEXT. */
  #movesPosition(context: number | undefined): boolean {
    return context !== undefined && this.options.contexts.use(context).kind === 'archive';
  }
}

function checkUrl({ call, pipeline }: Passage): void {
  refuseTooLong(call.url, pipeline.options.limits.urlBytes);
}

/** Take the call on, or refuse it under overload: OVERLOADED. */
function takeOn({ call, pipeline, releases }: Passage): void {
  const { overload } = pipeline.options.guards;
  if (call.isPart === true) return;
  const { cost = 'usual' } = pipeline.route;
  overload.enter(cost);
  releases.push(() => overload.leave(cost));
}

/** From here on an audited call is logged, done or refused. */
function beginRecord(passage: Passage): void {
  const { call, pipeline } = passage;
  if (pipeline.route.isAudited !== true || call.method === 'HEAD') return;
  const { options, operation } = pipeline;
  passage.record = (outcome) => options.observer?.audited?.(auditRecord(call, operation.operationId, outcome));
}

/** Identify who sends the call, where there is access control: AUTHENTICATION_REQUIRED, TOO_MANY_REQUESTS. */
function identify({ call, pipeline }: Passage): void | Promise<void> {
  const { access, clients } = pipeline.options.guards;
  if (!access || !pipeline.needsIdentity(call)) return undefined;
  const found = access.identify({
    authorization: call.headers.authorization,
    isLoopback: () => isLoopback(call.remoteAddress),
    origin: () => originOf(call, clients),
  });
  if (found instanceof Promise) return found.then((principal) => void (call.principal = principal));
  call.principal = found;
}

/** Refuse calls of web pages of other origins, and by other names of the gateway: FORBIDDEN, WRONG_HOST. */
function checkPage({ call, pipeline }: Passage): void {
  pipeline.pages.check(call, pipeline.permission, pipeline.route.effect);
}

/** Check that the sender is permitted: FORBIDDEN, AUTHENTICATION_REQUIRED. */
function authorize({ call, pipeline: { permission } }: Passage): void {
  if (permission !== 'none') call.principal?.require(permission);
}

/** Count the call as one of its client's: TOO_MANY_REQUESTS. */
function count({ call, pipeline, releases }: Passage): void {
  if (pipeline.route.cost === 'none') return;
  const release = pipeline.options.guards.clients.request(call, call.isPart);
  if (release) releases.push(release);
}

/** Read the body, where the operation has one: BODY_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, BAD_REQUEST. */
function readBody(passage: Passage): void | Promise<void> {
  const { call, pipeline } = passage;
  const { operation } = pipeline;
  const { bodyBytes } = pipeline.options.limits;
  const { readsDocument = false } = pipeline.route;
  if (!operation.hasBody || readsDocument === 'itself') return undefined;
  if (readsDocument !== false) {
    const reading = readsDocument === 'bytes' ? call.readBytes(bodyBytes) : call.readDocument(bodyBytes);
    return reading.then((document) => void (passage.document = document));
  }
  return call.readBody(bodyBytes, operation).then((body) => void (call.body = body));
}

/** Check the parameters against openapi.yaml, and make what the operation gets to see: BAD_PARAMETER and the like. */
function readParameters({ call, pipeline, document }: Passage): void {
  const { route, options, directory } = pipeline;
  const { query, path } = pipeline.parametersOf(call);
  call.request = {
    query,
    path,
    document,
    headers: call.headers,
    principal: call.principal,
    options,
    compat: route.compat === true,
    isLoopback: () => isLoopback(call.remoteAddress),
    onClose: call.onClose,
    call,
    directory,
    held: [],
    waitsForHost: route.cost !== 'none',
  };
}

function fail({ call, releases, record }: Passage, error: unknown): void {
  giveBack(call.request?.held);
  giveBack(releases);
  record?.({ error });
}

/** Call each of the functions once, the last first. */
function giveBack(releases: (() => void)[] | undefined): void {
  for (let release = releases?.pop(); release; release = releases!.pop()) release();
}

export function refuseTooLong(url: string, urlBytes: number): void {
  if (url.length <= urlBytes) return;
  const message = `the URL is longer than ${urlBytes} bytes (limits.urlBytes): send the parameters in a POST body`;
  throw new GatewayError('URL_TOO_LONG', message, { expected: `at most ${urlBytes} bytes` });
}

/** Parameters of recent URLs, frozen: pollers repeat them, and parsing takes a tenth of the time of a small fetch. */
export class RecentParameters {
  readonly #byUrl = new Map<string, Parameters>();

  of(url: string, read: () => Parameters): Parameters {
    const known = this.#byUrl.get(url);
    if (known) return known;
    const parameters = read();
    if (url.length > LONGEST_URL) return parameters;
    if (this.#byUrl.size >= MOST_URLS) this.#byUrl.clear();
    for (const values of [parameters.query, parameters.path]) {
      Object.freeze(values);
      for (const value of Object.values(values)) if (Array.isArray(value)) Object.freeze(value);
    }
    this.#byUrl.set(url, parameters);
    return parameters;
  }
}

const SHOWN_LENGTH = 200;

type AuditOutcome = { readonly answer: AnyAnswer } | { readonly error: unknown };

/** The audit record of a call that changes something, written after its response. */
function auditRecord(call: Call, operation: string, outcome: AuditOutcome): AuditRecord {
  const { method, remoteAddress, requestId, request } = call;
  const parameters: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...request?.path, ...request?.query })) {
    // Attributes of a hostspec may contain a password.
    const text = /^host(?:spec|name)$/.test(name) ? String(value).replace(/[?&].*$/s, '') : String(value);
    parameters[name] = text.slice(0, SHOWN_LENGTH);
  }
  return {
    operation,
    method,
    who: call.principal?.name ?? 'anonymous',
    remoteAddress,
    requestId,
    parameters,
    ...resultOf(outcome),
  };
}

function resultOf(outcome: AuditOutcome): Pick<AuditRecord, 'status' | 'code'> {
  if ('answer' in outcome) {
    const { answer } = outcome;
    return { status: isStreamed(answer) || isSubscribed(answer) ? 200 : (answer.status ?? 200) };
  }
  const { code } = viewError(outcome.error);
  return { status: ERROR_CATALOGUE[code].status, code };
}
