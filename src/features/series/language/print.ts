import { WINDOW_KEYWORDS } from './lexer.js';
import type { Comparand, Condition, Expression, Subject } from './ast.js';

/**
 * The canonical form, for identifiers: no blanks or window, `:` as `~~`, commas as `&&`. Unlike pmproxy, numbers have no quotes, and
 * regular expressions do: different conditions have different texts.
 */
export function printQuery(expression: Expression): string {
  switch (expression.kind) {
    case 'operand': {
      const { name = '', condition } = expression;
      return condition ? `${name}{${printCondition(condition)}}` : name;
    }
    case 'call': {
      const argument = printQuery(expression.argument);
      if (expression.name === 'rescale') return `rescale(${argument},"${expression.units}")`;
      if (expression.name === 'log' && expression.base !== undefined) return `log(${argument},${expression.base})`;
      return `${expression.name}(${argument}${'count' in expression ? `, ${expression.count}` : ''})`;
    }
    case 'arithmetic': {
      const [left, right] = [printQuery(expression.left), printQuery(expression.right)];
      // A star right behind a name would be part of it.
      const isInName = expression.operator === '*' && /[\w.*%\\]$/.test(left);
      return isInName ? `${left} * ${right}` : `${left}${expression.operator}${right}`;
    }
    case 'scaling':
      return `${expression.factor}*${printQuery(expression.operand)}`;
  }
}

function printCondition(condition: Condition): string {
  if (condition.kind === 'comparison') {
    return `${printSubject(condition.subject)}${condition.relation}${printComparand(condition.comparand)}`;
  }
  // Only a comma has a junction on its right.
  const operator = condition.right.kind === 'comparison' ? condition.kind : ',';
  return `${printCondition(condition.left)}${operator}${printCondition(condition.right)}`;
}

function printSubject(subject: Subject): string {
  if (subject.kind !== 'label') return `${subject.kind}.name`;
  return WINDOW_KEYWORDS.has(subject.label) ? `label.${subject.label}` : subject.label;
}

function printComparand({ kind, text }: Comparand): string {
  return kind === 'number' ? text : `"${text}"`;
}
