import { ArchiveBuilder } from '../../support/archive-builder.js';
import { archiveApi } from '../../support/archive-gateway.js';
import type { ArchiveApi } from '../../support/archive-gateway.js';
import { shell } from '../../shell/fake-terminal.js';
import { rows } from '../../support/rows.js';

const START = 2_000_000;
const PMID = (domain: number, cluster: number, item: number): number => domain * 2 ** 22 + cluster * 2 ** 10 + item;
const LOADS = PMID(60, 0, 2);
const PROCESSES = PMID(3, 0, 9);
const MSEC = 0x01002000;
const CPUS = 2;

interface Finding {
  readonly name: string;
  readonly sentence: string;
  readonly who?: readonly { readonly kind: string; readonly pid?: number; readonly share: number }[];
  readonly whoUnit?: string;
  readonly unknown?: string;
}

/** Ten minutes, a record every five seconds; at eight minutes a process takes a processor and a half, and the load rises out of all proportion. */
function build(hostName: string, hasProcesses: boolean): ArchiveBuilder {
  const builder = new ArchiveBuilder({ version: 3, start: [START, 0], hostName });
  const counter = { type: 3, semantics: 1, units: MSEC };
  const times = ['user', 'sys', 'nice', 'intr', 'idle'] as const;
  builder
    .metric({ pmid: PMID(60, 0, 32), names: ['hinv.ncpu'], type: 1, semantics: 4 })
    .metric({ pmid: PMID(60, 2, 0), names: ['kernel.all.load'], type: 5, semantics: 3, indom: LOADS })
    .indom([START, 0], LOADS, [[1, '1 minute']]);
  for (const [i, name] of times.entries()) {
    builder.metric({ pmid: PMID(60, 0, 20 + i), names: [`kernel.all.cpu.${name}`], ...counter });
  }
  const proc = { indom: PROCESSES };
  if (hasProcesses) {
    builder
      .metric({ pmid: PMID(3, 8, 21), names: ['proc.psinfo.start_time'], type: 3, semantics: 4, units: MSEC, ...proc })
      .metric({ pmid: PMID(3, 8, 1), names: ['proc.psinfo.cmd'], type: 6, semantics: 4, ...proc })
      .metric({ pmid: PMID(3, 8, 13), names: ['proc.psinfo.utime'], ...counter, ...proc })
      .metric({ pmid: PMID(3, 8, 14), names: ['proc.psinfo.stime'], ...counter, ...proc })
      .indom([START, 0], PROCESSES, rows([1, '000001 init'], [77, '000077 hog']));
  }
  builder.indexEntry([START, 0]);
  let [user, hog, init] = [0, 0, 0];
  for (let second = 0; second <= 600; second += 5) {
    const isLate = second > 480;
    const noise = 1 + 0.03 * Math.sin(second * 1.7);
    init += Math.round(200 * noise);
    hog += isLate ? 9000 : 0;
    user += Math.round(200 * noise) + (isLate ? 9000 : 0);
    const cpu = [user, 0, 0, 0, CPUS * 1000 * second - user];
    builder.record(
      [START + second, 0],
      [
        { pmid: PMID(60, 0, 32), values: [[-1, CPUS]] },
        { pmid: PMID(60, 2, 0), values: [[1, isLate ? 2.5 : 0.04 * noise]] },
        ...cpu.map((ms, i) => ({ pmid: PMID(60, 0, 20 + i), values: [[-1, BigInt(ms)] as const] })),
        ...(hasProcesses
          ? [
              { pmid: PMID(3, 8, 21), values: [[1, 10n] as const, [77, 20n] as const] },
              { pmid: PMID(3, 8, 1), values: [[1, 'init'] as const, [77, 'hog\u001B[2J'] as const] },
              { pmid: PMID(3, 8, 13), values: [[1, BigInt(init)] as const, [77, BigInt(hog)] as const] },
              { pmid: PMID(3, 8, 14), values: [[1, 0n] as const, [77, 0n] as const] },
            ]
          : []),
      ],
    );
  }
  return builder;
}

let served: ArchiveApi;

beforeAll(async () => {
  served = await archiveApi();
  build('web1', true).write(served.root, 'hit');
  build('web2', false).write(served.root, 'bare');
});

afterAll(async () => {
  expect(served.api.defects).toEqual([]);
  await served.stop();
});

async function findings(query: string, after = '-2min,'): Promise<readonly Finding[]> {
  const answer = await served.api.get(`/changes?after=${after}&${query}`);
  expect([query, answer.status, answer.status === 200 ? '' : answer.text]).toEqual([query, 200, '']);
  return (answer.json as unknown as { findings: readonly Finding[] }).findings;
}

describe('who is behind a change', () => {
  it('is said with shares of the rise, and a full processor comes before an average that rose more', async () => {
    const [processor, load] = await findings('archive=hit');
    expect(processor!.name).toMatch(/^kernel\.all\.cpu\./);
    expect(load!.name).toBe('kernel.all.load');
    expect(processor!.who).toMatchObject([
      { kind: 'process', pid: 77, name: 'hog\uFFFD[2J', share: expect.closeTo(1, 1) as number },
      { kind: 'others' },
    ]);
    expect(processor!.whoUnit).toBe('%');
    expect(processor!.who!.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
    expect(processor!.sentence).toMatch(/; of the rise: pid 77 hog\uFFFD\[2J \d+ %, others \d+ %$/);
  });

  it('is not guessed where processes are not recorded', async () => {
    const [processor] = await findings('archive=bare');
    expect(processor).toMatchObject({ who: [], unknown: expect.stringMatching(/missing or hidden/) as string });
    expect(processor!.sentence).not.toContain('rise:');
  });

  it('is not said of other hosts, nor of what fell', async () => {
    const against = await findings('archive=hit&against=bare&before=%2B1min,%2B3min');
    const fell = await findings('archive=hit&before=-2min,', '%2B1min,%2B3min');
    for (const { who, unknown } of [...against, ...fell]) expect({ who, unknown }).toEqual({});
  });

  it('is shown by pmgate changes', async () => {
    const { stdout } = await shell(['changes', '-a', 'hit', '--after=-2min,'], { url: served.api.url });
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('of the rise: pid 77 hog');
  });
});
