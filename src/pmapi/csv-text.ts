/** Characters at the start of a cell that make spreadsheets read it as a formula; Excel also accepts their full-width forms. */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;
/** Numbers start with signs, too, and are harmless. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$|^-Infinity$/;

/**
 * A text as a cell of CSV: quoted if necessary, and with an apostrophe in front where a spreadsheet would run it as a formula.
 * Processes and users choose their names, and the reader of the table is someone else. Numbers stay as they are. @see RFC 4180
 */
export function csvText(text: string): string {
  const harmless = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
