import { unpackTar } from 'modern-tar';
import { type Context, ContextManager, type OpenRange } from '../../src/context/index.js';
import { systemClock } from '../../src/pmapi/index.js';
import { exportArchive } from '../../src/archiving/index.js';
import { type OpenedArchives, archiveFactory } from '../support/archive-gateway.js';

describe('exportArchive', () => {
  let archives: OpenedArchives;
  let context: Context;

  beforeAll(async () => {
    archives = archiveFactory();
    const contexts = new ContextManager({
      sources: { open: () => archives.open('built') },
      clock: systemClock,
      limits: { contexts: 10, pollTimeoutMs: 5000, maxPollTimeoutMs: 60_000 },
    });
    context = await contexts.create({ kind: 'archive', archive: 'built' }, { owner: 'test' });
  });
  afterAll(() => archives.close());

  async function rangeOf(parameters: object): Promise<OpenRange> {
    const plan = await context.plans.get({ names: ['test.counter', 'test.gauge'] });
    return context.fetching.range(plan, parameters, {});
  }

  function exported(range: OpenRange, maxMetadataBytes = 1024 * 1024): AsyncGenerator<Uint8Array, void> {
    return exportArchive({ context, range, name: 'web1', maxMetadataBytes });
  }

  it('divides a long range into volumes, which are sent while it is read', async () => {
    const pieces: Uint8Array[] = [];
    for await (const piece of exported(await rangeOf({ interval: '0.0005' }))) pieces.push(piece);
    const files = await unpackTar(Buffer.concat(pieces));
    const names = files.map(({ header }) => header.name);
    expect(names).toEqual(['web1.0', 'web1.1', 'web1.meta', 'web1.index']);
    expect(files[0]!.data!.length).toBeLessThan(1024 * 1024 + 1000);
  });

  it('reads no more once its reader has left', async () => {
    const range = await rangeOf({ interval: '0.0005' });
    let [read, isOver] = [0, false];
    const samples = {
      metrics: range.samples.metrics,
      async *batches() {
        try {
          for await (const batch of range.samples.batches()) {
            read += batch.length;
            yield batch;
          }
        } finally {
          isOver = true;
        }
      },
    };
    for await (const piece of exported({ ...range, samples })) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
    expect(isOver).toBe(true);
    expect(read).toBeLessThan(18_000);
  });

  it('leaves out samples that are older than those before, and says so', async () => {
    const range = await rangeOf({});
    const clone = range.samples;
    const samples = {
      metrics: clone.metrics,
      async *batches() {
        for await (const { length, isMark, secs, nsecs, columns } of clone.batches()) {
          yield { length, isMark, secs, nsecs, columns };
          yield { length, isMark, secs: secs.map((sec) => sec - 1), nsecs, columns };
        }
      },
    };
    const pieces: Uint8Array[] = [];
    for await (const piece of exported({ ...range, samples })) pieces.push(piece);
    expect(range.damage.summary?.message).toContain('older than');
  });

  it('refuses metadata beyond its limit', async () => {
    const pieces = exported(await rangeOf({}), 100);
    await expect(pieces.next()).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });
});
