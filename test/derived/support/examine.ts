import {
  History,
  bindExpression,
  compileProgram,
  evaluate,
  parseExpression,
  printExpression,
} from '../../../src/derived/index.js';
import type { BindResult, ParseResult } from '../../../src/derived/index.js';
import { ValueSet } from '../../../src/pmapi/index.js';
import type { CaseScript, Check } from './case-script.js';
import { Given, describeMetadata } from './given.js';

const TOLERANCE = 1e-6;

/** What the directives of some cases expect, and what there is. Pages run it, too. */
export function examineAll(given: Given, cases: CaseScript['cases']): readonly Examined[] {
  return cases.flatMap(({ checks }) =>
    checks.flatMap((check) =>
      check.directives.map(({ word, rest, line }) => ({
        at: `${line} ${word}: ${check.expression}`,
        ...examine(word, rest, check, given),
      })),
    ),
  );
}

interface Examined {
  readonly at: string;
  readonly expected: unknown;
  readonly found: unknown;
}

/** What one directive expects, and what there is. */
function examine(word: string, rest: string, check: Check, given: Given): { expected: unknown; found: unknown } {
  const parsed = parseExpression(check.expression);
  if (word === 'syntax') return { expected: rest, found: describeParse(parsed) };
  if (!parsed.ok) return { expected: `${word} ${rest}`, found: `syntax ${describeParse(parsed)}` };
  const { expression } = parsed;
  if (word === 'canonical') return { expected: rest, found: printExpression(expression) };
  if (word === 'full') return { expected: rest, found: printExpression(expression, { parenthesise: true }) };
  const result = bindExpression(expression, given);
  if (word === 'error') return { expected: rest, found: describeBind(result) };
  if (word === 'error-at') {
    const range = result.ok ? undefined : result.errors[0].range;
    return { expected: rest, found: range ? `${range.start} ${range.end}` : 'it binds' };
  }
  if (!result.ok) return { expected: `${word} ${rest}`, found: `error ${describeBind(result)}` };
  const { bound } = result;
  switch (word) {
    case 'is':
      return { expected: rest, found: describeMetadata(bound.root.meta) };
    case 'needs':
      return { expected: rest, found: bound.operands.map(({ name }) => name).join(' ') || '-' };
    default: {
      const expected = rest.split(';').map((part) => part.trim());
      const program = compileProgram(bound);
      const history = new History(bound.slots);
      const found = given.samples.slice(0, expected.length).map((sample, sequence) => {
        const into = new ValueSet();
        const operands = bound.operands.map((operand) => given.valuesOf(operand, sample));
        const timestamp = { sec: Math.floor(sample.seconds), nsec: Math.round((sample.seconds % 1) * 1e9) };
        const instances = (indom: number): ReturnType<Given['domains']['get']> => given.domains.get(indom);
        evaluate(program, { sequence, timestamp, operands, instances }, history, into);
        return given.describe(into, bound.root.meta.indom);
      });
      return { expected, found };
    }
  }
}

function describeParse(parsed: ParseResult): string {
  return parsed.ok ? 'it parses' : `${parsed.fault.offset} ${parsed.fault.reason ?? '-'}`;
}

function describeBind(result: BindResult): string {
  return result.ok ? 'it binds' : `${result.errors[0].where}: ${result.errors[0].reason}`;
}

/** Values, of which those that are not whole have six digits: FLOAT has no more. */
export function rounded(values: unknown): unknown {
  return Array.isArray(values) ? values.map(roundAll) : values;
}

function roundAll(text: string): string {
  return text.replace(/-?\d+\.\d+(?:e[-+]\d+)?/g, (number) =>
    String(Number(Number(number).toPrecision(-Math.log10(TOLERANCE)))),
  );
}
