import { LineCounter, parseDocument, visit } from 'yaml';
import type { Document } from 'yaml';

/** Aliases that are resolved at most: a short text could stand for gigabytes. */
const MAX_ALIASES = 100;

/** What is wrong with a text in YAML, and in which of its lines where that is known. */
export interface YamlFault {
  readonly message: string;
  readonly line?: number;
}

/** A text in YAML, read. With faults there is no content. */
export interface YamlText {
  readonly content: unknown;
  readonly document: Document;
  readonly lines: LineCounter;
  readonly faults: readonly YamlFault[];
}

/** Read a text in YAML. Never throws for what it holds. */
export function parseYaml(text: string): YamlText {
  const lines = new LineCounter();
  const document = parseDocument(text, { uniqueKeys: true, lineCounter: lines });
  const faults = document.errors.map(({ message, linePos }): YamlFault => {
    const line = linePos?.[0].line;
    // The parser's message ends with the place, and the lines around it.
    return { message: message.replace(/ at line \d+, column \d+:[^]*/, ''), ...(line === undefined ? {} : { line }) };
  });
  if (faults.length === 0) faults.push(...idleAliases(document, lines));
  let content: unknown;
  if (faults.length === 0) {
    try {
      content = document.toJS({ maxAliasCount: MAX_ALIASES });
    } catch (error) {
      faults.push({ message: (error as Error).message });
    }
  }
  return { content, document, lines, faults };
}

/** Globs that stand without quotes: to YAML, `*.example.com` is whatever was called `&.example.com` before. */
function idleAliases(document: Document, lines: LineCounter): YamlFault[] {
  const faults: YamlFault[] = [];
  const anchors = new Set<string>();
  visit(document, {
    Node: (_, { anchor }) => {
      if (anchor !== undefined) anchors.add(anchor);
    },
    Alias: (_, { source, range }) => {
      if (anchors.has(source)) return;
      const message = `*${source} refers to &${source} in YAML, which is not there: a text that begins with * wants quotes`;
      faults.push({ message, ...(range ? { line: lines.linePos(range[0]).line } : {}) });
    },
  });
  return faults;
}
