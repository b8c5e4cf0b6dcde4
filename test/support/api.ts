import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { AddressInfo } from 'node:net';
import supertest from 'supertest';
import type { Response } from 'supertest';
import { DEFAULT_RANGE_LIMITS } from '../../src/context/range/index.js';
import type { components } from '../../src/client/index.js';
import { StreamHub } from '../../src/context/stream/index.js';
import { ClientLimits, createApp, createHttpServer, OverloadGuard } from '../../src/http/index.js';
import type { AppOptions, Directories, GatewayServer, Guards, RequestLimits } from '../../src/http/index.js';
import { systemTimers } from '../../src/kit/index.js';
import { systemClock } from '../../src/pmapi/index.js';
import { routesOfFeatures } from './feature-routes.js';
import { type MemoryGateway, memoryGateway } from './memory-gateway.js';
import { PATIENT_OVERLOAD, STREAM_LIMITS } from './patience.js';
import { OPENAPI_DOCUMENT } from './openapi-document.js';
import { parseEvents } from './sse-reader.js';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
interface OpenapiResponse {
  readonly content?: Record<string, { readonly schema: object & { readonly contentSchema?: object } }>;
}
interface OpenapiOperation {
  readonly operationId: string;
  readonly 'x-pmgate-form-of'?: string;
  readonly responses: Record<string, { readonly $ref: string }>;
}

/** openapi.compat.yaml, as far as the tests read it. */
export const OPENAPI = OPENAPI_DOCUMENT as {
  paths: Record<string, Record<string, OpenapiOperation>>;
  components: { responses: Record<string, OpenapiResponse>; schemas: Record<string, object> };
};

// Most schemas are used for a few answers, so optimizing their code would cost more than it saves.
const ajv = new Ajv2020({ strict: false, code: { optimize: false } });
ajv.addSchema({ ...OPENAPI, $id: 'openapi' });

/** The members that answers may have; checkAnswer() has held them against their schema, so tests may take them for granted. */
export interface AnswerJson {
  readonly context: number;
  readonly message: string;
  readonly code: string;
  readonly timestamp: unknown;
  readonly values: readonly { readonly name: string; readonly instances: readonly InstanceJson[] }[];
  readonly metrics: readonly { readonly name: string }[];
  readonly instances: readonly InstanceJson[];
  readonly warnings: readonly { readonly name?: string; readonly pmid?: string }[];
  readonly contexts: readonly object[];
  readonly resourceMetrics: readonly {
    readonly resource: object;
    readonly scopeMetrics: readonly { readonly metrics: readonly { readonly name: string }[] }[];
  }[];
}
interface InstanceJson {
  readonly instance: number | null;
  readonly value: unknown;
}

/** A sample of a range or a stream, with its time in seconds; a mark has no values. */
export interface SampleJson {
  readonly timestamp: number;
  readonly mark?: true;
  readonly full?: true;
  readonly values: readonly { readonly name: string; readonly instances: readonly InstanceJson[] }[];
}
interface RangeMetricJson {
  readonly name: string;
  readonly type: string;
  readonly sem: string;
  readonly units: string;
}
/** A range as rows. */
export interface RowsJson {
  readonly metrics: readonly RangeMetricJson[];
  readonly samples: readonly SampleJson[];
  readonly warnings?: readonly { readonly name?: string; readonly message: string }[];
}
interface ColumnJson {
  readonly instance: number | null;
  readonly name?: string;
  readonly values: readonly (number | null)[];
}
/** A range as columns. */
export interface ColumnsJson {
  readonly times: readonly number[];
  readonly metrics: readonly (RangeMetricJson & { readonly series: readonly ColumnJson[] })[];
}

/** One answer, read whole. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body as JSON; throws when it is none. */
  readonly json: AnswerJson;
}

