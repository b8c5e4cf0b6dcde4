import { readFileSync } from 'node:fs';
import { type Socket, connect } from 'node:net';
import { FRAME, type FrameKind, FrameReader, STREAM_CREDIT_BYTES, writeHead } from '../../../src/fleet/link/frames.js';
import type { LinkAddress, Peer } from '../../../src/fleet/index.js';
import type { HandedCall, LinkAnswer, OnClose } from '../../../src/fleet/link/handed-call.js';
import { Handshake, type LinkSecurity } from '../../../src/fleet/link/handshake.js';
import { type ListeningLink, MemberLink, listenLink } from '../../../src/fleet/link/index.js';
import { ManualTimers } from '../../support/manual-timers.js';
import { until } from '../../support/until.js';

const SECRET: LinkSecurity = { secret: 's'.repeat(32) };
const CALL: HandedCall = { method: 'GET', url: '/x', headers: { accept: '*/*' }, client: '192.0.2.1', requestId: 'r' };
const LOOPBACK = { host: '127.0.0.1', port: 0 };

type Answer = (call: HandedCall, onClose: OnClose) => Promise<LinkAnswer>;
const whole = (text: string, status = 200): LinkAnswer => ({ status, headers: { a: 'b' }, body: Buffer.from(text) });
const echo: Answer = (call) => Promise.resolve(whole(JSON.stringify(call)));

const opened: { close(): Promise<void> | void }[] = [];
let warnings: string[];
let timers: ManualTimers;
beforeEach(() => {
  warnings = [];
  timers = new ManualTimers();
});
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

/** What a test's own links report, also after its end. */
function reporting(): (message: string, fields: Readonly<Record<string, unknown>>) => void {
  const own = warnings;
  return (message, { reason }) => void own.push(`${message}: ${String(reason)}`);
}

interface Setting {
  readonly answer?: Answer;
  readonly security?: LinkSecurity;
  readonly at?: LinkAddress;
}

async function listening({ answer = echo, security = SECRET, at = LOOPBACK }: Setting = {}): Promise<ListeningLink> {
  const link = await listenLink({ name: 'b', security, at, timers, warn: reporting() }, answer);
  opened.push(link);
  return link;
}

function linkWith(security: LinkSecurity = SECRET): MemberLink {
  const link = new MemberLink({ name: 'a', security, timers, warn: reporting() });
  opened.push(link);
  return link;
}

const staying: OnClose = () => undefined;
const member = ({ address }: ListeningLink, id = 'b'): Peer => ({ id, link: address });

