import { recordsOf } from '../../../../src/sources/index.js';
import { FetchResult } from '../../../../src/pmapi/index.js';
import { planReads, ReadBytes } from '../../../../src/sources/archive/columns/read-plan.js';
import type { Block } from '../../../../src/sources/archive/files/block-cache.js';
import type { BlockFile } from '../../../../src/sources/archive/files/block-file.js';
import { ArchiveBuilder, type BuiltSet } from '../../../support/archive-builder.js';
import { at, ArchiveBench, disposeOfBenches, EVERYTHING, stamp } from '../support.js';
import { rows } from '../../../support/rows.js';

afterEach(disposeOfBenches);

describe('planReads', () => {
  it('joins near neighbours, and none beyond the largest read', () => {
    const ranges = [
      { offset: 0, length: 10 },
      { offset: 12, length: 8 },
      { offset: 100, length: 5 },
      { offset: 103, length: 50 },
    ];
    expect(planReads(ranges, 4, 1000)).toEqual(rows({ offset: 0, length: 20 }, { offset: 100, length: 53 }));
    expect(planReads(ranges, 1000, 60)).toEqual(rows({ offset: 0, length: 20 }, { offset: 100, length: 53 }));
    expect(planReads([], 4, 10)).toEqual([]);
  });
});

describe('ReadBytes', () => {
  it('releases blocks that arrive after a read has failed', async () => {
    const MIB = 1024 * 1024;
    let released = 0;
    const late = new Promise<Block>((resolve) =>
      setImmediate(() => resolve({ release: () => released++ } as unknown as Block)),
    );
    const file = {
      peekBlock: () => undefined,
      peekAcross: () => undefined,
      hold: (offset: number) => (offset === 0 ? Promise.reject(new Error('disk')) : late),
    } as unknown as BlockFile;
    await expect(ReadBytes.execute(file, [{ offset: 0, length: 2 * MIB }])).rejects.toThrow('disk');
    expect(released).toBe(1);
  });
});

describe('reading one metric out of a thousand', () => {
  const METRICS = 1000;
  const RECORDS = 60;
  let bench: ArchiveBench;
  let base: string;

  beforeAll(() => {
    bench = new ArchiveBench({ blockCacheBytes: 0, columnCacheBytes: 1 << 20 }).kept();
    const builder = new ArchiveBuilder({ version: 3, start: stamp(0) });
    for (let m = 0; m < METRICS; m++) builder.metric({ pmid: m + 1, names: [`t.m${m}`], type: 3, semantics: 1 });
    for (let i = 0; i < RECORDS; i++) {
      builder.indexEntry(stamp(i));
      const sets: BuiltSet[] = Array.from({ length: METRICS }, (_, m) => ({ pmid: m + 1, values: [[-1, i * m]] }));
      builder.record(stamp(i), sets);
    }
    base = builder.write(bench.directory, 'wide');
  });
  afterAll(() => bench.dispose());

  it('costs the bytes it needs once the plan is made, and none when its column is kept', async () => {
    const source = await bench.open(base);
    const { file } = await source.opened.members[0]!.openVolume(0);
    const into = new FetchResult();
    const readAll = async (pmid: number): Promise<number> => {
      let records = 0;
      for await (const { result } of recordsOf(source.batches(source.prepare([pmid]), EVERYTHING, at(0), at(1e6)))) {
        expect(result.sets[0]!.column.numbers[0]).toBe(records * (pmid - 1));
        records++;
      }
      return records;
    };
    expect(await readAll(7)).toBe(RECORDS);
    // The first time, everything is looked at once, in blocks.
    expect(file.bytesRead).toBeLessThan(file.size * 1.7);

    const before = { count: file.readCount, bytes: file.bytesRead };
    expect(await readAll(500)).toBe(RECORDS);
    const bytes = file.bytesRead - before.bytes;
    expect(bytes).toBeLessThan(file.size / 20);
    // Its value sets, and its values: two reads a record at most.
    expect(file.readCount - before.count).toBeLessThanOrEqual(2 * RECORDS);

    await source.end();
    const warm = file.readCount;
    expect(await readAll(500)).toBe(RECORDS);
    await source.range(source.prepare([500]), EVERYTHING)(at(30.5), into);
    expect(into.sets[0]!.column.numbers[0]).toBe(Math.trunc(30.5 * 499 + 0.5));
    expect(file.readCount).toBe(warm);
  });

  it('finds the end, and a moment near it, without reading what lies before', async () => {
    const own = new ArchiveBench();
    const source = await own.open(base);
    const { file } = await source.opened.members[0]!.openVolume(0);
    expect(await source.end()).toEqual(at(RECORDS - 1));
    expect(file.bytesRead).toBeLessThan(8192);
    await source.range(source.prepare([5]), EVERYTHING)(at(RECORDS - 1.5), new FetchResult());
    expect(file.bytesRead).toBeLessThan(file.size * 0.75);
    await own.dispose();
  });
});
