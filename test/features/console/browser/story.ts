/**
 * An archive with a story: an hour of two processors, of which a process takes one and a half from the 30th to the 34th minute, and of an
 * interface that receives a KiB per second more with each sample.
 */
import { ArchiveBuilder } from '../../../support/archive-builder.js';

const START = Date.UTC(2026, 10, 19, 14) / 1000;
/** When the process begins and ends to be busy. */
export const [HIT, OVER] = [START + 1800, START + 2040] as const;
/** The process. */
export const HOG = 77;
const [PROCESSES, INTERFACES] = [3 * 2 ** 22 + 9, 60 * 2 ** 22 + 3];
const [MSEC, BYTES, KIB] = [0x01002000, 0x10000000, 1024];
const pmid = (cluster: number, item: number): number => 60 * 2 ** 22 + cluster * 2 ** 10 + item;
const TIMES = { idle: 21, user: 20, nice: 23, sys: 22, intr: 34, steal: 55, 'wait.total': 35 };

/** Write it below a root, perhaps as one of a later time, or with processes that are sampled less often. */
export function writeStory(root: string, name = 'story', { later = 0, processesEvery = 10 } = {}): void {
  const start = START + later;
  const builder = new ArchiveBuilder({ version: 3, start: [start, 0], hostName: 'story.example' });
  builder.metric({ pmid: pmid(0, 32), names: ['hinv.ncpu'], type: 1, semantics: 4 });
  for (const [name, item] of Object.entries(TIMES)) {
    builder.metric({ pmid: pmid(0, item), names: [`kernel.all.cpu.${name}`], type: 3, semantics: 1, units: MSEC });
  }
  const ofInterface = { indom: INTERFACES, type: 3, units: BYTES, semantics: 1 };
  builder
    .metric({ ...ofInterface, pmid: pmid(3, 0), names: ['network.interface.in.bytes'] })
    .metric({ ...ofInterface, pmid: pmid(3, 8), names: ['network.interface.out.bytes'] })
    .indom([start, 0], INTERFACES, [[0, 'eth0']]);
  const ofProcess = { indom: PROCESSES, type: 3, units: MSEC };
  builder
    .metric({ ...ofProcess, pmid: pmid(8, 21), names: ['proc.psinfo.start_time'], semantics: 4 })
    .metric({ pmid: pmid(8, 1), names: ['proc.psinfo.cmd'], indom: PROCESSES, type: 6, semantics: 4 })
    .metric({ ...ofProcess, pmid: pmid(8, 13), names: ['proc.psinfo.utime'], semantics: 1 })
    .metric({ ...ofProcess, pmid: pmid(8, 14), names: ['proc.psinfo.stime'], semantics: 1 })
    .indom([start, 0], PROCESSES, [
      [1, '000001 init'],
      [HOG, '000077 hog'],
    ])
    .indexEntry([start, 0]);
  let [idle, hog, received] = [-18_000, 0, 0];
  for (let second = 0; second <= 3600; second += 10) {
    const isHit = START + second > HIT && START + second <= OVER;
    idle += isHit ? 100 : 18_000;
    hog += isHit ? 15_000 : 0;
    received += second * KIB;
    const times = { idle, user: 2000 * second - idle };
    // It has gone when it is over.
    const isThere = START + second <= OVER;
    const each = (init: bigint | string, own: bigint | string): (readonly [number, bigint | string])[] => [
      [1, init],
      ...(isThere ? ([[HOG, own]] as const) : []),
    ];
    builder.record(
      [start + second, 0],
      [
        { pmid: pmid(0, 32), values: [[-1, 2]] },
        ...Object.entries(TIMES).map(([name, item]) => ({
          pmid: pmid(0, item),
          values: [[-1, BigInt(name in times ? times[name as 'idle'] : 0)]] as const,
        })),
        { pmid: pmid(3, 0), values: [[0, BigInt(received)]] },
        { pmid: pmid(3, 8), values: [[0, 0n]] },
        ...(second % processesEvery === 0
          ? [
              { pmid: pmid(8, 21), values: each(10n, 20n) },
              { pmid: pmid(8, 1), values: each('init', 'hog') },
              { pmid: pmid(8, 13), values: each(10n, BigInt(hog)) },
              { pmid: pmid(8, 14), values: each(10n, 0n) },
            ]
          : []),
      ],
    );
  }
  builder.write(root, name);
}
