import type { Session } from '../session.js';
import { csvLine, jsonLine, jsonText } from './json-and-csv.js';
import type { CsvCell } from './json-and-csv.js';
import { renderTable } from './table.js';
import type { Cell, Column } from './table.js';

/** A list, and how its elements are written. */
export interface ListOutput<T> {
  readonly items: readonly T[];
  /** The whole response, for JSON. */
  readonly whole: unknown;
  readonly columns: readonly Column[];
  /** The cells of an element for people. */
  readonly row: (item: T) => readonly Cell[];
  readonly csvHead: readonly string[];
  /** The cells of an element for programs. */
  readonly csvRow: (item: T) => readonly CsvCell[];
}

/** Writes a list in the session's format: JSON has the whole response, the other formats a line per element. */
export async function writeList<T>(session: Session, list: ListOutput<T>): Promise<void> {
  const { stdout } = session.terminal;
  switch (session.format) {
    case 'json':
      return stdout.write(jsonText(list.whole));
    case 'ndjson':
      return stdout.write(list.items.map(jsonLine).join(''));
    case 'csv':
      return stdout.write([csvLine(list.csvHead), ...list.items.map((item) => csvLine(list.csvRow(item)))].join(''));
    case 'table': {
      if (list.items.length === 0) return;
      const look = { colours: session.colours, width: stdout.columns };
      return stdout.write(await renderTable(list.columns, list.items.map(list.row), look));
    }
  }
}
