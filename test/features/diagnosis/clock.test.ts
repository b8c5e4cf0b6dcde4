import path from 'node:path';
import { loadConfig } from '../../../src/config/index.js';
import { Recorder } from '../../../src/features/recorder/index.js';
import { Archives } from '../../../src/gateway/targets/archives.js';
import { HostArchives } from '../../../src/gateway/targets/host-archives.js';
import { Api } from '../../support/api.js';
import { FakeClock } from '../../support/fake-clock.js';
import { ManualTimers } from '../../support/manual-timers.js';
import { memoryGateway } from '../../support/memory-gateway.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { processorHost } from '../../culprits/processor-host.js';
import type { HostState } from '../../culprits/processor-host.js';

const START = Date.UTC(2026, 0, 1, 10);
const [INTERVAL_SEC, HOUR_SEC] = [10, 3600];
const root = temporaryDirectory();
let number = 0;

/** What there is to say of a moment. */
interface Said {
  readonly state: string;
  readonly warnings?: readonly { readonly message: string }[];
  readonly resources: readonly {
    readonly resource: string;
    readonly sentence: string;
    readonly since?: number;
    readonly before?: number;
    readonly shareOf?: string;
    readonly who?: readonly { readonly pid?: number; readonly before?: number }[];
  }[];
  readonly findings?: readonly { readonly name: string }[];
}

/** A host that is recorded every ten seconds, in which a process works in some seconds since the start. */
class Scene {
  readonly clock = new FakeClock(START);
  readonly #timers = new ManualTimers();
  #elapsedSec = 0;
  #hogMs = 0;
  #api: Api | undefined;
  #recorder: Recorder | undefined;
  #archives: Archives | undefined;

  async start(): Promise<void> {
    const directory = path.join(root.path, `${++number}`);
    const archives = new Archives(this.clock, { ...loadConfig({}).archives, roots: [directory] });
    const content = processorHost((): HostState => {
      const busyMs = 100 * this.#elapsedSec + this.#hogMs;
      const processes = [
        { pid: 2, startMs: 1, name: 'idle', cpuMs: 100 * this.#elapsedSec },
        { pid: 77, startMs: 5000, name: 'hog', cpuMs: this.#hogMs },
      ];
      const idleMs = 2000 * this.#elapsedSec - busyMs;
      return { uptimeSec: 1000 + this.#elapsedSec, busyMs, idleMs, processes };
    });
    const gateway = memoryGateway({ clock: this.clock, content, openArchive: (archive) => archives.open({ archive }) });
    this.#recorder = new Recorder({
      contexts: gateway.contexts,
      spec: { kind: 'host', hostspec: 'web1' },
      groups: [{ intervalMs: INTERVAL_SEC * 1000, metrics: ['kernel', 'proc'] }],
      recordsDerived: () => false,
      directory: path.join(directory, 'recorded'),
      keepDays: 7,
      keepBytes: 1e9,
      volumeBytes: 1e9,
      clock: this.clock,
      timers: this.#timers,
      log: { info: () => undefined, warn: () => undefined },
    });
    await this.#recorder.start();
    await this.#recorder.settled();
    const identify = () => ({ names: ['web1'], archives: [], isLocal: true });
    this.#archives = archives;
    this.#api = await Api.start(gateway, { archives, hostArchives: new HostArchives(archives, () => ({ identify })) });
  }

  /** Lets minutes pass, in which the hog takes all that there is, or nothing. */
  async pass(minutes: number, isBusy: boolean): Promise<void> {
    for (let i = 0; i < (minutes * 60) / INTERVAL_SEC; i++) {
      this.#elapsedSec += INTERVAL_SEC;
      if (isBusy) this.#hogMs += 1900 * INTERVAL_SEC;
      this.clock.advance(INTERVAL_SEC * 1000);
      this.#timers.advance(INTERVAL_SEC * 1000);
      await this.#recorder!.settled();
    }
  }

  async ask(target: string): Promise<Said> {
    const { status, json, text } = await this.#api!.get(target);
    expect([status, status === 200 ? '' : text]).toEqual([200, '']);
    return json as unknown as Said;
  }

  /** What is wrong now, from the recording. */
  diagnose(): Promise<Said> {
    return this.ask(`/diagnosis?hostspec=web1&at=${this.clock.now().sec}`);
  }

  async stop(): Promise<void> {
    await this.#recorder!.close();
    await this.#api!.stop();
    await this.#archives!.close();
  }
}

describe('when the clock was set back by an hour', () => {
  let scene: Scene;
  beforeEach(async () => {
    scene = new Scene();
    await scene.start();
  });
  afterEach(() => scene.stop());

  it('what an hour ago was is not taken for now, and what changed is the time since boot, and nothing else', async () => {
    await scene.pass(35, false);
    await scene.pass(10, true);
    await scene.pass(45, false);
    scene.clock.set(-HOUR_SEC * 1000);
    await scene.pass(10, false);
    // The first time that it was so late, the hog worked.
    const { state, warnings = [] } = await scene.diagnose();
    expect(state).toBe('usual');
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/left out: from \d+\.0* on, to which/),
    ]);
    await scene.pass(5, false);
    const { sec } = scene.clock.now();
    const windows = `after=${sec - 540},${sec}&before=${sec - 1700},${sec - 1000}`;
    const { findings = [] } = await scene.ask(`/changes?hostspec=web1&${windows}`);
    expect(findings.map(({ name }) => name)).toEqual(['kernel.all.uptime']);
  });

  it('what is now is not taken for what an hour ago was', async () => {
    await scene.pass(90, false);
    scene.clock.set(-HOUR_SEC * 1000);
    await scene.pass(5, false);
    const { sec } = scene.clock.now();
    expect(await scene.diagnose()).toMatchObject({ state: 'usual' });
    await scene.pass(5, true);
    const { state, resources } = await scene.diagnose();
    expect(state).toBe('saturated');
    expect(resources[0]).toMatchObject({ since: sec + INTERVAL_SEC, before: expect.closeTo(5, 3) as number });
    expect(resources[0]!.who![0]!.pid).toBe(77);
  });

  it('nothing is counted across it', async () => {
    await scene.pass(90, false);
    scene.clock.set(-HOUR_SEC * 1000);
    await scene.pass(1, false);
    await scene.pass(2, true);
    const { resources } = await scene.diagnose();
    // What was before is of five minutes, in which the clock was set.
    expect(resources[0]).toMatchObject({ shareOf: 'rise', before: expect.closeTo(5, 3) as number });
    expect(resources[0]!.who![0]).toMatchObject({ pid: 77, before: 0 });
  });

  it('nor where the recording began after what the clock says', async () => {
    await scene.pass(10, true);
    scene.clock.set(-HOUR_SEC * 1000);
    await scene.pass(65, false);
    expect(await scene.diagnose()).toMatchObject({ state: 'usual' });
  });
});
