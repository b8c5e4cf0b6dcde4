import { GatewayError, isMetricName } from '../pmapi/index.js';
import type { Expression } from './language/ast.js';
import { lexExpression } from './language/lexer.js';
import { EXPRESSION_LIMITS, parseExpression } from './language/parse.js';
import { PATTERN_SIZE_BYTES, PATTERN_SIZE_MAX, patternSize } from './language/posix-pattern.js';
import { printExpression } from './language/print.js';
import { badName, syntaxError, type DefinitionScope } from './registration-error.js';
import { operandNames, type OperandNames } from './semantics/bind.js';

/** A named, parsed expression. Immutable; {@link treeOf} gives the tree. */
export interface DerivedDefinition {
  readonly name: string;
  /** As given. */
  readonly expression: string;
  /** In canonical form. */
  readonly canonical: string;
  readonly operands: OperandNames;
  /** Approximate memory, with its program on a source, without help texts. */
  readonly bytes: number;
  readonly pmid: number;
  readonly scope: DefinitionScope;
  /** The REST client that defined it, `user alice`; absent for anonymous clients. */
  readonly by?: string;
  readonly place?: { readonly file: string; readonly line: number };
  /** Help texts, and hints for axes (see `parseDisplay`). */
  readonly oneline?: string;
  readonly helptext?: string;
  readonly display?: string;
}

export type ParsedDefinition = Pick<
  DerivedDefinition,
  'name' | 'expression' | 'canonical' | 'operands' | 'bytes' | 'place'
>;

/** Parses a definition. Throws GatewayError BAD_PARAMETER for a bad name, SourceTextError SYNTAX_ERROR with the manual's text. */
export function parseDefinition(scope: DefinitionScope, name: string, expression: string): ParsedDefinition {
  if (!isMetricName(name)) throw badName(name);
  const parsed = parseExpression(expression);
  if (!parsed.ok) throw syntaxError(scope, name, expression, parsed.fault);
  const printed = printExpression(parsed.expression);
  return {
    name,
    expression,
    canonical: printed === expression ? expression : printed,
    operands: operandNames(parsed.expression),
    bytes: definitionBytes(name, expression),
  };
}

/** The tree of a definition, parsed again when no longer cached: a tree takes a hundred times its text. */
export function treeOf({ name, expression }: Pick<DerivedDefinition, 'name' | 'expression'>): Expression {
  const parsed = parseExpression(expression);
  if (!parsed.ok) throw new Error(`the expression of ${name} was parsed before, and cannot be now`);
  return parsed.expression;
}

/** Objects and map entries of one definition, and its program on a source without steps: measured on Node 20. */
const DEFINITION_BYTES = 1_500;
/** Memory per token, with steps and names. Measured on Node 20: at most 100. */
const TOKEN_BYTES = 100;
const CHARACTER_BYTES = 2;
const BLANKS_PER_TOKEN = 2;

/** Approximate memory of a definition, known before it is parsed: too large a one costs nothing. */
export function definitionBytes(name: string, expression: string): number {
  const { length } = expression;
  // The parser refuses a longer one.
  const { tokens } = lexExpression(expression.slice(0, EXPRESSION_LIMITS.length), EXPRESSION_LIMITS.tokens);
  const patterns = tokens.reduce((sum, { type, value }) => sum + (type === 'PATTERN' ? patternSize(value) : 0), 0);
  const characters = name.length + 2 * length + BLANKS_PER_TOKEN * tokens.length;
  return (
    DEFINITION_BYTES +
    TOKEN_BYTES * tokens.length +
    CHARACTER_BYTES * characters +
    PATTERN_SIZE_BYTES * Math.min(patterns, PATTERN_SIZE_MAX)
  );
}

/** Texts and display hints that describe a metric to people. */
export type HelpTexts = Pick<DerivedDefinition, 'oneline' | 'helptext' | 'display'>;

export function helpBytes({ oneline = '', helptext = '', display = '' }: HelpTexts): number {
  return CHARACTER_BYTES * (oneline.length + helptext.length + display.length);
}

/** Approximate memory of a definition with its help texts. */
export function costOf(definition: Pick<DerivedDefinition, 'bytes' | keyof HelpTexts>): number {
  return definition.bytes + helpBytes(definition);
}

/** The help texts alone of something that has more. */
export function helpOf({ oneline, helptext, display }: { readonly [K in keyof HelpTexts]: unknown }): HelpTexts {
  return {
    ...(typeof oneline === 'string' && { oneline }),
    ...(typeof helptext === 'string' && { helptext }),
    ...(typeof display === 'string' && { display }),
  };
}

/** A byte budget for things that cannot be evicted: definitions, profiles, streams. A {@link part}'s use counts in the whole as well. */
export class MemoryQuota {
  readonly #what: string;
  readonly #limit: number;
  readonly #whole: MemoryQuota | undefined;
  #bytes = 0;
  #isClosed = false;

  /** @param what what takes the memory, in the plural, for the message of the error */
  constructor(what: string, limit: number, whole?: MemoryQuota) {
    this.#what = what;
    this.#limit = limit;
    this.#whole = whole;
  }

  /** A quota within this one, to be closed by its owner. */
  part(what: string, limit: number): MemoryQuota {
    return new MemoryQuota(what, Math.min(limit, this.#limit), this);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Why there is no room for this many more bytes; undefined if there is. */
  explainFull(bytes: number): string | undefined {
    if (this.#bytes + bytes <= this.#limit) return this.#whole?.explainFull(bytes);
    return `${this.#what} take ${this.#bytes} bytes, and this one ${bytes} ${NO_ROOM} ${this.#limit}`;
  }

  /** @throws GatewayError MEMORY_FULL if there is no room for this many more bytes */
  require(bytes: number): void {
    const reason = this.explainFull(bytes);
    if (reason !== undefined) throw new GatewayError('MEMORY_FULL', reason);
  }

  take(bytes: number): void {
    this.#bytes += bytes;
    if (!this.#isClosed) this.#whole?.take(bytes);
  }

  give(bytes: number): void {
    this.take(-bytes);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#whole?.give(this.#bytes);
    this.#isClosed = true;
  }
}

/** The common part of the messages of MEMORY_FULL, which distinguishes problems of a file. */
export const NO_ROOM = 'more: limits.memoryBytes leaves them';
