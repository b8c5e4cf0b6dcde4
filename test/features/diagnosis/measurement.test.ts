import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { sharedMeasure } from '../../../src/culprits/index.js';
import type { Context } from '../../../src/context/index.js';
import { LiveMemory } from '../../../src/context/range/index.js';
import { diagnosisRoute } from '../../../src/features/diagnosis/operations.js';
import { readRules } from '../../../src/features/diagnosis/rules.js';
import { processorHost } from '../../culprits/processor-host.js';
import { Api } from '../../support/api.js';
import { FakeClock } from '../../support/fake-clock.js';
import { ManualTimers } from '../../support/manual-timers.js';
import { memoryGateway } from '../../support/memory-gateway.js';
import { until } from '../../support/until.js';

const NAMES = ['kernel.all.cpu.user', 'proc.psinfo.utime'];
const BOOT_SEC = 1000;

/** A host of two processors that one process takes nearly whole, and its timers. */
class Scene {
  readonly clock = new FakeClock();
  readonly timers = new ManualTimers();
  readonly measure = sharedMeasure(this);
  /** When the hog begins, in seconds since the start. */
  hogSec = 0;
  readonly #startSec = this.clock.now().sec;
  #fetches = 0;

  /** Samples that were taken. */
  get samples(): number {
    return this.#fetches;
  }

  gateway(isRemembering: boolean): ReturnType<typeof memoryGateway> {
    const content = processorHost(() => {
      const sec = this.clock.now().sec - this.#startSec;
      const fullSec = Math.max(0, sec - this.hogSec);
      const startMs = this.hogSec === 0 ? 5000 : (BOOT_SEC + this.hogSec) * 1000;
      const hog = { pid: 77, startMs, name: 'hog', cpuMs: 1950 * fullSec };
      const other = { pid: 5, startMs: 5000, name: 'other', cpuMs: 10 * sec };
      const processes = sec < this.hogSec ? [other] : [hog, other];
      const cpu = { busyMs: 1950 * fullSec + 10 * sec, idleMs: 50 * fullSec + 1990 * Math.min(sec, this.hogSec) };
      return { uptimeSec: BOOT_SEC + sec, ...cpu, processes };
    });
    const metrics = content.metrics.map((metric) =>
      metric.name === 'kernel.all.cpu.user' ? { ...metric, values: this.#counting(metric.values) } : metric,
    );
    const memory = isRemembering ? { memory: new LiveMemory(this.clock) } : {};
    return memoryGateway({ clock: this.clock, content: { ...content, metrics }, ...memory });
  }

  #counting<T>(values: T): T {
    const read = values as () => unknown;
    return (() => {
      this.#fetches++;
      return read();
    }) as T;
  }

  /** Lets two seconds pass when the first sample is taken. */
  async pass(): Promise<void> {
    await until(() => this.timers.pending === 1);
    this.clock.advance(2000);
    this.timers.advance(2000);
  }

  async context(): Promise<Context> {
    return await this.gateway(true).contexts.shared({ kind: 'host', hostspec: 'web1' });
  }
}

describe('a measurement', () => {
  it('is one for all who ask meanwhile', async () => {
    const scene = new Scene();
    const context = await scene.context();
    const { signal } = new AbortController();
    const all = Promise.all([1, 2, 3].map(() => scene.measure(context, NAMES, signal)));
    await scene.pass();
    const windows = (await all).map(({ window }) => window);
    expect(new Set(windows).size).toBe(1);
    expect(scene.samples).toBe(2);
    expect(windows[0]!.finish.sec - windows[0]!.start.sec).toBe(2);
    const next = scene.measure(context, NAMES, signal);
    await scene.pass();
    expect((await next).window).not.toBe(windows[0]);
  });

  it('goes on while someone waits', async () => {
    const scene = new Scene();
    const context = await scene.context();
    const [leaving, staying] = [new AbortController(), new AbortController()];
    const left = scene.measure(context, NAMES, leaving.signal);
    const stays = scene.measure(context, NAMES, staying.signal);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    await scene.pass();
    expect((await stays).window.finish.sec).toBe(scene.clock.now().sec);
    expect(scene.samples).toBe(2);
  });

  it('stops when the last has left', async () => {
    const scene = new Scene();
    const context = await scene.context();
    const [one, other] = [new AbortController(), new AbortController()];
    const both = [one, other].map(({ signal }) => scene.measure(context, NAMES, signal));
    await until(() => scene.timers.pending === 1);
    one.abort(new Error('gone'));
    other.abort(new Error('gone'));
    await Promise.all(both.map((each) => expect(each).rejects.toThrow('gone')));
    await until(() => scene.timers.pending === 0);
    expect(scene.samples).toBe(1);
    // Who comes then begins anew.
    const anew = scene.measure(context, NAMES, new AbortController().signal);
    await scene.pass();
    await anew;
    expect(scene.samples).toBe(3);
  });
});

