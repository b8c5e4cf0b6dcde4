import { BAD_BYTES, BAD_REQUESTS } from './bad-input.js';
import type { Caller } from './caller.js';
import { type FlakyHost, MOODS } from './flaky-host.js';

/** What visitors find. */
export interface Scene {
  readonly caller: Caller;
  readonly hosts: readonly FlakyHost[];
  readonly archiveNames: readonly string[];
  /** When the archive begins and how long it is, in seconds. */
  readonly archive: { readonly startSec: number; readonly lengthSec: number };
}

/** Someone who comes again and again. */
export interface Visitor {
  readonly name: string;
  readonly count: number;
  /** How long each rests between visits, about. */
  readonly restMs: number;
  visit(scene: Scene, turn: number): Promise<void>;
}

const LOCAL = 'hostspec=embedded';
const THREE = 'kernel.all.load,mem.util.free,disk.dev.read';

/** Wait; for less than it says at times, so that visitors do not march in step. */
export function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms * (0.5 + Math.random())));
}

function pick<T>(values: readonly T[]): T {
  return values[Math.floor(Math.random() * values.length)]!;
}

async function makeContext({ caller }: Scene, visitor: string, target = LOCAL): Promise<number | undefined> {
  const { status, body } = await caller.call(visitor, `/pmapi/context?polltimeout=3&${target}`);
  return status === 200 ? (JSON.parse(body) as { context: number }).context : undefined;
}

