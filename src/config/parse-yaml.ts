import { isMap, isScalar, LineCounter, parseDocument, visit, type Document } from 'yaml';

const MAX_ALIASES = 100;

/** A problem of a YAML text, and its line if known. */
export interface YamlFault {
  readonly message: string;
  readonly line?: number;
}

export interface YamlText {
  readonly content: unknown;
  readonly document: Document;
  readonly lines: LineCounter;
  readonly faults: readonly YamlFault[];
}

/** Parses a YAML text. Never throws for its content. */
export function parseYaml(text: string): YamlText {
  const lines = new LineCounter();
  const document = parseDocument(text, { uniqueKeys: true, lineCounter: lines });
  const faults = document.errors.map(({ message, linePos }): YamlFault => {
    const line = linePos?.[0].line;
    // The parser's message ends with the location and the lines around it.
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

/** The line of an option (`users.alice.password`), or of the nearest enclosing one. Names may contain dots. */
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

/** Globs without quotes: in YAML, `*.example.com` is an alias for an anchor `&.example.com`. */
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
