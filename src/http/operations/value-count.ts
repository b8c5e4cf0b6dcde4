import { GatewayError } from '../../pmapi/index.js';
import type { FetchResult } from '../../pmapi/index.js';
import type { HttpOptions } from '../options.js';

/** Characters of a text, or bytes of an aggregate, that count as a value of their own: the limit is about how large an answer gets. */
const LENGTH_PER_VALUE = 32;

/** What share of the values of one answer the samples of a stream may hold in a second: it goes on and on. */
const STREAMED_SHARE = 0.1;

/**
 * Throw LIMIT_EXCEEDED, which says what would fit, for a result of more values than one answer may hold. Long texts count as several.
 */
export function requireFewValues(result: Pick<FetchResult, 'sets'>, { limits }: Pick<HttpOptions, 'limits'>): void {
  if (limits.values !== undefined) requireAtMost(limits.values, result, 'one answer');
}

/** As {@link requireFewValues}, for one of the samples of a stream; those that come often may hold less. */
export function requireFewStreamed(
  result: Pick<FetchResult, 'sets'>,
  intervalSec: number,
  { limits }: Pick<HttpOptions, 'limits'>,
): void {
  if (limits.values === undefined) return;
  const most = Math.floor(limits.values * Math.min(1, STREAMED_SHARE * intervalSec));
  requireAtMost(most, result, `a sample of a stream every ${intervalSec} s`);
}

function requireAtMost(most: number, { sets }: Pick<FetchResult, 'sets'>, holder: string): void {
  let count = 0;
  for (const { status, column } of sets) {
    if (status <= 0) continue;
    count += status;
    for (const { length } of column.texts) count += Math.floor(length / LENGTH_PER_VALUE);
    for (const { length } of column.bytes) count += Math.floor(length / LENGTH_PER_VALUE);
  }
  if (count <= most) return;
  const fitting = Math.floor((sets.length * most) / count);
  const fits =
    fitting > 0
      ? `about ${fitting} of these metrics would fit`
      : 'ask for some of the instances (instances, iname, top)';
  throw tooMany(`${count} values of ${sets.length} metrics`, holder, most, fits);
}

/** Throw LIMIT_EXCEEDED for more metrics than one answer may hold values: each has one at least. */
export function requireFewMetrics(count: number, { limits }: Pick<HttpOptions, 'limits'>): void {
  const { values: most } = limits;
  if (most === undefined || count <= most) return;
  throw tooMany(`${count} metrics`, 'one answer', most, 'name some of them, or a subtree');
}

function tooMany(what: string, holder: string, most: number, fits: string): GatewayError {
  return new GatewayError('LIMIT_EXCEEDED', `${what}, and ${holder} may hold ${most} (limits.values): ${fits}`, {
    expected: fits,
  });
}