function streamHead(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n`;
}

const contexts: Visitor = {
  name: 'contexts',
  count: 4,
  restMs: 150,
  async visit(scene, turn) {
    const { caller } = scene;
    const context = await makeContext(scene, this.name, turn % 10 === 0 ? 'archive=soak' : LOCAL);
    if (context === undefined) return;
    const names = turn % 10 === 0 ? scene.archiveNames[0]! : THREE;
    for (let i = 0; i < 3; i++) await caller.call(this.name, `/pmapi/${context}/fetch?names=${names}`);
    await caller.call(this.name, `/pmapi/${context}/profile?name=disk.dev.read&expr=del`);
    await caller.call(this.name, `/pmapi/${context}/indom?name=disk.dev.read`);
    await caller.call(this.name, `/pmapi/${context}/dup`, { method: 'POST' });
    await caller.call(this.name, `/pmapi/${context}/derive?name=mine&expr=rate(kernel.all.pswitch)`, {
      method: 'POST',
    });
    await caller.call(this.name, `/pmapi/${context}/fetch?names=mine`);
    // The others expire.
    if (turn % 2 === 0) await caller.call(this.name, `/pmapi/${context}`, { method: 'DELETE' });
  },
};

const streams: Visitor = {
  name: 'streams',
  count: 8,
  restMs: 50,
  async visit(scene, turn) {
    const context = turn % 3 === 0 ? await makeContext(scene, this.name) : undefined;
    const where = context === undefined ? `/pmapi/stream?${LOCAL}&` : `/pmapi/${context}/stream?`;
    const path =
      turn % 5 === 4
        ? `/pmapi/stream?archive=soak&names=${pick(scene.archiveNames)}&speed=1000`
        : `${where}names=${THREE}&interval=${pick([200, 500, 1000])}ms${turn % 2 === 0 ? '&changed=true' : ''}`;
    await scene.caller.raw(this.name, streamHead(path), 200 + Math.random() * 4000);
  },
};

const ranges: Visitor = {
  name: 'ranges',
  count: 2,
  restMs: 100,
  async visit({ caller, archive, archiveNames }, turn) {
    const start = archive.startSec + Math.random() * archive.lengthSec * 0.9;
    const window = `start=@${start.toFixed(3)}&finish=@${(start + 600 + Math.random() * 3000).toFixed(3)}`;
    const names = turn % 4 === 0 ? archiveNames.slice(0, 5).join(',') : pick(archiveNames);
    const shape = pick([
      'interval=30s',
      'points=50',
      'format=columns',
      'interval=1m&format=columns&rate=true',
      'format=csv',
    ]);
    await caller.call(this.name, `/pmapi/fetch?archive=soak&names=${names}&${window}&${shape}`);
    // What other fetches left of late.
    await caller.call(this.name, `/pmapi/fetch?${LOCAL}&names=mem.util.free&start=-10s&finish=now`);
  },
};

const derived: Visitor = {
  name: 'derived',
  count: 2,
  restMs: 300,
  async visit({ caller }, turn) {
    const name = `soak.derived${turn % 20}.v${Math.floor(Math.random() * 10)}`;
    const expr = pick([
      'mem.util.free + mem.util.used',
      'rate(disk.dev.read)',
      'sum(disk.dev.read) / 3',
      'max(kernel.all.load)',
    ]);
    await caller.call(this.name, `/derived/${name}`, { method: 'PUT', body: JSON.stringify({ expr }) });
    await caller.call(this.name, `/pmapi/fetch?names=${name}&${LOCAL}`);
    await caller.call(this.name, `/derived/${name}`);
    await caller.call(this.name, `/derived/check?${LOCAL}&expr=${encodeURIComponent(expr)}`);
    await caller.call(this.name, `/derived/${name}`, { method: 'DELETE' });
  },
};

const badInput: Visitor = {
  name: 'bad input',
  count: 2,
  restMs: 30,
  async visit({ caller }, turn) {
    if (turn % 6 === 5) {
      await caller.raw('bad bytes', pick(BAD_BYTES), 500);
      return;
    }
    const { path, ...options } = BAD_REQUESTS[turn % BAD_REQUESTS.length]!;
    await caller.call(this.name, path, options);
  },
};

const batches: Visitor = {
  name: 'batches',
  count: 1,
  restMs: 200,
  async visit({ caller }) {
    const body = JSON.stringify([
      { id: 'made', path: `/pmapi/context?${LOCAL}&polltimeout=3` },
      { path: `/pmapi/{$made.context}/fetch?names=${THREE}` },
      { path: '/pmapi/{$made.context}/fetch?names=no.such.metric' },
      { path: `/pmapi/metric?names=disk.dev.read&${LOCAL}` },
      { method: 'DELETE', path: '/pmapi/{$made.context}' },
    ]);
    await caller.call(this.name, '/pmapi/batch', { method: 'POST', body });
  },
};

const reading: Visitor = {
  name: 'reading',
  count: 1,
  restMs: 250,
  async visit({ caller }, turn) {
    const paths = [
      `/search?q=${pick(['disk', 'free memory', 'kernal laod', 'network in bytes']).replaceAll(' ', '%20')}`,
      '/search/suggest?query=disk.d',
      `/pmapi/metric?prefix=disk&${LOCAL}`,
      `/pmapi/children?prefix=kernel&${LOCAL}`,
      `/metrics?names=mem,kernel.all&${LOCAL}`,
      `/pmapi/_fetch?names=kernel.all.load&${LOCAL}`,
      '/pmapi/contexts',
      '/archives',
      '/openapi.json',
      '/docs',
      '/readyz',
    ];
    await caller.call(this.name, paths[turn % paths.length]!);
  },
};

const failingHosts: Visitor = {
  name: 'failing hosts',
  count: 6,
  restMs: 50,
  async visit(scene, turn) {
    const { caller, hosts } = scene;
    const query = `hostspec=${pick(hosts).hostspec}&names=soak.gauge,soak.counter`;
    if (turn % 8 === 7) await caller.raw(this.name, streamHead(`/pmapi/stream?${query}&interval=200ms`), 2000);
    else if (turn % 8 === 6) {
      const context = await makeContext(scene, this.name, `hostspec=${pick(hosts).hostspec}`);
      if (context === undefined) return;
      for (let i = 0; i < 3; i++) await caller.call(this.name, `/pmapi/${context}/fetch?names=soak.counter`);
      await caller.call(this.name, `/pmapi/${context}/reconnect`, { method: 'POST' });
    } else await caller.call(this.name, `/pmapi/fetch?${query}`);
  },
};

/** Clients that are gone before their answer is there, or before they have said what they want. */
const vanishing: Visitor = {
  name: 'vanishing',
  count: 2,
  restMs: 60,
  async visit({ caller, hosts, archiveNames }) {
    const head = pick([
      streamHead(`/pmapi/fetch?names=${THREE}&${LOCAL}`),
      streamHead(`/pmapi/fetch?archive=soak&names=${archiveNames.slice(0, 50).join(',')}`),
      streamHead(`/pmapi/fetch?hostspec=${pick(hosts).hostspec}&names=soak.gauge`),
      streamHead(`/metrics?${LOCAL}`),
      streamHead(`/pmapi/stream?names=${THREE}&${LOCAL}&interval=200ms`),
      streamHead(`/pmapi/fetch?names=${THREE}&${LOCAL}`).slice(0, 40),
      'POST /pmapi/fetch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"names"',
    ]);
    await caller.raw(this.name, head, Math.random() * 30);
  },
};

/** Everybody who comes. */
export const VISITORS: readonly Visitor[] = [
  contexts,
  streams,
  ranges,
  derived,
  badInput,
  batches,
  reading,
  failingHosts,
  vanishing,
];

/** Let hosts change their moods for as long as `isOver` says; one of them is always well. */
export async function changeMoods(hosts: readonly FlakyHost[], isOver: () => boolean): Promise<void> {
  for (let turn = 0; !isOver(); turn++) {
    const host = hosts[1 + (turn % (hosts.length - 1))]!;
    await host.become(MOODS[Math.floor(turn / 2) % MOODS.length]!);
    await rest(1500);
  }
}
