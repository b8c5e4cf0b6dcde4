import { GatewayError, type FetchResult, limitExceeded } from '../../../pmapi/index.js';
import type { Context, FetchPlan } from '../../../context/index.js';
import type { AnyRequest } from '../../contracts.js';
import type { HttpOptions } from '../../options.js';
import { untilGone } from '../../request/request-context.js';

/** Characters of a text, or bytes of an aggregate, that count as one more value: the limit is about the size of a response. */
const LENGTH_PER_VALUE = 32;

/** The memory of a value: an instance and a number, or the part of a text that counts as one. */
const VALUE_BYTES = 64;

/** The share of the limit of values that the samples of a stream may have per second, because they continue. */
const STREAMED_SHARE = 0.1;

/** Values and metrics that are written in one turn of the event loop; more take several. */
const WRITTEN_AT_ONCE = 4000;

/** The size of a result: its values, with long texts counting as several, and the metrics without values. */
export type ResultSize = number;

/** Whether writing a result at once would delay others. */
export function isLarge(size: ResultSize): boolean {
  return size > WRITTEN_AT_ONCE;
}

export function bytesOf(size: ResultSize): number {
  return size * VALUE_BYTES;
}

/** The size of a result. Throws LIMIT_EXCEEDED, with what would fit, for more values than a response may have. */
export function requireFewValues(
  result: Pick<FetchResult, 'sets'>,
  { limits }: Pick<HttpOptions, 'limits'>,
): ResultSize {
  return requireAtMost(limits.values, result, 'one response') + result.sets.length;
}

/** As {@link requireFewValues}, for a sample of a stream; the shorter the interval, the lower the limit. */
export function requireFewStreamed(
  result: Pick<FetchResult, 'sets'>,
  intervalSec: number,
  { limits }: Pick<HttpOptions, 'limits'>,
): void {
  const most = Math.floor(limits.values * Math.min(1, STREAMED_SHARE * intervalSec));
  requireAtMost(most, result, `a sample of a stream every ${intervalSec} s`);
}

/** The number of values, as they count. Throws LIMIT_EXCEEDED for more than `most`. */
function requireAtMost(most: number, { sets }: Pick<FetchResult, 'sets'>, holder: string): number {
  let count = 0;
  for (const { status, column } of sets) {
    if (status <= 0) continue;
    count += status;
    for (const { length } of column.texts) count += Math.floor(length / LENGTH_PER_VALUE);
    for (const { length } of column.bytes) count += Math.floor(length / LENGTH_PER_VALUE);
  }
  if (count <= most) return count;
  const fitting = Math.floor((sets.length * most) / count);
  const fits =
    fitting > 0
      ? `about ${fitting} of these metrics would fit`
      : 'select some of the instances (instances, iname, top)';
  throw tooMany(`${count} values of ${sets.length} metrics`, holder, most, fits);
}

/** Throws LIMIT_EXCEEDED for more metrics than a response may have values: each has at least one. */
export function requireFewMetrics(count: number, { limits }: Pick<HttpOptions, 'limits'>): void {
  const { values: most } = limits;
  if (count <= most) return;
  throw tooMany(`${count} metrics`, 'one response', most, 'select some of them, or a subtree');
}

/** Metrics of a fetch that is not large: planning, reading and writing them takes about a millisecond. */
const FEW_METRICS = 250;

/** The size of the last result of each plan, if it was large: it depends on the number of instances, which is known only after a fetch. */
const sizes = new WeakMap<FetchPlan, ResultSize>();

/** Whether a request lists so many metrics that even looking them up takes long. */
export function isLongList(listed: readonly unknown[] = []): boolean {
  return listed.length > FEW_METRICS;
}

/** Whether a plan has many metrics, or had many values at its last fetch. */
export function isLargePlan(plan: FetchPlan): boolean {
  return plan.entries.length > FEW_METRICS || sizes.has(plan);
}

export function rememberSize(plan: FetchPlan, size: ResultSize): void {
  if (isLarge(size)) sizes.set(plan, size);
  else sizes.delete(plan);
}

/** Waits for the turn of a large fetch of its source; the result ends it. Rejects with OVERLOADED, and if the client leaves. */
export function largeFetchTurn(
  request: Pick<AnyRequest, 'options' | 'onClose'>,
  { origin }: Context,
): Promise<() => void> | undefined {
  return request.options.guards.overload.enterLargeFetch(origin, untilGone(request));
}

/** Characters of an element of a list that count as one value: sources determine the length of names, labels and help texts. */
const LENGTH_PER_ELEMENT_VALUE = 64;

/** Texts of a list's elements: too many are rejected before any is written, too long ones as soon as the limit is reached. */
export class BoundedList {
  readonly elements: string[] = [];
  readonly #noun: string;
  readonly #fits: string;
  readonly #most: number;
  #length = 0;

  /** `noun`: what the elements are; `fits`: what to request instead. Throws LIMIT_EXCEEDED for more than values allowed. */
  constructor(count: number, noun: string, fits: string, { limits }: Pick<HttpOptions, 'limits'>) {
    this.#noun = noun;
    this.#fits = fits;
    this.#most = limits.values;
    if (count > this.#most) throw tooMany(`${count} ${noun}`, 'one response', this.#most, fits);
  }

  /** Adds an element. Throws LIMIT_EXCEEDED if its text does not fit. */
  push(element: string): void {
    this.#length += element.length;
    if (this.#length > this.#most * LENGTH_PER_ELEMENT_VALUE) {
      const what = `${this.#noun} of more than ${this.#most * LENGTH_PER_ELEMENT_VALUE} characters`;
      throw tooMany(what, 'one response', this.#most, this.#fits);
    }
    this.elements.push(element);
  }
}

function tooMany(what: string, holder: string, most: number, fits: string): GatewayError {
  return limitExceeded(`${what}; ${holder} may have ${most} (limits.values): ${fits}`, fits);
}
