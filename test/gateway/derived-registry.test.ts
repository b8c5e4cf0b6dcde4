import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { jest } from '@jest/globals';
import { DerivedRegistry, type DerivedRegistryOptions, type FleetCopy } from '../../src/gateway/derived-registry.js';
import type { StoreState } from '../../src/derived/index.js';
import { eventLoopTurns } from '../../src/kit/index.js';
import { GatewayError } from '../../src/pmapi/index.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

interface Complaint {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const temporary = temporaryDirectory();
let directory: string;
let stateFile: string;
let complaints: Complaint[];
beforeEach(async () => {
  directory = temporary.fresh();
  stateFile = path.join(directory, 'state', 'derived.json');
  complaints = [];
});

function options(parts: Partial<DerivedRegistryOptions> = {}): DerivedRegistryOptions {
  return {
    shippedDirectory: undefined,
    files: [],
    stateFile,
    allowMutation: true,
    complain: (message, fields) => complaints.push({ message, fields }),
    ...parts,
  };
}

const open = (parts?: Partial<DerivedRegistryOptions>): Promise<DerivedRegistry> =>
  DerivedRegistry.open(options(parts));
const names = (registry: DerivedRegistry): string[] => registry.store.list().map(({ name }) => name);

async function file(name: string, text: string | Buffer): Promise<string> {
  const full = path.join(directory, name);
  await mkdir(path.dirname(full), { recursive: true });
  await writeFile(full, text);
  return full;
}

async function kept(): Promise<readonly string[]> {
  const state = JSON.parse(await readFile(stateFile, 'utf8')) as StoreState;
  return state.definitions.map(({ name, expression }) => `${name} = ${expression}`);
}

/** Make writing fail: a file stands where the directory of the state should be. */
const fillDisk = (): Promise<string> => file('state', 'in the way');
const freeDisk = (): Promise<void> => rm(path.join(directory, 'state'), { recursive: true });

async function codeOf(doing: Promise<unknown>): Promise<string> {
  try {
    await doing;
  } catch (error) {
    if (error instanceof GatewayError) return error.code;
    throw error;
  }
  return 'none';
}

describe('DerivedRegistry', () => {
  it('loads the shipped files by name, then the files of the configuration, then what was kept', async () => {
    await file('shipped/2.conf', 'b = 2\n');
    await file('shipped/1.conf', 'a = 1\n');
    await file('shipped/README.md', 'c = 3\n');
    const mine = await file('mine.conf', 'd = 4\n');
    const shippedDirectory = path.join(directory, 'shipped');
    await (await open()).register('e', '5');
    const registry = await open({ shippedDirectory, files: [mine] });
    expect(registry.store.list().map(({ name, origin }) => `${name} ${origin}`)).toEqual([
      'a shipped',
      'b shipped',
      'd file',
      'e api',
    ]);
    expect(complaints).toEqual([]);
  });

  it('takes what is good of a file and complains of the rest', async () => {
    const bad = await file('bad.conf', 'a = 1\nb = (\nc = 3\n');
    const registry = await open({ files: [bad, path.join(directory, 'missing.conf')] });
    expect(names(registry)).toEqual(['a', 'c']);
    expect(complaints).toEqual([
      {
        message: 'skipped the definition of a derived metric',
        fields: { file: bad, line: 2, severity: 'error', problem: expect.stringContaining('syntax error') as string },
      },
      {
        message: 'skipped a file of derived metrics',
        fields: {
          file: path.join(directory, 'missing.conf'),
          reason: expect.stringMatching(/^ENOENT/) as string,
        },
      },
    ]);
  });

  it('serves without the shipped files when they are missing, or one of them cannot be read', async () => {
    expect(names(await open({ shippedDirectory: path.join(directory, 'nowhere') }))).toEqual([]);
    await file('shipped/1.conf/inside', '');
    await file('shipped/2.conf', 'a = 1\n');
    expect(names(await open({ shippedDirectory: path.join(directory, 'shipped') }))).toEqual(['a']);
    expect(complaints.map(({ message }) => message)).toEqual([
      'the shipped derived metrics are missing',
      'skipped a file of derived metrics',
    ]);
  });

  it('keeps PMIDs over a restart, whatever the files define then, and those of a state that has none from then on', async () => {
    const mine = await file('mine.conf', 'f = 1\n');
    const first = await open({ files: [mine] });
    const { pmid } = await first.register('a', '2');
    await file('mine.conf', 'f = 1\ng = 1\nh = 1\n');
    const second = await open({ files: [mine] });
    expect(second.store.get('a')?.pmid).toBe(pmid);
    expect(second.store.byPmid(pmid)?.name).toBe('a');

    await writeFile(stateFile, JSON.stringify({ version: 1, definitions: [{ name: 'old', expression: '1' }] }));
    const third = await open({ files: [mine] });
    await file('mine.conf', '');
    expect((await open({ files: [mine] })).store.get('old')?.pmid).toBe(third.store.get('old')!.pmid);
    expect(complaints).toEqual([]);
  });

  it('writes nothing for what changes nothing', async () => {
    const registry = await open();
    await registry.register('a', '1');
    await rm(stateFile);
    await registry.register('a', '1');
    await expect(readFile(stateFile)).rejects.toThrow('ENOENT');
  });
});

describe('DerivedRegistry when nothing can be written', () => {
  it('undoes a change, says so, and takes it once there is room', async () => {
    const registry = await open();
    await registry.load('old = 1\nold(oneline) = as it was\n');
    await freeDisk();
    await fillDisk();
    expect(await codeOf(registry.register('a', '1'))).toBe('UNAVAILABLE');
    expect(await codeOf(registry.load('b = 2\nc = 3\n'))).toBe('UNAVAILABLE');
    expect(await codeOf(registry.load('old(oneline) = another\n'))).toBe('UNAVAILABLE');
    expect(await codeOf(registry.unregister('old'))).toBe('UNAVAILABLE');
    expect(registry.store.list()).toMatchObject([{ name: 'old', oneline: 'as it was' }]);
    expect(complaints.map(({ message }) => message)).toEqual(Array(4).fill('cannot save derived metrics'));
    await freeDisk();
    await registry.register('a', '1');
    expect(await kept()).toEqual(['old = 1', 'a = 1']);
  });

  it('keeps nothing of a failed change in a later one that was asked for at the same time', async () => {
    const registry = await open();
    await fillDisk();
    const failing = codeOf(registry.register('a', '1'));
    const again = codeOf(registry.register('a', '1'));
    const succeeding = failing.then(freeDisk).then(() => registry.register('b', '2'));
    expect(await failing).toBe('UNAVAILABLE');
    await succeeding;
    const state = await kept();
    expect(state.includes('a = 1')).toBe((await again) === 'none');
    expect(names(registry).sort()).toEqual(state.map((line) => line[0]).sort());
  });
});

describe('DerivedRegistry, asked for many changes at once', () => {
  it('keeps what it has in the end', async () => {
    const registry = await open();
    await Promise.all(Array.from({ length: 8 }, (_, i) => registry.register(`m${i}`, String(i))));
    await Promise.all([
      registry.unregister('m1'),
      registry.register('n1', '1'),
      registry.unregister('m2'),
      registry.load('n2 = 2\nn3 = 3\n'),
    ]);
    const expected = ['m0', 'm3', 'm4', 'm5', 'm6', 'm7', 'n1', 'n2', 'n3'];
    expect(names(registry)).toEqual(expected);
    expect(names(await open())).toEqual(expected);
  });
});

describe('DerivedRegistry with a guard', () => {
  it('asks it when the turn of the change has come, and makes no change that it refuses', async () => {
    const registry = await open();
    const refuse = (): void => {
      if (registry.store.get('a') !== undefined) throw new GatewayError('FORBIDDEN', 'a is hidden');
    };
    const [first, second, third] = await Promise.allSettled([
      registry.register('a', '1', { oneline: 'as it was' }),
      registry.register('a', '1', { oneline: 'owned' }, refuse),
      registry.unregister('a', refuse),
    ]);
    expect([first.status, second.status, third.status]).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(registry.store.get('a')?.oneline).toBe('as it was');
  });
});

describe('DerivedRegistry with a damaged state', () => {
  it.each<[string, string | Buffer]>([
    ['no JSON', '{"version": 1,'],
    ['another version', '{"version": 2, "definitions": []}'],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0, 1, 2])],
    ['zeros, as some file systems leave after a crash', Buffer.alloc(512)],
    ['no list', '{"version": 1, "definitions": 7}'],
    ['half a definition', '{"version": 1, "definitions": [{"name": "a"}]}'],
    ['null', 'null'],
    ['nothing', ''],
  ])('starts without it and sets it aside: %s', async (_, text) => {
    await file('state/derived.json', text);
    const registry = await open();
    expect(names(registry)).toEqual([]);
    expect(complaints).toHaveLength(1);
    expect(complaints[0]!.message).toBe('cannot use the state of derived metrics');
    expect(await readdir(path.dirname(stateFile))).toEqual(['derived.json.damaged']);
    await registry.register('b', '1');
    expect(await readFile(`${stateFile}.damaged`)).toEqual(Buffer.from(text));
    expect(await kept()).toEqual(['b = 1']);
  });

  it('leaves single definitions out that cannot be registered any more', async () => {
    const definitions = [
      { name: 'good', expression: '1' },
      { name: 'bad', expression: '(' },
      { name: '9', expression: '1' },
      { name: 'taken', expression: '1' },
    ];
    await file('state/derived.json', JSON.stringify({ version: 1, definitions }));
    const mine = await file('mine.conf', 'taken = 2\n');
    const registry = await open({ files: [mine] });
    expect(names(registry)).toEqual(['taken', 'good']);
    expect(complaints.map(({ fields }) => fields['metric'])).toEqual(['bad', '9', 'taken']);
  });

  it('does not overwrite one that cannot be read', async () => {
    await file('state/derived.json/inside', 'precious');
    const registry = await open();
    expect(complaints).toHaveLength(1);
    await registry.register('a', '1');
    expect(await readFile(path.join(`${stateFile}.damaged`, 'inside'), 'utf8')).toBe('precious');
  });
});

