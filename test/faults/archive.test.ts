import { chmodSync, readdirSync, renameSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { jest } from '@jest/globals';
import { Directories, OpenFiles } from '../../src/sources/archive/node/open-files.js';
import { PmError } from '../../src/pmapi/index.js';
import { archiveApi, BUILT_START, type ArchiveApi } from '../support/archive-gateway.js';

let served: ArchiveApi;
beforeEach(async () => {
  served = await archiveApi();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await served.stop();
});

const RANGE = `/pmapi/fetch?archive=built&names=test.counter&start=@${BUILT_START}&interval=1s&samples=3`;

function filesOf(name: string): string[] {
  return readdirSync(served.root)
    .filter((file) => file.startsWith(`${name}.`))
    .map((file) => path.join(served.root, file));
}

describe('an archive that goes away while it is served', () => {
  it.each([
    ['its files are removed', () => filesOf('built').forEach((file) => rmSync(file))],
    ['its directory is moved away', () => renameSync(served.root, `${served.root}.away`)],
    ['its volume is cut off', () => truncateSync(path.join(served.root, 'built.0'), 10)],
  ])('is an error of its own when %s, and nothing else suffers', async (_, harm) => {
    const { api } = served;
    const context = await api.context('?archive=built');
    expect((await api.get(`/pmapi/${context}/fetch?names=test.counter`)).status).toBe(200);
    harm();
    for (const url of [
      `/pmapi/${context}/fetch?names=test.counter`,
      RANGE,
      '/pmapi/context?archive=built',
      '/archives',
    ]) {
      const { status } = await api.get(url);
      // What is in memory may still be served.
      expect(status === 200 || (status >= 400 && status < 500) || status === 503).toBe(true);
    }
    expect((await api.get('/pmapi/fetch?names=mem.util.free')).status).toBe(200);
    expect(api.defects).toEqual([]);
  });

  it('is unknown afterwards, and served again when it is back', async () => {
    const { api } = served;
    renameSync(served.root, `${served.root}.away`);
    expect((await api.get('/pmapi/context?archive=built')).json.code).toBe('UNKNOWN_ARCHIVE');
    renameSync(`${served.root}.away`, served.root);
    expect((await api.get(RANGE)).status).toBe(200);
  });

  it('is told as broken in the list when it cannot be read, and the others are listed', async () => {
    for (const file of filesOf('built')) chmodSync(file, 0);
    truncateSync(path.join(served.root, 'built.meta'), 3);
    const { status, text } = await served.api.get('/archives');
    expect(status).toBe(200);
    expect(text).toContain('recorded/live-v3');
  });
});

describe('an archive that is replaced while it is being opened', () => {
  /** Do something when the directory of archives has been read for so many times, before anything comes of that. */
  function afterReading(times: number, act: () => void): void {
    const { read } = Directories.prototype;
    let count = 0;
    jest.spyOn(Directories.prototype, 'read').mockImplementation(async function (this: Directories, directory) {
      const contents = await read.call(this, directory);
      if (directory === served.root && ++count === times) act();
      return contents;
    });
  }

  it.each([
    ['its files are removed', () => filesOf('built').forEach((file) => rmSync(file))],
    ['its metadata is removed', () => rmSync(path.join(served.root, 'built.meta'))],
    ['its volume is removed', () => rmSync(path.join(served.root, 'built.0'))],
    ['its files cannot be read any more', () => filesOf('built').forEach((file) => truncateSync(file))],
    ['its directory is moved away', () => renameSync(served.root, `${served.root}.away`)],
    [
      'a link leads elsewhere in its place',
      () => {
        const meta = path.join(served.root, 'built.meta');
        rmSync(meta);
        symlinkSync('/nowhere', meta);
      },
    ],
  ])('is answered as missing or damaged when %s, never 500, whenever that happens', async (_, harm) => {
    for (let times = 1; times <= 3; times++) {
      const harmed = jest.fn(harm);
      afterReading(times, harmed);
      const { status, json } = await served.api.get('/pmapi/context?archive=built');
      const isTold = (status >= 400 && status < 500) || json.code === 'SOURCE_FAILED';
      expect({ times, status, isTold }).toEqual({ times, status, isTold: harmed.mock.calls.length > 0 });
      expect(served.api.defects).toEqual([]);
      if (times === 1) expect(harmed).toHaveBeenCalledTimes(1);
      jest.restoreAllMocks();
      await served.stop();
      served = await archiveApi();
    }
  });
});

describe('a machine without descriptors', () => {
  it('is too busy: an archive that is there is not missing', async () => {
    const { api } = served;
    const error = Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    jest
      .spyOn(Directories.prototype, 'read')
      .mockImplementation((directory) => Promise.reject(new PmError(-24, path.basename(directory), { cause: error })));
    for (const url of ['/pmapi/context?archive=built', '/pmapi/context?archive=recorded', RANGE, '/archives']) {
      const { status, json } = await api.get(url);
      expect({ url, status, code: json.code }).toEqual({ url, status: 503, code: 'OVERLOADED' });
    }
    jest.restoreAllMocks();
    expect((await api.get('/pmapi/context?archive=built')).status).toBe(200);
    expect(api.defects).toEqual([]);
  });
});

describe('a disk that does not answer', () => {
  it('takes no more threads than it may, and leaves the others to the rest of the gateway', async () => {
    let [begun, release] = [0, (): void => undefined];
    const stalled = new Promise<void>((resolve) => (release = resolve));
    const handle = { close: () => Promise.resolve() } as never;
    const files = new OpenFiles(10, () => Promise.resolve(handle), 3);
    const uses = Array.from({ length: 10 }, (_, i) =>
      files.use(
        { i },
        `file ${i}`,
        () => Promise.resolve(),
        async () => {
          begun++;
          await stalled;
        },
      ),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toBe(3);
    release();
    await Promise.all(uses);
    expect(begun).toBe(10);
  });
});
