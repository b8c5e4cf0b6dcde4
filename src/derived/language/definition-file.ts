import { isMetricName } from '../../pmapi/index.js';

/** `name = expression`. */
export interface FileDefinition {
  readonly kind: 'definition';
  readonly name: string;
  /** The expression without surrounding blanks. */
  readonly expression: string;
  /** The text after the `=`, as PCP prints it in front of a caret; the expression begins at `indent`. */
  readonly text: string;
  readonly indent: number;
  /** The first physical line of the definition, from 1. */
  readonly line: number;
}

/** `name(attribute) = value`. */
export interface FileAttribute {
  readonly kind: 'attribute';
  readonly name: string;
  /** `oneline` and `helptext` have a meaning, and `display` in a comment. */
  readonly attribute: string;
  /** It is in a comment, which PCP ignores. */
  readonly isComment?: true;
  readonly value: string;
  readonly text: string;
  readonly line: number;
}

export interface FileControl {
  readonly kind: 'control';
  readonly option: string;
  readonly value: string;
  readonly line: number;
}

export interface FileProblem {
  readonly kind: 'problem';
  readonly severity: 'error' | 'warning';
  readonly line: number;
  /** PCP's text, without file and line; several lines if it shows the text at fault. */
  readonly message: string;
  readonly code?: 'DUPLICATE_NAME' | 'LIMIT_EXCEEDED' | 'MEMORY_FULL';
}

export type FileItem = FileDefinition | FileAttribute | FileControl | FileProblem;

export interface DefinitionFileOptions {
  /** pmproxy's form: `;` and a single `&` end a line, too; blank lines and indented comments are ignored. */
  readonly inline?: boolean;
}

const PREFIX = 'pmLoadDerivedConfig: ';
const CONTROL = /^#control(?=[ \t\r])/;
const DISPLAY = /^#[ \t]*pmgate:[ \t]*display[ \t]+([^ \t\r]+)([^]*)$/;

/**
 * Reads a definition file: `#` comments, backslash continuation, `name(oneline) = text`, `name(helptext) = "text"`,
 * `#control option=value`, `# pmgate: display name unit=%`. Expressions are not parsed. Differs from PCP: a last line without newline
 * counts; a name that ends in a dot is rejected. @see pmLoadDerivedConfig(3)
 */