describe('files that take long to parse', () => {
  const text = Array.from({ length: 50 }, (_, i) => `my.d${i} = ${i} + 1\n`).join('');
  afterEach(() => jest.restoreAllMocks());

  it('are parsed in turns of the event loop, at the start and when they are loaded again', async () => {
    const mine = await file('mine.conf', text);
    const turns = jest.spyOn(eventLoopTurns, 'next');
    const registry = await open({ files: [mine] });
    expect(turns.mock.calls.length).toBeGreaterThanOrEqual(50);
    turns.mockClear();
    await registry.reload(options({ files: [mine] }));
    expect(turns.mock.calls.length).toBeGreaterThanOrEqual(100);
    expect(registry.store.list().length).toBe(50);
  });

  it('are given up when their client leaves, and nothing has changed', async () => {
    const registry = await open();
    const client = new AbortController();
    const reason = new Error('the client left');
    const turns = jest.spyOn(eventLoopTurns, 'next').mockImplementation(() => {
      if (turns.mock.calls.length === 3) client.abort(reason);
      return undefined;
    });
    await expect(registry.load(text, client.signal)).rejects.toBe(reason);
    expect(turns).toHaveBeenCalledTimes(3);
    expect([registry.store.list().length, registry.store.bytes]).toEqual([0, 0]);
    turns.mockRestore();
    expect(await registry.load('a = 1\n')).toHaveLength(1);
  });

  it('are one change: what clients change meanwhile waits for them', async () => {
    const mine = await file('mine.conf', text);
    const registry = await open({ files: [mine] });
    const order: string[] = [];
    await Promise.all([
      registry.reload(options({ files: [mine] })).then(() => order.push('reloaded')),
      registry.register('a', '1').then(() => order.push('registered')),
    ]);
    expect(order).toEqual(['reloaded', 'registered']);
    expect(registry.store.list().length).toBe(51);
  });
});

