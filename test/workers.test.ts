import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import http from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { runProgram } from './support/run-program.js';
import type { Run } from './support/run-program.js';
import { temporaryDirectory } from './support/temporary-directory.js';
import { until } from './support/until.js';

const STATE = temporaryDirectory();
/** Where the program makes its directory of sockets. */
const TEMPORARY = temporaryDirectory();

/** What is killed after each test, in case that it failed. */
let program: Run;
afterEach(() => program.child.kill('SIGKILL'));

/** Starts the program with two workers. */
function start(port: number): Run {
  return (program = runProgram(['--workers', '2', '--port', String(port)], {
    PMGATE_STATE_DIRECTORY: STATE.path,
    PMGATE_LOCAL_SOURCE: 'embedded',
    PMGATE_CONTEXTS_POLL_TIMEOUT_SEC: '600',
    TMPDIR: realpathSync(TEMPORARY.path),
  }));
}

/** The processes that a process has started, in their order. */
function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

/** Whether a process is gone, or only its parent has not noticed it. */
function hasEnded(pid: number): boolean {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/, ''));
  } catch {
    return true;
  }
}

/** Waits until the program listens; resolves with its port. */
async function portOf({ logged, stderr }: Run): Promise<number> {
  await logged('listens on http');
  return Number(/listens on http:\/\/127\.0\.0\.1:(\d+)/.exec(stderr())![1]);
}

interface Answer {
  readonly status: number;
  readonly json: Record<string, unknown>;
}

/** A request over a connection of its own: whichever worker accepts it. */
function ask(port: number, path: string, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, path, method, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode!, json: JSON.parse(text) as never }));
    });
    request.on('error', reject).end();
  });
}

/** Asks again as long as the worker that has the answer is starting. */
async function askAgain(port: number, path: string): Promise<Answer> {
  for (;;) {
    const answer = await ask(port, path);
    if (answer.status !== 503) return answer;
    expect(answer.json).toMatchObject({ code: 'UNAVAILABLE', retryAfterSec: 1 });
    await setTimeout(20);
  }
}

describe('the program with two workers', () => {
  it('says once that its port is in use, and ends', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const { code, stderr } = await start(port).exited;
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringContaining(`port ${port} is in use: is pmgate already running?`),
    ]);
    server.close();
    expect(readdirSync(TEMPORARY.path)).toEqual([]);
  });

  it('goes on when a worker is killed, with the definitions, and leaves nothing behind when it is stopped', async () => {
    const port = await portOf(start(0));
    const pid = program.child.pid!;
    const [first, second] = childrenOf(pid);
    expect((await ask(port, '/derived/kept.by.all?expr=kernel.all.load*2', 'PUT')).status).toBe(201);
    const { context } = (await ask(port, '/pmapi/context?hostspec=embedded')).json;
    expect(await ask(port, `/pmapi/${context as number}/derive?name=own&expr=kernel.all.load`)).toMatchObject({
      status: 200,
    });
    const { context: gone } = (await ask(port, '/pmapi/context?hostspec=embedded')).json;
    await ask(port, `/pmapi/${gone as number}`, 'DELETE');

    process.kill(second!, 'SIGKILL');
    await program.logged('a worker has ended');
    await program.logged('a worker serves again');
    expect(childrenOf(pid)).toEqual([first, expect.any(Number)]);
    for (let i = 0; i < 20; i++) {
      const [defined, fetched] = await Promise.all([
        ask(port, '/derived'),
        ask(port, `/pmapi/${context as number}/fetch?names=kept.by.all`),
      ]);
      expect((defined.json.derived as { name: string }[]).map(({ name }) => name)).toContain('kept.by.all');
      expect(fetched).toMatchObject({ status: 200, json: { values: [{ name: 'kept.by.all' }] } });
    }

    // The first one keeps the definitions: they survive it, and so do its contexts.
    process.kill(first!, 'SIGKILL');
    await until(() => program.stderr().split('a worker has ended').length === 3);
    expect(await askAgain(port, `/pmapi/${context as number}/fetch?names=own`)).toMatchObject({
      status: 200,
      json: { context, values: [{ name: 'own' }] },
    });
    expect(await askAgain(port, `/pmapi/${gone as number}/fetch?names=own`)).toMatchObject({
      status: 404,
      json: { code: 'UNKNOWN_CONTEXT', message: `destroyed context identifier: ${gone as number}` },
    });
    expect(await askAgain(port, '/pmapi/fetch?names=kept.by.all')).toMatchObject({
      status: 200,
      json: { values: [{ name: 'kept.by.all' }] },
    });

    const workers = childrenOf(pid);
    // Service managers signal all processes.
    for (const one of [...workers, pid]) process.kill(one, 'SIGTERM');
    const { code, stderr } = await program.exited;
    expect({ code, last: stderr.trim().split('\n').at(-1) }).toEqual({
      code: 0,
      last: expect.stringContaining('"msg":"stopped"') as string,
    });
    expect(workers.every(hasEnded)).toBe(true);
    expect(readdirSync(TEMPORARY.path)).toEqual([]);
  });

  it('leaves nothing behind when its parent is killed', async () => {
    await portOf(start(0));
    const workers = childrenOf(program.child.pid!);
    expect(workers).toHaveLength(2);
    program.child.kill('SIGKILL');
    await until(() => workers.every(hasEnded));
    await until(() => readdirSync(TEMPORARY.path).length === 0);
  });
});