async function textOf({ body }: LinkAnswer): Promise<string> {
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe('a call', () => {
  test('arrives as it was handed over, and so does its answer', async () => {
    const b = await listening();
    const call = { ...CALL, body: Buffer.from('body'), principal: { kind: 'user' } };
    const answer = await linkWith().call(member(b), call, staying);
    expect([answer.status, answer.headers]).toEqual([200, { a: 'b' }]);
    const got = JSON.parse(await textOf(answer)) as { body: { data: number[] } };
    expect({ ...got, body: Buffer.from(got.body.data) }).toEqual(call);
  });

  test('has no body where it had none', async () => {
    const b = await listening();
    const answer = await linkWith().call(member(b), CALL, staying);
    expect(JSON.parse(await textOf(answer))).not.toHaveProperty('body');
  });

  test('does not wait for others', async () => {
    const b = await listening({
      answer: ({ url }) => (url === '/never' ? new Promise(() => undefined) : Promise.resolve(whole(url))),
    });
    const link = linkWith();
    let leave: () => void = () => undefined;
    const never = link
      .call(member(b), { ...CALL, url: '/never' }, (listener) => (leave = listener))
      .catch((error: unknown) => error);
    expect(await textOf(await link.call(member(b), { ...CALL, url: '/now' }, staying))).toBe('/now');
    leave();
    expect(await never).toMatchObject({ reason: 'the client left' });
  });

  test('tells the member when its client leaves', async () => {
    let hasLeft = false;
    let hasArrived = false;
    const b = await listening({
      answer: (_call, onClose) => {
        hasArrived = true;
        onClose(() => (hasLeft = true));
        return new Promise(() => undefined);
      },
    });
    let leave: () => void = () => undefined;
    const calling = linkWith()
      .call(member(b), CALL, (listener) => (leave = listener))
      .catch((error: unknown) => error);
    await until(() => hasArrived);
    leave();
    expect(await calling).toMatchObject({ reason: 'the client left' });
    await until(() => hasLeft);
  });

  test('fails with what the member says', async () => {
    const b = await listening({ answer: () => Promise.reject(new Error('no')) });
    await expect(linkWith().call(member(b), CALL, staying)).rejects.toMatchObject({
      reason: 'b failed: no',
      isSent: true,
    });
  });
});

describe('a body in pieces', () => {
  test('arrives whole, however large its pieces are', async () => {
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (const size of [0, 1, 700_000, 2]) yield Promise.resolve(Buffer.alloc(size, size % 251));
    }
    const b = await listening({ answer: () => Promise.resolve({ status: 200, headers: {}, body: pieces() }) });
    const answer = await linkWith().call(member(b), CALL, staying);
    expect((await textOf(answer)).length).toBe(700_003);
  });

  test('waits for a reader that takes nothing, and ends when the reader leaves', async () => {
    let made = 0;
    let isOver = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          made += 16_384;
          yield Promise.resolve(Buffer.alloc(16_384));
        }
      } finally {
        isOver = true;
      }
    }
    const b = await listening({ answer: () => Promise.resolve({ status: 200, headers: {}, body: endless() }) });
    const link = linkWith();
    const answer = await link.call(member(b), CALL, staying);
    const body = answer.body as AsyncIterableIterator<Uint8Array>;
    await until(() => made > STREAM_CREDIT_BYTES);
    // A call on the same connection, there and back: all that there was credit for has been made by then.
    const other = await link.call(member(b), CALL, staying);
    expect(made).toBe(2 * (STREAM_CREDIT_BYTES + 16_384));
    await (other.body as AsyncIterableIterator<Uint8Array>).return?.();
    await body.return?.();
    await until(() => isOver);
  });

  test('may have a trailer, which is known after its end', async () => {
    async function* pieces(): AsyncGenerator<Uint8Array> {
      yield Promise.resolve(Buffer.from('x'));
    }
    const answer = { status: 200, headers: {}, body: pieces(), trailer: () => 'damaged' };
    const got = await linkWith().call(
      member(await listening({ answer: () => Promise.resolve(answer) })),
      CALL,
      staying,
    );
    expect(await textOf(got)).toBe('x');
    expect(got.trailer?.()).toBe('damaged');
  });

  test('that fails half-way throws to its reader', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Promise.resolve(Buffer.from('half'));
      throw new Error('broken');
    }
    const b = await listening({ answer: () => Promise.resolve({ status: 200, headers: {}, body: broken() }) });
    const answer = await linkWith().call(member(b), CALL, staying);
    await expect(textOf(answer)).rejects.toMatchObject({ reason: 'b failed: broken' });
  });
});