describe('DerivedRegistry.reload', () => {
  it('forgets what is gone from the files, takes what is new, and leaves the rest alone', async () => {
    const mine = await file('mine.conf', 'a = 1\nb = 2\nc = 3\n');
    const registry = await open({ files: [mine] });
    await registry.register('d', '4');
    const [a, d] = [registry.store.get('a')!, registry.store.get('d')!];
    await file('mine.conf', 'a = 1\nb = 20\ne = 5\n');
    await registry.reload(options({ files: [mine], allowMutation: false }));
    expect(
      registry.store
        .list()
        .map(({ name, expression }) => `${name} = ${expression}`)
        .sort(),
    ).toEqual(['a = 1', 'b = 20', 'd = 4', 'e = 5']);
    expect(registry.store.get('a')?.pmid).toBe(a.pmid);
    expect(registry.store.get('d')?.pmid).toBe(d.pmid);
    expect(await codeOf(registry.register('f', '6'))).toBe('FORBIDDEN');
    expect(complaints).toEqual([]);
  });

  it('forgets what the files asked for and do not ask for any more', async () => {
    const mine = await file('mine.conf', '#control GLOBAL_LIMIT=1,CONTEXT_LIMIT=1,OPTION_NOVALUE=1\na = 1\n');
    const registry = await open({ files: [mine] });
    expect(registry.store.controls).toEqual({ globalLimit: 1, contextLimit: 1, unknownIsNovalue: true });
    expect(await codeOf(registry.register('b', '1'))).toBe('LIMIT_EXCEEDED');
    await file('mine.conf', '#control CONTEXT_LIMIT=2\na = 1\n');
    await registry.reload(options({ files: [mine] }));
    expect(registry.store.controls).toEqual({ contextLimit: 2 });
    await registry.register('b', '1');
  });

  it('goes on with the state file that it has', async () => {
    const registry = await open();
    await registry.reload(options({ stateFile: path.join(directory, 'other.json') }));
    await registry.register('a', '1');
    expect(await kept()).toEqual(['a = 1']);
  });

  it('forgets the shipped ones when they are switched off', async () => {
    await file('shipped/1.conf', 'a = 1\n');
    const registry = await open({ shippedDirectory: path.join(directory, 'shipped') });
    await registry.reload(options());
    expect(names(registry)).toEqual([]);
  });
});

