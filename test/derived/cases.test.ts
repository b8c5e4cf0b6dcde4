import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import {
  History,
  bindExpression,
  compileProgram,
  evaluate,
  parseExpression,
  printExpression,
} from '../../src/derived/index.js';
import type { BindResult, ParseResult } from '../../src/derived/index.js';
import { ValueSet } from '../../src/pmapi/index.js';
import { type Check, readCaseScript } from './support/case-script.js';
import { Given, describeMetadata } from './support/given.js';

const FOLDER = path.join(import.meta.dirname, 'cases');
const TOLERANCE = 1e-6;

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
      return { expected: expected.map(roundAll), found: found.map(roundAll) };
    }
  }
}

function describeParse(parsed: ParseResult): string {
  return parsed.ok ? 'it parses' : `${parsed.fault.offset} ${parsed.fault.reason ?? '-'}`;
}

function describeBind(result: BindResult): string {
  return result.ok ? 'it binds' : `${result.errors[0].where}: ${result.errors[0].reason}`;
}

/** Numbers that are not whole are compared to six digits: FLOAT has no more. */
function roundAll(text: string): string {
  return text.replace(/-?\d+\.\d+(?:e[-+]\d+)?/g, (number) =>
    String(Number(Number(number).toPrecision(-Math.log10(TOLERANCE)))),
  );
}

describe.each(readdirSync(FOLDER).filter((file) => file.endsWith('.test')))('%s', (file) => {
  const script = readCaseScript(file, readFileSync(path.join(FOLDER, file), 'utf8'));
  const given = new Given(script.given);
  it.each(script.cases.map((each): [string, typeof each] => [each.title, each]))('%s', (_title, { checks }) => {
    for (const check of checks) {
      for (const { word, rest, line } of check.directives) {
        const { expected, found } = examine(word, rest, check, given);
        const at = `${file}:${line} ${check.expression}`;
        expect({ at, [word]: found }).toEqual({ at, [word]: expected });
      }
    }
  });
});
