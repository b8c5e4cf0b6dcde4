import type { InSteps } from '../kit/index.js';
import { PM_ERR, SourceTextError } from '../pmapi/index.js';
import { definitionBytes, helpBytes, parseDefinition, NO_ROOM } from './definition.js';
import type { HelpTexts, ParsedDefinition, MemoryQuota } from './definition.js';
import { formatFileProblem, offsetOfLine, parseDefinitionFile } from './language/definition-file.js';
import type {
  DefinitionFileOptions,
  FileAttribute,
  FileDefinition,
  FileItem,
  FileProblem,
} from './language/definition-file.js';
import { parseExpression } from './language/parse.js';
import { duplicateName, duplicateReason, fullReason, type DefinitionScope } from './registration-error.js';

export interface DerivedControls {
  /** -1 for no limit. @see pmSetDerivedControl(3), PCP_DERIVED_GLOBAL_LIMIT */
  readonly globalLimit?: number;
  readonly contextLimit?: number;
  /** OPTION_NOVALUE: bind unknown metrics as novalue(). */
  readonly unknownIsNovalue?: boolean;
}

export interface LoadedFile {
  readonly definitions: readonly ParsedDefinition[];
  readonly help: ReadonlyMap<string, HelpTexts>;
  readonly controls: DerivedControls;
  readonly problems: readonly FileProblem[];
}

export interface LoadOptions extends DefinitionFileOptions {
  /** The gateway's file with the text, for the places of definitions. */
  readonly file?: string | undefined;
  readonly scope: DefinitionScope;
  /** Whether a name has another expression already. */
  readonly isTaken: (name: string, canonical: string) => boolean;
  /** Whether a name exists and can have help texts. */
  readonly exists?: (name: string) => boolean;
  /** The text comes with the configuration: `#control` lines apply, and it may be long. Never for a client's text. */
  readonly isTrusted?: boolean;
  /** The number of existing definitions, and the maximum (-1 for no limit). */
  readonly count?: number;
  readonly limit?: number;
  /** The budget of new definitions and help texts; nothing is taken from it. */
  readonly budget?: MemoryQuota;
}

const NO_LIMIT = -1;
const TOO_LONG = 'pmLoadDerivedConfig: the text is longer';

const MAX_FILE_DEFINITIONS = 5_000;
/** Maximum length of a client's text, in UTF-16 units: parsing takes up to 10 ms per thousand. */
const MAX_TEXT_LENGTH = 65_536;

/**
 * Parses a definition file, one definition per step. Nothing is registered: the caller decides what problems mean (PCP registers
 * what is valid and reports the rest; pmgate's REST interface takes all or nothing).
 * @see pmLoadDerivedConfig(3)
 */
