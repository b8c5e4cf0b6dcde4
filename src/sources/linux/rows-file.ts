import type { Instance, Label } from '../../pmapi/index.js';
import type { CatalogIndom } from './catalog/catalog.js';
import type { ClusterEnvironment, IndomBinding } from './cluster.js';
import type { InstanceCache } from './instance-caches.js';
import { InstanceTable } from './instance-table.js';
import { RememberedNames } from './remembered-names.js';
import { NumberGrid, SampleOfFile } from './sample.js';
import type { Table } from './table.js';

const COLON = 58;

interface RowsFormat {
  readonly file: string;
  readonly columns: readonly string[];
  readonly headingLines: number;
  /** The end of a row's name: a colon, behind blanks that may come first, or a blank. */
  readonly nameEnd: 'colon' | 'blank';
  /** Words between the name and the first integer. */
  readonly skipWords?: number;
  readonly nameOf?: (name: string) => string;
}

/** A file with a row for each instance, that begins with its name: /proc/net/dev, /proc/swaps. */
export class RowsFile extends SampleOfFile {
  readonly table: InstanceTable;
  readonly fields: NumberGrid;
  /** Instance names, in the order of {@link table}. */
  names: readonly string[] = [];
  readonly #format: RowsFormat;
  readonly #indom: CatalogIndom;
  readonly #cache: InstanceCache;
  readonly #rows: RememberedNames<number>;
  readonly #instancesChanged: () => void;

  constructor({ files, caches, instancesChanged }: ClusterEnvironment, indom: CatalogIndom, format: RowsFormat) {
    super(files, format.file);
    const { nameOf = (name: string) => name } = format;
    this.#format = format;
    this.#indom = indom;
    this.#cache = caches.of(indom);
    this.#rows = new RememberedNames((name) => this.#cache.numberOf(nameOf(name)));
    this.#instancesChanged = instancesChanged;
    this.table = new InstanceTable(indom.indom);
    this.fields = new NumberGrid(format.columns.length);
  }

  get asTable(): Table {
    const { file, columns } = this.#format;
    return { file, columns, samples: [this], grid: this.fields, instances: this.table };
  }

  asIndom(labels?: (instance: Instance) => readonly Label[]): IndomBinding {
    const list = (): readonly Instance[] => this.table.list((id) => this.#cache.nameOf(id));
    return { catalog: this.#indom, samples: [this], list, ...(labels && { labels }) };
  }

  protected override refresh(): void {
    const { table, fields } = this;
    const { headingLines, nameEnd, skipWords = 0 } = this.#format;
    table.clear();
    fields.clear();
    this.#rows.begin();
    const scanner = this.scan();
    if (scanner) {
      for (let i = 0; i < headingLines; i++) scanner.nextLine();
      while (!scanner.atEnd) {
        if (nameEnd === 'colon') scanner.skipBlanks();
        const end = nameEnd === 'colon' ? scanner.find(COLON) : scanner.wordEnd();
        if (end > scanner.pos) {
          table.add(this.#rows.next(scanner.bytes, scanner.pos, end));
          scanner.pos = nameEnd === 'colon' ? end + 1 : end;
          scanner.skipWords(skipWords);
          fields.storeLine(fields.addRow(), 0, fields.columns, scanner);
        }
        scanner.nextLine();
      }
    }
    if (!this.#rows.finish()) return;
    this.#cache.present(table);
    this.names = table.list((id) => this.#cache.nameOf(id)).map(({ name }) => name);
    this.#instancesChanged();
  }
}
