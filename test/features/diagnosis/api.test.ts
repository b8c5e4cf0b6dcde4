import type { components } from '../../../src/client/index.js';
import { LiveMemory } from '../../../src/context/range/index.js';
import { AccessControl, readAccessFile } from '../../../src/access/index.js';
import { systemClock } from '../../../src/pmapi/index.js';
import { FakeClock } from '../../support/fake-clock.js';
import { Api } from '../../support/api.js';
import { memoryGateway } from '../../support/memory-gateway.js';
import { processorHost } from '../../culprits/processor-host.js';
import type { HostState } from '../../culprits/processor-host.js';
import { rows } from '../../support/rows.js';
import { shell } from '../../shell/fake-terminal.js';

/** When the process takes less, and how much less in a second. */
const [LESS_SEC, LESS_MS] = [45, 150];

/** A minute of a host, second by second: quiet, then one process takes all of one of two processors and more of the other. */
function hostAt(hogSec: number, sec: number): HostState {
  const hogMs = Math.max(0, sec - hogSec) * 1900 - Math.max(0, sec - Math.max(hogSec, LESS_SEC)) * LESS_MS;
  const busyMs = 100 * sec + hogMs;
  const processes = [
    { pid: 2, startMs: 1, name: 'idle', cpuMs: 0 },
    { pid: 15158, startMs: 5000, name: 'node\n', cpuMs: hogMs },
  ];
  return { uptimeSec: 1000 + sec, busyMs, idleMs: 2000 * sec - busyMs, processes };
}

type Diagnosis = components['schemas']['Diagnosis'];

/** Two processes take the better part of a processor each, of four, until the greater ends. */
function endingAt(endSec: number, sec: number): HostState {
  const [greater, less] = [990 * Math.min(sec, endSec), 950 * sec];
  const hogs = rows(
    { pid: 7, startMs: 1, name: 'greater', cpuMs: greater },
    { pid: 8, startMs: 1, name: 'less', cpuMs: less },
  );
  return {
    uptimeSec: 1000 + sec,
    busyMs: greater + less,
    idleMs: 4000 * sec - greater - less,
    processes: sec > endSec ? hogs.slice(1) : hogs,
  };
}

const START = Date.UTC(2026, 0, 1, 2, 0) / 1000;

/** The API of a host of which a minute is remembered. */
async function apiOf(
  change: number,
  parts: Parameters<typeof processorHost>[1] = ['proc'],
  host: (change: number, sec: number) => HostState = hostAt,
): Promise<Api> {
  const clock = new FakeClock(START * 1000);
  const state = (): HostState => host(change, clock.now().sec - START);
  const api = await Api.start(
    memoryGateway({ clock, content: processorHost(state, parts), memory: new LiveMemory(clock) }),
  );
  const names = 'kernel.all.cpu,kernel.all.uptime' + (parts.includes('proc') ? ',proc' : '');
  for (let sec = 0; sec <= 60; sec += 5) {
    expect((await api.get(`/pmapi/fetch?prefix=${names}`)).status).toBe(200);
    if (sec < 60) clock.advance(5000);
  }
  return api;
}

async function diagnose(api: Api, query: string): Promise<Diagnosis> {
  const answer = await api.get(`/diagnosis?${query}`);
  expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
  return answer.json as unknown as Diagnosis;
}

const window = `start=${START + 40}&finish=${START + 60}`;

