/** How long answers of very many values keep the event loop, and so everybody else. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { OpenRange } from '../../src/context/index.js';
import { LiveMemory, type RangeSamples } from '../../src/context/range/index.js';
import { FETCH_FORM } from '../../src/http/response/writers/fetch-writer.js';
import { writeColumns } from '../../src/http/response/writers/range-writer.js';
import { makeIndom, makePmid, MetricType, systemClock } from '../../src/pmapi/index.js';
import { type Batch, columnOfNothing } from '../../src/sources/index.js';
import { Api } from '../support/api.js';
import { descriptor, memoryGateway } from '../support/memory-gateway.js';
import type { MemoryContent } from '../support/memory-source.js';
import { BUDGETS } from './budgets.js';
import { cpuMs, heading, IS_QUICK, report } from './support/report.js';
import { watchTurns, type Took } from './support/turns.js';

const ROUNDS = IS_QUICK ? 1 : 5;
const METRICS = 100;
const INSTANCES = 1000;
const SINGULAR = 10_000;
const INDOM = makeIndom(60, 1);
const OPEN_METRICS = { accept: 'application/openmetrics-text' };
const JSON_FORM = { accept: 'application/json' };

const content: MemoryContent = {
  hostName: 'large',
  metrics: [
    ...Array.from({ length: METRICS }, (_, i) => ({
      name: `wide.m${i}`,
      descriptor: descriptor(makePmid(60, 1, i), { type: MetricType.DOUBLE, indom: INDOM }),
      values: new Map(Array.from({ length: INSTANCES }, (_, k) => [k, k * 1.37 + i])),
    })),
    ...Array.from({ length: SINGULAR }, (_, i) => ({
      name: `many.m${i}`,
      descriptor: descriptor(makePmid(60, 2 + Math.floor(i / 1000), i % 1000), { type: MetricType.DOUBLE }),
      oneline: `metric ${i}`,
      help: `what there is to be said of metric ${i}, which is much like the others`,
      values: i / 2,
    })),
  ],
  indoms: [{ indom: INDOM, instances: Array.from({ length: INSTANCES }, (_, id) => ({ id, name: `instance ${id}` })) }],
};

const ANSWERS: readonly (readonly [name: string, path: string, headers?: Readonly<Record<string, string>>])[] = [
  ['fetch', '/pmapi/fetch?prefix=wide'],
  ['OpenMetrics', '/pmapi/metrics?names=wide', OPEN_METRICS],
  ['OpenTelemetry', '/pmapi/metrics?names=wide', JSON_FORM],
  ['fetch of 10,000 metrics', '/pmapi/fetch?prefix=many'],
  ['metadata of 10,000 metrics', '/pmapi/metric?prefix=many'],
  ['range of what was fetched, rows', '/pmapi/fetch?prefix=wide&start=-1min&samples=1&format=rows'],
  ['range of what was fetched, columns', '/pmapi/fetch?prefix=wide&start=-1min&samples=1&format=columns'],
  ['range of what was fetched, CSV', '/pmapi/fetch?prefix=wide&start=-1min&samples=1&format=csv'],
];

/** Ask from another process: what the client does is none of the gateway's turns. */
async function ask(url: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const program = `fetch(process.argv[1], { headers: JSON.parse(process.argv[2]) }).then(async (answer) => {
    const { byteLength } = await answer.arrayBuffer();
    if (!answer.ok || byteLength < 100_000) throw new Error(answer.status + ', ' + byteLength + ' bytes');
  })`;
  await promisify(execFile)(process.execPath, ['-e', program, url, JSON.stringify(headers)]);
}

const memory = new LiveMemory(systemClock, { bytes: 100_000_000, maxAgeMs: 3_600_000 });
const api = await Api.start(memoryGateway({ content, memory }), {
  limits: { urlBytes: 4096, bodyBytes: 65_536, names: 100_000, values: 1_000_000 },
});
heading('100,000 values, or 10,000 metrics, in one answer; medians of the longest turn of each');
for (const [name, path, headers] of ANSWERS) {
  await ask(api.url + path, headers);
  const took: Took[] = [];
  for (let i = 0; i < ROUNDS; i++) took.push(await watchTurns(() => ask(api.url + path, headers)));
  const turns = took.map(({ turnMs }) => turnMs);
  report(name, turns, 'millisec', BUDGETS.answersTurn.limit);
  const times = took.map(({ ms }) => ms);
  report(`${name}, all of it, with the start of a client`, times, 'millisec');
}
await api.stop();

const ROWS = 2000;
const SERIES = 16;
/** Time is CPU time of the process, which is known no better than to some milliseconds. */
const TEXTS = IS_QUICK ? 10 : 100;

const NUMBERS: readonly (readonly [name: string, type: MetricType, number: (i: number) => number])[] = [
  ['gauges', MetricType.U32, (i) => Math.imul(i, 40_503) & 0xffff],
  ['counters beyond 32 bits', MetricType.U64, (i) => 31_337_000 * i + 2 ** 32],
  ['decimal fractions', MetricType.DOUBLE, (i) => 1000 * Math.sin(i)],
];

/** A range as it comes from columns in memory: one batch. */
function warmRange(type: MetricType, number: (i: number) => number): OpenRange {
  const ids = Int32Array.from({ length: SERIES }, (_, id) => id);
  const block = {
    type,
    instances: ids,
    numbers: Float64Array.from({ length: ROWS * SERIES }, (_, i) => number(i)),
    stride: SERIES,
    places: ids,
  };
  const batch: Batch = {
    length: ROWS,
    isMark: false,
    secs: Float64Array.from({ length: ROWS }, (_, row) => 1_700_000_000 + row),
    nsecs: new Int32Array(ROWS),
    columns: [{ ...columnOfNothing(), block }],
  };
  const pmid = makePmid(60, 1, 0);
  const samples = {
    metrics: [{ name: 'm', pmid, descriptor: descriptor(pmid, { type, indom: INDOM }) }],
    async *batches() {
      yield await Promise.resolve(batch);
    },
  } as unknown as RangeSamples;
  const instancesEver = () => Promise.resolve({ indom: INDOM, instances: [] });
  return { tableSamples: samples, instancesEver } as unknown as OpenRange;
}

async function writeText(range: OpenRange): Promise<number> {
  let length = 0;
  for await (const piece of writeColumns('{"context":1', range, [], undefined, FETCH_FORM)) length += piece.length;
  return length;
}

heading(`the text of ${ROWS * SERIES} values in columns`);
for (const [name, type, number] of NUMBERS) {
  const range = warmRange(type, number);
  for (let i = 0; i < 3; i++) await writeText(range);
  const beforeMs = cpuMs();
  for (let i = 0; i < TEXTS; i++) await writeText(range);
  report(name, cpuMs(beforeMs) / TEXTS, 'ms CPU', BUDGETS.answersText.limit);
}
