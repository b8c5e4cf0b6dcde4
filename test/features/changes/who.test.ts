import type { ArchiveBuilder } from '../../support/archive-builder.js';
import { servedArchives } from '../../support/archive-gateway.js';
import { shell } from '../../shell/fake-terminal.js';
import { HOG_PID, HOG_START, type HogArchiveOptions, hogArchive, linuxPmid } from '../../culprits/hog-archive.js';

const LOADS = linuxPmid(0, 2);
const [HOG_SEC, NOISE] = [480, 0.03];

interface Finding {
  readonly name: string;
  readonly sentence: string;
  readonly who?: readonly { readonly kind: string; readonly pid?: number; readonly share: number }[];
  readonly whoUnit?: string;
  readonly unknown?: string;
}

/** At eight minutes a hog begins, and the load rises out of all proportion. */
function build(hostName: string, hasProcesses: boolean): ArchiveBuilder {
  const addLoad: NonNullable<HogArchiveOptions['more']> = (builder) => {
    builder
      .metric({ pmid: linuxPmid(2, 0), names: ['kernel.all.load'], type: 5, semantics: 3, indom: LOADS })
      .indom([HOG_START, 0], LOADS, [[1, '1 minute']]);
    const loadAt = (second: number): number => (second > HOG_SEC ? 2.5 : 0.04 * (1 + NOISE * Math.sin(second * 1.7)));
    return (second) => [{ pmid: linuxPmid(2, 0), values: [[1, loadAt(second)]] }];
  };
  const options = { name: 'hog\u001B[2J', hogSec: HOG_SEC, everySec: 5, noise: NOISE, hasProcesses, more: addLoad };
  return hogArchive(hostName, options);
}

const served = servedArchives();
build('web1', true).write(served.root, 'hit');
build('web2', false).write(served.root, 'bare');

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
      { kind: 'process', pid: HOG_PID, name: 'hog\uFFFD[2J', share: expect.closeTo(1, 1) as number },
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
