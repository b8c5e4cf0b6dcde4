import { LINUX_CATALOG } from '../catalog/linux-catalog.js';
import type { ClusterEnvironment, LocalCluster } from '../cluster.js';
import { NumberGrid, Sample } from '../sample.js';
import type { ProcFile, ProcFiles } from '../proc-files.js';
import { cell } from './singular.js';

/** Metrics, and the field of the file that each one is, `LINE:field`. */
const FIELDS: Readonly<Record<'sockstat' | 'sockstat6', readonly (readonly [metric: string, field: string])[]>> = {
  sockstat: [
    ['network.sockstat.tcp.inuse', 'TCP:inuse'],
    ['network.sockstat.udp.inuse', 'UDP:inuse'],
    ['network.sockstat.raw.inuse', 'RAW:inuse'],
    ['network.sockstat.udplite.inuse', 'UDPLITE:inuse'],
    ['network.sockstat.total', 'sockets:used'],
    ['network.sockstat.tcp.orphan', 'TCP:orphan'],
    ['network.sockstat.tcp.tw', 'TCP:tw'],
    ['network.sockstat.tcp.alloc', 'TCP:alloc'],
    ['network.sockstat.tcp.mem', 'TCP:mem'],
    ['network.sockstat.udp.mem', 'UDP:mem'],
    ['network.sockstat.frag.inuse', 'FRAG:inuse'],
    ['network.sockstat.frag.memory', 'FRAG:memory'],
  ],
  sockstat6: [
    ['network.sockstat.tcp6.inuse', 'TCP6:inuse'],
    ['network.sockstat.udp6.inuse', 'UDP6:inuse'],
    ['network.sockstat.raw6.inuse', 'RAW6:inuse'],
    ['network.sockstat.frag6.inuse', 'FRAG6:inuse'],
  ],
};

/** Lines of a name and pairs of field and number: `TCP: inuse 2 orphan 0 tw 0 alloc 2 mem 116`. */
class Sockstat extends Sample {
  /** One row, with a column for each wanted key. */
  readonly fields: NumberGrid;
  readonly #files: ProcFiles;
  readonly #file: ProcFile;
  readonly #columns: ReadonlyMap<string, number>;

  /** `keys` are `LINE:field`. */
  constructor(files: ProcFiles, path: string, keys: readonly string[]) {
    super();
    this.#files = files;
    this.#file = files.file(path);
    this.fields = new NumberGrid(keys.length);
    this.#columns = new Map(keys.map((key, column) => [key, column]));
  }

  protected override refresh(): void {
    this.fields.clear(1);
    const scanner = this.#files.scan(this.#file);
    if (!scanner) return;
    while (!scanner.atEnd) {
      const line = scanner.word();
      for (let field = scanner.word(); field !== '' && scanner.integer(); field = scanner.word()) {
        const column = this.#columns.get(line + field);
        if (column !== undefined) this.fields.store(0, column, scanner);
      }
      scanner.nextLine();
    }
  }
}

/** network.sockstat.*, from /proc/net/sockstat and /proc/net/sockstat6. */
export function networkSockstatCluster({ files }: ClusterEnvironment): LocalCluster {
  const table = new Map(
    Object.entries(FIELDS).flatMap(([file, rows]) => {
      const sample = new Sockstat(
        files,
        `proc/net/${file}`,
        rows.map(([, field]) => field),
      );
      return rows.map(([metric], column) => [metric, cell([sample], sample.fields, column)] as const);
    }),
  );
  return { name: 'network-sockstat', metrics: LINUX_CATALOG.bind(table) };
}
