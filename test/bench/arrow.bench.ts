/**
 * Ranges as Arrow's record batches beside JSON columns, over a generated archive (60 MB, or BENCH_ARCHIVE_MB): every recorded sample, ten metrics
 * of 16 instances at a time. Reading alone goes through the same batches and writes nothing. Cold means that nothing of the archive has been
 * read; warm, that its columns are in memory: writing is what is left then of the CPU time without reading. Files are in the system's page cache.
 */
import type { Context, OpenRange } from '../../src/context/index.js';
import { writeArrow } from '../../src/http/response/writers/arrow-writer.js';
import { FETCH_FORM } from '../../src/http/response/writers/fetch-writer.js';
import { writeColumns } from '../../src/http/response/writers/range-writer.js';
import { BUDGETS } from './budgets.js';
import { INSTANCES, writeLargeArchive } from './support/large-archive.js';
import { ownCpuUs } from './support/proc.js';
import { heading, median, report } from './support/report.js';
import { withContexts } from './support/with-contexts.js';
import { workDirectory } from './support/work-directory.js';
import { rows } from '../support/rows.js';

const MEGABYTES = Number(process.env['BENCH_ARCHIVE_MB'] ?? 60);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const METRICS_AT_ONCE = 10;

const root = workDirectory();
const { names, records } = writeLargeArchive(root, 'large', MEGABYTES);
const NO_LABELS = () => Promise.resolve({ labels: [], instances: undefined });
async function lengthOf(pieces: AsyncIterable<string | Uint8Array>): Promise<number> {
  let length = 0;
  for await (const piece of pieces) length += piece.length;
  return length;
}

type Way = 'reading' | 'arrow' | 'json';
const WORDS: Readonly<Record<Way, string>> = {
  reading: 'reading alone',
  arrow: "as Arrow's record batches",
  json: 'as JSON columns',
};
const WAYS: Readonly<Record<Way, (range: OpenRange) => Promise<number>>> = {
  reading: async ({ tableSamples }) => {
    let values = 0;
    for await (const { columns, length } of tableSamples.batches()) {
      for (const { block } of columns) values += length * (block?.instances.length ?? 0);
    }
    return values;
  },
  arrow: (range) => lengthOf(writeArrow(range, NO_LABELS)),
  json: (range) => lengthOf(writeColumns('{"context":1', range, [], undefined, FETCH_FORM)),
};

const CACHE = { cacheBytes: 2 ** 30 };
const withContext = <T>(use: (context: Context) => Promise<T>): Promise<T> =>
  withContexts(root, async (contexts) => use(await contexts.shared({ kind: 'archive', archive: 'large' })), CACHE);

/** CPU time of all metrics in milliseconds. */
async function cpuOf(way: Way, context: Context): Promise<number> {
  const before = ownCpuUs();
  for (let i = 0; i < names.length; i += METRICS_AT_ONCE) {
    const plan = await context.plans.get({ names: names.slice(i, i + METRICS_AT_ONCE) });
    await WAYS[way](await context.fetching.range(plan, { samples: records }));
  }
  return (ownCpuUs() - before) / 1000;
}

type Times = Record<Way, number>;
const ALL = Object.keys(WAYS) as Way[];
const timesOf = async (measure: (way: Way) => Promise<number>): Promise<Times> => {
  const times = { reading: 0, arrow: 0, json: 0 };
  for (const way of ALL) times[way] = await measure(way);
  return times;
};
const cold = (): Promise<Times> => timesOf((way) => withContext((context) => cpuOf(way, context)));
const warm = (): Promise<Times> =>
  withContext(async (context) => {
    await cpuOf('reading', context);
    return timesOf((way) => cpuOf(way, context));
  });

// The engine compiles what runs often: a gateway has been running for a while.
await warm();
const [colds, warms]: [Times[], Times[]] = [[], []];
for (let round = 0; round < ROUNDS; round++) {
  colds.push(await cold());
  warms.push(await warm());
}
heading(`${((records * names.length * INSTANCES) / 1e6).toFixed(1)} million values of an archive of ${MEGABYTES} MB`);
for (const [name, times] of rows(['cold', colds], ['warm', warms])) {
  for (const way of ALL) {
    report(`${WORDS[way]}, ${name}`, median(times.map((one) => one[way])), 'ms CPU');
  }
}
const whole = colds.map(({ reading, arrow }) => arrow / reading);
for (const [name, times] of rows(['cold', colds], ['warm', warms])) {
  const ratios = times.map(({ arrow, json }) => json / arrow);
  report(`JSON against Arrow, ${name}`, ratios, 'ratio', BUDGETS.arrowText.limit);
}
report('Arrow against reading alone, cold', median(whole), '', BUDGETS.arrowReading.limit);