export function parseDefinitionFile(text: string, options: DefinitionFileOptions = {}): readonly FileItem[] {
  const reader = new LineReader(options.inline === true ? breakLines(text) : text);
  const items: FileItem[] = [];
  for (let line = reader.next(); line; line = reader.next()) {
    const hint = DISPLAY.exec(options.inline === true ? trimStart(line.text) : line.text);
    if (hint) items.push(readHint(line, hint));
    else if (CONTROL.test(line.text)) items.push(...readControls(line));
    else if (options.inline === true && /^[ \t\r\v\f]*(?:#|$)/.test(line.text)) continue;
    else if (line.text !== '' && !line.text.startsWith('#')) items.push(...readLine(line, reader));
  }
  return items;
}

/** The offset of the line that {@link parseDefinitionFile} counts as number `line`, in UTF-16 units. */
export function offsetOfLine(text: string, line: number, options: DefinitionFileOptions = {}): number {
  const lines = (options.inline === true ? breakLines(text) : text).split('\n');
  return lines.slice(0, line - 1).reduce((offset, { length }) => offset + length + 1, 0);
}

export function formatFileProblem(file: string, { severity, line, message }: FileProblem): string {
  return `[${file}:${line}] ${severity === 'error' ? 'Error' : 'Warning'}: ${message}`;
}

interface LogicalLine {
  readonly text: string;
  readonly number: number;
}

class LineReader {
  readonly #lines: string[];
  #at = 0;

  constructor(text: string) {
    this.#lines = text.split('\n');
    // What follows the last newline is a line only if it is not empty.
    if (this.#lines.at(-1) === '') this.#lines.pop();
  }

  /** The next line, joined with its continuation lines; backslashes and line breaks are removed. */
  next(): LogicalLine | undefined {
    if (this.#at >= this.#lines.length) return undefined;
    const number = this.#at + 1;
    const parts: string[] = [];
    for (;;) {
      const part = this.#lines[this.#at++]!;
      if (!part.endsWith('\\') || this.#at >= this.#lines.length) {
        parts.push(part);
        return { text: parts.join(''), number };
      }
      parts.push(part.slice(0, -1));
    }
  }
}

function* readLine(line: LogicalLine, reader: LineReader): Generator<FileItem> {
  const { text, number } = line;
  const problem = (message: string, severity: FileProblem['severity'] = 'error'): FileProblem => ({
    kind: 'problem',
    severity,
    line: number,
    message: `${PREFIX}${message}`,
  });
  const equals = text.indexOf('=');
  if (equals < 0) {
    yield problem(`missing \`\`='' after derived metric name\n${text}`);
    return;
  }
  const left = trim(text.slice(0, equals));
  const right = text.slice(equals + 1);
  if (left.includes('(')) {
    yield* readAttribute(left, right, line, reader, problem);
  } else if (left === '') {
    yield problem(`derived metric name missing\n${text}`);
  } else if (!isMetricName(left)) {
    yield problem(`illegal derived metric name (${left})`);
  } else if (trim(right) === '') {
    yield problem(`expression missing\n${text}`);
  } else {
    const indent = right.length - trimStart(right).length;
    yield { kind: 'definition', name: left, expression: trim(right), text: right, indent, line: number };
  }
}

function* readAttribute(
  left: string,
  right: string,
  line: LogicalLine,
  reader: LineReader,
  problem: (message: string, severity?: FileProblem['severity']) => FileProblem,
): Generator<FileItem> {
  const { text, number } = line;
  const open = left.indexOf('(');
  if (!left.endsWith(')')) {
    yield problem(`missing ')' after attribute\n${text}`);
    return;
  }
  const name = trim(left.slice(0, open));
  const attribute = trim(left.slice(open + 1, -1));
  if (name === '' || attribute === '') {
    yield problem(`${name === '' ? 'derived metric name' : 'attribute name'} missing\n${text}`);
    return;
  }
  const start = trim(right);
  if (start === '') {
    yield problem(`attribute value missing\n${text}`);
    return;
  }
  const quote = start[0];
  if (quote !== '"' && quote !== "'") {
    yield { kind: 'attribute', name, attribute, value: start, text, line: number };
    return;
  }
  // A text may continue over many lines: each is read once.
  let value = '';
  let rest = start.slice(1);
  let quoted = readQuoted(rest, quote);
  for (; quoted.end === undefined; quoted = readQuoted(rest, quote)) {
    const more = reader.next();
    if (!more) {
      yield problem(`missing termination (${quote}) for value`);
      return;
    }
    value += `${quoted.value}\n`;
    rest = more.text;
  }
  const extra = trim(rest.slice(quoted.end));
  if (extra !== '') yield problem(`extra text (${extra}) after attribute value will be ignored`, 'warning');
  yield { kind: 'attribute', name, attribute, value: value + quoted.value, text, line: number };
}

/** Reads up to the end of a quoted text; a backslash makes the next character literal. `end` is undefined if it is not on the line. */
function readQuoted(line: string, quote: string): { value: string; end?: number } {
  let value = '';
  for (let i = 0; i < line.length; i++) {
    if (line[i] === quote) return { value, end: i + 1 };
    if (line[i] === '\\') i++;
    value += line[i] ?? '';
  }
  return { value };
}

function readHint({ text, number }: LogicalLine, [, name = '', value = '']: RegExpExecArray): FileAttribute {
  return { kind: 'attribute', name, attribute: 'display', value: trim(value), text, line: number, isComment: true };
}

function* readControls({ text, number }: LogicalLine): Generator<FileItem> {
  for (const part of trim(text.replace(CONTROL, '')).split(',')) {
    const assignment = trim(part);
    if (assignment === '') continue;
    const equals = assignment.indexOf('=');
    if (equals < 0) {
      const message = `missing '=' in derived metric control (${assignment})`;
      yield { kind: 'problem', severity: 'error', line: number, message };
      continue;
    }
    const option = trim(assignment.slice(0, equals));
    yield { kind: 'control', option, value: trim(assignment.slice(equals + 1)), line: number };
  }
}

/** Turns the separators of pmproxy's form into newlines, except between quotes, brackets and in `&&`. */
function breakLines(text: string): string {
  const marks = /["[;]|&&?/g;
  const find = (what: string, from: number): number => {
    const at = text.indexOf(what, from);
    return at < 0 ? text.length : at;
  };
  let broken = '';
  let from = 0;
  // The next closing bracket and the next line end: searched only when passed, because there may be many opening brackets.
  let [close, newline] = [-1, -1];
  for (let found = marks.exec(text); found; found = marks.exec(text)) {
    const at = found.index;
    switch (found[0]) {
      case '"': {
        const end = find('"', at + 1);
        if (end < text.length) marks.lastIndex = end + 1;
        break;
      }
      case '[':
        if (close < at) close = find(']', at);
        if (newline < at) newline = find('\n', at);
        if (close < newline) marks.lastIndex = close + 1;
        break;
      case ';':
      case '&':
        broken += `${text.slice(from, at)}\n`;
        from = at + 1;
    }
  }
  return broken + text.slice(from);
}

const BLANKS: ReadonlySet<string> = new Set([' ', '\t', '\r', '\v', '\f']);

// Not by a regular expression: one that looks for trailing blanks restarts at each of a long run within the text.
function trim(text: string): string {
  let end = text.length;
  while (end > 0 && BLANKS.has(text[end - 1]!)) end--;
  return trimStart(text.slice(0, end));
}

function trimStart(text: string): string {
  return text.replace(/^[ \t\r\v\f]+/, '');
}
