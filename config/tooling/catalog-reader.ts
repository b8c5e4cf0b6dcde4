/**
 * Reads and checks the data files of a catalog of metrics, such as src/sources/linux/catalog/metrics.txt and help.txt, which describe
 * their form.
 */
import { INDOM_NULL } from '../../src/pmapi/identifiers.js';
import { parseReading } from '../../src/sources/linux/catalog/catalog.js';
import type { CatalogRows, IndomRow, MetricRow } from '../../src/sources/linux/catalog/catalog.js';
import {
  need,
  oneOf,
  readIndom,
  readLabels,
  readName,
  readPmid,
  readReading,
  readUnits,
  NUMBERS,
  SEMANTICS,
  TYPES,
} from './catalog-columns.js';
import { readHelp } from './help-reader.js';
import type { HelpEntry } from './help-reader.js';

/** The text of a data file, and what errors call the file. */
export interface DataFile {
  readonly file: string;
  readonly text: string;
}

/** The rows of a catalog. Throws an Error whose lines are its problems, each `file:line: what is wrong`. */
export function readCatalog(table: DataFile, help: DataFile): CatalogRows {
  const problems: string[] = [];
  const check = ({ file }: DataFile, line: number, step: () => void): void => {
    try {
      step();
    } catch (error) {
      problems.push(`${file}:${line}: ${(error as Error).message}`);
    }
  };
  const entries = readHelp(help.text);
  const reader = new TableReader(new Map(entries.map((entry) => [entry.name, entry])));
  for (const [i, text] of table.text.split('\n').entries()) {
    if (text.trim() !== '' && !text.startsWith('#')) check(table, i + 1, () => reader.add(text.trim(), i + 1));
  }
  const first = new Map([...entries].reverse().map(({ name, line }) => [name, line]));
  for (const { name, line } of entries) {
    check(help, line, () => {
      need(name !== '', 'expected "@ NAME ONE-LINE-TEXT"');
      need(first.get(name) === line, `duplicate help for ${name}, first on line ${first.get(name)}`);
      need(reader.lines.has(name), `unknown name ${name}: it has no line in ${table.file}`);
    });
  }
  need(problems.length === 0, problems.join('\n'));
  const { indoms, metrics } = reader;
  return { indoms, metrics };
}

class TableReader {
  readonly indoms: IndomRow[] = [];
  readonly metrics: MetricRow[] = [];
  /** The line of each metric, by name, and of each instance domain, by number. */
  readonly lines = new Map<string, number>();
  readonly #nameOf = new Map<number, string>();
  readonly #help: ReadonlyMap<string, HelpEntry>;

  constructor(help: ReadonlyMap<string, HelpEntry>) {
    this.#help = help;
  }

  add(text: string, line: number): void {
    const columns = text.split(/\t+|\s{2,}/);
    const name = columns[0]!;
    for (const [other, at] of this.lines) {
      need(name !== other, `duplicate ${name}, first on line ${at}`);
      need(!name.startsWith(`${other}.`), `${name} is below the metric ${other} on line ${at}`);
      need(!other.startsWith(`${name}.`), `${name} is above the metric ${other} on line ${at}`);
    }
    this.lines.set(name, line);
    if (/^\d/.test(name)) this.indoms.push(this.#indom(columns));
    else this.metrics.push(this.#metric(columns));
  }

  #indom(columns: readonly string[]): IndomRow {
    needColumns(columns, 'NUMBER  KIND-OF-INSTANCE-NUMBERS  [LABELS]');
    const [id = '', numbers = '', labels] = columns;
    return [readIndom(id), oneOf(NUMBERS, numbers, 'instance numbers'), ...this.#textsOf(id), readLabels(labels)];
  }

  #metric(columns: readonly string[]): MetricRow {
    needColumns(columns, 'NAME  PMID  TYPE  INDOM  SEMANTICS  UNITS  [READING]  [LABELS]');
    const [name = '', id = '', type = '', indom = '', semantics = '', units = '', ...optional] = columns;
    const reading = optional.length > 1 || parseReading(optional[0] ?? '') ? optional[0] : undefined;
    const labels = reading === undefined ? optional[0] : optional[1];
    const pmid = readPmid(id);
    const other = this.#nameOf.get(pmid) ?? name;
    need(other === name, `duplicate PMID ${id}, also of ${other} on line ${this.lines.get(other)}`);
    this.#nameOf.set(pmid, name);
    const isKnown = indom === '-' || this.lines.has(indom);
    need(isKnown, `unknown instance domain ${indom}: expected - or one of a line above`);
    return [
      readName(name),
      pmid,
      oneOf(TYPES, type, 'type'),
      indom === '-' ? INDOM_NULL : readIndom(indom),
      oneOf(SEMANTICS, semantics, 'semantics'),
      readUnits(units),
      ...this.#textsOf(name),
      readLabels(labels),
      ...(reading === undefined ? ([] as const) : ([readReading(reading)] as const)),
    ];
  }

  #textsOf(name: string): readonly [oneline: string, help: string] {
    const entry = this.#help.get(name);
    need(entry, `${name} has no help: expected "@ ${name} ONE-LINE-TEXT"`);
    return [entry.oneline, entry.help];
  }
}

function needColumns(columns: readonly string[], form: string): void {
  const names = form.split('  ');
  const required = names.filter((name) => !name.startsWith('[')).length;
  const isRight = columns.length <= names.length && columns.length >= required;
  need(isRight, `expected ${form}, two or more blanks apart, found ${columns.length} column(s)`);
}
