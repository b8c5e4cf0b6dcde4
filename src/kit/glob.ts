/** Whether a whole text matches a glob; `*` stands for any characters, dots included. Linear time for any glob. */
export function globMatcher(glob: string): (text: string) => boolean {
  // The texts between the stars.
  const segments = glob.split('*');
  return (text) => matches(segments, text);
}

/** Each segment at its first position after the one before. */
function matches([first = '', ...rest]: readonly string[], text: string): boolean {
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const segment of rest) {
    const found = text.indexOf(segment, at);
    if (found === -1) return false;
    at = found + segment.length;
  }
  return text.length - at >= last.length && text.endsWith(last);
}