/** Templates of openapi.yaml as expressions; those that end in a parameter come last, as in the router. */
const TEMPLATES = Object.keys(OPENAPI.paths)
  .sort((a, b) => Number(a.endsWith('}')) - Number(b.endsWith('}')))
  .map((path) => ({
    path,
    regex: new RegExp(`^${path.replaceAll('{context}', '[0-9]+').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }));

function describedOperation(method: string, url: string): OpenapiOperation | undefined {
  const pathname = url.replace(/[?#].*$/s, '');
  const template = TEMPLATES.find(({ regex }) => regex.test(pathname));
  return template && OPENAPI.paths[template.path]![method === 'HEAD' ? 'get' : method.toLowerCase()];
}

/** Hold an answer against openapi.yaml: its status, its media type and its body; answers to unknown paths are errors. */
export function checkAnswer(method: string, url: string, answer: Omit<ApiAnswer, 'json'>): void {
  const operation = describedOperation(method, url);
  const { status, headers, text } = answer;
  const ref =
    operation?.responses[String(status)] ?? (status >= 400 ? { $ref: '#/components/responses/Failure' } : undefined);
  if (!ref) throw new Error(`${method} ${url}: openapi.yaml has no answer ${status}`);
  const described = OPENAPI.components.responses[ref.$ref.split('/').at(-1)!]!;
  const mediaType = (headers['content-type'] ?? '').replace(/;.*$/, '');
  const content = described.content?.[mediaType];
  if (!content) throw new Error(`${method} ${url}: openapi.yaml has no ${mediaType} for ${status}: ${text}`);
  if (method === 'HEAD') return;
  const isStreamed = headers['transfer-encoding'] === 'chunked';
  if (!isStreamed && Number(headers['content-length']) !== Buffer.byteLength(text))
    throw new Error(`${url}: wrong length`);
  const itemSchema = content.schema.contentSchema;
  if (itemSchema && mediaType === 'text/event-stream') {
    for (const { event, data } of parseEvents(text)) checkJson(`${method} ${url}`, itemSchema, `{"${event}":${data}}`);
    return;
  }
  // Of NDJSON: the schema of each line.
  if (itemSchema) {
    if (text !== '' && !text.endsWith('\n')) throw new Error(`${method} ${url}: no end of line`);
    for (const line of text.split('\n').slice(0, -1)) checkJson(`${method} ${url}`, itemSchema, line);
  }
  if (mediaType !== 'application/json') return;
  checkJson(`${method} ${url}: ${status}`, content.schema, text);
}

const validators = new WeakMap<object, ValidateFunction>();

function checkJson(what: string, schema: object, text: string): void {
  const validate = validators.get(schema) ?? compile(schema);
  if (!validate(JSON.parse(text) as Json)) {
    throw new Error(`${what} ${text}\n${JSON.stringify(validate.errors, undefined, 1)}`);
  }
}

function compile(schema: object): ValidateFunction {
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')) as object;
  const validate = ajv.compile(absolute);
  validators.set(schema, validate);
  return validate;
}

/** The schemas of openapi.yaml, as types. */
export type Schemas = components['schemas'];

/** What a test sends beside method and URL. */
export interface ApiRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | object;
  readonly type?: string;
}

type Flat = Partial<Omit<AppOptions, 'guards' | 'directories' | 'limits'> & Guards & Directories & RequestLimits>;

/** The options of the HTTP room without their groups: tests give few of them. */
export type FlatOptions = Flat & { readonly limits?: Partial<RequestLimits> };

const NO_CLIENT_LIMITS = { requestsPerSec: 0, requests: 0, contexts: 0, streams: 0, connections: 0, exempt: [] };

/** The same in their groups, with what a test does not give: no archives, no limits, no guards. */
export function grouped(options: FlatOptions & Pick<AppOptions, 'contexts' | 'version'>): AppOptions {
  const { access, hostNames, overload, clients, corsOrigins, strictTransportSec, store, ...others } = options;
  const { archives, hostArchives, namedHosts, ranges, batch, batchBytes, timeouts, limits, ...rest } = others;
  const none = (): Promise<{ archives: []; broken: [] }> => Promise.resolve({ archives: [], broken: [] });
  return {
    streams: new StreamHub({ clock: systemClock, limits: STREAM_LIMITS, memoryBytes: 32 * 1024 * 1024 }),
    basePath: '',
    timers: systemTimers,
    readiness: () => ({ ready: true }),
    ...rest,
    guards: {
      corsOrigins: [] as readonly string[],
      overload: new OverloadGuard(PATIENT_OVERLOAD),
      clients: new ClientLimits(NO_CLIENT_LIMITS, systemClock),
      strictTransportSec: 0,
      store: { enabled: false, allowGet: false },
      ...defined({ access, hostNames, overload, clients, corsOrigins, strictTransportSec, store }),
    },
    directories: {
      archives: { list: none },
      hostArchives: {
        list: none,
        overlapping: () => Promise.resolve([]),
        open: () => Promise.reject(new Error('there are no archives')),
      },
      namedHosts: () => [],
      ...defined({ archives, hostArchives, namedHosts }),
    },
    limits: {
      urlBytes: 4096,
      bodyBytes: 8192,
      names: 100,
      values: Infinity,
      ranges: DEFAULT_RANGE_LIMITS,
      batch: 100,
      batchBytes: 16_777_216,
      // Those of node.
      timeouts: { headersMs: 60_000, requestMs: 300_000, keepAliveMs: 5000, writeMs: 0 },
      ...limits,
      ...defined({ ranges, batch, batchBytes, timeouts }),
    },
  };
}

function defined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}

/** A gateway over memory sources, listening on a port of its own; every answer is held against openapi.yaml. */
export class Api {
  readonly gateway: MemoryGateway;
  readonly options: AppOptions;
  readonly defects: unknown[] = [];
  #server: GatewayServer | undefined;
  #base: string | ReturnType<typeof createApp> = '';

  private constructor(gateway: MemoryGateway, options: FlatOptions) {
    this.gateway = gateway;
    this.options = grouped({
      contexts: gateway.contexts,
      corsOrigins: ['https://grafana.example.com'],
      version: '0.0.0',
      observer: { defect: ({ error }) => void this.defects.push(error) },
      ...options,
      routes: { ...routesOfFeatures(gateway.contexts, options.archives), ...options.routes },
    });
  }

  /** Serve the way that the product does: with the grafted server. */
  static async start(gateway: MemoryGateway = memoryGateway(), options: FlatOptions = {}): Promise<Api> {
    const api = new Api(gateway, options);
    await api.#listen();
    return api;
  }

  /** The same from before the tests of a file, or of a `describe`, until after them. */
  static serving(gateway: MemoryGateway = memoryGateway(), options: FlatOptions = {}): Api {
    const api = new Api(gateway, options);
    beforeAll(() => api.#listen());
    afterAll(() => api.stop());
    return api;
  }

  /** Serve the Express application by itself, as somebody who embeds it would. */
  static plain(gateway: MemoryGateway = memoryGateway()): Api {
    const api = new Api(gateway, {});
    api.#base = createApp(api.options);
    return api;
  }

  async #listen(): Promise<void> {
    const server = createHttpServer(this.options);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#server = server;
    this.#base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return this.#base as string;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  async request(method: string, url: string, { headers = {}, body, type }: ApiRequest = {}): Promise<ApiAnswer> {
    const agent = supertest(this.#base);
    const verb = method.toLowerCase() as 'get' | 'post' | 'put' | 'delete' | 'head' | 'options';
    // superagent would ask for compressed answers, and hide that they were.
    let test = agent[verb](url)
      .set({ 'accept-encoding': 'identity', ...headers })
      .buffer(true)
      .parse(readText);
    if (type !== undefined) test = test.type(type);
    if (body !== undefined) test = test.send(body);
    const response = await test;
    const answer = {
      status: response.status,
      headers: response.headers as Record<string, string>,
      text: typeof response.body === 'string' ? response.body : '',
    };
    if (method !== 'OPTIONS') checkAnswer(method, url, answer);
    return {
      ...answer,
      get json() {
        return JSON.parse(answer.text) as AnswerJson;
      },
    };
  }

  get(url: string, request?: ApiRequest): Promise<ApiAnswer> {
    return this.request('GET', url, request);
  }

  /** What a GET is answered with status 200, as JSON of the type that the test names. */
  async ok<T>(url: string, request?: ApiRequest): Promise<T> {
    const { status, text } = await this.get(url, request);
    if (status !== 200) throw new Error(`${url}: ${status} ${text}`);
    return JSON.parse(text) as T;
  }

  post(url: string, request?: ApiRequest): Promise<ApiAnswer> {
    return this.request('POST', url, request);
  }

  async context(query = ''): Promise<number> {
    return (await this.get(`/pmapi/context${query}`)).json.context;
  }

  /** End; throws the defects that nobody has taken out of {@link defects}. */
  async stop(): Promise<void> {
    await new Promise((resolve) => (this.#server ? this.#server.close(resolve) : resolve(undefined)));
    await this.gateway.contexts.close();
    if (this.defects.length > 0) throw new AggregateError(this.defects.splice(0), 'the gateway had defects');
  }
}

/** superagent decides by media type whether it keeps the text; here it always does. */
function readText(response: Response, done: (error: Error | null, body: string) => void): void {
  const chunks: Buffer[] = [];
  const stream = response as unknown as NodeJS.ReadableStream;
  stream.on('data', (chunk: Buffer | string) => chunks.push(Buffer.from(chunk)));
  stream.on('end', () => done(null, Buffer.concat(chunks).toString('utf8')));
}
