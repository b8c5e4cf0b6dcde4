import type { AnyExpression, TagExpression } from './ast.js';
import { BINARY_LEVEL, isKeyword, LEVEL } from './tokens.js';

/** The level of a position with its own delimiters: an argument, the inside of parentheses, the whole text. */
const DELIMITED = 0;

export interface PrintOptions {
  readonly parenthesise?: boolean;
}

/** The canonical text: single blanks, and only the necessary parentheses (or all). Parses to the same tree. */
export function printExpression(node: AnyExpression, { parenthesise = false }: PrintOptions = {}): string {
  return parenthesise ? printFull(node, DELIMITED) : printAt(node, DELIMITED);
}

function printAt(node: AnyExpression, level: number): string {
  const text = printNode(node, printAt);
  return levelOf(node) < level ? `(${text})` : text;
}

function printFull(node: AnyExpression, level: number): string {
  const text = printNode(node, printFull);
  return level === DELIMITED || levelOf(node) === LEVEL.primary ? text : `(${text})`;
}

function levelOf(node: AnyExpression): number {
  switch (node.kind) {
    case 'ternary':
      return LEVEL.ternary;
    case 'binary':
      return BINARY_LEVEL[node.operator];
    case 'unary':
      return node.operator === '!' ? LEVEL.not : LEVEL.sum;
    default:
      return LEVEL.primary;
  }
}

function printNode(node: AnyExpression, child: (node: AnyExpression, level: number) => string): string {
  switch (node.kind) {
    case 'name':
      return node.name;
    case 'integer':
      return String(node.value);
    case 'double':
      return node.text;
    case 'mkconst':
      return `mkconst(${[printNode(node.number, child), ...node.tags.map(printTag)].join(', ')})`;
    case 'novalue':
      return `novalue(${node.tags.map(printTag).join(', ')})`;
    case 'unary':
      return `${node.operator}${child(node.operand, node.operator === '!' ? LEVEL.not : LEVEL.product)}`;
    case 'binary': {
      const level = BINARY_LEVEL[node.operator];
      return `${child(node.left, level)} ${node.operator} ${child(node.right, level + 1)}`;
    }
    case 'ternary':
      return `${child(node.guard, LEVEL.ternary)} ? ${child(node.whenTrue, LEVEL.ternary)} : ${child(node.whenFalse, LEVEL.boolean)}`;
    case 'select': {
      const instance = node.instance.replace(/[\\\]]/g, '\\$&');
      return node.operand.kind === 'name'
        ? `${node.operand.name}[${instance}]`
        : `(${child(node.operand, DELIMITED)})[${instance}]`;
    }
    case 'name-call':
      return `${node.function}(${node.operand.name})`;
    case 'call':
      return `${node.function}(${child(node.operand, DELIMITED)})`;
    case 'rescale':
      return `rescale(${child(node.operand, DELIMITED)}, "${node.unitsText}")`;
    case 'matchinst': {
      const pattern = node.pattern.replace(/[\\/]/g, '\\$&');
      return `matchinst(${node.negated ? '!' : ''}/${pattern}/, ${child(node.operand, DELIMITED)})`;
    }
  }
}

/** Values that need no quotes: those that the lexer reads as one name or number. */
const BARE_VALUE = /^(?:[A-Za-z][A-Za-z0-9_.]*|[0-9]{1,9}|[0-9]*\.[0-9]*)$/;

function printTag({ tag, value }: TagExpression): string {
  return `${tag}=${BARE_VALUE.test(value) && !isKeyword(value) ? value : `"${value}"`}`;
}
