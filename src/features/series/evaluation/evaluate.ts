import { isArithmeticType, MetricType } from '../../../pmapi/index.js';
import { throughInTurns, type InSteps } from '../../../kit/index.js';
import type { CataloguedMetric } from '../catalogue/archive-series.js';
import { inputsOf, printQuery, type Expression, type Operand } from '../language/index.js';
import { combine } from './arithmetic.js';
import { applyFunction, scaleBy } from './functions.js';
import type { SeriesMetadata, SeriesValues, ValueForm } from './series-values.js';
import { bytesOfValues, type MemoryShare } from './value-memory.js';

/** A function, an operator or a factor: its values are dropped when the last step that needs them has them. */
interface Step {
  readonly expression: Exclude<Expression, Operand>;
  readonly inputs: readonly number[];
}

/** How many values all steps of a request may take together, in multiples of the values that may be read. */
const STEPS_PER_VALUE = 10;

export class EvaluationPlan {
  readonly #parts: (Operand | Step)[] = [];
  readonly #places = new Map<string, number>();
  readonly #uses: number[] = [];

  /** Adds an expression; returns its place among the results. */
  add(expression: Expression): number {
    const place = this.#place(expression);
    this.#uses[place]!++;
    return place;
  }

  get operands(): readonly Operand[] {
    return this.#parts.filter((part) => isOperand(part));
  }

  /** How many values may be read, so that the steps do not take too long. */
  mostValues(values: number): number {
    const steps = this.#parts.length - this.operands.length;
    return Math.min(values, Math.floor((values * STEPS_PER_VALUE) / Math.max(1, steps)));
  }

  /** The results, in turns of the event loop. Throws BAD_PARAMETER where types, units or semantics do not fit. */
  async evaluate(
    operandOf: (operand: Operand) => readonly SeriesValues[],
    memory: MemoryShare,
    signal: AbortSignal | undefined,
  ): Promise<readonly (readonly SeriesValues[])[]> {
    const results: (readonly SeriesValues[])[] = [];
    const uses = [...this.#uses];
    for (const part of this.#parts) {
      if (isOperand(part)) {
        results.push(operandOf(part));
        continue;
      }
      const inputs = part.inputs.map((place) => results[place]!);
      // A result has at most as many values as the first input.
      const expected = bytesOfValues(inputs[0]!);
      memory.take(expected);
      const result = await throughInTurns(stepOf(part, inputs), signal);
      memory.take(bytesOfValues(result) - expected);
      results.push(result);
      for (const place of part.inputs) {
        if (--uses[place]! > 0 || isOperand(this.#parts[place]!)) continue;
        memory.take(-bytesOfValues(results[place]!));
        results[place] = [];
      }
    }
    return results;
  }

  #place(expression: Expression): number {
    const inputs = inputsOf(expression).map((input) => this.#place(input));
    const key = `${inputs.join(' ')} ${ownText(expression)}`;
    let place = this.#places.get(key);
    if (place === undefined) {
      place = this.#parts.push(expression.kind === 'operand' ? expression : { expression, inputs }) - 1;
      this.#uses.push(0);
      this.#places.set(key, place);
      for (const input of inputs) this.#uses[input]!++;
    }
    return place;
  }
}

function isOperand(part: Operand | Step): part is Operand {
  return 'kind' in part;
}

function ownText(expression: Expression): string {
  switch (expression.kind) {
    case 'operand':
      return `operand ${printQuery(expression)}`;
    case 'call':
      return JSON.stringify({ ...expression, argument: undefined });
    case 'scaling':
      return expression.factor;
    case 'arithmetic':
      return expression.operator;
  }
}

function* stepOf(
  { expression }: Step,
  [first, second]: readonly (readonly SeriesValues[])[],
): InSteps<readonly SeriesValues[]> {
  const results: SeriesValues[] = [];
  switch (expression.kind) {
    case 'call':
      for (const one of first!) results.push(yield* applyFunction(expression, one));
      break;
    case 'scaling':
      for (const one of first!) results.push(yield* scaleBy(expression.factor, one));
      break;
    case 'arithmetic':
      for (const [left, right] of pairsOf(first!, second!)) {
        results.push(yield* combine(expression.operator, left, right));
      }
  }
  return results;
}

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
