import http from 'node:http';
import { createHash } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { loadConfig } from '../../../src/config/index.js';
import { Gateway } from '../../../src/gateway/gateway.js';
import { createLog } from '../../../src/log/index.js';
import { systemClock } from '../../../src/pmapi/index.js';
import { piecesOf, recordedFiles } from './support.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const ARCHIVE = recordedFiles('live-v3');
/** Where the label has the name of the host. */
const [HOST_AT, HOST_BYTES] = [36, 256];
const HOST = ARCHIVE.label.toString('latin1', HOST_AT, HOST_AT + HOST_BYTES).replace(/\0.*$/s, '');
const TOKEN = 'a-token-of-a-pusher';

interface Reply {
  readonly status: number;
  readonly type: string | undefined;
  readonly text: string;
}

interface Timeline {
  readonly live?: boolean;
  readonly segments?: readonly { readonly origin: string; readonly archive: string }[];
  readonly warnings?: readonly { readonly name: string; readonly code: string }[];
}

describe('pushing archives', () => {
  const directory = temporaryDirectory();
  let gateway: Gateway;
  let port: number;
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

  async function start(flags: Readonly<Record<string, string>> = {}, file?: string): Promise<void> {
    const config = loadConfig({
      ...(file !== undefined && { file }),
      flags: {
        'state.directory': directory.path,
        'record.enabled': 'false',
        'local.collector': 'false',
        'local.source': 'pmcd',
        'listen.port': '0',
        'push.enabled': 'true',
        'push.from': '127.0.0.0/8',
        ...flags,
      },
    });
    gateway = await Gateway.create({ config, log: await createLog('silent', systemClock, { write: () => undefined }) });
    ({ port } = await gateway.listen());
  }

  /** Close the gateway, and the connection to it first: it waits for its clients. */
  async function stop(): Promise<void> {
    agent.destroy();
    await gateway.close();
  }

  afterAll(stop);

  /** A request as pmlogger sends it: no port in Host, no Accept. */
  function send(method: string, url: string, body?: Buffer, headers: http.OutgoingHttpHeaders = {}): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const usual = { Host: '127.0.0.1', 'User-Agent': 'pmlogger/7.2.1' };
      const content = body ? { 'content-type': 'application/octet-stream', 'content-length': body.length } : {};
      const request = http.request(
        { port, method, path: url, agent, headers: { ...usual, ...content, ...headers } },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
          response.on('end', () =>
            resolve({ status: response.statusCode!, type: response.headers['content-type'], text }),
          );
        },
      );
      request.on('error', reject);
      request.end(body);
    });
  }

  const DONE = { status: 200, type: 'application/json', text: '{"success":true}\r\n' };

  it('answers pmlogger and pmlogpush as they need it, and has what they push at once, over a restart', async () => {
    await start();
    expect(await send('GET', '/logger/ping')).toEqual(DONE);
    const begun = await send('POST', '/logger/label?polltimeout=900.5', ARCHIVE.label);
    expect(begun).toMatchObject({ status: 200, type: 'application/json' });
    const id = /^\{"archive":(\d+),"success":true\}\r\n$/.exec(begun.text)![1]!;
    expect((await send('POST', '/logger/label?client=me', ARCHIVE.label)).text).toMatch(
      /^\{"archive":\d+,"client":"me","success":true\}\r\n$/,
    );
    for (const piece of piecesOf(ARCHIVE.parts.get('meta')!, 8192)) {
      expect(await send('POST', `/logger/meta/${id}`, piece)).toEqual(DONE);
    }
    const [first, ...rest] = piecesOf(ARCHIVE.parts.get(0)!, 2000);
    expect(await send('POST', `/logger/volume/0/${id}`, first)).toEqual(DONE);
    await stop();
    await start();
    // The answer to this one was lost, as far as its client knows.
    expect(await send('POST', `/logger/volume/0/${id}`, first)).toEqual(DONE);
    for (const piece of rest) expect(await send('POST', `/logger/volume/0/${id}`, piece)).toEqual(DONE);
    expect(await send('POST', `/logger/index/${id}`, ARCHIVE.parts.get('index'))).toEqual(DONE);

    const listed = JSON.parse((await send('GET', '/archives')).text) as {
      archives: { name: string; hostspec: string }[];
    };
    const { name, hostspec } = listed.archives.find((archive) => archive.name.startsWith(`pushed/${HOST}/`))!;
    expect(hostspec).toBe(HOST);
    const values = await send('GET', `/pmapi/fetch?archive=${name}&names=kernel.all.load&format=csv`);
    expect(values.text.split('\r\n').length).toBeGreaterThan(3);
  });

  it('joins what was pushed to the timeline of the host that the label names, unless that is this machine', async () => {
    for (const host of ['web9.example', 'localhost']) {
      const label = Buffer.from(ARCHIVE.label);
      label.fill(0, HOST_AT, HOST_AT + HOST_BYTES).write(host, HOST_AT, 'latin1');
      const id = /\d+/.exec((await send('POST', '/logger/label', label)).text)![0];
      expect(await send('POST', `/logger/meta/${id}`, ARCHIVE.parts.get('meta'))).toEqual(DONE);
      expect(await send('POST', `/logger/volume/0/${id}`, ARCHIVE.parts.get(0))).toEqual(DONE);
    }
    // The list of archives may be a second old.
    await stop();
    const pushed = readdirSync(directory.path, { recursive: true, encoding: 'utf8' });
    const folder = path.join(
      directory.path,
      pushed.find((name) => path.basename(name) === 'web9.example')!,
    );
    for (const [suffix, bytes] of ARCHIVE.whole) {
      const labelled = Buffer.from(suffix === 'meta' ? bytes.subarray(0, bytes.length - 1) : bytes);
      labelled.fill(0, HOST_AT, HOST_AT + HOST_BYTES).write('web9.example', HOST_AT, 'latin1');
      writeFileSync(path.join(folder, `cut.${suffix}`), labelled);
    }
    await start({ 'hosts.allow': 'web9.example' });
    const timelineOf = async (host: string): Promise<unknown> => {
      const { status, text } = await send('GET', `/timeline?hostspec=${host}&start=@2000-01-01&names=kernel.all.load`);
      const { segments, warnings, live } = JSON.parse(text) as Timeline;
      return {
        status,
        live,
        segments: segments?.map(({ origin, archive }) => [origin, archive.replace(/\/[^/]*$/, '')]),
        warnings: warnings?.map(({ name, code }) => [name, code]),
      };
    };
    expect(await timelineOf('web9.example')).toEqual({
      status: 200,
      live: false,
      segments: [['push', 'pushed/web9.example']],
      warnings: [['pushed/web9.example/cut', 'BAD_ARCHIVE']],
    });
    expect(await timelineOf('other.example')).toEqual({ status: 503 });
    // With a pmcd here or without.
    expect([{ status: 200, live: true, segments: [] }, { status: 503 }]).toContainEqual(await timelineOf('localhost'));
  });

  it('takes names that mean a host here from clients on this machine only, as long as they have no credentials', async () => {
    await stop();
    const named = path.join(directory.path, 'named.yaml');
    writeFileSync(named, 'hosts: { named: { db1: db1.example } }\n');
    await start({}, named);
    for (const [host, status] of [
      ['localhost', 403],
      ['LocalHost.', 403],
      ['127.0.0.1', 403],
      [hostname(), 403],
      ['db1', 403],
      ['db2', 200],
    ] as const) {
      const label = Buffer.from(ARCHIVE.label);
      label.fill(0, HOST_AT, HOST_AT + HOST_BYTES).write(host, HOST_AT, 'latin1');
      // Behind a proxy is another machine.
      const reply = await send('POST', '/logger/label', label, { 'X-Forwarded-For': '192.0.2.7' });
      expect([host, reply.status, /without credentials/.test(reply.text)]).toEqual([host, status, status === 403]);
    }
    expect((await send('POST', '/logger/label', ARCHIVE.label)).status).toBe(200);
  });

  it.each([
    ['POST', '/logger/label', Buffer.from('dummy'), 400],
    ['POST', '/logger/label', Buffer.alloc(808), 422],
    ['POST', '/logger/label', Buffer.alloc(0), 400],
    ['POST', '/logger/label?polltimeout=soon', ARCHIVE.label, 400],
    ['POST', '/logger/meta/12345', Buffer.from('x'), 410],
    ['POST', '/logger/meta/abc', Buffer.from('x'), 400],
    ['POST', '/logger/meta/0', Buffer.from('x'), 400],
    ['POST', '/logger/meta/4294967297', Buffer.from('x'), 400],
    ['POST', '/logger/volume/-1/5', Buffer.from('x'), 400],
    ['POST', '/logger/volume/5000/5', Buffer.from('x'), 400],
    ['POST', '/logger/meta', Buffer.from('x'), 404],
    ['POST', '/logger/pingpong', Buffer.from('x'), 404],
    ['POST', '/logger/ping', Buffer.from('x'), 405],
  ] as const)('%s %s is refused', async (method, url, body, status) => {
    expect(await send(method, url, body)).toMatchObject({ status, type: 'application/json' });
  });

  it('refuses pages of the web, and bodies of more than 10 MiB', async () => {
    const page = await send('POST', '/logger/label', ARCHIVE.label, { Origin: 'https://evil.example' });
    expect(page.status).toBe(403);
    const large = await send('POST', '/logger/label', ARCHIVE.label, { 'content-length': 11 * 1024 * 1024 }).catch(
      (error: unknown) => error,
    );
    expect(large instanceof Error || (large as Reply).status === 413).toBe(true);
  });

  it('lets in a role with the permission push, for the hosts that it covers', async () => {
    await stop();
    const file = path.join(directory.path, 'access.yaml');
    const sha256 = createHash('sha256').update(TOKEN).digest('hex');
    writeFileSync(
      file,
      `tokens:\n  logger: { sha256: ${sha256}, roles: [loggers] }\nroles:\n  loggers: { permissions: [push], hosts: ['${HOST}'] }\n`,
    );
    await start({ 'push.from': '10.1.2.3', 'access.file': file });
    expect((await send('GET', '/logger/ping')).status).toBe(401);
    expect((await send('POST', '/logger/label', ARCHIVE.label)).status).toBe(401);
    const token = { Authorization: `Bearer ${TOKEN}` };
    expect((await send('POST', '/logger/label', ARCHIVE.label, token)).status).toBe(200);
    const other = Buffer.from(ARCHIVE.label);
    other.fill(0, 36, 292).write('other', 36);
    expect((await send('POST', '/logger/label', other, token)).status).toBe(403);
    expect((await send('GET', '/archives', undefined, token)).status).toBe(403);
  });

  it('is off unless it is configured', async () => {
    await stop();
    await start({ 'push.enabled': 'false' });
    expect((await send('GET', '/logger/ping')).status).not.toBe(200);
    expect((await send('POST', '/logger/label', ARCHIVE.label)).status).not.toBe(200);
  });
});