describe('GET /diagnosis', () => {
  it('says what is wrong, since when, what it was before, and who it is', async () => {
    const api = await apiOf(30);
    const { state, resources, notJudged } = await diagnose(api, window);
    expect(state).toBe('saturated');
    expect(resources).toMatchObject([
      { resource: 'processor', state: 'saturated', since: START + 35, before: expect.closeTo(5, 6) as number },
    ]);
    expect(resources[0]!.sentence).toBe(
      'The processors are 94.4 % busy since 02:00:35 (it was 5 %): pid 15158 node\uFFFD takes 179 %, others 10 %.',
    );
    expect(resources[0]!.who!.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
    expect(notJudged.find(({ rule }) => rule === 'memory.short')!.reason).toMatch(/mem\.util\.available/);
    for (const { range, why } of resources[0]!.evidence!.slice(0, 3)) {
      expect([(await api.get(range)).status, (await api.get(why)).status]).toEqual([200, 200]);
    }
    await api.stop();
  });

  it('says of the same time what the resource did and who it was, though the window began before', async () => {
    const api = await apiOf(30);
    const { resources } = await diagnose(api, `start=${START + 15}&finish=${START + 60}`);
    const [{ value = NaN, who = [], since }] = resources as [Diagnosis['resources'][number]];
    expect({ since, value }).toEqual({ since: START + 35, value: expect.closeTo(96.25, 6) as number });
    expect(who.reduce((sum, { use }) => sum + use, 0)).toBeCloseTo(2 * value, 6);
    expect(who[0]).toMatchObject({ pid: 15158, use: expect.closeTo(182.5, 6) as number, lastSeen: START + 60 });
    await api.stop();
  });

  it('says of one that ended until when it was, beside one that goes on', async () => {
    const api = await apiOf(45, ['proc'], endingAt);
    const { resources } = await diagnose(api, `start=${START + 30}&finish=${START + 60}`);
    expect(resources[0]?.sentence).toBe(
      'One process took 99 % of a processor until 02:00:45; when it began is not known: pid 7 greater took 99 %, pid 8 less 95 %.',
    );
    await api.stop();
  });

  it('names one that ended while the trouble goes on', async () => {
    const api = await apiOf(45, ['proc'], (endSec, sec) => {
      const state = endingAt(endSec, sec);
      const busyMs = 3900 * sec;
      const last = { pid: 9, startMs: 1, name: 'last', cpuMs: 1980 * sec };
      return { ...state, busyMs, idleMs: 100 * sec, processes: [...state.processes, last] };
    });
    const [{ sentence, who = [] }] = (await diagnose(api, window)).resources as [Diagnosis['resources'][number]];
    expect(sentence).toBe(
      'The processors are 97.5 % busy; when it began is not known: pid 9 last takes 198 %, pid 8 less 95 %, pid 7 greater took 24.8 % until 02:00:45, and ended, others 72.3 %.',
    );
    expect(who.reduce((sum, { use }) => sum + use, 0)).toBeCloseTo(390, 6);
    await api.stop();
  });

  it('names nobody on a quiet host', async () => {
    const api = await apiOf(1000);
    const { state, resources } = await diagnose(api, window);
    expect(state).toBe('usual');
    expect(resources).toEqual([
      { resource: 'processor', state: 'usual', sentence: 'Nothing is wrong with the processor.', also: [] },
    ]);
    await api.stop();
  });

  it('does not name what a role may not see', async () => {
    const roles = { limited: { permissions: ['read'], metrics: ['*', '!proc', '!cgroup'] } };
    const anonymous = { from: 'anywhere', roles: ['limited'] } as const;
    const access = new AccessControl({ file: readAccessFile({ roles }), anonymous, clock: systemClock });
    const clock = new FakeClock(START * 1000);
    const content = processorHost(() => hostAt(0, clock.now().sec - START));
    const api = await Api.start(memoryGateway({ clock, content, memory: new LiveMemory(clock) }), { access });
    for (let i = 0; i < 3; i++) {
      await api.get('/pmapi/fetch?prefix=kernel.all.cpu');
      clock.advance(5000);
    }
    const { notJudged } = await diagnose(api, `start=${START}&finish=${START + 10}`);
    expect(notJudged).toContainEqual({
      rule: 'memory.growing',
      resource: 'memory',
      reason: 'metrics of it are missing or hidden',
    });
    expect(JSON.stringify(notJudged)).not.toMatch(/(?:proc|cgroup)\.[a-z]/);
    await api.stop();
  });

  it('says that the beginning is not known, and who is not', async () => {
    const api = await apiOf(0, []);
    const { resources } = await diagnose(api, window);
    expect(resources[0]!.since).toBeUndefined();
    expect(resources[0]!.who).toEqual([]);
    expect(resources[0]!.sentence).toMatch(
      /^The processors are 94\.4 % busy; when it began is not known\. Who it is is not/,
    );
    await api.stop();
  });

  it('refuses a moment and a window together, and windows without length', async () => {
    const api = await apiOf(0, []);
    expect((await api.get(`/diagnosis?at=-1min&${window}`)).status).toBe(400);
    expect((await api.get(`/diagnosis?start=${START + 9}&finish=${START + 9}`)).status).toBe(400);
    await api.stop();
  });
});

describe('pmgate diagnose', () => {
  const flags = ['diagnose', '--start', String(START + 40), '--finish', String(START + 60)];

  it('ends with 1 if something is wrong, and 0 if nothing is', async () => {
    const [bad, good] = [await apiOf(30), await apiOf(1000)];
    const wrong = await shell(flags, { url: bad.url });
    expect(wrong.code).toBe(1);
    expect(wrong.stdout).toContain('since 02:00:35 (it was 5 %): pid 15158 node');
    expect(wrong.stderr).toContain('rules could not be judged');
    const right = await shell([...flags, '-o', 'csv'], { url: good.url });
    expect([right.code, right.stdout]).toEqual([
      0,
      'resource,state,rule,instance,value,before,unit,since,sentence\nprocessor,usual,,,,,,,Nothing is wrong with the processor.\n',
    ]);
    await bad.stop();
    await good.stop();
  });
});
