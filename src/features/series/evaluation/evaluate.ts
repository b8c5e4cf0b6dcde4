import { isArithmeticType, MetricType } from '../../../pmapi/index.js';
import { eventLoopTurns } from '../../../kit/index.js';
import type { CataloguedMetric } from '../catalogue/archive-series.js';
import type { Expression, Operand } from '../language/index.js';
import { combine } from './arithmetic.js';
import { applyFunction, scaleBy } from './functions.js';
import type { SeriesMetadata, SeriesValues, ValueForm } from './series-values.js';

/** What an expression gives, from what its operands are. Throws BAD_PARAMETER where types, units or semantics do not fit. */
export async function evaluateSeries(
  expression: Expression,
  operandOf: (operand: Operand) => readonly SeriesValues[],
  signal: AbortSignal | undefined,
): Promise<readonly SeriesValues[]> {
  const inner = (part: Expression): Promise<readonly SeriesValues[]> => evaluateSeries(part, operandOf, signal);
  switch (expression.kind) {
    case 'operand':
      return operandOf(expression);
    case 'call':
      return eachInTurns(await inner(expression.argument), signal, (one) => applyFunction(expression, one));
    case 'scaling':
      return eachInTurns(await inner(expression.operand), signal, (one) => scaleBy(expression.factor, one));
    case 'arithmetic': {
      const pairs = pairsOf(await inner(expression.left), await inner(expression.right));
      return eachInTurns(pairs, signal, ([left, right]) => combine(expression.operator, left, right));
    }
  }
}

/** The operands of an expression, from left to right. */
export function operandsOf(expression: Expression): readonly Operand[] {
  switch (expression.kind) {
    case 'operand':
      return [expression];
    case 'call':
      return operandsOf(expression.argument);
    case 'scaling':
      return operandsOf(expression.operand);
    case 'arithmetic':
      return [...operandsOf(expression.left), ...operandsOf(expression.right)];
  }
}

/** What a metric's values are. */
export function metadataOf({ descriptor }: CataloguedMetric): SeriesMetadata {
  const { type, semantics, units, indom } = descriptor;
  return { type, semantics, units, indom, form: formOf(type) };
}

function formOf(type: MetricType): ValueForm {
  if (type === MetricType.FLOAT || type === MetricType.DOUBLE) return 'real';
  if (type === MetricType.EVENT || type === MetricType.HIGHRES_EVENT) return 'integer';
  return isArithmeticType(type) ? 'integer' : 'text';
}

/** The first series of each side, for each source that both have; of one source on each side, whatever they are. */
function pairsOf(
  left: readonly SeriesValues[],
  right: readonly SeriesValues[],
): readonly (readonly [SeriesValues, SeriesValues])[] {
  const [lefts, rights] = [firstBySource(left), firstBySource(right)];
  if (lefts.size === 1 && rights.size === 1) return [[left[0]!, right[0]!]];
  return [...lefts].flatMap(([source, one]) => {
    const other = rights.get(source);
    return other ? [[one, other] as const] : [];
  });
}

function firstBySource(series: readonly SeriesValues[]): ReadonlyMap<string, SeriesValues> {
  const first = new Map<string, SeriesValues>();
  for (const one of series) if (!first.has(one.source)) first.set(one.source, one);
  return first;
}

async function eachInTurns<T>(
  items: readonly T[],
  signal: AbortSignal | undefined,
  of: (item: T) => SeriesValues,
): Promise<readonly SeriesValues[]> {
  const results: SeriesValues[] = [];
  for (const item of items) {
    signal?.throwIfAborted();
    const turn = eventLoopTurns.next();
    if (turn) await turn;
    results.push(of(item));
  }
  return results;
}
