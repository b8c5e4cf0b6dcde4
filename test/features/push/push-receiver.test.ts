import { mkdirSync, readFileSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { GatewayError } from '../../../src/pmapi/index.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { piecesOf, PushBench, recordedFiles } from './support.js';

const ARCHIVE = recordedFiles('live-v3');
const CONNECTION = {};
const CLIENT = '10.0.0.7';

/** The label with another host name, time zone or magic. */
function labelWith(change: { host?: string; zone?: string; magic?: number; sec?: number }): Buffer {
  const label = Buffer.from(ARCHIVE.label);
  const put = (text: string | undefined, at: number): void => {
    if (text !== undefined) label.fill(0, at, at + 256).write(text, at);
  };
  put(change.host, 36);
  put(change.zone, 292);
  if (change.magic !== undefined) label.writeUInt32BE(change.magic, 4);
  if (change.sec !== undefined) label.writeUInt32BE(change.sec, 12);
  return label;
}

/** The bytes after the last whole record of a volume: each has its length before and after it. */
function restAfterRecords(volume: Buffer): number {
  let at = 0;
  while (at + 4 <= volume.length) {
    const length = volume.readUInt32BE(at);
    if (at + length > volume.length || volume.readUInt32BE(at + length - 4) !== length) break;
    at += length;
  }
  return volume.length - at;
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: unknown) => (error as GatewayError).code,
  );
}

