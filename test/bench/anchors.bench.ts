/**
 * The same samples, 15,000 of 16 instances of a gauge and of a counter, asked of the built gateway and of its neighbours: Prometheus, back-filled
 * in one block, which is best for it; DuckDB, with the columns of the gateway's Arrow stream in memory; and bare node:http, which sends the bytes
 * of the gateway's answer without making them. One request at a time on one connection, in turns, to the last byte; all are warm. Prometheus and
 * promtool come with the package of that name; BENCH_DUCKDB names a directory in which `npm install @duckdb/node-api` was run.
 */
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { tableFromIPC } from '@uwdata/flechette';
import { freePort } from '../support/free-port.js';
import { rows } from '../support/rows.js';
import { BUDGETS } from './budgets.js';
import type { Limit } from './budgets.js';
import { inTurns, readWhole, timed } from './support/read-whole.js';
import { heading, IS_QUICK, median, report, skip } from './support/report.js';
import { startServer } from './support/server-process.js';
import { counterAt, gaugeAt, INTERVAL_SEC, START_SEC, writeSmallArchive } from './support/small-archive.js';
import { workDirectory } from './support/work-directory.js';

const RECORDS = IS_QUICK ? 1500 : 15_000;
const INSTANCES = 16;
/** The engine compiles what runs often: a gateway has been running for a while. */
const HOW_OFTEN = IS_QUICK ? { warmUp: 3, rounds: 3 } : { warmUp: 60, rounds: 30 };
const LENGTH_SEC = RECORDS * INTERVAL_SEC;
const [FIRST_SEC, LAST_SEC] = [START_SEC, START_SEC + LENGTH_SEC - INTERVAL_SEC];
const [MANY, FEW] = [1000, 150];

const directory = workDirectory();
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
const ask = (port: number, target: string): Promise<Buffer> => readWhole(port, target, { agent });
const ours = (query: string): string => `/pmapi/fetch?archive=small&format=columns&${query}`;

/** A range as the gateway is asked for it, and as Prometheus is. */
type Question = readonly [name: string, ours: string, prometheus: string, values: number];

function ranges(points: number): readonly Question[] {
  const stepSec = LENGTH_SEC / points;
  const step = `start=${FIRST_SEC}&interval=${stepSec}&samples=${points}`;
  const queried = `/api/v1/query_range?start=${FIRST_SEC}&end=${LAST_SEC}&step=${stepSec}&query=`;
  const rate = `${queried}rate(small_counter[${2 * stepSec}s])`;
  return [
    [`${points} steps of a gauge`, ours(`names=small.gauge&${step}`), `${queried}small_gauge`, points],
    [`${points} steps of a rate`, ours(`names=small.counter&rate=true&${step}`), rate, points],
  ];
}

const RAW = `names=small.gauge&samples=${RECORDS}`;
const RAW_QUERY = `/api/v1/query?query=small_gauge[${LENGTH_SEC}s]&time=${LAST_SEC}`;
const QUESTIONS: readonly Question[] = [
  ...ranges(MANY),
  ...ranges(FEW),
  ['all values as JSON', ours(RAW), RAW_QUERY, RECORDS],
  ['all values as Arrow', ours(RAW).replace('columns', 'arrow'), RAW_QUERY, RECORDS],
];

/** The samples for promtool, series by series. */
function writeOpenMetrics(file: string): void {
  writeFileSync(file, '');
  for (const [name, valueAt] of rows(['small_counter', counterAt], ['small_gauge', gaugeAt])) {
    for (let id = 0; id < INSTANCES; id++) {
      const lines = Array.from(
        { length: RECORDS },
        (_, record) => `${name}{instance="disk${id}"} ${valueAt(record, id)} ${START_SEC + record * INTERVAL_SEC}\n`,
      );
      appendFileSync(file, lines.join(''));
    }
  }
  appendFileSync(file, '# EOF\n');
}

