import { spawn } from 'node:child_process';
import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { GatewayError, PM_ERR, PmError } from '../../../src/pmapi/index.js';
import { InstanceProfile } from '../../../src/sources/index.js';
import { CONNECTION_DEFAULTS, PmcdConnection } from '../../../src/sources/pmcd/connection.js';
import type { ConnectionOptionsOfPmcd } from '../../../src/sources/pmcd/connection.js';
import { namedError } from '../../../src/sources/pmcd/connection-errors.js';
import { resolveHost } from '../../../src/sources/pmcd/dial.js';
import type { Identity } from '../../../src/sources/pmcd/handshake.js';
import { parseHostspec } from '../../../src/sources/pmcd/hostspec.js';
import { decodeDescriptorReply, decodeResult, decodeText } from '../../../src/sources/pmcd/replies.js';
import {
  encodeDescriptorRequest,
  encodeFetch,
  encodeProfile,
  encodeStore,
  encodeTextRequest,
} from '../../../src/sources/pmcd/requests.js';
import { FakePmcd } from '../../support/fake-pmcd.js';
import { ManualTimers } from '../../support/manual-timers.js';
import { attributePdu, challengePdu, descPdu, errorPdu, pdu, textPdu, words } from '../../support/pdu-builder.js';

const SILENT_DOOR = 'silent door';
const DESC_REQ = 0x7004;

let fake: FakePmcd;
let timers: ManualTimers;
let changes: number[];
const opened: PmcdConnection[] = [];

beforeEach(async () => {
  fake = await FakePmcd.start();
  timers = new ManualTimers();
  changes = [];
  fake.metrics = [{ name: 'a.b', descriptor: [7, 1, 0xffffffff, 3, 0], values: [[-1, 1]], oneline: 'one line' }];
});

afterEach(async () => {
  for (const connection of opened.splice(0)) connection.destroy(new Error('the test is over'));
  await fake.stop();
});

async function connect(
  hostspec = fake.hostspec,
  options: Partial<ConnectionOptionsOfPmcd> = {},
  identity?: Identity,
): Promise<PmcdConnection> {
  const connection = await PmcdConnection.connect(
    parseHostspec(hostspec),
    identity,
    { ...CONNECTION_DEFAULTS, timers, ...options },
    (bits) => changes.push(bits),
  );
  opened.push(connection);
  return connection;
}

const describe7 = (connection: PmcdConnection, pmid = 7): Promise<unknown> =>
  connection.request(encodeDescriptorRequest(pmid), decodeDescriptorReply);

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(GatewayError);
  return (error as GatewayError).code;
}

describe('resolveHost', () => {
  it('asks once for a name, however many want it meanwhile', async () => {
    const first = resolveHost(hostname());
    expect(resolveHost(hostname())).toBe(first);
    await first.catch(() => undefined);
    const again = resolveHost(hostname());
    expect(again).not.toBe(first);
    await again.catch(() => undefined);
  });
});

