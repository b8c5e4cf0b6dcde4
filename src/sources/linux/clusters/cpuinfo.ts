import { CPU_INDOM } from '../catalog/linux-catalog.js';
import type { Clock, ValueSet } from '../../../pmapi/index.js';
import { cluster, perInstance, type ClusterEnvironment, type LocalCluster, type MetricBinding } from '../cluster.js';
import type { ByteScanner, ProcFiles } from '../proc-files.js';
import { InstanceTable, addNumber, SampleOfFile } from '../sample.js';
import { RememberedNames } from '../remembered-names.js';

const COLON = 58;
/** Reading /proc/cpuinfo asks every CPU for its frequency: on a large machine that is not for free. */
const FLOOR_MS = 1000;

interface Processor {
  vendor?: string;
  model?: string;
  stepping?: string;
  modelName?: string;
  hardware?: string;
  cacheKbyte?: number;
  bogomips?: number;
  mhz?: number;
}

type Reader = (processor: Processor, value: string) => void;

/** By the key of a line, in lower case. */
const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['vendor_id', (p, value) => (p.vendor = value)],
  ['model', (p, value) => (p.model = value)],
  ['stepping', (p, value) => (p.stepping = value)],
  ['model name', (p, value) => (p.modelName = value)],
  ['hardware', (p, value) => (p.hardware = value)],
  ['cache size', (p, value) => (p.cacheKbyte = parseInt(value, 10))],
  ['bogomips', (p, value) => (p.bogomips = Number(value))],
  ['cpu mhz', (p, value) => (p.mhz = Number(value))],
]);

/** /proc/cpuinfo: a block of `key : value` lines for each CPU, begun by its `processor` line. */
class CpuInfo extends SampleOfFile {
  readonly cpus = new InstanceTable(CPU_INDOM.indom);
  readonly processors: Processor[] = [];
  readonly #clock: Clock;
  readonly #keys = new RememberedNames<string>((name) => name.trim().toLowerCase());
  #readAtMs = -Infinity;

  constructor(files: ProcFiles, clock: Clock) {
    super(files, 'proc/cpuinfo');
    this.#clock = clock;
  }

  protected override refresh(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#readAtMs < FLOOR_MS) return;
    this.#readAtMs = nowMs;
    this.cpus.clear();
    this.processors.length = 0;
    this.#keys.begin();
    this.eachLine((scanner) => this.#line(scanner));
    this.#keys.finish();
  }

  #line(scanner: ByteScanner): void {
    const end = scanner.find(COLON);
    if (end < 0) return;
    const key = this.#keys.next(scanner.bytes, scanner.pos, end);
    scanner.pos = end + 1;
    if (key === 'processor') {
      if (scanner.integer()) this.processors[this.cpus.add(scanner.value)] = {};
      return;
    }
    const reader = READERS.get(key);
    const processor = this.processors.at(-1);
    if (reader && processor) reader(processor, scanner.rest());
  }
}

/** hinv.cpu.* from /proc/cpuinfo. */
export function cpuinfoCluster({ files, clock }: ClusterEnvironment): LocalCluster {
  const info = new CpuInfo(files, clock);
  const each = (emit: (set: ValueSet, cpu: number, processor: Processor) => void): MetricBinding =>
    perInstance([info], info.cpus, (set, cpu, row) => emit(set, cpu, info.processors[row]!));
  const text = (pick: (processor: Processor) => string | undefined): MetricBinding =>
    each((set, cpu, processor) => {
      const value = pick(processor);
      if (value !== undefined) set.addText(cpu, value);
    });
  const number = (pick: (processor: Processor, cpu: number) => number | undefined): MetricBinding =>
    each((set, cpu, processor) => {
      const value = pick(processor, cpu);
      if (value !== undefined && Number.isFinite(value)) addNumber(set, cpu, value);
    });
  const scaledFrequency = (cpu: number): number | undefined => {
    const khz = files.text(`sys/devices/system/cpu/cpu${cpu}/cpufreq/scaling_cur_freq`);
    return khz === undefined ? undefined : Number(khz) / 1000;
  };
  return cluster('cpuinfo', [
    ['hinv.cpu.vendor', text((p) => p.vendor)],
    ['hinv.cpu.model', text((p) => p.model)],
    ['hinv.cpu.stepping', text((p) => p.stepping)],
    ['hinv.cpu.model_name', text((p) => p.modelName ?? p.hardware ?? p.model)],
    ['hinv.cpu.cache', number((p) => p.cacheKbyte)],
    ['hinv.cpu.bogomips', number((p) => p.bogomips)],
    ['hinv.cpu.clock', number((p, cpu) => p.mhz ?? scaledFrequency(cpu))],
  ]);
}