describe('PushReceiver', () => {
  const root = temporaryDirectory();
  let number = 0;
  const bench = (limits = {}): PushBench => new PushBench(path.join(root.path, `r${++number}`), limits);

  async function begun(limits = {}): Promise<{ on: PushBench; id: number }> {
    const on = bench(limits);
    return { on, id: await on.receiver.open(CLIENT, ARCHIVE.label) };
  }

  async function push(on: PushBench, size: number, connection: () => object = () => CONNECTION): Promise<number> {
    const id = await on.receiver.open(CLIENT, ARCHIVE.label);
    for (const part of ['meta', 'index', 0] as const) {
      for (const piece of piecesOf(ARCHIVE.parts.get(part)!, size)) {
        await on.receiver.append(CLIENT, id, part, piece, connection());
      }
    }
    return id;
  }

  const baseOf = (on: PushBench): string => [...on.files().keys()][0]!.replace(/\.(?:meta|index|\d+)(?:\.part)?$/, '');

  it.each([17, 100, 8192, 1_000_000])('has the same files as the sender, sent in pieces of %i bytes', async (size) => {
    const on = bench();
    await push(on, size);
    expect(new Map([...on.filesOf(baseOf(on))].sort())).toEqual(new Map([...ARCHIVE.whole].sort()));
  });

  it('has whole records only at any moment, wherever bodies are cut', async () => {
    const { on, id } = await begun();
    await on.receiver.append(CLIENT, id, 'meta', ARCHIVE.parts.get('meta')!, CONNECTION);
    for (const piece of piecesOf(ARCHIVE.parts.get(0)!, 1000)) {
      await on.receiver.append(CLIENT, id, 0, piece, CONNECTION);
      expect(restAfterRecords(on.filesOf(baseOf(on)).get('0')!)).toBe(0);
      if (!existsSync('/usr/bin/pmdumplog')) continue;
      const { stderr } = spawnSync('pmdumplog', ['-L', path.join(on.directory, baseOf(on))], { encoding: 'utf8' });
      expect(stderr).toBe('');
    }
  });

  it('takes a body that is sent again on another connection once', async () => {
    const { on, id } = await begun();
    for (const part of ['meta', 'index', 0] as const) {
      for (const piece of piecesOf(ARCHIVE.parts.get(part)!, 3000)) {
        await on.receiver.append(CLIENT, id, part, piece, {});
        await on.receiver.append(CLIENT, id, part, piece, {});
      }
    }
    expect(on.filesOf(baseOf(on)).get('0')).toEqual(ARCHIVE.whole.get('0'));
    expect(on.filesOf(baseOf(on)).get('meta')).toEqual(ARCHIVE.whole.get('meta'));
  });

  it.each([100, 8192])(
    'goes on after kill -9, also when the last body is sent again, in pieces of %i',
    async (size) => {
      const { on, id } = await begun();
      for (const part of ['meta', 'index', 0] as const) {
        for (const [i, piece] of piecesOf(ARCHIVE.parts.get(part)!, size).entries()) {
          await on.receiver.append(CLIENT, id, part, piece, {});
          await on.restart();
          if (i % 2 === 0) await on.receiver.append(CLIENT, id, part, piece, {});
        }
      }
      const files = on.filesOf(baseOf(on));
      for (const suffix of ['meta', 'index', '0'])
        expect(files.get(suffix)!.equals(ARCHIVE.whole.get(suffix)!)).toBe(true);
    },
  );

  it('cuts off half a record that a killed process left, and takes the body again', async () => {
    const { on, id } = await begun();
    const [first, second] = piecesOf(ARCHIVE.parts.get(0)!, 700);
    await on.receiver.append(CLIENT, id, 0, first!, {});
    await on.receiver.append(CLIENT, id, 0, second!, {});
    const [name, bytes] = [...on.files()].find(([file]) => file.endsWith('.0'))!;
    truncateSync(path.join(on.directory, name), bytes.length - 7);
    await on.restart();
    await on.receiver.append(CLIENT, id, 0, second!, {});
    expect(on.files().get(name)).toEqual(bytes);
  });

  it('refuses a damaged record, keeps what is before it, and goes on with the next', async () => {
    const { on, id } = await begun();
    const meta = ARCHIVE.parts.get('meta')!;
    const length = meta.readUInt32BE(0);
    const [first, rest] = [meta.subarray(0, length), meta.subarray(length)];
    const damaged = Buffer.from(first);
    damaged.writeUInt32BE(99, 4);
    await expect(
      on.receiver.append(CLIENT, id, 'meta', Buffer.concat([first, damaged]), CONNECTION),
    ).rejects.toMatchObject({ code: 'BAD_BODY' });
    await on.receiver.append(CLIENT, id, 'meta', rest, CONNECTION);
    expect([...on.files().values()].at(-1)).toEqual(ARCHIVE.whole.get('meta'));
    const short = Buffer.from([0, 0, 0, 5, 1]);
    for (const part of ['meta', 0] as const) {
      expect(await codeOf(on.receiver.append(CLIENT, id, part, short, CONNECTION))).toBe('BAD_BODY');
    }
    const huge = Buffer.from([0x7f, 0, 0, 0, 0, 0, 0, 1]);
    expect(await codeOf(on.receiver.append(CLIENT, id, 0, huge, CONNECTION))).toBe('BAD_BODY');
    expect(await codeOf(on.receiver.append(CLIENT, id, 'index', Buffer.alloc(32, 255), CONNECTION))).toBe('BAD_BODY');
    expect(await codeOf(on.receiver.append(CLIENT, id, 0, Buffer.alloc(0), CONNECTION))).toBe('BAD_BODY');
    const records = Buffer.from(ARCHIVE.parts.get(0)!);
    records.writeUInt32BE(0x0fffffff, 16);
    expect(await codeOf(on.receiver.append(CLIENT, id, 0, records, CONNECTION))).toBe('BAD_BODY');
    await on.receiver.append(CLIENT, id, 0, ARCHIVE.parts.get(0)!, CONNECTION);
    expect(on.filesOf(baseOf(on)).get('0')).toEqual(ARCHIVE.whole.get('0'));
  });

  it.each([true, false])(
    'refuses a refused body again, and keeps what was good in it once (restart: %s)',
    async (restarts) => {
      const { on, id } = await begun();
      const [first, second] = recordsIn(ARCHIVE.parts.get(0)!) as [Buffer, Buffer];
      const damaged = Buffer.from(second);
      damaged.writeUInt32BE(0, damaged.length - 4);
      await on.receiver.append(CLIENT, id, 0, first.subarray(0, 50), {});
      for (const body of [Buffer.concat([first.subarray(50), damaged]), damaged]) {
        for (let time = 0; time < 3; time++) {
          expect(await codeOf(on.receiver.append(CLIENT, id, 0, body, time < 2 ? {} : CONNECTION))).toBe('BAD_BODY');
          if (!restarts) continue;
          await on.restart();
        }
      }
      await on.receiver.append(CLIENT, id, 0, second, CONNECTION);
      expect(on.filesOf(baseOf(on)).get('0')).toEqual(Buffer.concat([ARCHIVE.label, first, second]));
    },
  );

  it('judges a body anew of which nothing was kept', async () => {
    const { on, id } = await begun();
    const [first] = recordsIn(ARCHIVE.parts.get(0)!) as [Buffer];
    await on.receiver.append(CLIENT, id, 0, first.subarray(0, 50), {});
    expect(await codeOf(on.receiver.append(CLIENT, id, 0, first, {}))).toBe('BAD_BODY');
    await on.receiver.append(CLIENT, id, 0, first, {});
    expect(on.filesOf(baseOf(on)).get('0')).toEqual(Buffer.concat([ARCHIVE.label, first]));
  });

  it('closes no volume for a body that it refuses', async () => {
    const { on, id } = await begun();
    const [first, second] = recordsIn(ARCHIVE.parts.get(0)!) as [Buffer, Buffer];
    await on.receiver.append(CLIENT, id, 0, first, CONNECTION);
    expect(await codeOf(on.receiver.append(CLIENT, id, 7, Buffer.alloc(32), CONNECTION))).toBe('BAD_BODY');
    await on.receiver.append(CLIENT, id, 0, second, CONNECTION);
    expect(on.filesOf(baseOf(on)).get('0')).toEqual(Buffer.concat([ARCHIVE.label, first, second]));
  });

  it('loses nothing acknowledged after a write that failed', async () => {
    const { on, id } = await begun();
    const [first, second, third] = recordsIn(ARCHIVE.parts.get(0)!) as [Buffer, Buffer, Buffer];
    await on.receiver.append(CLIENT, id, 0, first, {});
    const file = path.join(on.directory, [...on.files().keys()][0]!);
    renameSync(file, `${file}.away`);
    const body = Buffer.concat([second, third, third.subarray(0, 20)]);
    await expect(on.receiver.append(CLIENT, id, 0, body, {})).rejects.toThrow(/ENOENT/);
    renameSync(`${file}.away`, file);
    await on.receiver.append(CLIENT, id, 0, second, {});
    await on.restart();
    await on.receiver.append(CLIENT, id, 0, third, {});
    expect(readFileSync(file)).toEqual(Buffer.concat([ARCHIVE.label, first, second, third]));
  });

  it('refuses a descriptor that contradicts one before it', async () => {
    const { on, id } = await begun();
    const meta = ARCHIVE.parts.get('meta')!;
    await on.receiver.append(CLIENT, id, 'meta', meta, CONNECTION);
    const [descriptor] = recordsIn(meta).filter((record) => record.readUInt32BE(4) === 1);
    const other = Buffer.from(descriptor!);
    other.writeUInt32BE(other.readUInt32BE(12) === 5 ? 4 : 5, 12);
    await on.restart();
    expect(await codeOf(on.receiver.append(CLIENT, id, 'meta', other, CONNECTION))).toBe('BAD_BODY');
  });

  it('closes a volume when the next one begins', async () => {
    const { on, id } = await begun();
    const [first, second] = recordsIn(ARCHIVE.parts.get(0)!);
    await on.receiver.append(CLIENT, id, 0, first!, CONNECTION);
    await on.receiver.append(CLIENT, id, 1, second!, CONNECTION);
    expect(await codeOf(on.receiver.append(CLIENT, id, 0, first!, CONNECTION))).toBe('VOLUME_CLOSED');
    await on.receiver.append(CLIENT, id, 1, recordsIn(ARCHIVE.parts.get(0)!)[2]!, CONNECTION);
    await on.restart();
    expect(await codeOf(on.receiver.append(CLIENT, id, 0, first!, CONNECTION))).toBe('VOLUME_CLOSED');
    await on.receiver.sweep();
    expect([...on.files().keys()].map((name) => name.replace(/^.*\.(?=\d+(?:\.gz)?$)/, ''))).toEqual(
      expect.arrayContaining(['0.gz', '1']),
    );
  });

  it.each([
    ['not a label', Buffer.from('dummy'), 'BAD_PARAMETER'],
    ['no bytes', Buffer.alloc(0), 'BAD_PARAMETER'],
    ['another magic', labelWith({ magic: 0x12345603 }), 'BAD_ARCHIVE'],
    ['the length of another version', labelWith({ magic: 0x50052602 }), 'BAD_ARCHIVE'],
    ['a host that is the directory above', labelWith({ host: '..' }), 'BAD_PARAMETER'],
    ['a host that is a path', labelWith({ host: 'a/b' }), 'BAD_PARAMETER'],
    ['a host that is hidden', labelWith({ host: '.state' }), 'BAD_PARAMETER'],
    ['no host', labelWith({ host: '' }), 'BAD_PARAMETER'],
    ['a time zone that leads upwards', labelWith({ zone: '../../etc/passwd' }), 'BAD_PARAMETER'],
    ['an absolute time zone', labelWith({ zone: '/etc/passwd' }), 'BAD_PARAMETER'],
  ])('refuses a label: %s', async (_why, label, code) => {
    const on = bench();
    expect(await codeOf(on.receiver.open(CLIENT, label))).toBe(code);
    expect(existsSync(on.directory)).toBe(false);
  });

  it('calls archives by host and start, one after the other in a minute', async () => {
    const on = bench();
    const label = labelWith({ host: 'ok-1.example_2', zone: 'CET-1CEST,M3.5.0,M10.5.0/3', sec: 1_795_000_000 });
    const ids = [await on.receiver.open(CLIENT, label), await on.receiver.open(CLIENT, label)];
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) {
      expect(id).toBeGreaterThan(0);
      await on.receiver.append(CLIENT, id, 0, ARCHIVE.parts.get(0)!, CONNECTION);
    }
    const names = [...on.files().keys()].sort();
    expect(names).toEqual([
      expect.stringMatching(/^ok-1\.example_2\/\d{8}\.\d\d\.\d\d-01\.0$/),
      expect.stringMatching(/^ok-1\.example_2\/\d{8}\.\d\d\.\d\d\.0$/),
    ]);
  });

  it('follows no symbolic link', async () => {
    const on = bench();
    mkdirSync(path.join(on.directory), { recursive: true });
    const outside = path.join(root.path, `outside${number}`);
    mkdirSync(outside);
    symlinkSync(outside, path.join(on.directory, 'linked'));
    expect(await codeOf(on.receiver.open(CLIENT, labelWith({ host: 'linked' })))).toBe('BAD_PARAMETER');
    const id = await on.receiver.open(CLIENT, labelWith({ host: 'host', sec: 1_795_000_000 }));
    const records = recordsIn(ARCHIVE.parts.get(0)!);
    await on.receiver.append(CLIENT, id, 0, records[0]!, CONNECTION);
    const [file] = [...on.files().keys()];
    const target = path.join(outside, 'target');
    writeFileSync(target, 'precious');
    symlinkSync(target, path.join(on.directory, file!.replace(/\.0$/, '.meta')));
    await expect(on.receiver.append(CLIENT, id, 'meta', ARCHIVE.parts.get('meta')!, CONNECTION)).rejects.toThrow(
      /ELOOP|EEXIST/,
    );
  });

  it('knows an archive only by its client, and until it was not used for its timeout', async () => {
    const on = bench();
    const id = await on.receiver.open(CLIENT, ARCHIVE.label, 100);
    const [record] = recordsIn(ARCHIVE.parts.get(0)!);
    expect(await codeOf(on.receiver.append('10.0.0.8', id, 0, record!, CONNECTION))).toBe('UNKNOWN_PUSH');
    expect(await codeOf(on.receiver.admit('10.0.0.8', 100, { id, part: 0 }))).toBe('UNKNOWN_PUSH');
    await on.pass(90);
    await on.receiver.append(CLIENT, id, 0, record!, CONNECTION);
    on.clock.advance(200_000);
    await on.restart();
    // The time that the gateway was away does not count.
    await on.receiver.append(CLIENT, id, 'meta', ARCHIVE.parts.get('meta')!, CONNECTION);
    expect(on.receiver.openCount).toBe(1);
    await on.pass(101);
    expect(on.receiver.openCount).toBe(0);
    expect(await codeOf(on.receiver.append(CLIENT, id, 0, record!, CONNECTION))).toBe('UNKNOWN_PUSH');
    expect([...on.files().keys()].some((name) => name.endsWith('.0.gz'))).toBe(true);
  });

  it('removes what is too old, and labels that nothing followed', async () => {
    const on = bench({ keepDays: 2 });
    await push(on, 8192);
    await on.receiver.open(CLIENT, labelWith({ host: 'idle' }));
    await on.pass(700);
    expect(on.receiver.keptBytes).toBeGreaterThan(0);
    await on.pass(86_400);
    expect(on.files().size).toBe(3);
    await on.pass(2 * 86_400);
    expect(on.files().size).toBe(0);
    expect(on.receiver.keptBytes).toBe(0);
    expect(on.complaints).toEqual([]);
  });

  it('makes room by removing the oldest closed archives of the client, and refuses before the body is read', async () => {
    const bytes = [...ARCHIVE.whole.values()].reduce((sum, file) => sum + file.length, 0);
    const on = bench({ clientBytes: bytes + 1000 });
    const id = await push(on, 8192);
    expect(await codeOf(on.receiver.admit(CLIENT, 5000, { id, part: 0 }))).toBe('LIMIT_EXCEEDED');
    expect(await codeOf(on.receiver.admit('other', 5000, undefined))).toBe('done');
    await on.pass(700);
    await on.receiver.admit(CLIENT, bytes, undefined);
    await on.receiver.sweep();
    expect(on.files().size).toBe(0);
    expect(on.receiver.statistics.refused).toBe(1);
  });

  it('removes no more archives than it has to, the oldest first', async () => {
    const on = bench({ clientArchives: 3 });
    for (const host of ['a', 'b', 'c']) {
      const id = await on.receiver.open(CLIENT, labelWith({ host }));
      await on.receiver.append(CLIENT, id, 0, ARCHIVE.parts.get(0)!, CONNECTION);
      await on.pass(700);
    }
    const hosts = (): Set<string> => new Set([...on.files().keys()].map((file) => path.dirname(file)));
    expect(hosts()).toEqual(new Set(['a', 'b', 'c']));
    await on.receiver.admit(CLIENT, 808, undefined);
    await on.receiver.sweep();
    expect(hosts()).toEqual(new Set(['b', 'c']));
    await on.receiver.open(CLIENT, labelWith({ host: 'd' }));
    expect(on.receiver.openCount).toBe(1);
  });

  it('takes up archives that the state file does not name, removes remains, and leaves foreign files alone', async () => {
    const on = bench();
    await push(on, 8192);
    const remains = path.join(on.directory, `${baseOf(on)}.1.part`);
    await on.pass(700);
    const { keptBytes } = on.receiver;
    const foreign = [path.join(on.directory, 'notes.txt'), path.join(on.directory, '.hidden/20261122.10.00.meta')];
    mkdirSync(path.dirname(foreign[1]!));
    for (const file of [remains, ...foreign]) writeFileSync(file, 'abc');
    writeFileSync(path.join(on.directory, '../push.json'), '[]');
    await on.restart();
    await on.pass(1);
    expect(on.receiver.keptBytes).toBe(keptBytes);
    expect(existsSync(remains)).toBe(false);
    for (const file of foreign) expect(existsSync(file)).toBe(true);
    expect(on.complaints).toEqual([]);
  });

  it('remembers that an archive was closed', async () => {
    const on = bench();
    const id = await push(on, 8192);
    await on.pass(700);
    await on.restart();
    expect(on.receiver.openCount).toBe(0);
    expect(await codeOf(on.receiver.admit(CLIENT, 100, { id, part: 0 }))).toBe('UNKNOWN_PUSH');
  });

  it('bounds the archives of a client and the bytes of all', async () => {
    const on = bench({ clientArchives: 2 });
    for (const host of ['a', 'b']) await on.receiver.open(CLIENT, labelWith({ host }));
    expect(await codeOf(on.receiver.admit(CLIENT, 808, undefined))).toBe('LIMIT_EXCEEDED');
    const small = bench({ keepBytes: 4000 });
    await small.receiver.start();
    expect(await codeOf(small.receiver.admit(CLIENT, 5000, undefined))).toBe('LIMIT_EXCEEDED');
  });

  it('counts labels that come at once before they become archives', async () => {
    const on = bench({ clientArchives: 2 });
    const label = async (i: number): Promise<unknown> => {
      await on.receiver.admit(CLIENT, 808, undefined);
      return on.receiver.open(CLIENT, labelWith({ host: `h${i}` }));
    };
    const codes = await Promise.all([0, 1, 2, 3].map((i) => codeOf(label(i))));
    expect(codes.sort()).toEqual(['LIMIT_EXCEEDED', 'LIMIT_EXCEEDED', 'done', 'done']);
    expect(on.receiver.openCount).toBe(2);
  });

  it('reads large bodies of others while one client has many, and ends the slow ones when all places are taken', async () => {
    const on = bench();
    const here = new AbortController().signal;
    const ended: string[] = [];
    const leaves = new Map<string, () => void>();
    const upload = async (client: string): Promise<void> => {
      const end = (error: Error): void => {
        ended.push(`${client} ${error instanceof GatewayError ? error.code : error.message}`);
        leaves.get(client)?.();
      };
      leaves.set(client, await on.receiver.turn(client, { bytes: () => 70_000, end }, here));
    };
    const held: Promise<void>[] = [];
    for (let i = 0; i < 8; i++) held.push(upload('attacker'));
    await upload('other');
    expect(leaves.has('other')).toBe(true);
    for (const client of ['c', 'd', 'e', 'f', 'g']) await upload(client);
    const waiting = upload('late');
    await on.receiver.sweep();
    expect(leaves.has('late')).toBe(false);
    for (let i = 0; i < 6; i++) on.timers.advance(250);
    await waiting;
    expect(ended).toContain('other REQUEST_TIMEOUT');
    expect(held).toHaveLength(8);
    for (const promise of held) promise.catch(() => undefined);
  });

  it('lets a client wait that exceeds its rate, and refuses one that is far beyond', async () => {
    const { on, id } = await begun({ bytesPerSec: 100_000 });
    await on.receiver.admit(CLIENT, 400_000, { id, part: 0 });
    let isLet = false;
    const waiting = on.receiver.admit(CLIENT, 100_000, { id, part: 0 }).then(() => (isLet = true));
    await on.receiver.sweep();
    expect(isLet).toBe(false);
    expect(await codeOf(on.receiver.admit(CLIENT, 3_000_000, { id, part: 0 }))).toBe('TOO_MANY_REQUESTS');
    expect(await codeOf(on.receiver.admit('other', 100_000, undefined))).toBe('done');
    on.timers.advance(1000);
    await waiting;
    expect(on.receiver.statistics.delayed).toBe(1);
  });

  it('stops waiting when the client leaves, whose bytes do not count', async () => {
    const { on, id } = await begun({ bytesPerSec: 100_000 });
    await on.receiver.admit(CLIENT, 400_000, { id, part: 0 });
    const leaving = new AbortController();
    const waiting = on.receiver.admit(CLIENT, 1_000_000, { id, part: 0 }, leaving.signal);
    const gone = new Error('gone');
    leaving.abort(gone);
    await expect(waiting).rejects.toBe(gone);
    expect(on.receiver.statistics).toMatchObject({ delayed: 0, refused: 0 });
    on.timers.advance(1000);
    await on.receiver.admit(CLIENT, 50_000, { id, part: 0 });
    expect(on.receiver.statistics.delayed).toBe(0);
  });
});

/** The records of a file without its label. */
function recordsIn(bytes: Buffer): Buffer[] {
  const records: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at)) {
    records.push(bytes.subarray(at, at + bytes.readUInt32BE(at)));
  }
  return records;
}