describe('a member that cannot be reached', () => {
  test('has not got the call; it is tried again after a while', async () => {
    const b = await listening();
    const link = linkWith();
    await b.close();
    await expect(link.call(member(b), CALL, staying)).rejects.toMatchObject({ isSent: false });
    const again = await listening({ at: b.address });
    await expect(link.call(member(again), CALL, staying)).rejects.toMatchObject({
      reason: 'b was not reached just now',
    });
    timers.advance(200);
    expect((await link.call(member(again), CALL, staying)).status).toBe(200);
    expect(warnings).toHaveLength(1);
  });

  test('may have got the call when its connection ends', async () => {
    let hasArrived = false;
    const b = await listening({ answer: () => new Promise(() => (hasArrived = true)) });
    const calling = linkWith()
      .call(member(b), CALL, staying)
      .catch((error: unknown) => error);
    await until(() => hasArrived);
    await b.close();
    expect(await calling).toMatchObject({ isSent: true });
  });

  test('is dead after four pings without a byte', async () => {
    let hasArrived = false;
    const b = await listening({ answer: () => new Promise(() => (hasArrived = true)) });
    const calling = linkWith()
      .call(member(b), CALL, staying)
      .catch((error: unknown) => error);
    await until(() => hasArrived);
    // Both ends are in this process: neither reads while time passes.
    timers.advance(5000);
    expect(await calling).toMatchObject({ isSent: true, reason: expect.stringContaining('nothing for 4 s') as string });
  });

  test('is not dead as long as it answers pings', async () => {
    const b = await listening();
    const link = linkWith();
    await link.call(member(b), CALL, staying);
    for (let i = 0; i < 10; i++) {
      timers.advance(1000);
      expect((await link.call(member(b), CALL, staying)).status).toBe(200);
    }
    expect(warnings).toEqual([]);
  });
});

describe('the handshake', () => {
  test('refuses a member with another secret, on both sides', async () => {
    const b = await listening();
    await expect(linkWith({ secret: 'x'.repeat(32) }).call(member(b), CALL, staying)).rejects.toMatchObject({
      reason: 'cannot reach b',
    });
    await until(() => warnings.length === 2);
    expect(warnings).toContain('a connection of the link was ended: the peer does not have the secret of the link');
  });

  test('refuses a listener that does not have the secret', async () => {
    // It takes any proof, and gives a wrong one.
    const b = await listening({ security: { secret: 'y'.repeat(32) } });
    const mine = new Handshake('caller', 'a', SECRET);
    const theirs = new Handshake('answerer', 'b', { secret: 'y'.repeat(32) });
    mine.take(theirs.hello());
    theirs.take(mine.hello());
    expect(() => mine.verify(theirs.hello())).toThrow('does not have the secret');
    await b.close();
  });

  test('refuses the proof that the other side gave', () => {
    const mine = new Handshake('caller', 'a', SECRET);
    const theirs = new Handshake('answerer', 'b', SECRET);
    mine.take(theirs.hello());
    const proof = mine.hello();
    theirs.take(proof);
    theirs.verify(proof);
    const { mac } = JSON.parse(proof.toString()) as { mac: string };
    const reflected = { ...(JSON.parse(theirs.hello().toString()) as object), mac };
    expect(() => mine.verify(Buffer.from(JSON.stringify(reflected)))).toThrow('does not have the secret');
  });

  test('refuses a member of another name: its address may have a new owner', async () => {
    const b = await listening();
    await expect(linkWith().call(member(b, 'c'), CALL, staying)).rejects.toMatchObject({ reason: 'cannot reach c' });
    expect(warnings[0]).toContain('the peer is "b", not "c"');
  });

  test('needs a version that both speak', () => {
    const hello = { versions: [2, 3], name: 'b', nonce: 'n' };
    const mine = new Handshake('caller', 'a', SECRET);
    expect(() => mine.take(Buffer.from(JSON.stringify(hello)))).toThrow('no common version: the peer speaks 2 to 3');
  });

  test('is over in time, or the connection is', async () => {
    const b = await listening();
    const socket = connect(b.address as { port: number; host: string });
    opened.push({ close: () => void socket.destroy() });
    socket.resume();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await until(() => timers.pending >= 1);
    timers.advance(3000);
    await closed;
    expect(warnings).toEqual(['a connection of the link was ended: no handshake in time']);
  });

  test('with a secret alone stays on this machine', async () => {
    const at = { host: '0.0.0.0', port: 0 };
    await expect(listening({ at })).rejects.toThrow('needs certificates');
    const elsewhere = { id: 'b', link: { host: '192.0.2.1', port: 1 } };
    await expect(linkWith().call(elsewhere, CALL, staying)).rejects.toMatchObject({ reason: 'cannot reach b' });
    expect(warnings[0]).toContain('needs certificates');
  });

  test('needs a secret that cannot be guessed', async () => {
    await expect(listening({ security: { secret: 'short' } })).rejects.toThrow('fewer than 32 characters');
  });
});

