/** What makes a spreadsheet take a cell for a formula; Excel takes full-width signs for their narrow ones. */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;
/** Numbers begin with signs, too, and are harmless. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$|^-Infinity$/;

/**
 * A text as a cell of CSV: quoted where it must be, and with an apostrophe in front where a spreadsheet would run it. Processes and
 * users choose their names, and whoever opens the table is somebody else. Numbers stay as they are. @see RFC 4180
 */
export function csvText(text: string): string {
  const harmless = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
