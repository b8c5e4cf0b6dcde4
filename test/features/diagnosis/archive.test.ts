import type { components } from '../../../src/client/index.js';
import type { Api } from '../../support/api.js';
import { shell } from '../../shell/fake-terminal.js';
import { archiveApi } from '../../support/archive-gateway.js';
import type { ArchiveApi } from '../../support/archive-gateway.js';
import { rows } from '../../support/rows.js';
import { HOG_PID, HOG_START as START, hogArchive, linuxPmid } from '../../culprits/hog-archive.js';
import type { HogArchiveOptions } from '../../culprits/hog-archive.js';

type Diagnosis = components['schemas']['Diagnosis'];

/** In which the kernel killed two processes at a moment. */
const killedAt =
  (killedSec: number): NonNullable<HogArchiveOptions['more']> =>
  (builder) => {
    builder.metric({ pmid: linuxPmid(28, 0), names: ['mem.vmstat.oom_kill'], type: 3, semantics: 1 });
    return (second) => [{ pmid: linuxPmid(28, 0), values: [[-1, second < killedSec ? 5n : 7n]] }];
  };

/** In which a process opened 2,000 files every ten seconds, and ended after the machine was sampled and before the processes were. */
const leakUntil =
  (endSec: number): NonNullable<HogArchiveOptions['more']> =>
  (builder) => {
    const [all, ofProcess] = [linuxPmid(27, 0), 3 * 2 ** 22 + 51 * 1024];
    builder
      .metric({ pmid: all, names: ['vfs.files.count'], type: 1, semantics: 3 })
      .metric({ pmid: ofProcess, names: ['proc.fd.count'], type: 1, semantics: 3, indom: 3 * 2 ** 22 + 9 });
    const opened = (second: number): number => 200 * Math.max(0, second - (endSec - 40));
    return (second) => {
      const isThere = second <= endSec;
      if (second % 10 === 0) return [{ pmid: all, values: [[-1, 1000 + (isThere ? opened(second) : 0)]] }];
      return [{ pmid: ofProcess, values: [[1, 10], ...(isThere ? ([[HOG_PID, 10 + opened(second)]] as const) : [])] }];
    };
  };

interface Throttled {
  /** Whether the group is there at a second. */
  readonly isThere?: (second: number) => boolean;
  /** In how many of ten periods a second it was held back until then. */
  readonly held?: (second: number) => number;
  readonly isSampled?: (second: number) => boolean;
}

/** In which a group with a quota is held back nearly always, beside one that never is. */
const throttled =
  ({
    isThere = () => true,
    held = (second) => 9 * second,
    isSampled = () => true,
  }: Throttled): NonNullable<HogArchiveOptions['more']> =>
  (builder) => {
    const indom = 3 * 2 ** 22 + 20;
    const [periods, heldBack] = [1, 2].map((item) => 3 * 2 ** 22 + 38 * 1024 + item) as [number, number];
    builder
      .metric({ pmid: periods, names: ['cgroup.cpusched.periods'], type: 3, semantics: 1, indom })
      .metric({ pmid: heldBack, names: ['cgroup.cpusched.throttled'], type: 3, semantics: 1, indom })
      .indom([START, 0], indom, rows([1, '/held'], [2, '/free']));
    const of = (second: number): readonly (readonly [number, bigint])[] =>
      rows([1, BigInt(held(second))] as const, [2, 0n] as const).slice(isThere(second) ? 0 : 1);
    return (second) => {
      if (!isSampled(second)) return [];
      const ofPeriods = of(second).map(([id]) => [id, BigInt(10 * second)] as const);
      return [
        { pmid: periods, values: ofPeriods },
        { pmid: heldBack, values: of(second) },
      ];
    };
  };

/** Once a second until 320, then four times, and from 500 on nine times. */
const slowly = (second: number): number => second + 3 * Math.max(0, second - 320) + 5 * Math.max(0, second - 500);

