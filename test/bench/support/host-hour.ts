import { readFileSync } from 'node:fs';
import { encodeUnits, INDOM_NULL, MetricType } from '../../../src/pmapi/index.js';
import { LINUX_CATALOG } from '../../../src/sources/linux/catalog/linux-catalog.js';
import { ArchiveBuilder, type BuiltSet, type BuiltValue } from '../../support/archive-builder.js';

const START = 1_700_000_000;
const HOUR_SEC = 3600;
const INTERVAL_SEC = 10;
const OTHER_INSTANCES = 2;
const PROCESSES = (3 << 22) | 9;
/** The last minutes, in which a process takes all. */
const BUSY_SEC = 600;
/** What others move, too; all else stands still. */
const MOVES = /^proc\.psinfo\.c?[us]time$|^cgroup\.cpu/;

/** Writes an hour of what a gateway records of a host: a record every ten seconds, of so many processes and control groups. */
export function writeHostHour(directory: string, name: string, processes: number, groups: number): void {
  const builder = new ArchiveBuilder({ version: 3, start: [START, 0], hostName: 'web1' });
  const wanted = ['core-metrics', 'who'].flatMap((file) =>
    readFileSync(`config/record/${file}.txt`, 'utf8')
      .split('\n')
      .filter((line) => /^\w/.test(line)),
  );
  const metrics = LINUX_CATALOG.metrics.filter(({ name: metric }) =>
    wanted.some((prefix) => metric === prefix || metric.startsWith(`${prefix}.`)),
  );
  const indoms = new Map<number, readonly number[]>();
  for (const { name: metric, descriptor } of metrics) {
    const { pmid, type, indom, semantics, units } = descriptor;
    builder.metric({
      pmid,
      names: [metric],
      type,
      semantics,
      units: encodeUnits(units),
      ...(indom === INDOM_NULL ? {} : { indom }),
    });
    if (indom === INDOM_NULL || indoms.has(indom)) continue;
    const count = indom === PROCESSES ? processes : metric.startsWith('cgroup.') ? groups : OTHER_INSTANCES;
    const ids = Array.from({ length: count }, (_, i) => i + 1);
    indoms.set(indom, ids);
    builder.indom(
      [START, 0],
      indom,
      ids.map((id) => [id, indom === PROCESSES ? `${String(id).padStart(6, '0')} p` : `/group-${id}`]),
    );
  }
  builder.indexEntry([START, 0]);
  for (let sec = 0; sec <= HOUR_SEC; sec += INTERVAL_SEC) {
    builder.record(
      [START + sec, 0],
      metrics.map(({ name: metric, descriptor }): BuiltSet => {
        const { pmid, type, indom } = descriptor;
        const ids = indom === INDOM_NULL ? [-1] : indoms.get(indom)!;
        return { pmid, values: ids.map((id) => [id, valueOf(metric, type, id, sec)] as const) };
      }),
    );
  }
  builder.write(directory, name);
}

function valueOf(name: string, type: number, id: number, sec: number): BuiltValue {
  if (type === MetricType.STRING) return name === 'proc.psinfo.cgroups' ? `cpu:/group-${id}` : `text ${id}`;
  const busySec = Math.max(0, sec - HOUR_SEC + BUSY_SEC);
  const isHog = name === 'proc.psinfo.utime' && id === 1;
  const fixed: Readonly<Record<string, number>> = {
    'kernel.all.cpu.idle': (sec - busySec) * 1900,
    'kernel.all.cpu.user': sec * 100 + busySec * 1900,
    // The machine started at one moment.
    'kernel.all.uptime': 10_000 + sec,
    'proc.psinfo.start_time': 1000,
    'mem.util.available': 8_000_000,
    'mem.physmem': 16_000_000,
    'vfs.files.max': 1_000_000,
    'kernel.all.pid_max': 1_000_000,
  };
  const number = isHog ? busySec * 1000 : (fixed[name] ?? (MOVES.test(name) ? Math.floor(sec / 10) : 1));
  return type === MetricType.U64 || type === MetricType.I64 ? BigInt(Math.round(number)) : number;
}
