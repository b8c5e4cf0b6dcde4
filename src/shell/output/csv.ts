import { csvText } from '../../pmapi/index.js';

/** A CSV cell: undefined and null are empty. */
export type CsvCell = string | number | boolean | null | undefined;

/** One CSV record. @see RFC 4180, with newlines instead of CR LF */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\n`;
}

function csvCell(cell: CsvCell): string {
  return cell === null || cell === undefined ? '' : csvText(String(cell));
}
