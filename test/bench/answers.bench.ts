/** How long answers of very many values keep the event loop, and so everybody else. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { LiveMemory } from '../../src/context/range/index.js';
import { makeIndom, makePmid, MetricType, systemClock } from '../../src/pmapi/index.js';
import type { MemoryContent } from '../../src/sources/index.js';
import { Api } from '../support/api.js';
import { descriptor, memoryGateway } from '../support/memory-gateway.js';
import { BUDGETS } from './budgets.js';
import { heading, IS_QUICK, median, report } from './support/report.js';
import { watchTurns } from './support/turns.js';

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
  const turns: number[] = [];
  const times: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const { ms, turnMs } = await watchTurns(() => ask(api.url + path, headers));
    turns.push(turnMs);
    times.push(ms);
  }
  report({ name, value: median(turns), unit: 'millisec', budget: BUDGETS.answersTurn.limit });
  report({ name: `${name}, all of it, with the start of a client`, value: median(times), unit: 'millisec' });
}
await api.stop();
