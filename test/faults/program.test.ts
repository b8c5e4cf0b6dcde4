import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { freePort } from '../support/free-port.js';
import { type Reply, ask } from '../support/plain-request.js';
import { type Program, startProgram } from './support/program.js';
import { buildArchive } from '../support/archive-gateway.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const DIRECTORY = temporaryDirectory().path;
const STATE = { PMGATE_STATE_DIRECTORY: DIRECTORY };
const FETCH = '/pmapi/fetch?names=kernel.all.load,mem.util.free,disk.dev.read,proc.nprocs';

let program: Program;
afterEach(async () => {
  program.signal('SIGKILL');
  await program.stop();
});

/** Connections that are opened and then say nothing; those that the gateway could not take are closed by it. */
async function crowd(port: number, count: number): Promise<{ open(): number; leave(): Promise<void> }> {
  const sockets = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<net.Socket>((resolve) => {
          const socket = net.connect(port, '127.0.0.1');
          socket.on('error', () => resolve(socket));
          socket.once('connect', () => resolve(socket));
        }),
    ),
  );
  return {
    open: () => sockets.filter((socket) => !socket.destroyed && socket.readyState === 'open').length,
    leave: () =>
      Promise.all(
        sockets.map(
          (socket) =>
            new Promise<void>((resolve) => {
              if (socket.closed) resolve();
              else socket.once('close', () => resolve()).destroy();
            }),
        ),
      ).then(() => undefined),
  };
}

