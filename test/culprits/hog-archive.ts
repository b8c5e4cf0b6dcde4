import { ArchiveBuilder, type BuiltSet } from '../support/archive-builder.js';
import { rows } from '../support/rows.js';

export const HOG_PID = 77;
export const HOG_START = 2_000_000;
const END_SEC = 600;
const [PROCESSORS, OTHERS_MS, HOG_MS] = [2, 200, 1700];
const PROCESSES = 3 * 2 ** 22 + 9;
const MSEC = 0x01002000;
const COUNTER = { type: 3, semantics: 1, units: MSEC };

/** A PMID of the agent of Linux metrics. */
export const linuxPmid = (cluster: number, item: number): number => 60 * 2 ** 22 + cluster * 2 ** 10 + item;
const processPmid = (item: number): number => 3 * 2 ** 22 + 8 * 1024 + item;

export interface HogArchiveOptions {
  /** The name of the hog. */
  readonly name?: string;
  /** When it begins; never, if this is more than 600. */
  readonly hogSec?: number;
  /** When it ends; at the end, if this is not given. */
  readonly restSec?: number;
  readonly everySec?: number;
  readonly hasProcesses?: boolean;
  /** By how much what the others use moves. */
  readonly noise?: number;
  /** Nothing is recorded between these two seconds. */
  readonly gap?: readonly [number, number];
  /** When a mark says that the recording was interrupted. */
  readonly markSec?: number;
  /** Describes more metrics; returns their values at a second. */
  readonly more?: (builder: ArchiveBuilder) => (second: number) => readonly BuiltSet[];
}

/** Ten minutes of two processors: `init` takes a tenth of them, and from a moment on a hog 1.7 of the two. */
export function hogArchive(hostName: string, options: HogArchiveOptions = {}): ArchiveBuilder {
  const {
    name = 'hog',
    hogSec = 300,
    restSec = END_SEC,
    everySec = 10,
    hasProcesses = true,
    noise = 0,
    gap: [after, before] = [0, 0],
    markSec,
    more,
  } = options;
  const builder = new ArchiveBuilder({ version: 3, start: [HOG_START, 0], hostName });
  builder.metric({ pmid: linuxPmid(0, 32), names: ['hinv.ncpu'], type: 1, semantics: 4 });
  for (const [i, part] of ['user', 'sys', 'nice', 'intr', 'idle', 'steal', 'wait.total'].entries()) {
    builder.metric({ pmid: linuxPmid(0, 20 + i), names: [`kernel.all.cpu.${part}`], ...COUNTER });
  }
  const describe = (item: number, metric: string, type: object): unknown =>
    builder.metric({
      pmid: processPmid(item),
      names: [`proc.psinfo.${metric}`],
      indom: PROCESSES,
      type: 6,
      semantics: 4,
      ...type,
    });
  if (hasProcesses) {
    describe(21, 'start_time', { type: 3, units: MSEC });
    describe(1, 'cmd', {});
    describe(13, 'utime', COUNTER);
    describe(14, 'stime', COUNTER);
    builder.indom([HOG_START, 0], PROCESSES, rows([1, '000001 init'], [HOG_PID, `000077 ${name}`]));
  }
  const valuesAt = more?.(builder) ?? (() => []);
  builder.indexEntry([HOG_START, 0]);
  let [init, hog] = [0, 0];
  for (let second = 0; second <= END_SEC; second += everySec) {
    init += Math.round(everySec * OTHERS_MS * (1 + noise * Math.sin(second * 1.7)));
    hog += second > hogSec && second <= restSec ? everySec * HOG_MS : 0;
    if (second === markSec) builder.mark([HOG_START + second, 0]);
    if (second === markSec || (second > after && second < before)) continue;
    const idle = PROCESSORS * 1000 * (second + everySec) - init - hog;
    const cpu = [init + hog, 0, 0, 0, idle, 0, 0];
    const ofBoth = (item: number, first: bigint | string, second: bigint | string): BuiltSet => ({
      pmid: processPmid(item),
      values: rows([1, first], [HOG_PID, second]),
    });
    const processes = [
      ofBoth(21, 10n, 20n),
      ofBoth(1, 'init', name),
      ofBoth(13, BigInt(init), BigInt(hog)),
      ofBoth(14, 0n, 0n),
    ];
    builder.record(
      [HOG_START + second, 0],
      [
        { pmid: linuxPmid(0, 32), values: [[-1, PROCESSORS]] },
        ...cpu.map((ms, i) => ({ pmid: linuxPmid(0, 20 + i), values: [[-1, BigInt(ms)] as const] })),
        ...(hasProcesses ? processes : []),
        ...valuesAt(second),
      ],
    );
  }
  return builder.indexEntry([HOG_START + END_SEC, 0]);
}
