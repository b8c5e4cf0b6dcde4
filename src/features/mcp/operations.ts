import { LRUCache } from 'lru-cache';
import { GatewayError, type Clock } from '../../pmapi/index.js';
import { askOperation, DOCUMENT, readGuideFile, rootUrl } from '../../http/index.js';
import type { Answer, OperationRequest, Routes } from '../../http/index.js';
import { queryText, Refusal, type Gateway } from './gateway.js';

/** The longest answer of a request that a tool makes. */
const ANSWER_BYTES = 8_388_608;

/** How long a host that could not be reached is not tried again, and how many of them are remembered. */
const UNREACHABLE_MS = 60_000;
const HOSTS_KEPT = 1000;

/**
 * POST /mcp and GET /llms.txt.
 * @param isEnabled whether /mcp is served now
 * @param isSecure whether the gateway's addresses begin with https
 */
export function mcpRoutes(isEnabled: () => boolean, isSecure: boolean, clock: Clock) {
  const perf = { now: () => clock.monotonicMs() };
  const unreachable = new LRUCache<string, true>({ max: HOSTS_KEPT, ttl: UNREACHABLE_MS, perf });
  return {
    runMcp: {
      get off() {
        return isEnabled() ? undefined : 'there is no interface for assistants: mcp.enabled is not set';
      },
      run: (request: OperationRequest<object>) => runMcp(request, gatewayOf(request, isSecure, unreachable)),
      cost: 'costly',
      readsDocument: true,
      standsAlone: true,
    },
    llmsText: { run: runLlmsText, ...DOCUMENT },
  } satisfies Routes;
}

/** One message, answered by itself. */
async function runMcp({ document, headers }: OperationRequest<object>, gateway: Gateway): Promise<Answer> {
  // Lists are of the protocol of 2024; one would be many costly requests in one.
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new GatewayError('BAD_BODY', 'the body is not one message of JSON-RPC', { expected: 'one JSON object' });
  }
  // The SDK is loaded on first use: it takes longer than all else together.
  const { answerMessage } = await import('./protocol.js');
  const { status, text } = await answerMessage(document, headers, gateway);
  return { status, contentType: text === '' ? 'text/plain' : 'application/json', body: text };
}

function gatewayOf(request: OperationRequest<object>, isSecure: boolean, unreachable: Gateway['unreachable']): Gateway {
  const { call, options, directory } = request;
  const { basePath, guards } = options;
  const root = directory.serves('consolePage') ? rootUrl(call, guards.clients, basePath, isSecure) : undefined;
  return {
    unreachable,
    console: root && `${root}/console/`,
    readGuide: async (name) => {
      const bytes = /^[a-z-]+\.(?:md|txt)$/.test(name) ? await readGuideFile(name) : undefined;
      return bytes && Buffer.from(bytes).toString('utf8');
    },
    ask: async (path, query = {}, method = 'GET') => {
      const text = queryText(query);
      const entry =
        method === 'POST'
          ? { method, path, body: text, headers: { 'content-type': 'application/x-www-form-urlencoded' } }
          : { method, path: text === '' ? path : `${path}?${text}` };
      const answer = await askOperation(request, entry, ANSWER_BYTES);
      if (!answer.isJson) throw new Refusal(answer.status, 'UNAVAILABLE', 'the answer is not JSON');
      const body = JSON.parse(answer.text) as { readonly code?: string; readonly message?: string };
      if (answer.status >= 400) throw new Refusal(answer.status, body.code ?? '', body.message ?? '');
      return body;
    },
  };
}

/** What assistants read first; the build writes it beside the guide. */
async function runLlmsText(): Promise<Answer> {
  const body = await readGuideFile('llms.txt');
  if (!body) throw new GatewayError('NOT_FOUND', 'the guide was not built', { expected: 'npm run build' });
  return { contentType: 'text/markdown; charset=utf-8', body, cacheControl: 'public, max-age=3600' };
}