describe('GET /diagnosis of now', () => {
  async function start(scene: Scene, isRemembering: boolean, files: readonly string[] = []): Promise<Api> {
    const { rules } = readRules(files);
    const run = diagnosisRoute(() => rules, scene.measure);
    return Api.start(scene.gateway(isRemembering), { routes: { diagnose: { run, cost: 'costly' } } });
  }

  const processorOf = (json: unknown): unknown =>
    (json as { resources: readonly { readonly resource: string }[] }).resources.find(
      ({ resource }) => resource === 'processor',
    );
  const FULL = { state: 'saturated', who: [{ pid: 77, name: 'hog' }, { kind: 'others' }] };

  it('measures a host of which nothing is remembered', async () => {
    const scene = new Scene();
    const api = await start(scene, false);
    const asked = api.get('/diagnosis?hostspec=web1');
    await scene.pass();
    const { status, json } = await asked;
    expect(status).toBe(200);
    expect(processorOf(json)).toMatchObject(FULL);
    expect((await api.get('/diagnosis?hostspec=web1&at=-1min')).json).toMatchObject({ code: 'WRONG_CONTEXT' });
    await api.stop();
  });

  it('measures once, and then answers from what is remembered', async () => {
    const scene = new Scene();
    const api = await start(scene, true);
    const first = api.get('/diagnosis?hostspec=web1');
    await scene.pass();
    expect(processorOf((await first).json)).toMatchObject(FULL);
    for (let sample = 0; sample < 3; sample++) {
      scene.clock.advance(5000);
      await api.get('/pmapi/fetch?prefix=kernel,proc&hostspec=web1');
    }
    const taken = scene.samples;
    expect(processorOf((await api.get('/diagnosis?hostspec=web1')).json)).toMatchObject(FULL);
    expect([scene.samples, scene.timers.pending]).toEqual([taken, 0]);
    // What is older than a quarter of a minute is not now.
    scene.clock.advance(60_000);
    const again = api.get('/diagnosis?hostspec=web1');
    await scene.pass();
    expect(processorOf((await again).json)).toMatchObject(FULL);
    expect(scene.samples).toBe(taken + 2);
    await api.stop();
  });

  it('names who it is two samples after it began, though processes are recorded every ten only', async () => {
    const scene = new Scene();
    scene.hogSec = 31;
    const api = await start(scene, true);
    for (let sec = 1; sec < 33; sec++) {
      scene.clock.advance(1000);
      await api.get(`/pmapi/fetch?prefix=kernel${sec % 10 === 0 ? ',proc' : ''}&hostspec=web1`);
    }
    const { json } = await api.get('/diagnosis?hostspec=web1');
    expect(processorOf(json)).toMatchObject({ state: 'usual' });
    scene.clock.advance(1000);
    await api.get('/pmapi/fetch?prefix=kernel&hostspec=web1');
    expect(processorOf((await api.get('/diagnosis?hostspec=web1')).json)).toMatchObject(FULL);
    expect(scene.timers.pending).toBe(0);
    await api.stop();
  });

  it('says that something grows where it has in half of the last quarter of a minute', async () => {
    const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'pmgate-rules-')), 'rules.yaml');
    const expressions = 'value: rate(kernel.all.cpu.user), when: $value > 1, sentence: It grows, source: a test';
    writeFileSync(file, `rules: [{ name: grows, resource: memory, state: busy, who: memory.growth, ${expressions} }]`);
    const scene = new Scene();
    scene.hogSec = 20;
    const api = await start(scene, true, [file]);
    /** Whether who it is was looked for, which takes two samples. */
    const isHeld: boolean[] = [];
    for (let sec = 1; sec <= 28; sec++) {
      scene.clock.advance(1000);
      await api.get('/pmapi/fetch?prefix=kernel,proc&hostspec=web1');
      if (sec < 26) continue;
      let isAnswered = false;
      const asked = api.get('/diagnosis?hostspec=web1').finally(() => (isAnswered = true));
      await until(() => isAnswered || scene.timers.pending > 0);
      isHeld.push(scene.timers.pending > 0);
      if (scene.timers.pending > 0) await scene.pass();
      expect(JSON.stringify((await asked).json).includes('"It grows')).toBe(isHeld.at(-1));
    }
    // From eight of the 15 samples on.
    expect(isHeld).toEqual([false, false, true]);
    await api.stop();
  });

  it('says nothing for samples that are milliseconds apart', async () => {
    const scene = new Scene();
    scene.hogSec = 8;
    const api = await start(scene, true);
    const states: unknown[] = [];
    for (const [i, ms] of [4000, 4000, 18, 500, 500].entries()) {
      scene.clock.advance(ms);
      await api.get('/pmapi/fetch?prefix=kernel,proc&hostspec=web1');
      if (i >= 2) states.push(processorOf((await api.get('/diagnosis?hostspec=web1')).json));
    }
    expect(states).toMatchObject([{ state: 'usual' }, { state: 'usual' }, FULL]);
    // Where they are all there is, they say it.
    const { json } = await api.get('/diagnosis?hostspec=web1&start=-100msec');
    expect(processorOf(json)).toMatchObject({ state: FULL.state });
    await api.stop();
  });
});