describe('certificates', () => {
  const read = (name: string): string => readFileSync(`test/fixtures/tls/${name}`, 'utf8');
  const certificates = (own: string, ca: string): LinkSecurity => ({
    certificate: read(`${own}.cert.pem`),
    key: read(`${own}.key.pem`),
    ca: read(`${ca}.cert.pem`),
  });
  const at = { host: '127.0.0.1', port: 0 };
  const named = ({ address }: ListeningLink): Peer => ({
    id: 'b',
    link: { host: 'localhost', port: (address as { port: number }).port },
  });

  test('of the same CA are enough', async () => {
    const b = await listening({ at, security: certificates('one', 'one') });
    const answer = await linkWith(certificates('one', 'one')).call(named(b), CALL, staying);
    expect(answer.status).toBe(200);
  });

  test('of another CA are refused, on both sides', async () => {
    const b = await listening({ at, security: certificates('one', 'one') });
    await expect(linkWith(certificates('two', 'one')).call(named(b), CALL, staying)).rejects.toMatchObject({
      reason: 'cannot reach b',
    });
    await expect(linkWith(certificates('one', 'two')).call(named(b), CALL, staying)).rejects.toMatchObject({
      reason: 'cannot reach b',
    });
  });

  test('are required', async () => {
    const b = await listening({ at, security: certificates('one', 'one') });
    const calling = linkWith().call(member(b), CALL, staying);
    // The caller waits for a hello, the member for the handshake of TLS.
    await until(() => timers.pending >= 1);
    timers.advance(3000);
    await expect(calling).rejects.toMatchObject({ reason: 'cannot reach b' });
  });
});

