import { isMap, isScalar, LineCounter, parseDocument, visit } from 'yaml';
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

/**
 * The line of an option (`users.alice.password`), or of the nearest one around it that is there; undefined for none. Names may hold dots
 * themselves.
 */
export function lineOfOption({ document, lines }: YamlText, option: string): number | undefined {
  let node: unknown = document.contents;
  let offset: number | undefined;
  let rest = option;
  while (isMap(node)) {
    const names = node.items.map(({ key }) => (isScalar(key) ? String(key.value) : ''));
    const found = names.findIndex((name) => name !== '' && (rest === name || rest.startsWith(`${name}.`)));
    const pair = node.items[found];
    if (!pair || !isScalar(pair.key)) break;
    offset = pair.key.range?.[0];
    node = pair.value;
    rest = rest.slice(names[found]!.length + 1);
  }
  return offset === undefined ? undefined : lines.linePos(offset).line;
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
      const message = `*${source} is an alias of the undefined anchor &${source} in YAML: quote strings that begin with *`;
      faults.push({ message, ...(range ? { line: lines.linePos(range[0]).line } : {}) });
    },
  });
  return faults;
}