describe('PmcdConnection.connect', () => {
  it('shakes hands, and asks for no feature in a plain session', async () => {
    const connection = await connect();
    expect(connection.features).toBe(0x0e44);
    expect(connection.has('DESCS')).toBe(true);
    expect(connection.has('SECURE')).toBe(false);
    await describe7(connection);
    expect(fake.requests[0]!.bytes.subarray(12).toString('hex')).toBe('0000000101020000');
  });

  it('lets the kernel ask whether a silent peer is still there', async () => {
    await describe7(await connect());
    // Both ends, as the port may have belonged to a connection that waits for its end (TIME_WAIT).
    const { remotePort, localPort } = fake.requests[0]!.socket;
    const ends = [remotePort!, localPort!]
      .map((port) => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`)
      .join(' ');
    const ours = readFileSync('/proc/net/tcp', 'utf8')
      .split('\n')
      .find((line) => line.includes(` ${ends} 01 `));
    expect(ours).toMatch(/ 02:[0-9A-F]{8} /); // a timer of the kind keep-alive
  });

  it('goes on to the next address or port when one leads nowhere', async () => {
    // Who never accepts: beyond two connections the kernel lets further ones wait.
    const script = `const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      require('node:fs').writeSync(1, String(server.address().port));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
    const deaf = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const port = Number(
      await new Promise((resolve) => deaf.stdout.once('data', (data: Buffer) => resolve(String(data)))),
    );
    const others = [0, 1].map(() => createConnection(port, '127.0.0.1').on('error', () => undefined));
    await Promise.all(others.map((socket) => once(socket, 'connect')));
    const connecting = connect(`127.0.0.1:${port},${fake.port}`);
    while (timers.pending < 2) await new Promise((resolve) => setImmediate(resolve));
    timers.advance(2_000);
    expect((await connecting).isOpen).toBe(true);
    for (const socket of others) socket.destroy();
    deaf.kill('SIGKILL');
  });

  it('tries the addresses of a name in order', async () => {
    const resolve = async (): Promise<readonly string[]> => ['127.0.0.99', '127.0.0.1'];
    const connection = await connect(`some.name:${fake.port}`, { resolve });
    expect(connection.isOpen).toBe(true);
  });

  it('reaches a Unix socket, also through local:', async () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'pmgate-test-'));
    const socketPath = path.join(dir, 'pmcd.socket');
    const unix = await FakePmcd.start(socketPath);
    try {
      expect(existsSync(socketPath)).toBe(true);
      expect((await connect(`unix:${socketPath}`)).isOpen).toBe(true);
      expect((await connect(`local:${socketPath}`)).isOpen).toBe(true);
      expect(await codeOf(connect(`unix:${socketPath}.none`))).toBe('SOURCE_UNREACHABLE');
    } finally {
      await unix.stop();
      rmSync(dir, { recursive: true });
    }
  });

  it('reports a refused connection with its errno', async () => {
    const { hostspec } = fake;
    await fake.stop();
    const error: unknown = await connect(hostspec).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'SOURCE_UNREACHABLE', details: { pmErr: -111 } });
    expect((error as Error).message).toContain(hostspec);
  });

  it('reports a name that has no address', async () => {
    const resolve = async (): Promise<readonly string[]> => [];
    expect(await codeOf(connect('no.such.name', { resolve }))).toBe('SOURCE_UNREACHABLE');
  });

  it('says that a name cannot be resolved', async () => {
    const failure = Object.assign(new Error('getaddrinfo ENOTFOUND no.such.name'), {
      code: 'ENOTFOUND',
      errno: -3008,
      syscall: 'getaddrinfo',
    });
    const connecting = connect('no.such.name', { resolve: () => Promise.reject(failure) });
    const error: unknown = await connecting.catch((reason: unknown) => namedError(reason, 'web1'));
    expect((error as Error).message).toBe('pmcd at web1 cannot be reached: its name cannot be resolved (ENOTFOUND)');
  });

  it('gives up on a pmcd that accepts and says nothing', async () => {
    fake.challenge = 'nothing';
    const connecting = connect();
    const code = codeOf(connecting);
    timers.advance(CONNECTION_DEFAULTS.connectTimeoutMs);
    expect(await code).toBe('SOURCE_TIMEOUT');
    expect(timers.pending).toBe(0);
  });

  it('gives up on a name that does not resolve in time', async () => {
    const code = codeOf(connect(SILENT_DOOR.replace(' ', '-'), { resolve: () => new Promise(() => undefined) }));
    timers.advance(CONNECTION_DEFAULTS.connectTimeoutMs);
    expect(await code).toBe('SOURCE_TIMEOUT');
  });

  it('lets go of the socket when it gives up', async () => {
    fake.challenge = 'nothing';
    const code = codeOf(connect());
    while (fake.connections === 0) await new Promise((resolve) => setImmediate(resolve));
    timers.advance(CONNECTION_DEFAULTS.connectTimeoutMs);
    await code;
    await fake.drained();
    expect(fake.openConnections).toBe(0);
  });

  it.each<[string, Buffer, string]>([
    ['another protocol', Buffer.from('SSH-2.0-OpenSSH_9.6\r\n'), 'SOURCE_FAILED'],
    ['a web server', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), 'SOURCE_FAILED'],
    ['another PDU', textPdu(1, 'hello'), 'SOURCE_FAILED'],
    ['another version', pdu(0x7000, words(0, 0x03010000)), 'SOURCE_FAILED'],
    ['no capabilities', errorPdu(0), 'SOURCE_FAILED'],
    ['too many clients', challengePdu(0, -12388), 'SOURCE_UNREACHABLE'],
    ['no permission', challengePdu(0, -12387), 'AUTHENTICATION_REQUIRED'],
    ['no permission in the old numbering', challengePdu(0, -1042), 'AUTHENTICATION_REQUIRED'],
    ['that it wants credentials', challengePdu(0x0e4c), 'AUTHENTICATION_REQUIRED'],
    ['that it wants a certificate', challengePdu(0x0ec4), 'AUTHENTICATION_REQUIRED'],
    ['a PDU that is longer than any of a handshake', words(65_537, 0x7001, 0), 'SOURCE_FAILED'],
  ])('refuses a peer that begins with %s', async (_, challenge, code) => {
    fake.challenge = challenge;
    expect(await codeOf(connect())).toBe(code);
  });

  it('notices a pmcd that hangs up in the middle of the handshake', async () => {
    fake.challenge = challengePdu(0x0e44).subarray(0, 10);
    const connecting = connect();
    const code = codeOf(connecting);
    while (fake.connections === 0) await new Promise((resolve) => setImmediate(resolve));
    fake.cut();
    expect(await code).toBe('SOURCE_UNREACHABLE');
  });

  it('names the container', async () => {
    await describe7(await connect(`${fake.hostspec}?container=web`));
    expect(fake.requests[0]!.bytes.readUInt16BE(18)).toBe(0x0040);
    expect(fake.requests[1]!.bytes.subarray(12).toString('latin1')).toBe('\0\0\0\x0fweb');
  });

  it('refuses a container, TLS or credentials where pmcd does not offer them', async () => {
    fake.features = 0;
    expect(await codeOf(connect(`${fake.hostspec}?container=web`))).toBe('SOURCE_UNREACHABLE');
    expect(await codeOf(connect(`pcps://${fake.hostspec}`))).toBe('SOURCE_UNREACHABLE');
    expect(await codeOf(connect(fake.hostspec, {}, { username: 'a', password: 'b' }))).toBe('SOURCE_UNREACHABLE');
  });

  it('goes through a pmproxy', async () => {
    const said: string[] = [];
    const proxy = createServer((socket) => {
      socket.once('data', (data: Buffer) => {
        said.push(data.toString());
        // The answer and pmcd's challenge in one piece, then a session that stays silent.
        socket.write(Buffer.concat([Buffer.from('pmproxy-server 1\n'), challengePdu(0x0e44)]));
      });
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    const connection = await connect(`inner:4711@127.0.0.1:${port}`);
    expect(connection.features).toBe(0x0e44);
    expect(said).toEqual(['pmproxy-client 1\ninner 4711\n']);
    connection.destroy(new Error('done'));
    await new Promise((resolve) => proxy.close(resolve));
  });

  it('refuses a proxy that is none', async () => {
    expect(await codeOf(connect(`inner@${fake.hostspec}`))).toBe('SOURCE_FAILED');
  });
});

