/**
 * Prints, as JSON, what caches count for something by what that takes in memory, by its name. Run with `--expose-gc` in a process of its
 * own: what other tests let go of would be taken for its doing.
 */
import { setImmediate } from 'node:timers/promises';
import { MetricType, ValueSet } from '../../../src/pmapi/index.js';
import { BlockCache, BLOCK_BYTES } from '../../../src/sources/archive/files/block-cache.js';
import { BlockFile } from '../../../src/sources/archive/files/block-file.js';
import { ColumnBuilder, rowsOf } from '../../../src/sources/archive/columns/column-builder.js';
import type { MetricColumn } from '../../../src/sources/archive/columns/metric-column.js';
import { LocalFile } from '../../../src/sources/archive/node/local-file-system.js';
import { OpenFiles } from '../../../src/sources/archive/node/open-files.js';
import { type RecordTable, scanRecords } from '../../../src/sources/archive/records/record-table.js';

/** So many that what the engine makes of the code meanwhile is little beside them. */
const COUNT = 3000;

async function aliveBytes(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    globalThis.gc!();
    await setImmediate();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** What so many of something say that they take, by what they do take. */
async function counted(make: () => { readonly bytes: number } | Promise<{ readonly bytes: number }>): Promise<number> {
  // What the engine makes of the code has its place in memory, too: let it do that before.
  for (let i = 0; i < COUNT; i++) await make();
  const made = new Map<string, { readonly bytes: number }>();
  const before = await aliveBytes();
  for (let i = 0; i < COUNT; i++) made.set(`${i}:${i}`, await make());
  const taken = (await aliveBytes()) - before;
  return [...made.values()].reduce((sum, { bytes }) => sum + bytes, 0) / taken;
}

function tableOf(rows: number): RecordTable {
  const secs = Float64Array.from({ length: rows }, (_, i) => i);
  return { count: rows, secs, nsecs: new Int32Array(rows) } as unknown as RecordTable;
}

function columnOf(table: RecordTable, width: number, instanceOf: (row: number, k: number) => number): MetricColumn {
  const builder = new ColumnBuilder(1, table.count * width);
  const set = new ValueSet();
  const planned = Array.from(table.secs, (_, record) => ({ record, count: width, recordOffset: 0, setOffset: 0 }));
  for (const { record } of planned) {
    set.reset(1, MetricType.U64);
    for (let k = 0; k < width; k++) set.addNumber(instanceOf(record, k), k);
    builder.add(set);
  }
  return builder.finish(MetricType.U64, rowsOf(table, planned));
}

const ratios: Record<string, number> = {};
for (const [rows, width] of [
  [1, 1],
  [8, 1],
  [30, 16],
] as const) {
  const shared = tableOf(rows);
  const regular = (_row: number, k: number): number => k;
  const name = `${rows} rows of ${width} values`;
  ratios[`${name}, alike`] = await counted(() => columnOf(shared, width, regular));
  ratios[`${name}, alone`] = await counted(() => columnOf(tableOf(rows), width, regular));
  ratios[`${name}, irregular`] = await counted(() => columnOf(tableOf(rows), width, (row, k) => 1000 * row - k));
}

/** A volume of version 3, written by the test. */
const volume = process.argv[2]!;
const file = new BlockFile(await LocalFile.open(volume, new OpenFiles(1)), new BlockCache(2 * BLOCK_BYTES));
const scan = { file, version: 3, start: 808, end: file.size, isLast: true, softBytes: BLOCK_BYTES } as const;
const archive = {
  maxRecordBytes: BLOCK_BYTES,
  archiveStart: { sec: 0, nsec: 0 },
  before: undefined,
  signal: undefined,
};
ratios['record tables'] = await counted(() => scanRecords({ ...scan, ...archive, goesOn: false }));
await file.close();
process.stdout.write(JSON.stringify(ratios));
