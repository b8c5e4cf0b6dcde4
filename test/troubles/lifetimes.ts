/**
 * Which processes a recording has: starts some that live for 10 to 20 seconds and some that live for 1 to 9, from a shell that waits for them, beside
 * a gateway that records as it does by default. Says the share that is in the recording by itself, or by the processor time of the parent; and what the gateway
 * took of a processor and of the disk. npx tsx test/troubles/lifetimes.ts [SECONDS]
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { startGateway } from './gateway.js';

const SECONDS = Number(process.argv[2] ?? 180);
const LONG = { every: 3, least: 10, most: 20 };
const SHORT = { every: 2, least: 1, most: 9 };
/** The first samples bring the metadata, and the engine compiles. */
const WARM_UP_SEC = 40;
/** One more sample. */
const STOPPING_SEC = 11;
const TICKS_PER_SEC = 100;
const DAY_SEC = 86_400;

/** A shell that starts one process that works a little and one that sleeps, waits for it, and so on; it prints the numbers and lifetimes. */
const script = ({ every, least, most }: typeof LONG): string => `
  while :; do
    life=$(( ${least} + $(od -An -N2 -tu2 /dev/urandom) % ${most - least + 1} ))
    sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; sleep '$life'; :' & echo $! $life $(date +%s)
    sleep ${every}
  done`;

interface Lived {
  readonly pid: number;
  readonly sec: number;
  readonly began: number;
}

const work = mkdtempSync(path.join(tmpdir(), 'pmgate-lifetimes-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
mkdirSync(path.join(work, 'state'));
const gateway = await startGateway(work, { record: { enabled: true }, state: { directory: path.join(work, 'state') } });
await pause(WARM_UP_SEC * 1000);
const ticks = (): number => {
  const fields = readFileSync(`/proc/${gateway.pid}/stat`, 'latin1').split(') ')[1]!.split(' ');
  return Number(fields[11]) + Number(fields[12]);
};
const recorded = path.join(work, 'state/archives/recorded');
const [VOLUME, METADATA] = [/\.\d+$/, /\.meta$/];
const written = (pattern: RegExp): Buffer =>
  Buffer.concat(
    readdirSync(recorded)
      .filter((file) => pattern.test(file))
      .map((file) => readFileSync(path.join(recorded, file))),
  );
const begun = { samples: written(VOLUME).length, metadata: written(METADATA).length };
const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length;
const before = ticks();
const shells = [LONG, SHORT].map((kind) => {
  const shell = spawn('sh', ['-c', script(kind)], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  let text = '';
  shell.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  return { pid: shell.pid!, text: () => text };
});
await pause(SECONDS * 1000);
const used = (ticks() - before) / TICKS_PER_SEC / SECONDS;
for (const { pid } of shells) process.kill(-pid, 'SIGKILL');
await pause(STOPPING_SEC * 1000);
await gateway.stop();
const [samples, metadata] = [written(VOLUME).subarray(begun.samples), written(METADATA).subarray(begun.metadata)];
const name = readdirSync(recorded)
  .find((file) => file.endsWith('.meta'))!
  .slice(0, -'.meta'.length);
const reader = await startGateway(work, { record: { enabled: false }, archives: { roots: [recorded] } });
const { indoms } = {
  indoms: await reader.get<{ instances: readonly { instance: number }[] }>(`/pmapi/indom?indom=3.9&archive=${name}`),
};
await reader.stop();
const known = new Set(indoms.instances.map(({ instance }) => instance));
const end = Date.now() / 1000 - STOPPING_SEC;
const [long, short] = shells.map(({ text, pid }) => ({
  parent: pid,
  lived: text()
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Lived => {
      const [pid = 0, sec = 0, began = 0] = line.split(' ').map(Number);
      return { pid, sec, began };
    })
    .filter(({ sec, began }) => began + sec < end),
}));
const share = (all: readonly Lived[], isThere: (pid: number) => boolean): string =>
  `${((100 * all.filter(({ pid }) => isThere(pid)).length) / all.length).toFixed(1)} % of ${all.length}`;
const perDay = (bytes: number): string => (((bytes / (SECONDS + STOPPING_SEC)) * DAY_SEC) / 1e6).toFixed(1);
process.stdout.write(`processes on the machine: ${processes}
that lived for ${LONG.least} s and more, recorded: ${share(long!.lived, (pid) => known.has(pid))}
that lived for ${SHORT.least} to ${SHORT.most} s, recorded themselves: ${share(short!.lived, (pid) => known.has(pid))}; their parent is ${known.has(short!.parent) ? '' : 'not '}recorded
the gateway took ${(100 * used).toFixed(2)} % of a processor, and wrote, in MB a day, samples: ${perDay(samples.length)}, compressed ${perDay(gzipSync(samples).length)}; metadata: ${perDay(metadata.length)}, compressed ${perDay(gzipSync(metadata).length)}
`);
