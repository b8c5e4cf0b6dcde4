/** Whether a JSON text nests lists and objects deeper than `most`, found in one pass without parsing it. */
export function nestsDeeper(text: string, most: number): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text[i];
    if (unit === '"') i = endOfString(text, i);
    else if (unit === ']' || unit === '}') depth--;
    else if ((unit === '[' || unit === '{') && ++depth > most) return true;
  }
  return false;
}

/** The end of the string that begins at an offset; the end of the text if the string is not closed. */
function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length && text[i] !== '"') i += text[i] === '\\' ? 2 : 1;
  return i;
}
