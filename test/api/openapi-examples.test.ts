import { asksForRange } from '../../src/context/range/index.js';
import { type OpenedArchives, archiveFactory } from '../support/archive-gateway.js';
import { OPENAPI } from '../support/api.js';
import { ExampleGateway } from '../support/example-gateway.js';

interface ExampleRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}
interface Example {
  readonly summary: string;
  readonly before?: readonly { readonly request: ExampleRequest; readonly waitSec: number }[];
  readonly request: ExampleRequest;
  readonly response: { readonly status: number; readonly body?: object; readonly text?: string };
}
type Operations = Record<string, Record<string, { readonly 'x-pmgate-examples'?: readonly Example[] }>>;

const described = Object.entries(OPENAPI.paths as unknown as Operations).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, operation]) =>
    (operation['x-pmgate-examples'] ?? []).map((example) => ({ path, method, example, summary: example.summary })),
  ),
);

/** What selects, converts and forms values: each is to be shown on a fetch and on a range. */
const OPTIONS = [
  'prefix',
  'iname',
  'instance',
  'match',
  'labels',
  'top',
  'rate',
  'wrap',
  'units',
  'times',
  'numbers',
] as const;

let archives: OpenedArchives;
beforeAll(() => {
  archives = archiveFactory();
});
afterAll(() => archives.close());

describe('the examples in openapi.yaml', () => {
  it('are of the operation that they stand at, and told apart by their summaries', () => {
    for (const { path, method, example } of described) {
      const template = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
      expect(example.request.path).toMatch(template);
      expect(example.request.method.toLowerCase()).toBe(method);
      expect(Object.keys(example.response).sort()).toEqual([
        expect.stringMatching(/^(body|status)$/),
        expect.any(String),
      ]);
    }
    expect(new Set(described.map(({ summary }) => summary)).size).toBe(described.length);
  });

  it.each(OPTIONS)('show %s on a fetch and on a range', (option) => {
    const uses = described
      .filter(({ path, example }) => path === '/pmapi/fetch' && example.response.status === 200)
      .map(({ example }) => example.request.query ?? {})
      .filter((query) => query[option] !== undefined)
      .map((query) => asksForRange(query) || query['format'] !== undefined);
    expect(uses).toContain(true);
    expect(uses).toContain(false);
  });

  it.each(described)('$path: $summary', async ({ example }) => {
    const gateway = await ExampleGateway.start(archives);
    try {
      for (const { request, waitSec } of example.before ?? []) {
        expect((await send(gateway, request)).status).toBe(200);
        gateway.clock.advance(waitSec * 1000);
      }
      const answer = await send(gateway, example.request);
      const { status, body, text } = example.response;
      expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
      if (body) expect(answer.json).toMatchObject(body);
      if (text !== undefined) expect(answer.text).toBe(text);
      expect(gateway.api.defects).toEqual([]);
    } finally {
      await gateway.stop();
    }
  });
});

function send({ api }: ExampleGateway, { method, path, query, body }: ExampleRequest): ReturnType<typeof api.request> {
  const search = query ? `?${new URLSearchParams(query).toString()}` : '';
  return api.request(method, `${path}${search}`, body ? { body, type: 'application/json' } : {});
}
