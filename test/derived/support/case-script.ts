/** The text of a case, one directive a line. */
export interface Check {
  readonly expression: string;
  readonly line: number;
  readonly directives: readonly { readonly word: string; readonly rest: string; readonly line: number }[];
}

export interface Case {
  readonly title: string;
  readonly line: number;
  readonly checks: readonly Check[];
}

/** A block of the given part: its head words, and its indented lines. */
export interface GivenBlock {
  readonly word: string;
  readonly rest: string;
  readonly lines: readonly string[];
}

export interface CaseScript {
  readonly given: readonly GivenBlock[];
  readonly cases: readonly Case[];
}

/** Read a script; throws with file and line for whatever it does not know. See test/derived/cases/README.md. */
export function readCaseScript(file: string, text: string): CaseScript {
  const given: { word: string; rest: string; lines: string[] }[] = [];
  const cases: { title: string; line: number; checks: Check[] }[] = [];
  text.split('\n').forEach((raw, index) => {
    const line = index + 1;
    const where = `${file}:${line}`;
    if (raw.trim() === '' || raw.trimStart().startsWith('#')) return;
    const isIndented = raw.startsWith('  ');
    const [, word = '', rest = ''] = /^(\S+) ?(.*)$/.exec(raw.trim())!;
    if (!isIndented) {
      if (word === 'case') cases.push({ title: rest, line, checks: [] });
      else if (['metrics', 'instances', 'derived', 'sample'].includes(word)) given.push({ word, rest, lines: [] });
      else throw new Error(`${where}: unknown block ${word}`);
      return;
    }
    const current = cases.at(-1);
    if (!current) {
      const block = given.at(-1);
      if (!block) throw new Error(`${where}: indented line outside a block`);
      block.lines.push(raw.trim());
    } else if (word === 'expr') {
      current.checks.push({ expression: raw.replace(/^ *expr ?/, ''), line, directives: [] });
    } else if (['canonical', 'full', 'is', 'needs', 'values', 'syntax', 'error', 'error-at'].includes(word)) {
      const check = current.checks.at(-1);
      if (!check) throw new Error(`${where}: ${word} before expr`);
      (check.directives as { word: string; rest: string; line: number }[]).push({ word, rest, line });
    } else {
      throw new Error(`${where}: unknown directive ${word}`);
    }
  });
  for (const { title, line, checks } of cases) {
    if (checks.some(({ directives }) => directives.length === 0) || checks.length === 0) {
      throw new Error(`${file}:${line}: case "${title}" checks nothing`);
    }
  }
  return { given, cases };
}