describe('GET /diagnosis', () => {
  let served: ArchiveApi;
  let api: Api;

  beforeAll(async () => {
    // Charts are on the page.
    served = await archiveApi({ routes: { consolePage: { run: () => Promise.reject(new Error('not asked for')) } } });
    ({ api } = served);
    const never = { hogSec: Infinity };
    hogArchive('hit.example', { name: 'ignore\nall "previous"' }).write(served.root, 'hit');
    hogArchive('brief.example', { hogSec: 100, restSec: 120 }).write(served.root, 'brief');
    hogArchive('quiet.example', never).write(served.root, 'quiet');
    hogArchive('killed.example', { ...never, more: killedAt(560) }).write(served.root, 'killed');
    hogArchive('leak.example', { ...never, everySec: 5, more: leakUntil(340) }).write(served.root, 'leak');
    for (const [name, more, everySec = 10] of [
      ['held', throttled({ isThere: (second) => second <= 560 })],
      ['back', throttled({ isThere: (second) => second < 400 || second > 430 })],
      ['uneven', throttled({ held: slowly, isSampled: (second) => second >= 320 || second % 10 === 0 }), 1],
    ] as const)
      hogArchive(`${name}.example`, { ...never, everySec, more }).write(served.root, name);
    for (const [name, options] of [
      ['short-gap', { gap: [100, 250] }],
      ['long-gap', { gap: [100, 260] }],
      ['marked', { markSec: 200 }],
    ] as const)
      hogArchive(`${name}.example`, { ...never, ...options }).write(served.root, name);
    hogArchive('bare.example', { hasProcesses: false }).write(served.root, 'bare');
  });

  afterAll(async () => {
    expect(api.defects).toEqual([]);
    await served.stop();
  });

  async function diagnose(query: string): Promise<Diagnosis> {
    const answer = await api.get(`/diagnosis?${query}`);
    expect([query, answer.status, answer.status === 200 ? '' : answer.text]).toEqual([query, 200, '']);
    return answer.json as unknown as Diagnosis;
  }

  it('names the resource, since when, what it was before, and who did it', async () => {
    const { state, resources, notJudged, changes } = await diagnose('archive=hit');
    expect(state).toBe('saturated');
    const [processor] = resources;
    expect(processor).toMatchObject({ resource: 'processor', state: 'saturated', since: START + 310, before: 10 });
    const { who = [], evidence = [], sentence } = processor!;
    expect(who[0]).toMatchObject({ kind: 'process', pid: HOG_PID, use: expect.closeTo(170, 0) as number, before: 0 });
    expect(who[0]!.name).not.toMatch(/\n/);
    expect(who.map(({ share }) => share).reduce((a, b) => a + b)).toBeCloseTo(1, 9);
    expect(sentence).not.toMatch(/\n/);
    for (const { range, why, chart } of evidence) {
      expect([range, (await api.get(range)).status]).toEqual([range, 200]);
      expect([why, (await api.get(why)).status]).toEqual([why, 200]);
      expect(decodeURIComponent(chart!)).toMatch(
        /^\/console\/chart\?on=archive:hit&lane=kernel\.all\.[\w.]+&t=1970-01-24T03:37:30.000Z\/1970-01-24T03:43:20.000Z$/,
      );
    }
    const { findings } = (await api.get(changes!)).json as unknown as { findings: readonly { name: string }[] };
    expect(findings[0]!.name).toMatch(/^kernel\.all\.cpu/);
    expect(notJudged.map(({ rule }) => rule)).toContain('memory.short');
  });

  it('is told by pmgate diagnose, with what else changed', async () => {
    const { code, stdout, stderr } = await shell(['diagnose', '-a', 'hit'], { url: api.url });
    expect([code, stdout.replaceAll(/\s+/g, ' ')]).toEqual([
      1,
      expect.stringContaining('The processors were 95 % busy'),
    ]);
    expect(stderr).toMatch(/What else changed:\n {2}kernel\.all\.cpu\.\w+ /);
    const quiet = await shell(['diagnose', '-a', 'quiet'], { url: api.url });
    expect([quiet.code, quiet.stderr]).toEqual([0, expect.not.stringContaining('changed')]);
  });

  it('looks at the minutes around another moment, which may be a time of day', async () => {
    expect((await diagnose('archive=hit&at=180sec')).state).toBe('usual');
    // Recorded from 03:33:20 until 03:43:20, with trouble for the last five minutes.
    for (const at of ['290sec', '03:38', '@3:38', '03:38:10']) {
      const [{ sentence, since } = { sentence: '' }] = (await diagnose(`archive=hit&at=${at}`)).resources;
      expect([at, since, sentence]).toEqual([
        at,
        START + 310,
        expect.stringMatching(
          /^The processors were 95 % busy from 03:38:30 on \(it had been 10 %\): pid 77 \S+ \S+ took /,
        ),
      ]);
    }
    // The last time that it was so late.
    expect((await diagnose('archive=hit&at=23:59')).notJudged.map(({ rule }) => rule)).toContain('processor.full');
  });

  it.each(['1960-01-01', '2099-01-01'])(
    'calls nothing usual at a time of which nothing is recorded: %s',
    async (at) => {
      const { state, resources, notJudged, warnings } = await diagnose(`archive=hit&at=${at}`);
      expect({ state, resources, warnings }).toEqual({
        ...{ state: 'unknown', resources: [] },
        warnings: [expect.objectContaining({ message: 'nothing is recorded or remembered of this time' })],
      });
      expect(notJudged.map(({ rule }) => rule)).toContain('processor.full');
    },
  );

  it.each(['start=1960-01-01&finish=1960-01-02', 'start=2099-01-01'])(
    'refuses a window in which nothing is recorded: %s',
    async (window) => {
      const { status, json } = await api.get(`/diagnosis?archive=hit&${window}`);
      expect([status, json.message]).toEqual([400, 'nothing is recorded or remembered of this time']);
    },
  );

  it('finds what was for a part of a long window', async () => {
    const [processor] = (await diagnose('archive=brief&start=0sec')).resources;
    expect(processor).toMatchObject({
      resource: 'processor',
      state: 'saturated',
      since: START + 110,
      who: [{ pid: HOG_PID }, {}],
    });
    expect(processor!.sentence).toMatch(
      /^The processors were 95 % busy from 03:35:10 to 03:35:20 \(it had been 10 %\): pid 77/,
    );
  });

  it('tells what failed in one sample, and how often', async () => {
    const { state, resources } = await diagnose('archive=killed');
    expect(state).toBe('failing');
    expect(resources[0]).toMatchObject({ resource: 'memory', state: 'failing', value: 2, since: START + 560 });
    expect(resources[0]!.sentence).toMatch(/^The kernel killed processes as memory had run out, 2 at 03:42:40\. Who/);
    expect((await diagnose('archive=killed&at=430sec')).state).toBe('usual');
  });

  it('names a process that ended with the trouble', async () => {
    const [descriptors] = (await diagnose('archive=leak&at=300sec')).resources;
    expect(descriptors).toMatchObject({ resource: 'descriptors', who: [{ pid: HOG_PID }, {}], until: START + 340 });
    expect(descriptors!.who![0]!.share).toBeGreaterThan(0.5);
  });

  it('says of a group that ended in the window until when it was held back', async () => {
    const [group] = (await diagnose('archive=held')).resources;
    expect(group).toMatchObject({ resource: 'group', until: START + 560 });
    expect(group!.sentence).toMatch(/^The group \/held was held back .* in 90 % of its periods until 03:42:40; when/);
  });

  it('says of a group that was not there in between since when it is held back again', async () => {
    const [group] = (await diagnose('archive=back')).resources;
    expect(group).toMatchObject({ resource: 'group', since: START + 450 });
  });

  it('says what was before by time, though samples were denser at the end of it', async () => {
    const [group] = (await diagnose('archive=uneven')).resources;
    expect(group).toMatchObject({ since: START + 501, value: expect.closeTo(90, 6) as number, before: 10 });
  });

  it('finds nothing where nothing is, and names no one', async () => {
    const { state, resources } = await diagnose('archive=quiet');
    expect(state).toBe('usual');
    expect(resources.every(({ who }) => who === undefined)).toBe(true);
  });

  it.each([
    ['archive=quiet', 540],
    ['archive=quiet&start=0sec', 0],
    ['archive=hit&start=0sec', 0],
    ['archive=short-gap&start=0sec', 0],
    ['archive=long-gap&start=0sec', 260, 'the last until 1970-01-24T03:37:40Z'],
    ['archive=long-gap&start=0sec&finish=240sec', 0],
    ['archive=long-gap&start=0sec&finish=255sec', undefined, 'the last until 1970-01-24T03:37:35Z'],
    ['archive=marked&start=0sec', 210, 'the last until 1970-01-24T03:36:50Z'],
    ['archive=marked&start=100sec', 210],
    ['archive=marked&start=0sec&finish=205sec', undefined, 'the last until 1970-01-24T03:36:45Z'],
    ['archive=quiet&at=2099-01-01', undefined, 'nothing is recorded or remembered of this time'],
  ])('says since when samples have no gap: %s', async (query, second, warning = '') => {
    const { sampledSince, warnings = [] } = await diagnose(query);
    expect(sampledSince).toBe(second === undefined ? undefined : START + second);
    expect(warnings.map(({ message }) => message).join()).toMatch(new RegExp(`${warning}$`));
    expect(warnings).toHaveLength(warning === '' ? 0 : 1);
  });

  it('guesses no one where processes are not recorded', async () => {
    const { resources } = await diagnose('archive=bare');
    expect(resources[0]!.unknown).toMatch(/process/);
    expect(resources[0]!.who ?? []).toEqual([]);
  });

  it.each([
    ['archive=hit&at=nonsense', 400],
    ['archive=hit&at=1sec&start=1sec', 400],
    ['archive=none', 404],
    ['archive=hit&hostspec=x', 400],
  ])('refuses %s', async (query, status) => {
    expect((await api.get(`/diagnosis?${query}`)).status).toBe(status);
  });
});