describe('a copy of what a fleet has', () => {
  const copy = (...lines: readonly string[]): FleetCopy => ({
    version: 1,
    definitions: lines.map((line) => ({ name: line.split(' ')[0]!, expression: line.split(' = ')[1]! })),
    fleet: { version: lines.length },
  });

  it('is saved, together with those that follow meanwhile, and found again', async () => {
    const registry = await open();
    const saving = ['my.one = 1', 'my.two = 2', 'my.three = 3'].map((_, i, all) =>
      registry.keepCopy(copy(...all.slice(0, i + 1)), false),
    );
    await Promise.all(saving);
    expect(await kept()).toEqual(['my.one = 1', 'my.two = 2', 'my.three = 3']);
    const again = await open();
    expect(again.fleetCopy?.fleet).toEqual({ version: 3 });
    expect(names(again)).toEqual(['my.one', 'my.two', 'my.three']);
  });

  it('that cannot be saved is only reported', async () => {
    const registry = await open();
    await fillDisk();
    await registry.keepCopy(copy('my.one = 1'), false);
    expect(complaints.map(({ message }) => message)).toEqual(['cannot save derived metrics']);
  });

  it('sets aside other definitions that it replaces', async () => {
    const registry = await open();
    await registry.register('own', '1');
    await registry.keepCopy(copy('own = 1', 'my.two = 2'), true);
    expect(complaints).toEqual([]);
    await registry.keepCopy(copy('own = 1'), true);
    expect(complaints).toMatchObject([{ fields: { metrics: ['my.two'], kept: `${stateFile}.damaged` } }]);
    expect(await kept()).toEqual(['own = 1']);
  });
});