describe('a hostile peer', () => {
  const frame = (kind: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer => {
    const head = Buffer.alloc(8);
    writeHead(head, 0, kind as FrameKind, stream, payload.length);
    return Buffer.concat([head, payload]);
  };

  /** A connection to `b` with its handshake over, byte by byte. */
  async function stranger(b: ListeningLink): Promise<{ socket: Socket; closed: Promise<unknown> }> {
    const socket = connect(b.address as { port: number; host: string });
    opened.push({ close: () => void socket.destroy() });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const handshake = new Handshake('caller', 'evil', SECRET);
    await new Promise<void>((resolve) => {
      let hellos = 0;
      const reader = new FrameReader((kind, _stream, payload) => {
        if (kind !== FRAME.hello) return;
        if (++hellos === 2) resolve();
        else {
          handshake.take(payload);
          socket.write(frame(FRAME.hello, 0, handshake.hello()));
        }
      });
      reader.isTrusted = true;
      socket.on('data', (chunk: Buffer) => reader.read(chunk));
    });
    return { socket, closed };
  }

  const credit = (bytes: number): Buffer => {
    const payload = Buffer.alloc(4);
    payload.writeUInt32BE(bytes);
    return payload;
  };
  const call = Buffer.from('0000000002' + Buffer.from('{}').toString('hex'), 'hex');

  test.each([
    [
      'credit for a stream never opened',
      frame(FRAME.credit, 7, credit(1)),
      'a frame on stream 7, which was never opened',
    ],
    ['a cancel of one', frame(FRAME.cancel, 7), 'a frame on stream 7, which was never opened'],
    ['an answer', frame(FRAME.end, 7), 'a frame of kind 5, which members that answer send'],
    ['a call without its parts', frame(FRAME.call, 1, call), 'a call without its parts'],
    ['a second hello', frame(FRAME.hello, 0, Buffer.from('{}')), 'a hello after the handshake'],
    ['a call without a stream', frame(FRAME.call, 0, call), 'a frame of a stream without one'],
    ['a ping on a stream', frame(FRAME.ping, 3), 'a frame of the connection on a stream'],
    ['an unknown kind', frame(77, 1), 'unknown kind of frame 77'],
  ])('that sends %s loses its connection, and the log says why', async (_what, bytes, reason) => {
    const { socket, closed } = await stranger(await listening());
    socket.write(bytes);
    await closed;
    expect(warnings).toEqual([`a connection of the link was ended: ${reason}`]);
  });

  test('that calls on one stream twice, or gives more credit than there is, loses its connection', async () => {
    const b = await listening({ answer: () => new Promise(() => undefined) });
    const { method, url, headers, client, requestId } = CALL;
    const json = Buffer.from(JSON.stringify({ method, url, headers, client, requestId }));
    const good = Buffer.concat([Buffer.from([0, 0, 0, 0, json.length]), json]);
    for (const second of [frame(FRAME.call, 1, good), frame(FRAME.credit, 1, credit(1))]) {
      const { socket, closed } = await stranger(b);
      socket.write(Buffer.concat([frame(FRAME.call, 1, good), second]));
      await closed;
    }
    expect(warnings).toEqual([
      'a connection of the link was ended: a second call on stream 1',
      'a connection of the link was ended: more credit than a stream has',
    ]);
  });

  test('takes no place of a member, however many there are', async () => {
    const b = await listening();
    const strangers = Array.from({ length: 300 }, () =>
      connect(b.address)
        .on('error', () => undefined)
        .resume(),
    );
    opened.push({ close: () => strangers.forEach((socket) => socket.destroy()) });
    await Promise.all(strangers.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    for (let i = 0; i < 3; i++) expect((await linkWith().call(member(b), CALL, staying)).status).toBe(200);
    // The oldest ones made room.
    await until(() => strangers.filter(({ closed }) => closed).length >= 300 - 32);
  });

  test.each([
    ['calls', frame(FRAME.call, 1, call)],
    ['pings', frame(FRAME.ping, 0)],
  ])('that %s before the handshake loses its connection, and gets no answer', async (_what, bytes) => {
    const b = await listening();
    const socket = connect(b.address as { port: number; host: string });
    socket.on('error', () => undefined).resume();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(bytes);
    await closed;
    expect(warnings).toEqual(['a connection of the link was ended: a frame before the handshake']);
  });

  test('that answers with more than there is credit for loses its connection', async () => {
    const b = await listening();
    // A connection that is taken over between the two, to send what no member sends.
    const { relay, inject } = await taken(b);
    const link = linkWith();
    const calling = link.call({ id: 'b', link: relay }, { ...CALL, url: '/x' }, staying);
    await calling;
    const head = Buffer.from('0000000020' + Buffer.from('{"status":200,"headers":{}}     ').toString('hex'), 'hex');
    // The next call of this connection has stream 2.
    const next = link.call({ id: 'b', link: relay }, CALL, staying);
    inject(frame(FRAME.answer, 2, head));
    const { body } = await next;
    for (let i = 0; i < 5; i++) inject(frame(FRAME.piece, 2, Buffer.alloc(65_536)));
    await until(() => warnings.length > 0);
    await expect(textOf({ status: 200, headers: {}, body })).rejects.toMatchObject({
      reason: 'the connection to b ended: more pieces than there is credit for',
    });
    expect(warnings).toContain('a member broke the rules of the link: more pieces than there is credit for');
  });

  /** A relay in front of a member; `inject` sends bytes to the caller, after which nothing of the member's comes through. */
  async function taken(b: ListeningLink): Promise<{ relay: LinkAddress; inject: (bytes: Buffer) => void }> {
    const { createServer } = await import('node:net');
    let inject: (bytes: Buffer) => void = () => undefined;
    const server = createServer((caller) => {
      const onward = connect(b.address as { port: number; host: string });
      opened.push({ close: () => void onward.destroy() });
      caller.pipe(onward).on('error', () => undefined);
      onward.pipe(caller).on('error', () => undefined);
      inject = (bytes) => {
        caller.unpipe(onward);
        onward.unpipe(caller);
        caller.write(bytes);
      };
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    opened.push({ close: () => void server.close() });
    const { port } = server.address() as { port: number };
    return { relay: { host: '127.0.0.1', port }, inject: (bytes) => inject(bytes) };
  }
});
