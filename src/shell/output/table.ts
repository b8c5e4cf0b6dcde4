import type { Session } from '../session.js';
import { csvLine, jsonLine, jsonText, type CsvCell } from './json-and-csv.js';
import { cut, printable, textWidth, type Colours } from './terminal-text.js';

/** A column: its title alone for texts, which are aligned left. */
export type Column =
  | string
  | {
      readonly title: string;
      readonly align?: 'right';
      /** Truncated with an ellipsis at the edge of the terminal; for at most one column, the last. */
      readonly isElastic?: boolean;
    };

/** A text with its marked parts (first character, and the one after the last). */
export type Cell = string | { readonly text: string; readonly spans: readonly (readonly [from: number, to: number])[] };

const GAP = '  ';
const LEAST_ROOM = 20;

/** A table without lines: columns two blanks apart, titles in capitals. `width` is that of the terminal, if any. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  { colours, width = Infinity }: { readonly colours: Colours; readonly width: number | undefined },
): string {
  const styles = columns.map((column) => (typeof column === 'string' ? { title: column } : column));
  const texts = rows.map((row) => row.map((cell) => printable(typeof cell === 'string' ? cell : cell.text)));
  const widths = styles.map(({ title }, i) =>
    texts.reduce((most, row) => Math.max(most, textWidth(row[i]!)), title.length),
  );
  const elastic = styles.findIndex(({ isElastic }) => isElastic);
  if (elastic >= 0) {
    const others = widths.reduce((sum, own, i) => (i === elastic ? sum : sum + own + GAP.length), 0);
    widths[elastic] = Math.min(widths[elastic]!, Math.max(LEAST_ROOM, width - others));
  }
  const line = (row: readonly string[], cells?: readonly Cell[]): string =>
    row
      .map((text, i) => {
        const shown = cut(text, widths[i]!);
        const blanks = ' '.repeat(widths[i]! - textWidth(shown));
        const whole = cells ? marked(shown, cells[i]!, colours) : shown;
        return styles[i]!.align === 'right' ? blanks + whole : whole + blanks;
      })
      .join(GAP)
      .trimEnd();
  const head = colours.bold(line(styles.map(({ title }) => title.toUpperCase())));
  return [head, ...texts.map((row, at) => line(row, rows[at]))].map((text) => `${text}\n`).join('');
}

/** A text with its marks; a text that had to be escaped is left unmarked, since positions changed. */
function marked(text: string, cell: Cell, colours: Colours): string {
  if (typeof cell === 'string' || cell.text !== text) return text;
  let [marks, end] = ['', 0];
  for (const [from, to] of cell.spans) {
    marks += text.slice(end, from) + colours.bold(colours.green(text.slice(from, to)));
    end = to;
  }
  return marks + text.slice(end);
}

export interface TreeLine {
  readonly text: string;
  /** A less important text, behind. */
  readonly note?: string | undefined;
  readonly below?: readonly TreeLine[] | undefined;
}

/** Trees as text, with lines from each node to those below it. */
export function renderTree(trees: readonly TreeLine[], colours: Colours): string {
  return trees.map((tree) => renderNode(tree, '', '', colours)).join('\n');
}

function renderNode({ text, note, below = [] }: TreeLine, head: string, indent: string, colours: Colours): string {
  const dimmed = note === undefined ? '' : `  ${colours.dim(printable(note))}`;
  const lines = below.map((child, i) => {
    const isLast = i === below.length - 1;
    return renderNode(
      child,
      colours.dim(indent + (isLast ? '└─ ' : '├─ ')),
      indent + (isLast ? '   ' : '│  '),
      colours,
    );
  });
  return `${head}${printable(text)}${dimmed}\n${lines.join('')}`;
}

/** An answer in every format. */
interface AnswerOutput<T> {
  readonly items: readonly T[];
  readonly whole: unknown;
  readonly csvHead: readonly string[];
  readonly csvRows: (items: readonly T[]) => readonly (readonly CsvCell[])[];
  readonly table: () => string;
}

interface ListOutput<T> extends Omit<AnswerOutput<T>, 'csvRows' | 'table'> {
  readonly columns: readonly Column[];
  readonly row: (item: T) => readonly Cell[];
  readonly csvRow: (item: T) => readonly CsvCell[];
}

/** Writes an answer in the session's format: JSON has the whole response, NDJSON a line per element. */
export async function writeAnswer<T>({ terminal, format }: Session, answer: AnswerOutput<T>): Promise<void> {
  const { items, whole, csvHead, csvRows, table } = answer;
  const text = {
    json: () => jsonText(whole),
    ndjson: () => items.map(jsonLine).join(''),
    csv: () => [csvHead, ...csvRows(items)].map(csvLine).join(''),
    table,
  }[format]();
  if (text !== '') await terminal.stdout.write(text);
}

/** Writes a list as an answer; its table has a line per element, and no title without any. */
export function writeList<T>(session: Session, { columns, row, csvRow, ...list }: ListOutput<T>): Promise<void> {
  const { colours, terminal } = session;
  const look = { colours, width: terminal.stdout.columns };
  return writeAnswer(session, {
    ...list,
    csvRows: (items) => items.map(csvRow),
    table: () => (list.items.length === 0 ? '' : renderTable(columns, list.items.map(row), look)),
  });
}
