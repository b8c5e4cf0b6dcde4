import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { StateFile } from '../../src/kit/node/index.js';
import fc from '../support/properties.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const temporary = temporaryDirectory();
let directory: string;
let file: string;
beforeEach(async () => {
  directory = temporary.fresh();
  file = path.join(directory, 'state.json');
});

describe('StateFile', () => {
  it('holds nothing before it is first written', async () => {
    expect(await new StateFile(file).read()).toBeUndefined();
  });

  it('gives back what was written, whatever JSON it is', async () => {
    const state = new StateFile(file);
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        await state.write(value);
        expect(await new StateFile(file).read()).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 30 },
    );
  });

  it('makes the directories that it lies in, and leaves nothing else there', async () => {
    const deep = path.join(directory, 'a', 'b', 'state.json');
    await new StateFile(deep).write({ some: 'thing' });
    expect(await readdir(path.dirname(deep))).toEqual(['state.json']);
    expect((await stat(deep)).mode & 0o007).toBe(0);
  });

  it('writes in the order in which it was asked', async () => {
    const state = new StateFile(file);
    await Promise.all(Array.from({ length: 20 }, (_, i) => state.write({ i })));
    expect(await state.read()).toEqual({ i: 19 });
    expect(await readdir(directory)).toEqual(['state.json']);
  });

  it('shows the old content or the new one to whoever reads meanwhile', async () => {
    const state = new StateFile(file);
    const long = 'x'.repeat(100_000);
    await state.write({ i: -1, long });
    const progress = { writing: true, reads: 0 };
    const writes = Promise.all(Array.from({ length: 20 }, (_, i) => state.write({ i, long })));
    const done = writes.finally(() => (progress.writing = false));
    while (progress.writing) {
      const read = JSON.parse(await readFile(file, 'utf8')) as { long: string };
      expect(read.long).toHaveLength(long.length);
      progress.reads++;
    }
    await done;
    expect(progress.reads).toBeGreaterThan(0);
  });

  it('leaves no half of a file behind when the last step fails', async () => {
    await mkdir(path.join(file, 'inside'), { recursive: true });
    await expect(new StateFile(file).write({ a: 1 })).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    expect(await readdir(directory)).toEqual(['state.json']);
  });

  it('renames a file that is not valid JSON, and says so', async () => {
    await writeFile(file, '{"version": 1, "defin');
    await expect(new StateFile(file).read()).rejects.toThrow(
      `${file} is not valid JSON and was renamed to ${file}.damaged`,
    );
    expect(await readFile(`${file}.damaged`, 'utf8')).toBe('{"version": 1, "defin');
    expect(await new StateFile(file).read()).toBeUndefined();
  });

  it('keeps what it set aside before, up to ten files', async () => {
    for (let i = 1; i <= 12; i++) {
      await writeFile(file, `damage ${i}`);
      await expect(new StateFile(file).read()).rejects.toThrow(/was renamed to .*\.damaged(\.\d+)?$/);
    }
    const kept = Array.from({ length: 10 }, (_, i) => `state.json.damaged${i === 0 ? '' : `.${i + 1}`}`);
    expect((await readdir(directory)).sort()).toEqual([...kept].sort());
    const contents = await Promise.all(kept.map((name) => readFile(path.join(directory, name), 'utf8')));
    expect(contents).toEqual([...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((i) => `damage ${i}`), 'damage 12']);
  });
});
