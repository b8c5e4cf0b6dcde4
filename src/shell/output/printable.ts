/**
 * Characters that a terminal obeys instead of showing: control characters (C0, C1, delete), and those that change the writing
 * direction, which can disguise a text.
 */
// eslint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A text on one line that is safe for a terminal: values and names come from others. */
export function printable(text: string): string {
  return text.replace(CONTROL, (c) => SHORT[c] ?? escaped(c.charCodeAt(0)));
}

function escaped(code: number): string {
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`;
}

/** The same for texts of several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}