/** Prometheus over the samples, and how it is ended. */
async function startPrometheus(): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const [text, data, config] = ['samples.om', 'data', 'prometheus.yml'].map((name) => path.join(directory, name)) as [
    string,
    string,
    string,
  ];
  writeOpenMetrics(text);
  writeFileSync(config, '');
  const backFill = ['tsdb', 'create-blocks-from', 'openmetrics', '--max-block-duration=1000h', '--quiet', text, data];
  const filled = spawnSync('promtool', backFill, { encoding: 'utf8' });
  if (filled.status !== 0) throw new Error(`promtool: ${filled.stderr}`);
  const port = await freePort();
  const child = spawn(
    'prometheus',
    [
      ...[`--config.file=${config}`, `--storage.tsdb.path=${data}`, '--storage.tsdb.retention.time=100y'],
      ...[`--web.listen-address=127.0.0.1:${port}`, '--log.level=error'],
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  while (!(await ask(port, '/-/ready').then(Boolean, () => false))) {
    if (child.exitCode !== null) throw new Error(`prometheus ended with ${child.exitCode}`);
    await pause(50);
  }
  return {
    port,
    stop: () => {
      child.kill();
      return exited;
    },
  };
}

function reportAgainst(
  whom: string,
  name: string,
  [mine, theirs]: readonly (readonly number[])[],
  budget?: Limit,
): void {
  report(`${name}, ${whom}`, median(theirs!), 'millisec');
  report(`${name}, against ${whom}`, median(mine!) / median(theirs!), 'ratio', budget);
}

/** The values of one instance, as the gateway has them, and Prometheus: they must end alike. */
function compare(mine: Buffer, theirs: Buffer, name: string, count: number): void {
  const { metrics } = JSON.parse(mine.toString()) as { metrics: { series: { name: string; values: number[] }[] }[] };
  const { data } = JSON.parse(theirs.toString()) as {
    data: { result: { metric: { instance: string }; values: [number, string][] }[] };
  };
  const own = metrics[0]!.series.find((one) => one.name === 'disk3')!.values;
  const others = data.result
    .find(({ metric }) => metric.instance === 'disk3')!
    .values.map(([, value]) => Number(value));
  const [last, other] = [own.at(-1)!, others.at(-1)!];
  // A rate needs two samples: Prometheus has none for the first step.
  if (own.length !== count || others.length < count - 1 || !(Math.abs(last - other) <= 0.01 * Math.abs(last))) {
    throw new Error(`${name}: ${own.length} values end at ${last}, ${others.length} of Prometheus at ${other}`);
  }
}

async function againstPrometheus(port: number, prometheus: { readonly port: number } | undefined): Promise<void> {
  const { stdout, stderr } = spawnSync('prometheus', ['--version'], { encoding: 'utf8' });
  const version = /version (\S+)/.exec(`${stdout}${stderr}`)?.[1];
  heading(`${RECORDS} samples of ${INSTANCES} instances${prometheus ? `, Prometheus ${version}` : ''}`);
  for (const [name, target, query, count] of QUESTIONS) {
    const answer = await ask(port, target);
    const body = path.join(directory, 'body');
    writeFileSync(body, answer);
    const bare = await startServer(['test/bench/support/bare-server.js'], { BODY_FILE: body });
    try {
      if (prometheus && !target.includes('arrow')) compare(answer, await ask(prometheus.port, query), name, count);
      const [mine, sent, theirs] = await inTurns(
        HOW_OFTEN,
        () => ask(port, target),
        () => ask(bare.port, '/'),
        ...(prometheus ? [() => ask(prometheus.port, query)] : []),
      );
      report(`${name}, ${(answer.length / 1e6).toFixed(2)} Mbyte`, mine!, 'millisec');
      reportAgainst('bare node:http', name, [mine!, sent!]);
      if (theirs) reportAgainst('Prometheus', name, [mine!, theirs], BUDGETS.anchorsPrometheus.limit);
    } finally {
      await bare.stop();
    }
  }
}

/** What is used of `@duckdb/node-api`. */
interface DuckDb {
  readonly DOUBLE: unknown;
  readonly DuckDBDataChunk: { create(types: readonly unknown[]): { setColumns(columns: readonly unknown[]): void } };
  readonly DuckDBInstance: { create(file: string): Promise<{ connect(): Promise<Connection> }> };
  version(): string;
}
interface Connection {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string): Promise<{ getColumns(): readonly (readonly number[])[] }>;
  createAppender(table: string): Promise<{ appendDataChunk(chunk: unknown): void; closeSync(): void }>;
}
/** As many rows as a chunk of DuckDB holds. */
const CHUNK = 2048;