describe('TLS', () => {
  const file = (name: string): string => readFileSync(`test/fixtures/pmcd-tls/${name}`, 'utf8');

  beforeEach(() => {
    fake.features = 0x0e55;
    fake.tls = { key: file('key.pem'), cert: file('cert.pem') };
  });

  it('encrypts when the certificate verifies', async () => {
    const connection = await connect(`pcps://${fake.hostspec}`, { tls: { ca: file('cert.pem') } });
    expect(await describe7(connection)).toMatchObject({ pmid: 7 });
  });

  it('sends each PDU in a TLS record of its own: pmcd does not see the second one of a record', async () => {
    const connection = await connect(`${fake.hostspec}?secure=relaxed`);
    const fetch = Buffer.concat([encodeProfile(0, new InstanceProfile()), encodeFetch(0, [7], true)]);
    const result = connection.requestList(fetch, decodeResult);
    await Promise.all([result, describe7(connection), describe7(connection), describe7(connection)]);
    expect((await result).pmids).toEqual(Uint32Array.of(7));
  });

  it('refuses a certificate that does not verify', async () => {
    const error: unknown = await connect(`pcps://${fake.hostspec}`).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'SOURCE_UNREACHABLE', details: { pmErr: PM_ERR.TLS } });
  });

  it('takes any certificate when relaxed', async () => {
    const connection = await connect(`${fake.hostspec}?secure=relaxed`);
    expect(await describe7(connection)).toMatchObject({ pmid: 7 });
  });

  it('goes on in plain when relaxed and pmcd has no TLS', async () => {
    fake.features = 0x0e44;
    const connection = await connect(`${fake.hostspec}?secure=relaxed`);
    expect(await describe7(connection)).toMatchObject({ pmid: 7 });
  });

  it('refuses when pmcd does not want after all', async () => {
    fake.tls = undefined;
    fake.intercept = ({ type }) => (type === 0x700c ? errorPdu(-12391) : undefined);
    expect(await codeOf(connect(`pcps://${fake.hostspec}`))).toBe('SOURCE_UNREACHABLE');
  });
});

