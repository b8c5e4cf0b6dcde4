/**
 * What Grafana asks of `/series`, of the built gateway and of pmproxy with redis, over the same archive: a query by name, descriptors of 250
 * series, and values of 2 instances at 240 times and of 16 at 120. One request at a time on one connection, in turns; both are warm. Skipped
 * without pmproxy, pmseries and redis-server.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { freePort } from '../support/free-port.js';
import { ArchiveBuilder } from '../support/archive-builder.js';
import type { BuiltSet } from '../support/archive-builder.js';
import { startPmproxy } from '../interop/support/pmproxy.js';
import { BUDGETS } from './budgets.js';
import { inTurns } from './support/read-whole.js';
import { heading, median, IS_QUICK, report, skip } from './support/report.js';
import { startServer } from './support/server-process.js';
import { workDirectory } from './support/work-directory.js';
import { ask as send } from '../support/plain-request.js';
import { rows } from '../support/rows.js';

/** The engine compiles what runs often. */
const HOW_OFTEN = IS_QUICK ? { warmUp: 5, rounds: 20 } : { warmUp: 200, rounds: 100 };
const METRICS = 250;
const START_SEC = 1_700_000_000;
const PMID = (item: number): number => 100 * 2 ** 22 + item;
const [TWO, SIXTEEN] = [PMID(1), PMID(2)];

const root = workDirectory();

/** 250 metrics, of which most have one value; two of them have instances and many samples. */
function writeArchive(): void {
  const builder = new ArchiveBuilder({ version: 2, start: [START_SEC, 0], hostName: 'bench.example' });
  for (let i = 1; i <= METRICS; i++) {
    const indom = i === 1 ? { indom: TWO } : i === 2 ? { indom: SIXTEEN } : {};
    builder.metric({ pmid: PMID(i), names: [`bench.metric${i}`], type: 5, semantics: 3, ...indom });
  }
  for (const [indom, count] of rows([TWO, 2], [SIXTEEN, 16])) {
    builder.indom(
      [START_SEC, 0],
      indom,
      Array.from({ length: count }, (_, i) => [i, `disk${i}`] as const),
    );
  }
  const setOf = (pmid: number, instances: number, second: number): BuiltSet => ({
    pmid,
    values: Array.from({ length: instances }, (_, i) => [i, Math.sin(second + i) * 1000] as const),
  });
  const singles = Array.from({ length: METRICS - 2 }, (_, i) => ({ pmid: PMID(i + 3), values: [[-1, i] as const] }));
  builder.indexEntry([START_SEC, 0]).record([START_SEC, 0], singles);
  for (let second = 1; second <= 240; second++) {
    const sixteen = second <= 120 ? [setOf(SIXTEEN, 16, second)] : [];
    builder.record([START_SEC + second, 0], [setOf(TWO, 2, second), ...sixteen]);
  }
  builder.write(root, 'bench');
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
async function ask(port: number, target: string, form?: string): Promise<string> {
  const { status, body } = await send(port, target, { agent, ...(form !== undefined && { body: form }) });
  if (status !== 200) throw new Error(`${status}: ${body}`);
  return body;
}

/** The identifiers of all 250 series, as one of the servers has them, and of the two with instances. */
async function idsOf(port: number): Promise<{ readonly all: string; readonly two: string; readonly sixteen: string }> {
  const query = async (expr: string): Promise<string> =>
    (JSON.parse(await ask(port, `/series/query?expr=${encodeURIComponent(expr)}`)) as string[]).join(',');
  return { all: await query('bench.*'), two: await query('bench.metric1'), sixteen: await query('bench.metric2') };
}

/** As Grafana's plugin asks for what a panel shows. */
const WINDOW = `start=${START_SEC}&finish=${START_SEC + 300}`;

type Question = (ids: Awaited<ReturnType<typeof idsOf>>) => readonly [target: string, body?: string];
const QUESTIONS: readonly (readonly [name: string, question: Question])[] = [
  ['a query by name', () => ['/series/query?expr=bench.metric100']],
  ['descriptors of 250 series', ({ all }) => ['/series/descs', `series=${all}`]],
  ['240 × 2 values', ({ two }) => [`/series/values?series=${two}&${WINDOW}`]],
  ['120 × 16 values', ({ sixteen }) => [`/series/values?series=${sixteen}&${WINDOW}`]],
];

function isInstalled(): boolean {
  return (
    ['/usr/lib/pcp/bin/pmproxy', '/usr/libexec/pcp/bin/pmproxy'].some((file) => existsSync(file)) &&
    ['pmseries', 'redis-server'].every((program) => spawnSync('which', [program]).status === 0)
  );
}

async function compare(): Promise<void> {
  writeArchive();
  const redisPort = await freePort();
  const redis = spawn('redis-server', ['--port', String(redisPort), '--save', '', '--bind', '127.0.0.1'], {
    cwd: root,
  });
  await new Promise<void>((resolve) =>
    redis.stdout.on('data', (chunk: Buffer) => {
      if (chunk.includes('Ready to accept')) resolve();
    }),
  );
  const pmproxy = await startPmproxy(1, ['-t', '-r', String(redisPort)], '/series/ping');
  const gateway = await startServer(['dist/pmgate.js', '--port', '0'], {
    PMGATE_ARCHIVES_ROOTS: root,
    PMGATE_RECORD_ENABLED: 'false',
  });
  try {
    const load = ['-p', String(redisPort), '--load', `{source.path: "${path.join(root, 'bench')}"}`];
    const loaded = spawnSync('pmseries', load, { encoding: 'utf8' });
    if (loaded.status !== 0) throw new Error(`pmseries did not load the archive: ${loaded.stdout}${loaded.stderr}`);
    const servers = [
      ['pmgate', gateway.port, await idsOf(gateway.port)],
      ['pmproxy', pmproxy.port, await idsOf(pmproxy.port)],
    ] as const;
    heading(`one archive of ${METRICS} metrics, one connection, medians of ${HOW_OFTEN.rounds} requests in turns`);
    for (const [name, question] of QUESTIONS) {
      const times = await inTurns(
        HOW_OFTEN,
        ...servers.map(
          ([, port, ids]) =>
            () =>
              ask(port, ...question(ids)),
        ),
      );
      const [ours, theirs] = times.map(median) as [number, number];
      report(`${name}, pmgate`, ours, 'millisec');
      report(`${name}, pmproxy`, theirs, 'millisec');
      report(`${name}, ratio`, ours / theirs, '', BUDGETS.seriesPmproxy.limit);
    }
  } finally {
    agent.destroy();
    await gateway.stop();
    await pmproxy.stop();
    redis.kill();
  }
}

if (isInstalled()) await compare();
else skip('pmproxy, pmseries or redis-server is not installed');
