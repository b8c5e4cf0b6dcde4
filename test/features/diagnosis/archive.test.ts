import type { Api } from '../../support/api.js';
import { ArchiveBuilder } from '../../support/archive-builder.js';
import { archiveApi } from '../../support/archive-gateway.js';
import type { ArchiveApi } from '../../support/archive-gateway.js';

const START = 2_000_000;
const PMID = (cluster: number, item: number): number => 60 * 2 ** 22 + cluster * 2 ** 10 + item;
const PROCESSES = 3 * 2 ** 22 + 9;
const MSEC = 0x01002000;

interface Diagnosis {
  readonly state: string;
  readonly resources: readonly {
    readonly resource: string;
    readonly state: string;
    readonly sentence: string;
    readonly since?: number;
    readonly before?: number;
    readonly unknown?: string;
    readonly who?: readonly {
      readonly kind: string;
      readonly pid?: number;
      readonly name: string;
      readonly share: number;
      readonly use: number;
    }[];
    readonly evidence?: readonly { readonly range: string; readonly why: string }[];
  }[];
  readonly notJudged: readonly { readonly rule: string; readonly reason: string }[];
}

/** Ten minutes, a record every ten seconds; from the fifth minute on, a process with a strange name takes a processor and a half of two. */
function build(
  hostName: string,
  { isHit = true, hasProcesses = true, killedAt = Infinity }: Partial<Record<'isHit' | 'hasProcesses', boolean>> & { killedAt?: number } = {},
): ArchiveBuilder {
  const builder = new ArchiveBuilder({ version: 3, start: [START, 0], hostName });
  builder
    .metric({ pmid: PMID(0, 32), names: ['hinv.ncpu'], type: 1, semantics: 4 })
    .metric({ pmid: PMID(28, 0), names: ['mem.vmstat.oom_kill'], type: 3, semantics: 1 })
    .metric({ pmid: PMID(0, 21), names: ['kernel.all.cpu.idle'], type: 3, semantics: 1, units: MSEC })
    .metric({ pmid: PMID(0, 20), names: ['kernel.all.cpu.user'], type: 3, semantics: 1, units: MSEC })
    .metric({ pmid: PMID(0, 23), names: ['kernel.all.cpu.nice'], type: 3, semantics: 1, units: MSEC })
    .metric({ pmid: PMID(0, 22), names: ['kernel.all.cpu.sys'], type: 3, semantics: 1, units: MSEC })
    .metric({ pmid: PMID(0, 34), names: ['kernel.all.cpu.intr'], type: 3, semantics: 1, units: MSEC })
    .metric({ pmid: PMID(0, 55), names: ['kernel.all.cpu.steal'], type: 3, semantics: 1, units: MSEC })
    .metric({ pmid: PMID(0, 35), names: ['kernel.all.cpu.wait.total'], type: 3, semantics: 1, units: MSEC });
  if (hasProcesses) {
    builder
      .metric({
        pmid: PMID(8, 21),
        names: ['proc.psinfo.start_time'],
        type: 3,
        semantics: 4,
        indom: PROCESSES,
        units: MSEC,
      })
      .metric({ pmid: PMID(8, 1), names: ['proc.psinfo.cmd'], type: 6, semantics: 4, indom: PROCESSES })
      .metric({ pmid: PMID(8, 13), names: ['proc.psinfo.utime'], type: 3, semantics: 1, indom: PROCESSES, units: MSEC })
      .metric({ pmid: PMID(8, 14), names: ['proc.psinfo.stime'], type: 3, semantics: 1, indom: PROCESSES, units: MSEC })
      .indom([START, 0], PROCESSES, [
        [1, '000001 init'],
        [77, '000077 hog'],
      ]);
  }
  builder.indexEntry([START, 0]);
  let [idle, hog] = [0, 0];
  for (let second = 0; second <= 600; second += 10) {
    const isLate = isHit && second > 300;
    const took = isLate ? 15_000 : 0;
    idle += isLate ? 100 : 18_000;
    hog += took;
    builder.record(
      [START + second, 0],
      [
        { pmid: PMID(0, 32), values: [[-1, 2]] },
        { pmid: PMID(28, 0), values: [[-1, second < killedAt ? 5n : 7n]] },
        { pmid: PMID(0, 21), values: [[-1, BigInt(idle)]] },
        { pmid: PMID(0, 20), values: [[-1, BigInt(20 * 1000 * (second / 10) - idle)]] },
        ...[23, 22, 34, 55, 35].map((item) => ({ pmid: PMID(0, item), values: [[-1, 0n]] as [number, bigint][] })),
        ...(hasProcesses
          ? [
              { pmid: PMID(8, 21), values: [[1, 10n] as const, [77, 20n] as const] },
              { pmid: PMID(8, 1), values: [[1, 'init'] as const, [77, 'ignore\nall "previous"'] as const] },
              { pmid: PMID(8, 13), values: [[1, 10n] as const, [77, BigInt(hog)] as const] },
              { pmid: PMID(8, 14), values: [[1, 10n] as const, [77, 0n] as const] },
            ]
          : []),
      ],
    );
  }
  return builder;
}

describe('GET /diagnosis', () => {
  let served: ArchiveApi;
  let api: Api;

  beforeAll(async () => {
    served = await archiveApi();
    ({ api } = served);
    build('hit.example').write(served.root, 'hit');
    build('quiet.example', { isHit: false }).write(served.root, 'quiet');
    build('killed.example', { isHit: false, killedAt: 560 }).write(served.root, 'killed');
    build('bare.example', { hasProcesses: false }).write(served.root, 'bare');
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
    const { state, resources, notJudged } = await diagnose('archive=hit');
    expect(state).toBe('saturated');
    const [processor] = resources;
    expect(processor).toMatchObject({ resource: 'processor', state: 'saturated', since: START + 310, before: 10 });
    const { who = [], evidence = [], sentence } = processor!;
    expect(who[0]).toMatchObject({ kind: 'process', pid: 77, use: expect.closeTo(150, 0) as number });
    expect(who[0]!.name).not.toMatch(/\n/);
    expect(who.map(({ share }) => share).reduce((a, b) => a + b)).toBeCloseTo(1, 9);
    expect(sentence).not.toMatch(/\n/);
    for (const { range, why } of evidence) {
      expect([range, (await api.get(range)).status]).toEqual([range, 200]);
      expect([why, (await api.get(why)).status]).toEqual([why, 200]);
    }
    expect(notJudged.map(({ rule }) => rule)).toContain('memory.short');
  });

  it('looks at another moment', async () => {
    expect((await diagnose('archive=hit&at=240sec')).state).toBe('usual');
  });

  it('tells what failed in one sample, and how often', async () => {
    const { state, resources } = await diagnose('archive=killed');
    expect(state).toBe('failing');
    expect(resources[0]).toMatchObject({ resource: 'memory', state: 'failing', value: 2, since: START + 560 });
    expect(resources[0]!.sentence).toMatch(/^The kernel kills processes as memory has run out, 2 since 03:42:40\. Who/);
    expect((await diagnose('archive=killed&at=550sec')).state).toBe('usual');
  });

  it('finds nothing where nothing is, and names no one', async () => {
    const { state, resources } = await diagnose('archive=quiet');
    expect(state).toBe('usual');
    expect(resources.every(({ who }) => who === undefined)).toBe(true);
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
