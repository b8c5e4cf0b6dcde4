import { csvText } from '../../pmapi/index.js';

/** A cell of CSV: undefined and null are empty. */
export type CsvCell = string | number | boolean | null | undefined;

/** One record of CSV. @see RFC 4180, with newlines in place of its CR LF */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\n`;
}

function csvCell(cell: CsvCell): string {
  return cell === null || cell === undefined ? '' : csvText(String(cell));
}
