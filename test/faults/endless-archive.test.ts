import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildArchive } from '../support/archive-gateway.js';
import { ask } from '../support/plain-request.js';
import { type Program, startProgram } from './support/program.js';
import { until } from '../support/until.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

// Before the directory is removed, which says what has been started.
afterAll(async () => {
  program.signal('SIGKILL');
  await program.stop();
  for (const pid of started()) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
});

const DIRECTORY = temporaryDirectory().path;
const [ROOT, BIN, PIDS, TEMP] = ['root', 'bin', 'pids', 'temp'].map((name) => path.join(DIRECTORY, name)) as [
  string,
  string,
  string,
  string,
];
const NAMES = ['endless0', 'endless1', 'endless2', 'endless3'];
const fetchOf = (name: string): string => `/pmapi/fetch?names=test.counter&archive=${name}`;

let program: Program;

beforeAll(async () => {
  for (const directory of [ROOT, BIN, PIDS, TEMP]) mkdirSync(directory);
  // A program that inflates a little and never ends.
  const xz = path.join(BIN, 'xz');
  writeFileSync(xz, `#!/bin/sh\necho > ${PIDS}/$$\necho begun\nexec sleep 10000\n`);
  chmodSync(xz, 0o700);
  const files = buildArchive().files();
  for (const name of NAMES) {
    writeFileSync(path.join(ROOT, `${name}.meta`), files.get('meta')!);
    writeFileSync(path.join(ROOT, `${name}.0.xz`), 'whatever');
  }
  for (const [suffix, bytes] of files) writeFileSync(path.join(ROOT, `packed.${suffix}.gz`), gzipSync(bytes));
  program = await startProgram({
    environment: {
      PMGATE_STATE_DIRECTORY: DIRECTORY,
      PMGATE_ARCHIVES_ROOTS: ROOT,
      PMGATE_ARCHIVES_TEMP_DIRECTORY: TEMP,
      PMGATE_LIMITS_DRAIN_SEC: '1',
      PATH: `${BIN}:${process.env.PATH ?? ''}`,
    },
  });
});

function started(): number[] {
  return readdirSync(PIDS).map(Number);
}

function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

/** Ask, and leave later. */
function visitor(url: string): { leave: () => void } {
  const request = http.get({ host: '127.0.0.1', port: program.port, path: url, agent: false });
  request.on('error', () => undefined);
  return { leave: () => void request.destroy() };
}

describe('archives that take for ever to inflate', () => {
  it('are given up when their clients leave, and keep nobody from other archives', async () => {
    const visitors = [...NAMES, ...NAMES].map((name) => visitor(fetchOf(name)));
    visitors.push(visitor('/archives'));
    await until(() => started().length === 2);
    for (const { leave } of visitors) leave();
    await until(() => !started().some(isAlive));
    expect((await ask(program.port, fetchOf('packed'))).status).toBe(200);
    expect(program.stderr()).not.toContain('unhandled');
  });

  it('leave nothing on disk when the gateway is killed, and do not keep it from its end', async () => {
    const before = started().length;
    visitor(fetchOf('endless0'));
    await until(() => started().length > before);
    expect((await ask(program.port, fetchOf('packed'))).status).toBe(200);
    // What has no name is gone with the process, however that ends.
    expect(readdirSync(TEMP)).toEqual([]);
    expect(await program.stop()).toBe(0);
    await until(() => !started().some(isAlive));
  });
});
