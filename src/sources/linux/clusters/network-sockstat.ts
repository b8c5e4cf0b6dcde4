import { SOCKSTAT_FIELDS } from '../catalog/network.js';
import { bindFrom } from '../cluster.js';
import type { ClusterEnvironment, LocalCluster } from '../cluster.js';
import { NumberGrid } from '../number-grid.js';
import type { ProcFile, ProcFiles } from '../proc-files.js';
import { Sample } from '../sample.js';
import { cell } from './singular.js';

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
  const bindings = new Map(
    (['sockstat', 'sockstat6'] as const).flatMap((name) => {
      const wanted = SOCKSTAT_FIELDS.filter(({ file }) => file === name);
      const keys = wanted.map(({ line, field }) => `${line}:${field}`);
      const sample = new Sockstat(files, `proc/net/${name}`, keys);
      return wanted.map(({ metric }, column) => [metric.name, cell([sample], sample.fields, column)] as const);
    }),
  );
  return {
    name: 'network-sockstat',
    metrics: SOCKSTAT_FIELDS.map(({ metric }) => metric),
    bind: (metric) => bindFrom(bindings, metric),
  };
}
