import { spawn } from 'node:child_process';
import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DerivedRegistry } from '../../src/gateway/derived-registry.js';
import { StateFile } from '../../src/kit/node/index.js';
import { bundledProgram } from '../support/bundled-program.js';
import { Api } from '../support/api.js';
import { memoryGateway } from '../support/memory-gateway.js';
import { INTERFACE_INDOM, NAMES_AT_ONCE, instanceCachesIn } from './support/instance-caches-in.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const temporary = temporaryDirectory();
let directory: string;
let file: string;
beforeEach(async () => {
  directory = temporary.fresh();
  file = path.join(directory, 'derived.json');
});

async function open(): Promise<{ registry: DerivedRegistry; complaints: string[] }> {
  const complaints: string[] = [];
  const registry = await DerivedRegistry.open({
    shippedDirectory: undefined,
    files: [],
    stateFile: file,
    allowMutation: true,
    complain: (message) => void complaints.push(message),
  });
  return { registry, complaints };
}

const names = (registry: DerivedRegistry): string[] => registry.store.list().map(({ name }) => name);

describe('a full disk', () => {
  it('is answered 503, and neither the metrics nor the file change; once there is room all is well', async () => {
    const { registry } = await open();
    const definitions = registry.store;
    const api = await Api.start(memoryGateway({ definitions }), { derived: registry });
    try {
      await api.request('PUT', '/derived/first.one', { body: { expr: '1 + 1' } });
      const before = await readFile(file, 'utf8');
      // What is written next goes where there never is any space.
      const temporary = `${file}.${process.pid}.tmp`;
      await symlink('/dev/full', temporary);
      const refused = await api.request('PUT', '/derived/second.one', { body: { expr: '2 + 2' } });
      expect(refused).toMatchObject({
        status: 503,
        json: { code: 'UNAVAILABLE', message: expect.stringContaining('ENOSPC: no space left on device') },
      });
      expect(await readFile(file, 'utf8')).toBe(before);
      expect(await readdir(directory)).toEqual(['derived.json']);
      expect(names(registry)).toEqual(['first.one']);
      expect((await api.get('/derived/second.one')).status).toBe(404);
      expect((await api.request('PUT', '/derived/second.one', { body: { expr: '2 + 2' } })).status).toBeLessThan(300);
      expect(names((await open()).registry)).toEqual(['first.one', 'second.one']);
    } finally {
      await api.stop();
    }
  });
});

describe('a state file that cannot be used', () => {
  it('is used as far as it goes, wherever it was cut', async () => {
    const { registry } = await open();
    await registry.load('first.one = 1\nsecond.one = 2\n');
    const whole = await readFile(file);
    const ends = ['"}', '"}\n]'].map((end) => whole.indexOf(end) + 2);
    for (let length = (whole.length - 1) % 3; length < whole.length; length += 3) {
      await writeFile(file, whole.subarray(0, length));
      const { registry: cut, complaints } = await open();
      // All but its last newline is as good as all of it.
      const isWhole = length === whole.length - 1;
      expect([length, names(cut), complaints.length]).toEqual([
        length,
        names(registry).filter((_, i) => length >= ends[i]!),
        isWhole ? 0 : 1,
      ]);
      if (!isWhole) expect(await readFile(`${file}.damaged`)).toEqual(whole.subarray(0, length));
      await rm(`${file}.damaged`, { force: true });
    }
  });

  it('loses one definition by a flipped bit, at most, names it, and is kept', async () => {
    const { registry } = await open();
    await registry.load('first.one = 1\nsecond.one = 2 * 2\nthird.one = 3\n');
    await registry.register('fourth.one', '4', { oneline: 'a line, and {"name":"no.name","digest":"0"}' });
    const whole = await readFile(file);
    for (let at = 0; at < whole.length; at += 7) {
      const damaged = Buffer.from(whole);
      damaged[at]! ^= 1 << (at % 8);
      await writeFile(file, damaged);
      const found = await open();
      const left = names(found.registry);
      expect([at, left.length]).toEqual([at, found.complaints.length === 0 ? 4 : Math.max(3, left.length)]);
      const asTheyWere = left.map((name) => registry.store.get(name)?.canonical);
      expect(found.registry.store.list().map(({ canonical }) => canonical)).toEqual(asTheyWere);
      // What was read is saved, and read again without a complaint.
      const again = await open();
      expect([names(again.registry), again.complaints]).toEqual([left, []]);
    }
    expect(await readdir(directory)).toContain('derived.json.damaged');
  });
});

describe('kill -9 while the state is written', () => {
  /** Kills a program that writes a state, after some writes and at some moment of the next ones; how many it told of. */
  const killed = async (program: string, state: string): Promise<number> => {
    const child = spawn(process.execPath, [bundledProgram(`test/faults/support/${program}`), state], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let told = 0;
    const exited = new Promise((resolve) => child.once('close', resolve));
    await new Promise<void>((resolve) => {
      const killAfter = 1 + Math.floor(Math.random() * 20);
      child.stdout.on('data', (chunk: Buffer) => {
        told += chunk.toString().split('\n').length - 1;
        if (told >= killAfter) resolve();
      });
    });
    const turns = Math.floor(Math.random() * 200);
    for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGKILL');
    await exited;
    return told;
  };

  it('leaves the old content or the new, whole, and nothing else once it was read', async () => {
    const kill = async (run: number): Promise<void> => {
      const state = path.join(directory, `${run}`, 'state.json');
      const told = await killed('state-writer.ts', state);
      const content = (await new StateFile(state).read()) as { i: number; filling: string };
      expect(content.i).toBeGreaterThanOrEqual(told);
      expect(content.i).toBeLessThanOrEqual(told + 1);
      expect(content.filling).toHaveLength(50_000);
      expect(await readdir(path.dirname(state))).toEqual(['state.json']);
    };
    for (let round = 0; round < 3; round++) await Promise.all([0, 1, 2, 3].map((run) => kill(round * 4 + run)));
  });

  it('leaves the old instance numbers or the new, whole', async () => {
    const kill = async (run: number): Promise<void> => {
      const state = path.join(directory, `${run}`);
      const told = await killed('instance-writer.ts', state);
      const { caches, log } = instanceCachesIn(state);
      const found = caches.of(INTERFACE_INDOM).entries();
      expect(log).toEqual([]);
      expect(found.length % NAMES_AT_ONCE).toBe(0);
      expect(found.length / NAMES_AT_ONCE).toBeGreaterThanOrEqual(told);
      expect(found.length / NAMES_AT_ONCE).toBeLessThanOrEqual(told + 1);
      expect(found.every(({ id, name }) => name === `veth${id}`)).toBe(true);
    };
    await Promise.all([0, 1, 2, 3].map(kill));
  });

  it('has what a killed writer left removed, and not what a living one is about to rename', async () => {
    await writeFile(`${file}.${2 ** 22 + 1}.tmp`, 'half');
    await writeFile(`${file}.${process.ppid}.tmp`, 'still writing');
    await writeFile(path.join(directory, 'other.json.4194305.tmp'), 'of somebody else');
    await new StateFile(file).read();
    expect((await readdir(directory)).sort()).toEqual([`derived.json.${process.ppid}.tmp`, 'other.json.4194305.tmp']);
  });
});