describe('SASL', () => {
  const identity: Identity = { username: 'user', password: 'pencil' };
  const offer = (mechanisms: string): Buffer => attributePdu(0, mechanisms);

  it('sends name and password by PLAIN', async () => {
    fake.intercept = ({ type, bytes }) => {
      if (type === 0x700c) return offer('PLAIN LOGIN');
      if (type !== 0x7011) return undefined;
      return bytes.subarray(16).toString() === 'PLAIN\0\0user\0pencil' ? 'nothing' : errorPdu(-12387);
    };
    const connection = await connect(fake.hostspec, {}, identity);
    expect(fake.requests[0]!.bytes.readUInt16BE(18)).toBe(0x0004);
    expect(connection.isOpen).toBe(true);
    expect(await codeOf(connect(fake.hostspec, {}, { ...identity, password: 'pen' }))).toBe('AUTHENTICATION_REQUIRED');
    expect((await connect(`${fake.hostspec}?user=user&pass=pencil`)).isOpen).toBe(true);
  });

  it('proves the password by SCRAM-SHA-256, where pmcd knows it', async () => {
    fake.intercept = scramServer('pencil');
    const makeNonce = (): string => 'abc';
    expect((await connect(fake.hostspec, { makeNonce }, identity)).isOpen).toBe(true);
    expect(await codeOf(connect(fake.hostspec, { makeNonce }, { ...identity, password: 'pen' }))).toBe(
      'AUTHENTICATION_REQUIRED',
    );
  });

  it('does not trust a server that does not know the password either', async () => {
    fake.intercept = scramServer('pencil', 'v=AAAA');
    expect(await codeOf(connect(fake.hostspec, {}, identity))).toBe('AUTHENTICATION_REQUIRED');
  });

  it('takes the method that the hostspec asks for', async () => {
    fake.intercept = ({ type }) =>
      type === 0x700c ? offer('SCRAM-SHA-256 PLAIN') : type === 0x7011 ? errorPdu(0) : undefined;
    await connect(`${fake.hostspec}?method=plain`, {}, identity);
    expect(fake.requests[1]!.bytes.subarray(16).toString()).toMatch(/^PLAIN\0/);
  });

  it('understands an acceptance that is said aloud', async () => {
    fake.intercept = ({ type }) => (type === 0x700c ? offer('PLAIN') : type === 0x7011 ? errorPdu(0) : undefined);
    const connection = await connect(fake.hostspec, {}, identity);
    expect(await describe7(connection)).toMatchObject({ pmid: 7 });
  });

  it('does not trust a server that accepts without a proof of its own', async () => {
    const server = scramServer('pencil')!;
    let steps = 0;
    fake.intercept = (request) => (request.type === 0x7011 && ++steps === 2 ? errorPdu(0) : server(request));
    expect(await codeOf(connect(fake.hostspec, {}, identity))).toBe('AUTHENTICATION_REQUIRED');
  });

  it.each([
    ['at the first step', 0x700c, -12387],
    ['for a name that it does not know, as pmcd 6.0.3 says it', 0x7011, -21364],
  ])('is refused %s', async (_, at, code) => {
    fake.intercept = ({ type }) =>
      type === at ? errorPdu(code) : type === 0x700c ? offer('SCRAM-SHA-256 PLAIN') : undefined;
    const error: unknown = await connect(fake.hostspec, {}, identity).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'AUTHENTICATION_REQUIRED', details: { pmErr: PM_ERR.PERMISSION } });
  });

  it('refuses when no mechanism fits', async () => {
    fake.intercept = ({ type }) => (type === 0x700c ? offer('GSSAPI') : undefined);
    expect(await codeOf(connect(fake.hostspec, {}, identity))).toBe('AUTHENTICATION_REQUIRED');
  });

  /** The server's side of SCRAM-SHA-256, as RFC 5802 has it. */
  function scramServer(password: string, lastWord?: string): FakePmcd['intercept'] {
    let step = 0;
    let [clientFirst, serverFirst] = ['', ''];
    return ({ type, bytes }) => {
      if (type === 0x700c) {
        step = 0;
        return offer('PLAIN SCRAM-SHA-256');
      }
      if (type !== 0x7011) return undefined;
      const said = bytes.subarray(16).toString();
      if (++step === 1) {
        clientFirst = said.replace(/^SCRAM-SHA-256\0n,,/, '');
        serverFirst = `r=${clientFirst.split('r=')[1]!}more,s=c2FsdA==,i=4096`;
        return attributePdu(0, serverFirst);
      }
      if (step === 3) return 'nothing';
      const [withoutProof, proof] = said.split(',p=');
      const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
      const salted = pbkdf2Sync(password, 'salt', 4096, 32, 'sha256');
      const clientKey = hmac(salted, 'Client Key');
      const message = `${clientFirst},${serverFirst},${withoutProof!}`;
      const signature = hmac(createHash('sha256').update(clientKey).digest(), message);
      const expected = Buffer.from(clientKey.map((byte, i) => byte ^ signature[i]!)).toString('base64');
      if (proof !== expected) return errorPdu(-12387);
      return attributePdu(0, lastWord ?? `v=${hmac(hmac(salted, 'Server Key'), message).toString('base64')}`);
    };
  }
});

