/** The worker of the page, as it is bundled for browsers, beside a gateway in Node: the same answers about the same archives. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import { bundleWorker } from '../../config/tooling/bundle-viewer.js';
import { serveArchives } from '../../src/cli/in-process-gateway.js';
import { NumberText } from '../../src/viewer/instead-of-node.js';

const ARCHIVES = path.resolve('test/fixtures/archives');
/** What workers have that the language does not: nothing of Node. */
const PAGE = {
  AbortController,
  atob,
  Blob,
  clearInterval,
  clearTimeout,
  console,
  crypto,
  DecompressionStream,
  MessageChannel,
  performance,
  queueMicrotask,
  ReadableStream,
  setInterval,
  setTimeout,
  TextDecoder,
  TextEncoder,
};

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** The worker, and what a page does with it. */
class Worker {
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #listener: (event: { readonly data: unknown }) => void = () => undefined;
  #asked = 0;

  constructor(script: string) {
    const scope = {
      ...PAGE,
      addEventListener: (_type: string, listener: (event: { readonly data: unknown }) => void) => {
        this.#listener = listener;
      },
      postMessage: (reply: Reply) => this.#waiting.get(reply.id)?.(reply),
    };
    vm.runInContext(script, vm.createContext({ ...scope, self: scope }));
  }

  async ask(message: object, cancel = false): Promise<Reply> {
    const id = ++this.#asked;
    const reply = new Promise<Reply>((resolve) => this.#waiting.set(id, resolve));
    this.#listener({ data: { ...message, id } });
    if (cancel) this.#listener({ data: { id, isOver: true } });
    return reply;
  }

  async get(url: string, method = 'GET', body?: string): Promise<readonly [number, string]> {
    const call = { method, url, ...(body === undefined ? {} : { contentType: 'application/json', body }) };
    const { result } = await this.ask({ call });
    const { status, body: bytes } = result as { readonly status: number; readonly body: Blob };
    return [status, await bytes.text()];
  }
}

const filesOf = (base: string): { path: string; blob: Blob }[] =>
  readdirSync(ARCHIVES)
    .filter((name) => name.startsWith(`${base}.`) && !name.endsWith('.probe'))
    .map((name) => ({ path: name, blob: new Blob([Uint8Array.from(readFileSync(path.join(ARCHIVES, name)))]) }));

describe('the worker of the page', () => {
  let worker: Worker;
  beforeAll(async () => {
    worker = new Worker(await bundleWorker());
    for (const base of ['live-v3', 'packed-v3']) {
      expect(await worker.ask({ files: filesOf(base) })).toMatchObject({ result: [`local:${base}`] });
    }
  });

  /** Without what differs by design: numbers of contexts, names of archives, identifiers of series, and how long it took. */
  const same = (text: string): string =>
    text
      .replaceAll(/"context":\d+/g, '"context":0')
      .replaceAll('local:', '')
      .replaceAll(/"(series|source)":"[0-9a-f]*"/g, '"$1":""')
      .replace(/"elapsed":[\d.]+/, '');

  it.each(['live-v3', 'packed-v3'])('answers about %s as a gateway does', async (base) => {
    const gateway = await serveArchives(path.join(ARCHIVES, base));
    try {
      for (const url of [
        '/pmapi/metric?names=kernel.all.load,kernel.all.cpu.user',
        '/pmapi/metric?prefix=kernel&fields=indom,oneline,display',
        '/pmapi/indom?name=kernel.all.load',
        '/pmapi/fetch?names=kernel.all.load,kernel.all.cpu.user&start=-1h&points=5&format=columns&rate=true',
        '/pmapi/fetch?prefix=&start=-1h&interval=0.5',
        '/pmapi/fetch?names=kernel.all.cpu.user&why=true&start=-1h&samples=3&interval=1&rate=true',
        '/derived/check?expr=rate(kernel.all.cpu.user)%20/%20hinv.ncpu',
        '/derived/check?expr=rate(kernel.all.cpu.usr)',
        '/derived?prefix=disk',
        '/changes?b=-1s/-0s',
        '/changes',
        '/diagnosis',
        '/search?q=load&highlight=name',
        '/pmapi/fetch?names=no.such&strict=true',
        '/pmapi/fetch?names=kernel.all.load&points=x&start=-1h',
        '/pmapi/fetch?nmes=kernel.all.load',
        '/archives?limit=x',
        '/nothing',
      ]) {
        const name = url.includes('?') ? `${url}&archive=` : `${url}?archive=`;
        const asked = /^\/(?:derived\?|archives|nothing)/.test(url) ? url : undefined;
        const expected = await gateway.fetch(`http://here${asked ?? name + base}`);
        const [status, text] = await worker.get(asked ?? `${name}local:${base}`);
        expect([url, status, same(text)]).toEqual([url, expected.status, same(await expected.text())]);
      }
    } finally {
      await gateway.close();
    }
  });

  it('answers however much is asked for at once', async () => {
    const ranges = Array.from({ length: 40 }, () =>
      worker.get('/pmapi/fetch?names=kernel.all.load&start=-1h&points=5&format=columns&archive=local:live-v3'),
    );
    expect((await Promise.all(ranges)).map(([status]) => status)).toEqual(ranges.map(() => 200));
  });

  it('defines metrics in contexts, and lists what is open and what is not', async () => {
    const [, made] = await worker.get('/pmapi/context?archive=local:live-v3');
    const { context } = JSON.parse(made) as { readonly context: number };
    const body = JSON.stringify({ name: 'own.busy', expr: 'rate(kernel.all.cpu.user) / hinv.ncpu' });
    expect(await worker.get(`/pmapi/${context}/derive`, 'POST', body)).toEqual([
      200,
      expect.stringContaining('"success":true'),
    ]);
    expect(await worker.get(`/pmapi/${context}/metric?names=own.busy`)).toMatchObject([
      200,
      expect.stringContaining('own.busy'),
    ]);
    await worker.ask({
      files: [
        { path: 'bad/x.meta', blob: new Blob(['x']) },
        { path: 'bad/x.0', blob: new Blob(['x']) },
      ],
    });
    const { archives } = JSON.parse((await worker.get('/archives'))[1]) as { readonly archives: readonly object[] };
    expect(archives).toMatchObject([
      { name: 'local:bad/x', error: { code: 'BAD_ARCHIVE' } },
      { name: 'local:live-v3', hostspec: 'vm', metrics: 12 },
      { name: 'local:packed-v3', hostspec: 'vm' },
    ]);
    const [status, text] = await worker.get('/pmapi/metric?archive=local:gone&names=a');
    expect([status, text]).toEqual([404, expect.stringContaining('local:gone is not open in this page')]);
    const [, host] = await worker.get('/pmapi/metric?hostspec=web1&names=a');
    expect(host).toContain('only archives');
  });

  it('says what it cannot open, and ends what nobody wants any more', async () => {
    const { error } = await worker.ask({ files: [{ path: 'notes.txt', blob: new Blob(['text']) }] });
    expect(error).toContain('expected the files of an archive');
    const gone = await worker.ask({ files: [{ path: 'a.tar', blob: new Blob([new Uint8Array(10_000_000)]) }] }, true);
    expect(gone).toMatchObject({ error: expect.stringContaining('cancelled') as string });
  });
});

describe('what pages have in place of what is Node’s', () => {
  it('writes numbers', () => {
    expect(new NumberText().write([1, 2.5, NaN, 2 ** 53])).toBe('1,2.5,null,9007199254740992');
  });
});
