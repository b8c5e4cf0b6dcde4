/** A parameter of a helper; undefined parameters are not sent. */
export type ParameterValue = string | number | boolean | readonly (string | number)[] | undefined;

/** Options of every call. */
export interface CallOptions {
  /** Cancels the call: the helper throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Replaces the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
}

export interface Call extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly parameters?: Readonly<Record<string, ParameterValue>>;
  /** Whether the route takes the same parameters by POST: a GET that is too long for a URL becomes a POST. */
  readonly hasPost?: boolean;
  /** Whether it changes nothing, and may be retried. */
  readonly isRead?: boolean;
  /** A JSON text to send as the body, instead of the parameters. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Texts to the gateway, though a number is a good one: in a JSON body the type counts. */
const TEXT_PARAMETERS = ['start', 'finish', 'interval', 'offset', 'align', 'at', 'time', 'speed'] as const;
export type TextParameter = (typeof TEXT_PARAMETERS)[number];

/** Options of streams that are for this client's use, beside those that are functions. */
const OWN_OPTIONS: readonly string[] = ['silenceMs', 'maxReconnects', 'lastEventId'];

/** A helper's options as a call: its signal, its time limit, and all else as parameters of the gateway, except this client's own. */
export function callOptions(options: object): Pick<Call, 'parameters' | 'signal' | 'timeoutMs'> {
  const { signal, timeoutMs, ...rest } = options as CallOptions & Readonly<Record<string, unknown>>;
  const parameters: Record<string, ParameterValue> = {};
  for (const [name, value] of Object.entries(rest)) {
    if (typeof value === 'function' || OWN_OPTIONS.includes(name)) continue;
    const isText = typeof value === 'number' && TEXT_PARAMETERS.some((text) => text === name);
    parameters[name] = isText ? String(value) : (value as ParameterValue);
  }
  return { parameters, signal, timeoutMs };
}

/** URLs longer than this are not safe with every proxy. */
const MAX_URL_LENGTH = 2000;

export interface PreparedCall {
  readonly method: Call['method'];
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The URL, or the URL and body, of a call. Lists are joined by commas, so one with a comma in an element needs a body. */
export function prepareCall(baseUrl: string, call: Call): PreparedCall {
  const { method, path, parameters = {}, headers = {}, body } = call;
  const given = Object.entries(parameters).filter((entry): entry is [string, ParameterValue & {}] => {
    return entry[1] !== undefined;
  });
  if (body !== undefined) return jsonCall(method, baseUrl + path, headers, body);
  if (method !== 'GET' && method !== 'DELETE') {
    return jsonCall(method, baseUrl + path, headers, JSON.stringify(Object.fromEntries(given)));
  }
  const query = given.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  const url = baseUrl + path + (query.length > 0 ? `?${query.join('&')}` : '');
  const needsBody = url.length > MAX_URL_LENGTH || given.some(([, value]) => hasCommas(value));
  if (call.hasPost !== true || !needsBody) return { method, url, headers };
  return jsonCall('POST', baseUrl + path, headers, JSON.stringify(Object.fromEntries(given)));
}

function jsonCall(method: Call['method'], url: string, headers: Call['headers'], body: string): PreparedCall {
  return { method, url, headers: { 'Content-Type': 'application/json', ...headers }, body };
}

function hasCommas(value: ParameterValue): boolean {
  return typeof value === 'object' && value.some((element) => String(element).includes(','));
}
