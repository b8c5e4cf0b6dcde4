/** Characters that take no room of their own: marks on others, and those that only steer how text is written. */
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/gu;

/** Characters that take two places of a terminal: those of East Asia, and most pictures. @see Unicode's EastAsianWidth.txt */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]/gu;

const ASCII = /^[ -~]*$/;

/** How many places of a terminal a text takes, as near as terminals agree. */
export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  const seen = text.replace(NO_WIDTH, '').replace(WIDE, '  ');
  // What is left beyond 16 bits is one character in two units.
  return seen.replace(/[\ud800-\udbff][\udc00-\udfff]/g, ' ').length;
}

/** A text with blanks behind it, as `padEnd` has it. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/** A text with blanks before it, as `padStart` has it. */
export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - textWidth(text))) + text;
}

/** A text that fits into so many places, with an ellipsis where it had to be cut. */
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
