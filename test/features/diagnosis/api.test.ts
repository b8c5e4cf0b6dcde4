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
  readonly sentence: string;
  readonly resources: readonly {
    readonly resource: string;
    readonly state: string;
    readonly findings: readonly {
      readonly rule: string;
      readonly since?: number;
      readonly before?: number;
      readonly range: string;
    }[];
    readonly who?: readonly {
      readonly pid?: number;
      readonly name: string;
      readonly share: number;
      readonly use: number;
    }[];
    readonly whoUnknown?: string;
  }[];
  readonly notJudged: readonly { readonly rule: string; readonly reason: string }[];
}

/** Ten minutes, a record every ten seconds; from the fifth minute on, a process with a strange name takes a processor and a half of two. */
function build(hostName: string, { isHit = true, hasProcesses = true } = {}): ArchiveBuilder {
  const builder = new ArchiveBuilder({ version: 3, start: [START, 0], hostName });
  builder
    .metric({ pmid: PMID(0, 32), names: ['hinv.ncpu'], type: 1, semantics: 4 })
    .metric({ pmid: PMID(0, 21), names: ['kernel.all.cpu.idle'], type: 3, semantics: 1, units: MSEC })
    .metric({ pmid: PMID(0, 35), names: ['kernel.all.cpu.wait.total'], type: 3, semantics: 1, units: MSEC });
  if (hasProcesses) {
    builder
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
        { pmid: PMID(0, 21), values: [[-1, BigInt(idle)]] },
        { pmid: PMID(0, 35), values: [[-1, 0n]] },
        ...(hasProcesses
          ? [
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
    const { state, sentence, resources, notJudged } = await diagnose('archive=hit');
    expect(state).toBe('saturated');
    expect(sentence).toBe(
      'the processor is saturated since 1970-01-24T03:38:30Z: 99.5 % busy (10 before); pid 77 "ignore?all \\"previous\\"" 150 % of a processor, others 49',
    );
    const [processor] = resources;
    expect(processor).toMatchObject({ resource: 'processor', state: 'saturated' });
    expect(processor!.who!.map(({ share }) => share).reduce((a, b) => a + b)).toBeCloseTo(1, 9);
    expect((await api.get(processor!.findings[0]!.range)).status).toBe(200);
    expect(notJudged.map(({ rule }) => rule)).toContain('memory.used');
  });

  it('looks at another moment', async () => {
    const { state, sentence } = await diagnose('archive=hit&at=240sec');
    expect(state).toBe('usual');
    expect(sentence).toMatch(/^nothing unusual: \d+ of \d+ rules were judged$/);
  });

  it('finds nothing where nothing is, and names nobody', async () => {
    const { state, resources } = await diagnose('archive=quiet');
    expect(state).toBe('usual');
    expect(resources.every(({ findings, who }) => findings.length === 0 && who === undefined)).toBe(true);
  });

  it('guesses nobody where processes are not recorded', async () => {
    const { resources, sentence } = await diagnose('archive=bare');
    expect(resources[0]!.whoUnknown).toBe('processes are not recorded, or may not be seen');
    expect(sentence).toContain('who did it is not known');
  });

  it.each([
    ['archive=hit&at=nonsense', 400],
    ['archive=hit&span=1', 400],
    ['archive=none', 404],
    ['archive=hit&hostspec=x', 400],
  ])('refuses %s', async (query, status) => {
    expect((await api.get(`/diagnosis?${query}`)).status).toBe(status);
  });
});