describe('PmcdConnection', () => {
  it('matches pipelined replies in order, errors in their places', async () => {
    const connection = await connect();
    const answers = await Promise.allSettled([
      describe7(connection),
      describe7(connection, 99),
      connection.request(encodeTextRequest({ kind: 'metric', pmid: 7 }, 'oneline'), decodeText),
      describe7(connection, 98),
      describe7(connection),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(answers[1]).toMatchObject({ reason: { pmErr: PM_ERR.PMID } });
    expect(answers[2]).toMatchObject({ value: 'one line' });
  });

  it.each([1, 2, 3, 5, 7, 11, 13])('understands replies cut into pieces of %d bytes', async (pieceBytes) => {
    fake.pieceBytes = pieceBytes;
    const connection = await connect();
    expect(await describe7(connection)).toMatchObject({ pmid: 7 });
  });

  it('keeps no more requests unanswered than it may, and sends the rest in turn', async () => {
    const connection = await connect(fake.hostspec, { maxInFlight: 4 });
    fake.hold();
    const answers = Array.from({ length: 20 }, () => describe7(connection));
    await fake.arrived(DESC_REQ, 4);
    await new Promise((resolve) => setImmediate(resolve));
    expect(fake.requestsOf(DESC_REQ)).toHaveLength(4);
    expect(connection.pending).toBe(20);
    fake.release();
    await Promise.all(answers);
    expect(fake.requestsOf(DESC_REQ)).toHaveLength(20);
    expect(connection.pending).toBe(0);
  });

  it('turns requests away when too many wait', async () => {
    const connection = await connect(fake.hostspec, { maxInFlight: 1, maxWaiting: 1 });
    fake.hold();
    const first = [describe7(connection), describe7(connection)];
    expect(await codeOf(describe7(connection))).toBe('UNAVAILABLE');
    fake.release();
    await Promise.all(first);
  });

  it('reports state changes, and takes them for no reply', async () => {
    const connection = await connect();
    fake.intercept = ({ type }) =>
      type === DESC_REQ ? Buffer.concat([errorPdu(7), descPdu([7, 1, 2, 3, 0])]) : undefined;
    expect(await describe7(connection)).toMatchObject({ pmid: 7 });
    expect(changes).toEqual([7]);
  });

  it('takes an acknowledgement for a command only', async () => {
    const connection = await connect();
    await expect(connection.command(encodeStore([]))).resolves.toBeUndefined();
    fake.intercept = () => errorPdu(-12387);
    await expect(connection.command(encodeStore([]))).rejects.toMatchObject({ pmErr: PM_ERR.PERMISSION });
    fake.intercept = () => errorPdu(0);
    expect(await codeOf(describe7(connection))).toBe('SOURCE_FAILED');
    expect(connection.isOpen).toBe(false);
  });

  it('ends when a reply takes too long, and fails what waits behind it', async () => {
    const connection = await connect();
    fake.hold();
    const codes = [codeOf(describe7(connection)), codeOf(describe7(connection))];
    await fake.arrived(DESC_REQ, 2);
    timers.advance(CONNECTION_DEFAULTS.replyTimeoutMs - 1);
    expect(connection.isOpen).toBe(true);
    timers.advance(1);
    expect(await Promise.all(codes)).toEqual(['SOURCE_TIMEOUT', 'SOURCE_TIMEOUT']);
    expect(connection.isOpen).toBe(false);
    expect(timers.pending).toBe(0);
    await fake.drained();
  });

  it('gives each reply its own time', async () => {
    const connection = await connect();
    fake.hold();
    const answers = Promise.all([describe7(connection), describe7(connection)]);
    await fake.arrived(DESC_REQ, 2);
    timers.advance(CONNECTION_DEFAULTS.replyTimeoutMs - 1);
    fake.release();
    await answers;
    // What is asked now has all its time before it, though a timer runs already; and a connection without requests may stay silent.
    fake.hold();
    const late = codeOf(describe7(connection));
    await fake.arrived(DESC_REQ, 3);
    timers.advance(CONNECTION_DEFAULTS.replyTimeoutMs - 1);
    expect(connection.isOpen).toBe(true);
    timers.advance(1);
    expect(await late).toBe('SOURCE_TIMEOUT');
    await fake.drained();
  });

  it('may be silent for as long as nothing is asked', async () => {
    const connection = await connect();
    await describe7(connection);
    timers.advance(3 * CONNECTION_DEFAULTS.replyTimeoutMs);
    expect(connection.isOpen).toBe(true);
    expect(timers.pending).toBe(0);
    await describe7(connection);
    await describe7(connection);
    expect(timers.pending).toBe(1);
  });

  it('is not kept alive by a state-change flood', async () => {
    const connection = await connect();
    fake.intercept = ({ type }) =>
      type === DESC_REQ ? Buffer.concat(Array.from({ length: 50 }, () => errorPdu(1))) : undefined;
    const code = codeOf(describe7(connection));
    while (changes.length < 50) await new Promise((resolve) => setImmediate(resolve));
    timers.advance(CONNECTION_DEFAULTS.replyTimeoutMs);
    expect(await code).toBe('SOURCE_TIMEOUT');
  });

  it.each<[string, Buffer]>([
    ['garbage', Buffer.from('garbage garbage garbage')],
    ['a length below the header', pdu(0x7005).fill(0, 0, 4)],
    ['a huge length', Buffer.concat([words(0x7fffffff, 0x7005, 0), Buffer.alloc(20)])],
    ['the reply to another question', textPdu(1, 'x')],
    ['a reply that is cut short', pdu(0x7005, words(1, 2))],
  ])('ends on %s', async (_, reply) => {
    const connection = await connect();
    const closed = new Promise<Error>((resolve) => connection.onClosed(resolve));
    fake.intercept = ({ type }) => (type === DESC_REQ ? reply : undefined);
    await Promise.allSettled([describe7(connection)]);
    expect(await closed).toMatchObject({ code: 'SOURCE_FAILED', details: { pmErr: PM_ERR.IPC } });
    expect(connection.isOpen).toBe(false);
    await fake.drained();
  });

  it('is lost after two replies to one question, without blame for later requests', async () => {
    const connection = await connect();
    const closed = new Promise<Error>((resolve) => connection.onClosed(resolve));
    fake.intercept = () => Buffer.concat([descPdu([7, 1, 2, 3, 0]), descPdu([7, 1, 2, 3, 0])]);
    expect(await describe7(connection)).toMatchObject({ pmid: 7 });
    expect(await closed).toMatchObject({
      code: 'SOURCE_UNREACHABLE',
      message: expect.stringContaining('an unsolicited PDU: DESC'),
    });
  });

  it('fails everything when pmcd hangs up, wherever in a reply', async () => {
    const reply = descPdu([7, 1, 2, 3, 0]);
    for (let at = 0; at < reply.length; at++) {
      const connection = await connect();
      fake.intercept = ({ type, socket }) => {
        if (type !== DESC_REQ) return undefined;
        socket.end(reply.subarray(0, at));
        return 'nothing';
      };
      expect(await Promise.all([codeOf(describe7(connection)), codeOf(describe7(connection))])).toEqual([
        'SOURCE_UNREACHABLE',
        'SOURCE_UNREACHABLE',
      ]);
      expect(connection.isOpen).toBe(false);
    }
  });

  it('waits for its replies before it closes, and takes no more requests', async () => {
    const connection = await connect();
    fake.hold();
    const answer = describe7(connection);
    await fake.arrived(DESC_REQ, 1);
    const closing = connection.close();
    expect(await codeOf(describe7(connection))).toBe('SOURCE_UNREACHABLE');
    fake.release();
    await expect(answer).resolves.toMatchObject({ pmid: 7 });
    await closing;
    await fake.drained();
  });

  it('fails what is under way with the reason of its destruction', async () => {
    const connection = await connect();
    fake.hold();
    const reason = new PmError(PM_ERR.NOCONTEXT);
    const answer = describe7(connection).catch((error: unknown) => error);
    connection.destroy(reason);
    expect(await answer).toBe(reason);
    await expect(describe7(connection)).rejects.toBe(reason);
  });
});
