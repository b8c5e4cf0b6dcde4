import type { ByteScanner } from '../byte-scanner.js';
import { LINUX_CATALOG, SWAP_DEVICE_INDOM } from '../catalog/linux-catalog.js';
import type { ClusterEnvironment, LocalCluster, MetricBinding } from '../cluster.js';
import type { InstanceCache } from '../instance-cache.js';
import { InstanceTable } from '../instance-table.js';
import { NumberGrid, Sample } from '../sample.js';
import type { ProcFile, ProcFiles } from '../proc-files.js';
import { RememberedNames } from '../remembered-names.js';
import { unescapePath } from './mounts.js';

const COLUMN = { size: 0, used: 1, priority: 2, count: 3 } as const;

/** /proc/swaps: `Filename Type Size Used Priority`, sizes in Kbyte. @see proc_swaps(5) */
class Swaps extends Sample {
  readonly devices: InstanceTable;
  readonly fields = new NumberGrid(COLUMN.count);
  readonly #files: ProcFiles;
  readonly #file: ProcFile;
  readonly #cache: InstanceCache;
  readonly #numbers: RememberedNames<number>;
  readonly #instancesChanged: () => void;

  constructor(files: ProcFiles, cache: InstanceCache, instancesChanged: () => void) {
    super();
    this.#files = files;
    this.#file = files.file('proc/swaps');
    this.#cache = cache;
    this.devices = new InstanceTable(cache.indom);
    this.#numbers = new RememberedNames((name) => cache.numberOf(unescapePath(name)));
    this.#instancesChanged = instancesChanged;
  }

  protected override refresh(): void {
    this.devices.clear();
    this.fields.clear();
    this.#numbers.begin();
    const scanner = this.#files.scan(this.#file);
    if (scanner) while (scanner.nextLine()) this.#line(scanner);
    if (!this.#numbers.finish()) return;
    this.#cache.present(this.devices);
    this.#instancesChanged();
  }

  #line(scanner: ByteScanner): void {
    const end = scanner.wordEnd();
    if (end === scanner.pos) return;
    this.devices.add(this.#numbers.next(scanner.bytes, scanner.pos, end));
    scanner.pos = end;
    scanner.skipWords(1);
    this.fields.storeLine(this.fields.addRow(), 0, COLUMN.count, scanner);
  }
}

/** swapdev.*, from /proc/swaps. */
export function swapsCluster(environment: ClusterEnvironment): LocalCluster {
  const cache = environment.caches.of(SWAP_DEVICE_INDOM);
  const swaps = new Swaps(environment.files, cache, environment.instancesChanged);
  const samples = [swaps];
  const { fields, devices } = swaps;
  const column = (index: number): MetricBinding => ({
    kind: 'quick',
    samples,
    fill: (set, profile) => devices.fill(set, profile, (into, id, row) => fields.emit(into, id, row, index)),
  });
  const table = new Map<string, MetricBinding>([
    [
      'swapdev.free',
      {
        kind: 'quick',
        samples,
        fill: (set, profile) =>
          devices.fill(set, profile, (into, id, row) => fields.emitSum(into, id, row, COLUMN.size, COLUMN.used, -1)),
      },
    ],
    ['swapdev.length', column(COLUMN.size)],
    ['swapdev.maxswap', column(COLUMN.size)],
    ['swapdev.priority', column(COLUMN.priority)],
  ]);
  return {
    name: 'swaps',
    metrics: LINUX_CATALOG.bind(table),
    indoms: [{ catalog: SWAP_DEVICE_INDOM, samples, list: () => devices.list((id) => cache.nameOf(id)) }],
  };
}
