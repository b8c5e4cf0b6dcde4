import pc from 'picocolors';
import type { Terminal } from '../terminal.js';

/** Characters without width: combining marks and format controls. */
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/gu;

/** Characters of double width: East Asian ones and most pictographs. @see Unicode's EastAsianWidth.txt */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]/gu;

const ASCII = /^[ -~]*$/;

/** The width of a text in terminal cells, as far as terminals agree. */
export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  const seen = text.replace(NO_WIDTH, '').replace(WIDE, '  ');
  // Beyond 16 bits, one character is two units.
  return seen.replace(/[\ud800-\udbff][\udc00-\udfff]/g, ' ').length;
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - textWidth(text))) + text;
}

export function cut(text: string, room: number): string {
  if (textWidth(text) <= room) return text;
  let [kept, left] = ['', room - 1];
  for (const character of text) {
    left -= textWidth(character);
    if (left < 0) break;
    kept += character;
  }
  return `${kept}…`;
}

/** Characters that a terminal obeys: controls (C0, C1, delete), and changes of the writing direction, which can disguise text. */
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

/** Functions that colour texts, or leave them as they are. */
export type Colours = ReturnType<typeof pc.createColors>;

/** The colours for an output: `--color` or `--no-color`, NO_COLOR, FORCE_COLOR (except 0), else whether it is a colour terminal. */
export function coloursFor(
  output: 'stdout' | 'stderr',
  { environment, [output]: { isTerminal } }: Terminal,
  flag?: boolean,
): Colours {
  return pc.createColors(flag ?? wanted(environment, isTerminal));
}

function wanted({ NO_COLOR, FORCE_COLOR, TERM }: Terminal['environment'], isTerminal: boolean): boolean {
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return isTerminal && TERM !== 'dumb';
}
