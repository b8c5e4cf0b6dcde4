/** A cell of CSV: undefined and null are empty. */
export type CsvCell = string | number | boolean | null | undefined;

/** One record of CSV. @see RFC 4180, with newlines in place of its CR LF */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\n`;
}

function csvCell(cell: CsvCell): string {
  const text = cell === null || cell === undefined ? '' : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
