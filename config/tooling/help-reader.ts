/** An entry of a help file; without name and one-line text when its first line cannot be read. */
export interface HelpEntry {
  readonly line: number;
  readonly name: string;
  readonly oneline: string;
  /** The help: its paragraphs, a line each, an empty line between; the one-line text when there is none. */
  readonly help: string;
}

/**
 * The entries of a help file, `@ NAME ONE-LINE-TEXT` and the help. A line before the first of them that is neither blank nor
 * a comment is an entry without a name.
 * Differs from PCP: the lines of a paragraph are joined.
 * @see newhelp(1)
 */
export function readHelp(text: string): readonly HelpEntry[] {
  const entries: { line: number; heading: string; lines: string[] }[] = [];
  for (const [i, line] of text.split('\n').entries()) {
    if (line.startsWith('#')) continue;
    if (line.startsWith('@') || (entries.length === 0 && line.trim() !== ''))
      entries.push({ line: i + 1, heading: line.trimEnd(), lines: [] });
    else entries.at(-1)?.lines.push(line.trim());
  }
  return entries.map(({ line, heading, lines }) => {
    const [, name = '', oneline = ''] = /^@ (\S+) (\S.*)$/.exec(heading) ?? [];
    const paragraphs = lines
      .join('\n')
      .trim()
      .split(/\n{2,}/)
      .map((paragraph) => paragraph.replaceAll('\n', ' '));
    return { line, name, oneline, help: paragraphs.join('\n\n') || oneline };
  });
}
