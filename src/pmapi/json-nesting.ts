/** Whether a JSON text nests lists and objects deeper than `most`: told by one pass over it, before anything is made of it. */
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

/** Where the string that begins at a place ends; the end of the text when it does not. */
function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length && text[i] !== '"') i += text[i] === '\\' ? 2 : 1;
  return i;
}