export function* loadDefinitions(text: string, options: LoadOptions): InSteps<LoadedFile> {
  const definitions = new Map<string, ParsedDefinition>();
  const help = new Map<string, HelpTexts>();
  let controls: DerivedControls = {};
  const problems: FileProblem[] = [];
  let fresh = 0;
  let bytes = 0;
  const report = (line: number, message: string, severity: FileProblem['severity'] = 'error'): void => {
    const code = codeOf(message, options.scope);
    problems.push({ kind: 'problem', severity, line, message, ...(code && { code }) });
  };

  if (options.isTrusted !== true && text.length > MAX_TEXT_LENGTH) {
    report(1, `${TOO_LONG} than ${MAX_TEXT_LENGTH} characters`);
    return { definitions: [], help, controls, problems };
  }
  const items = parseDefinitionFile(text, options);
  // A hint may stand before its definition, as comments do.
  for (const item of [...items.filter((each) => !isHint(each)), ...items.filter(isHint)]) {
    switch (item.kind) {
      case 'problem':
        problems.push(item);
        break;
      case 'control': {
        const read =
          options.isTrusted === true
            ? readControl(item.option, item.value)
            : `derived metric control (${item.option}) is ignored here`;
        if (typeof read === 'string') report(item.line, read, 'warning');
        else controls = { ...controls, ...read };
        break;
      }
      case 'attribute': {
        const known = definitions.has(item.name) || options.exists?.(item.name) === true;
        if (!known && isHint(item)) {
          report(item.line, `display hint for ${item.name}, which is not defined`, 'warning');
          break;
        }
        const trouble = attributeTrouble(item, known, help.get(item.name));
        const needed = bytes + helpBytes({ [item.attribute]: item.value });
        const full = trouble ?? options.budget?.explainFull(needed);
        if (full !== undefined) {
          report(item.line, `pmLoadDerivedConfig: ${full}\n${item.text}`);
          break;
        }
        help.set(item.name, { ...help.get(item.name), [item.attribute]: item.value });
        bytes = needed;
        break;
      }
      case 'definition': {
        yield;
        const isFresh = !definitions.has(item.name) && options.exists?.(item.name) !== true;
        const limit = (options.scope === 'global' ? controls.globalLimit : undefined) ?? options.limit ?? NO_LIMIT;
        const isFull = limit !== NO_LIMIT && (options.count ?? 0) + fresh >= limit;
        const needed = isFresh ? bytes + definitionBytes(item.name, item.expression) : bytes;
        const tooMany = isFresh && (fresh >= MAX_FILE_DEFINITIONS || isFull) ? fullReason(options.scope) : undefined;
        const full = tooMany ?? options.budget?.explainFull(needed);
        const trouble = definitionTrouble(item, definitions, options, full);
        if (trouble !== undefined) {
          report(item.line, trouble);
          break;
        }
        const parsed = parseDefinition(options.scope, item.name, item.expression);
        const { file } = options;
        definitions.set(item.name, file === undefined ? parsed : { ...parsed, place: { file, line: item.line } });
        if (isFresh) fresh++;
        bytes = needed;
        break;
      }
    }
  }
  problems.sort((a, b) => a.line - b.line);
  return { definitions: [...definitions.values()], help, controls, problems };
}

/** Errors that are reported per file; a file may have thousands. */
const ERRORS_TOLD = 20;

/** The error for a file rejected as a whole: its errors, and the position of the first. */
export function fileError(
  file: string,
  source: string,
  problems: readonly FileProblem[],
  options: DefinitionFileOptions = {},
): SourceTextError {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const told = errors.slice(0, ERRORS_TOLD).map((problem) => formatFileProblem(file, problem));
  if (errors.length > ERRORS_TOLD) told.push(`... and ${errors.length - ERRORS_TOLD} more errors`);
  const text = told.join('\n');
  const { line, code = 'SYNTAX_ERROR' } = errors[0]!;
  return new SourceTextError(code, text, {
    source,
    offset: offsetOfLine(source, line, options),
    pmErr: PM_ERR.BADDERIVE,
  });
}

function definitionTrouble(
  item: FileDefinition,
  earlier: ReadonlyMap<string, ParsedDefinition>,
  options: LoadOptions,
  full: string | undefined,
): string | undefined {
  const asSyntaxError = (offset: number, reason: string | undefined): string => {
    const caret = `${' '.repeat(Math.abs(offset + item.indent))}^`;
    const lines = [`pmRegisterDerived(${item.name}, ...) syntax error`, item.text, caret];
    if (options.scope === 'context') lines[0] = `Syntax Error: pmAddDerivedMetric("${item.name}", ...)`;
    return [...lines, ...(reason === undefined ? [] : [reason])].join('\n');
  };
  // PCP: the name is checked before the expression.
  const asDuplicate = (): string =>
    options.scope === 'global'
      ? asSyntaxError(0, duplicateReason('global'))
      : duplicateName('context', item.name, item.expression).message;
  if (earlier.has(item.name)) {
    const isSame =
      parseExpression(item.expression).ok && earlier.get(item.name)!.canonical === canonicalOf(options, item);
    if (!isSame) return asDuplicate();
  }
  if (full !== undefined) return asSyntaxError(0, full);
  const parsed = parseExpression(item.expression);
  if (!parsed.ok) return asSyntaxError(parsed.fault.offset, parsed.fault.reason);
  if (options.isTaken(item.name, canonicalOf(options, item))) return asDuplicate();
  return undefined;
}

function codeOf(message: string, scope: DefinitionScope): FileProblem['code'] {
  if (message.endsWith(duplicateReason(scope))) return 'DUPLICATE_NAME';
  if (message.includes(NO_ROOM)) return 'MEMORY_FULL';
  return message.endsWith(fullReason(scope)) || message.startsWith(TOO_LONG) ? 'LIMIT_EXCEEDED' : undefined;
}

