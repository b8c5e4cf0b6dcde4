import { Semantics, makeUnits } from '../../pmapi/index.js';
import type { FunctionName } from '../language/tokens.js';

export type OperandForm = 'metric name' | 'expression';

export interface FunctionSignature {
  readonly name: FunctionName;
  readonly synopsis: string;
  readonly operand: OperandForm | 'none';
  readonly arithmeticOnly: boolean;
  readonly needsInstances: boolean;
  readonly summary: string;
}

function row(
  name: FunctionName,
  synopsis: string,
  operand: FunctionSignature['operand'],
  summary: string,
  { arithmeticOnly = false, needsInstances = false } = {},
): FunctionSignature {
  return { name, synopsis, operand, arithmeticOnly, needsInstances, summary };
}

const ARITHMETIC = { arithmeticOnly: true };

/**
 * Every function and constructor of the language, in the order of the manual page. What a call's metadata is stands in
 * result-metadata.ts; what it computes, in evaluation/.
 * @see pmRegisterDerived(3)
 */
export const FUNCTIONS: readonly FunctionSignature[] = [
  row('avg', 'avg(metric)', 'metric name', 'The average over all instances, as FLOAT.', ARITHMETIC),
  row('count', 'count(metric)', 'metric name', 'How many instances have a value; 0 when the metric fails.'),
  row(
    'defined',
    'defined(metric)',
    'metric name',
    '1 when the name exists, else 0; decided when the expression is bound.',
  ),
  row('max', 'max(metric)', 'metric name', 'The largest value over all instances.', ARITHMETIC),
  row('min', 'min(metric)', 'metric name', 'The smallest value over all instances.', ARITHMETIC),
  row('sum', 'sum(metric)', 'metric name', 'The sum over all instances.', ARITHMETIC),
  row('anon', 'anon(PM_TYPE_…)', 'metric name', 'A metric of that type that never has a value.'),
  row('delta', 'delta(expr)', 'expression', 'The difference to the previous sample.', ARITHMETIC),
  row('rate', 'rate(expr)', 'expression', 'The difference to the previous sample per second.', ARITHMETIC),
  row('instant', 'instant(expr)', 'expression', 'The value itself: a counter is taken as an instantaneous value.'),
  row('scalar', 'scalar(expr)', 'expression', 'The first value, without its instance.'),
  row('rescale', 'rescale(expr, "units")', 'expression', 'The value in other units of the same dimension.', ARITHMETIC),
  row('matchinst', 'matchinst([!]/regex/, expr)', 'expression', 'The instances whose name matches, or does not.', {
    needsInstances: true,
  }),
  row(
    'mkconst',
    'mkconst(number, tag=value, …)',
    'none',
    'A constant with metadata: type, semantics, units, indom, meta.',
  ),
  row('novalue', 'novalue([tag=value, …])', 'none', 'No value: one of the two arms of a ternary.'),
];

const BY_NAME: ReadonlyMap<string, FunctionSignature> = new Map(FUNCTIONS.map((fn) => [fn.name, fn]));

export function signatureOf(name: FunctionName): FunctionSignature {
  return BY_NAME.get(name)!;
}

/** The units of count(): count to the power of one. */
export const COUNT_UNITS = makeUnits({ dimCount: 1 });

/** instant(e) and every aggregate but sum(): a counter's value at one moment is no counter. */
export function asInstant(semantics: Semantics): Semantics {
  return semantics === Semantics.COUNTER ? Semantics.INSTANT : semantics;
}