async function againstDuckDb(port: number): Promise<void> {
  heading(`means of ${MANY} buckets of ${RECORDS} samples of ${INSTANCES} instances`);
  const installed = process.env['BENCH_DUCKDB'];
  if (installed === undefined) {
    skip('BENCH_DUCKDB names no directory in which `npm install @duckdb/node-api` was run');
    return;
  }
  const found = createRequire(path.resolve(installed, 'package.json')).resolve('@duckdb/node-api');
  const { DOUBLE, DuckDBDataChunk, DuckDBInstance, version } = (await import(found)) as DuckDb;
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const names = Array.from({ length: INSTANCES }, (_, i) => `disk${i}`);
  const load = async (): Promise<void> => {
    await connection.run(
      `CREATE OR REPLACE TABLE samples (time DOUBLE, ${names.map((name) => `${name} DOUBLE`).join()})`,
    );
    const table = tableFromIPC(await ask(port, ours(RAW).replace('columns', 'arrow')));
    const columns = [...Array(INSTANCES + 1).keys()].map((k) => Array.from(table.getChildAt(k).toArray() as number[]));
    const appender = await connection.createAppender('samples');
    for (let row = 0; row < RECORDS; row += CHUNK) {
      const chunk = DuckDBDataChunk.create(columns.map(() => DOUBLE));
      chunk.setColumns(columns.map((column) => column.slice(row, row + CHUNK)));
      appender.appendDataChunk(chunk);
    }
    appender.closeSync();
  };
  await load();
  report(`DuckDB ${version()}: from asking for Arrow to a table`, await timed(load), 'millisec');
  // Times of the stream are in milliseconds.
  const bucket = `floor((time / 1000 - ${FIRST_SEC}) / ${LENGTH_SEC / MANY})`;
  const sql = `SELECT ${bucket} AS bucket, ${names.map((name) => `avg(${name})`).join()} FROM samples GROUP BY 1 ORDER BY 1`;
  const times = await inTurns(
    HOW_OFTEN,
    () => ask(port, ours(`names=small.gauge&points=${MANY}`)),
    async () => {
      const found = (await connection.runAndReadAll(sql)).getColumns();
      if (found[0]!.length !== MANY) throw new Error(`DuckDB: ${found[0]!.length} buckets`);
      return JSON.stringify(found);
    },
  );
  report('pmgate', times[0]!, 'millisec');
  reportAgainst('DuckDB', 'means', times, BUDGETS.anchorsDuckDb.limit);
}

writeSmallArchive(directory, 'small', RECORDS, INSTANCES, true);
const hasPrometheus = ['prometheus', 'promtool'].every((name) => spawnSync(name, ['--version']).status === 0);
if (!hasPrometheus) skip('prometheus and promtool are not installed: no ratios to them');
const gateway = await startServer(['dist/pmgate.js', '--port', '0'], { PMGATE_ARCHIVES_ROOTS: directory });
const prometheus = hasPrometheus ? await startPrometheus() : undefined;
try {
  await againstPrometheus(gateway.port, prometheus);
  await againstDuckDb(gateway.port);
} finally {
  agent.destroy();
  await prometheus?.stop();
  await gateway.stop();
}
