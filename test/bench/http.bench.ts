/**
 * What the HTTP layer costs: requests a second against bare node:http that serves the same bytes, in interleaved rounds of
 * one run, so that what else runs on the machine hits both alike. The load and the servers are processes of their own.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BUDGETS, type Limit } from './budgets.js';
import { type Load, loadUrl } from './support/load.js';
import { heading, median, report } from './support/report.js';
import { startServer } from './support/server-process.js';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const BODY_FILE = path.join(tmpdir(), `pmgate-bench-${process.pid}.json`);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);

function load(port: number, target: string, connections: number): Promise<Load> {
  return loadUrl(`http://127.0.0.1:${port}${target}`, connections, SECONDS);
}

async function text(port: number, target: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${target}`);
  if (!response.ok) throw new Error(`${target}: ${response.status} ${await response.text()}`);
  return response.text();
}

const gateway = await startServer(['dist/pmgate.js', '--port', '0'], {
  PMGATE_LOCAL_SOURCE: 'embedded',
});
try {
  const requests: readonly (readonly [name: string, path: string, budget: Limit | undefined])[] = [
    ['fetch of 3 metrics', '/pmapi/fetch?names=kernel.all.load,mem.util.free,disk.dev.read', BUDGETS.httpFetch.limit],
    ['fetch of some 60 metrics', '/pmapi/fetch?prefix=mem.util', undefined],
    [
      'fetch of some 300 metrics',
      '/pmapi/fetch?prefix=kernel.all,kernel.percpu,mem,disk,network.interface,vfs,swap,hinv',
      undefined,
    ],
    ['metadata of one metric', '/pmapi/metric?names=disk.dev.read', undefined],
    ['the whole namespace', '/pmapi/metric', undefined],
  ];
  for (const [name, target, budget] of requests) {
    writeFileSync(BODY_FILE, await text(gateway.port, target));
    const bare = await startServer(['test/bench/support/bare-server.js'], { BODY_FILE });
    try {
      // `lone` is about one client. At 64 connections the whole namespace is more than the gateway takes on: it sheds.
      for (const connections of target === '/pmapi/metric' ? [1] : [64]) {
        const ours: Load[] = [];
        const theirs: Load[] = [];
        for (const port of [bare.port, gateway.port]) await load(port, target, connections); // warm up
        for (let round = 0; round < ROUNDS; round++) {
          theirs.push(await load(bare.port, target, connections));
          ours.push(await load(gateway.port, target, connections));
        }
        heading(`${name}, ${connections} connection${connections === 1 ? '' : 's'}`);
        const errors = [...ours, ...theirs].reduce((sum, of) => sum + of.errors, 0);
        if (errors > 0) {
          // An answer that says no is cheap: rates with such answers among them compare nothing.
          process.stdout.write(`${errors} requests failed\n`);
          process.exitCode = 1;
          continue;
        }
        const ratios = ours.map(({ rate }, i) => rate / theirs[i]!.rate);
        report('bare node:http', median(theirs.map(({ rate }) => rate)), 'requests/s');
        report('pmgate', median(ours.map(({ rate }) => rate)), 'requests/s');
        report('pmgate, p99 latency', median(ours.map(({ p99Ms }) => p99Ms)), 'millisec');
        report('pmgate / bare node:http', ratios, 'ratio', budget);
      }
    } finally {
      await bare.stop();
    }
  }
} finally {
  await gateway.stop();
  rmSync(BODY_FILE, { force: true });
}