function canonicalOf({ scope }: LoadOptions, { name, expression }: FileDefinition): string {
  return parseDefinition(scope, name, expression).canonical;
}

function isHint(item: FileItem): boolean {
  return item.kind === 'attribute' && item.isComment === true;
}

function attributeTrouble(
  { name, attribute, value, isComment }: FileAttribute,
  known: boolean,
  help: HelpTexts | undefined,
): string | undefined {
  if (!known) return `cannot set attribute, derived metric (${name}) not defined`;
  const hints = isComment === true ? parseDisplay(value) : undefined;
  if (typeof hints === 'string') return hints;
  if (!hints && attribute !== 'oneline' && attribute !== 'helptext') {
    return `attribute (${attribute}) is unknown for metric (${name})`;
  }
  if (help?.[attribute as keyof HelpTexts] !== undefined)
    return `duplicate value for attribute (${attribute}) of metric (${name})`;
  return undefined;
}

const LIMITS: ReadonlyMap<string, 'globalLimit' | 'contextLimit'> = new Map([
  ['GLOBAL_LIMIT', 'globalLimit'],
  ['CONTEXT_LIMIT', 'contextLimit'],
]);
const DEBUG_OPTIONS: ReadonlySet<string> = new Set(['DEBUG_SYNTAX', 'DEBUG_SEMANTICS', 'DEBUG_EVAL']);

function readControl(option: string, value: string): DerivedControls | string {
  const name = option.toUpperCase();
  const badValue = `bad value (${value}) for derived metric control (${option})`;
  const limit = LIMITS.get(name);
  if (limit !== undefined) {
    const count = /^-?\d{1,9}$/.test(value) ? Number(value) : 0;
    return count === -1 || count > 0 ? { [limit]: count } : badValue;
  }
  if (name === 'OPTION_NOVALUE') {
    return value === '0' || value === '1' ? { unknownIsNovalue: value === '1' } : badValue;
  }
  if (DEBUG_OPTIONS.has(name)) return value === '0' || value === '1' ? {} : badValue;
  return `unknown derived metric control (${option})`;
}

/** Drawing hints: `# pmgate: display NAME unit=% min=0 max=100` in a definition file, a comment for PCP. Kept as text. */

/** Hints for the axis of a metric's values; at least one. */
export interface DisplayHints {
  /** Written behind numbers in place of the units: up to 16 characters without blanks. */
  readonly unit?: string;
  /** Bounds of the metric's values, and of an axis. */
  readonly min?: number;
  readonly max?: number;
}

const UNIT = /^[^\s\p{C}"\\]{1,16}$/u;
const NUMBER = /^-?\d{1,15}(?:\.\d{1,9})?$/;
const MAX_LENGTH = 100;

/** Parses the hints of a definition file or saved state. Returns what is wrong with them as text. */
export function parseDisplay(text: string): DisplayHints | string {
  const words = text.length > MAX_LENGTH ? [] : text.split(/[ \t\r]+/).filter((word) => word !== '');
  if (words.length === 0) return `expected unit=TEXT, min=NUMBER or max=NUMBER, in at most ${MAX_LENGTH} characters`;
  const hints: { unit?: string; min?: number; max?: number } = {};
  for (const word of words) {
    const [, key, value = ''] = /^(unit|min|max)=(.*)$/s.exec(word) ?? [];
    if (key === undefined) return `unknown display hint (${word}): expected unit=TEXT, min=NUMBER or max=NUMBER`;
    if (key in hints) return `duplicate display hint (${key})`;
    if (key === 'unit' ? !UNIT.test(value) : !NUMBER.test(value))
      return `bad value (${value}) for display hint (${key})`;
    if (key === 'unit') hints.unit = value;
    else hints[key as 'min' | 'max'] = Number(value);
  }
  const { min, max } = hints;
  if (min !== undefined && max !== undefined && min >= max)
    return `display hint min (${min}) is not below max (${max})`;
  return hints;
}

/** The hints of a text that was parsed before; undefined if they are invalid. */
export function displayOf(text: string | undefined): DisplayHints | undefined {
  const hints = text === undefined ? undefined : parseDisplay(text);
  return typeof hints === 'object' ? hints : undefined;
}
