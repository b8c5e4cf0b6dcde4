/** Control characters, C0 and C1 and delete: what a terminal would obey instead of showing. */
// eslint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A text on one line that a terminal shows and does not obey: values and names are not ours. */
export function printable(text: string): string {
  return text.replace(CONTROL, (c) => SHORT[c] ?? `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** The same for texts of several lines, which stay lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}