/** Ask until the answer is good; rejects only after many that are not. */
async function askUntilGood(port: number): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const reply = await ask(port, FETCH).catch((error: unknown) => error as Error);
    if ('status' in reply && reply.status === 200 && !reply.body.includes('"warnings"')) return attempt;
    if (attempt === 1000) throw new Error(`never well again: ${JSON.stringify(reply)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('descriptors that run out', () => {
  it('stop neither the gateway nor what it does for those who are in; it is itself again when there are some', async () => {
    program = await startProgram({ environment: STATE });
    const { port, pid } = program;
    expect((await ask(port, FETCH)).status).toBe(200);
    execFileSync('prlimit', ['--pid', String(pid), '--nofile=80:80']);
    const others = await crowd(port, 200);
    // Whoever is let in now is let in because somebody else was not: an answer, or a connection that is closed, but no crash.
    const replies = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => ask(port, `/pmapi/fetch?names=proc.psinfo.cmd&client=${i}`)),
    );
    for (const reply of replies) if (reply.status === 'fulfilled') expect(reply.value.status).toBe(200);
    await others.leave();
    await askUntilGood(port);
    const { body } = await ask(port, '/pmapi/fetch?names=pmgate.requests.defects');
    expect(body).toContain('"value":0');
    expect(readdirSync(`/proc/${pid}/fd`).length).toBeLessThan(80);
    expect(await program.stop()).toBe(0);
    expect(program.stderr()).not.toContain('unhandled');
  });
});

describe('no descriptor left at all', () => {
  it('is 503 for what needs one, whatever it is, and nothing is told to be missing', async () => {
    const root = path.join(DIRECTORY, 'root');
    mkdirSync(root, { recursive: true });
    buildArchive().write(root, 'built');
    program = await startProgram({ environment: { ...STATE, PMGATE_ARCHIVES_ROOTS: root } });
    const { port, pid } = program;
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const get = (url: string): Promise<Reply> => ask(port, url, { agent });
    expect((await get('/healthz')).status).toBe(200);
    const open = readdirSync(`/proc/${pid}/fd`).length;
    execFileSync('prlimit', ['--pid', String(pid), `--nofile=${open}:4096`]);
    const odd: string[] = [];
    for (const url of [
      '/search?q=cpu',
      '/metrics',
      '/pmapi/indom?name=proc.psinfo.cmd',
      '/pmapi/fetch?names=proc.psinfo.cmd',
      '/docs/swagger-ui.css',
      '/openapi.yaml',
      '/archives',
      '/pmapi/fetch?names=test.counter&archive=built&start=1000000',
      '/pmapi/context?archive=built',
    ]) {
      const { status, body } = await get(url);
      if (status !== 200 && !(status === 503 && body.includes('OVERLOADED'))) odd.push(`${url}: ${status} ${body}`);
    }
    expect(odd).toEqual([]);
    execFileSync('prlimit', ['--pid', String(pid), '--nofile=4096:4096']);
    expect((await get('/pmapi/context?archive=built')).status).toBe(200);
    expect((await get('/docs/swagger-ui.css')).status).toBe(200);
    expect((await get('/pmapi/fetch?names=pmgate.requests.defects')).body).toContain('"value":0');
    agent.destroy();
  });
});

describe('more connections than there may be', () => {
  it('are closed at once, without an answer; those that are open work on', async () => {
    program = await startProgram({ environment: { ...STATE, PMGATE_LIMITS_CONNECTIONS: '5' } });
    const { port } = program;
    const others = await crowd(port, 5);
    await expect(ask(port, '/healthz')).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(others.open()).toBe(5);
    await others.leave();
    await askUntilGood(port);
  });
});

describe('a log that goes nowhere', () => {
  it.each([
    ['its disk is full', '2>/dev/full'],
    ['nobody reads it any more', '2> >(true)'],
    ['its reader has stopped reading', '2> >(exec sleep 600 >/dev/null)'],
  ])('does not stop the gateway when %s', async (_, redirect) => {
    const environment = { ...STATE, PMGATE_LOG_REQUESTS: 'true' };
    program = await startProgram({ redirect, environment, port: await freePort() });
    for (let round = 0; round < 20; round++) {
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => ask(program.port, `${FETCH}&client=${'x'.repeat(900)}`)),
      );
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    }
    expect(await program.stop()).toBe(0);
  });
});

describe('SIGHUP', () => {
  it('leaves the old configuration and certificate in force when the new ones cannot be used', async () => {
    const [file, cert, key] = ['pmgate.yaml', 'cert.pem', 'key.pem'].map((name) => path.join(DIRECTORY, name)) as [
      string,
      string,
      string,
    ];
    copyFileSync('test/fixtures/tls/one.cert.pem', cert);
    copyFileSync('test/fixtures/tls/one.key.pem', key);
    const tls = `listen: { certificateFile: ${cert}, keyFile: ${key} }\n`;
    writeFileSync(file, tls);
    program = await startProgram({ config: file, environment: { ...STATE, NODE_TLS_REJECT_UNAUTHORIZED: '0' } });
    const reload = async (said: string): Promise<void> => {
      const before = program.stderr().length;
      program.signal('SIGHUP');
      while (!program.stderr().slice(before).includes(said)) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    const isServed = (): Promise<boolean> =>
      new Promise((resolve) => {
        void import('node:tls').then(({ connect }) => {
          const socket = connect({ port: program.port, host: '127.0.0.1', rejectUnauthorized: false });
          socket.once('secureConnect', () =>
            socket.end('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'),
          );
          let text = '';
          socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
          socket.once('close', () => resolve(text.startsWith('HTTP/1.1 200')));
        });
      });
    expect(await isServed()).toBe(true);
    renameSync(key, `${key}.gone`);
    await reload('keeping the previous one');
    expect(await isServed()).toBe(true);
    writeFileSync(key, 'no key at all');
    await reload('keeping the previous one');
    expect(await isServed()).toBe(true);
    renameSync(`${key}.gone`, key);
    // Everything else the log says no more than five times a minute.
    for (const wrong of ['limits: [\n', 'hosts: *a\n', 'log: 1\n', 'clients: { exempt: [nonsense] }\n']) {
      writeFileSync(file, `${tls}${wrong}`);
      await reload('keeping the previous one');
      expect(await isServed()).toBe(true);
    }
    rmSync(file);
    await reload('keeping the previous one');
    writeFileSync(file, `${tls}limits: { requests: 7 }\n`);
    await reload('configuration reloaded');
    expect(await isServed()).toBe(true);
    expect(await program.stop()).toBe(0);
  });
});
