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

/** A text padded on the right, as by `padEnd`. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/** A text padded on the left, as by `padStart`. */
export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - textWidth(text))) + text;
}

/** A text truncated to a width, with an ellipsis if it was too long. */
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
