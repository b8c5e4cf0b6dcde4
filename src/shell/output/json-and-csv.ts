import { csvText } from '../../pmapi/index.js';

/** A value as JSON on one line that is safe for terminals: control characters that JSON.stringify() leaves are escaped, too. */
export function jsonLine(value: unknown): string {
  return `${escapeControls(JSON.stringify(value))}\n`;
}

/** A value as JSON for people and scripts: indented by two. */
export function jsonText(value: unknown): string {
  return `${escapeControls(JSON.stringify(value, undefined, 2))}\n`;
}

function escapeControls(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A CSV cell: undefined and null are empty. */
export type CsvCell = string | number | boolean | null | undefined;

/** One CSV record. @see RFC 4180, with newlines instead of CR LF */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\n`;
}

function csvCell(cell: CsvCell): string {
  return cell === null || cell === undefined ? '' : csvText(String(cell));
}

/** Converts the CR LF line ends of CSV to LF, which other tools in a pipe expect. Works in pieces; quoted line breaks are unchanged. */
export class UnixLines {
  #isQuoted = false;
  #held = '';

  convert(piece: string): string {
    const text = this.#held + piece;
    this.#held = text.endsWith('\r') ? '\r' : '';
    const parts = text.slice(0, text.length - this.#held.length).split('"');
    return parts
      .map((part, i) => {
        if (i > 0) this.#isQuoted = !this.#isQuoted;
        return this.#isQuoted ? part : part.replaceAll('\r\n', '\n');
      })
      .join('"');
  }

  end(): string {
    return this.#held;
  }
}
