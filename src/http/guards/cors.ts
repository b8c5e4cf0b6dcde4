const LOCAL_ORIGIN = /^https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/;

/** pmproxy's list, plus what browsers need for passwords, what Grafana and tracing send, and what resumes a stream. */
const ALLOWED_HEADERS =
  'Accept, Accept-Language, Content-Language, Content-Type, Authorization, If-None-Match, Last-Event-ID, X-Request-Id, ' +
  'Traceparent, Tracestate, X-Grafana-Device-ID, X-Grafana-Org-Id';
const EXPOSED_HEADERS = 'ETag, X-Request-Id, Retry-After, X-Pmgate-Warnings';
const PREFLIGHT_MAX_AGE_SEC = '86400';

/**
 * Which pages may read responses: those of origins on localhost and of the listed ones. Others get no CORS headers, so their
 * browser withholds the response. Differs from PCP: pmproxy allows every origin, without credentials.
 */
export class CorsPolicy {
  readonly #origins: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  allows(origin: string): boolean {
    return LOCAL_ORIGIN.test(origin) || this.#origins.has(origin);
  }

  /** Header fields (names and values in turn) of a response to a request from `origin`. */
  answerHeaders(origin: string): readonly string[] {
    if (!this.allows(origin)) return ['Vary', 'Origin'];
    return [
      'Vary',
      'Origin',
      'Access-Control-Allow-Origin',
      origin,
      'Access-Control-Allow-Credentials',
      'true',
      'Access-Control-Expose-Headers',
      EXPOSED_HEADERS,
    ];
  }

  /** Header fields of the response to a preflight: what `origin` may send to a path with these methods. */
  preflightHeaders(origin: string, methods: readonly string[]): readonly string[] {
    if (!this.allows(origin)) return ['Vary', 'Origin'];
    return [
      ...this.answerHeaders(origin),
      'Access-Control-Allow-Methods',
      methods.join(', '),
      'Access-Control-Allow-Headers',
      ALLOWED_HEADERS,
      'Access-Control-Max-Age',
      PREFLIGHT_MAX_AGE_SEC,
    ];
  }
}
