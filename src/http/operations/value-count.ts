import { GatewayError } from '../../pmapi/index.js';
import type { FetchResult } from '../../pmapi/index.js';
import type { HttpOptions } from '../options.js';

/** Throw LIMIT_EXCEEDED, which says what would fit, for a result of more values than one answer may hold. */
export function requireFewValues({ sets }: Pick<FetchResult, 'sets'>, { limits }: Pick<HttpOptions, 'limits'>): void {
  const { values: most } = limits;
  if (most === undefined) return;
  let count = 0;
  for (const { status } of sets) if (status > 0) count += status;
  if (count <= most) return;
  const fitting = Math.floor((sets.length * most) / count);
  const fits =
    fitting > 0
      ? `about ${fitting} of these metrics would fit`
      : 'ask for some of the instances (instances, iname, top)';
  throw tooMany(`${count} values of ${sets.length} metrics`, most, fits);
}

/** Throw LIMIT_EXCEEDED for more metrics than one answer may hold values: each has one at least. */
export function requireFewMetrics(count: number, { limits }: Pick<HttpOptions, 'limits'>): void {
  const { values: most } = limits;
  if (most === undefined || count <= most) return;
  throw tooMany(`${count} metrics`, most, 'name some of them, or a subtree');
}

function tooMany(what: string, most: number, fits: string): GatewayError {
  return new GatewayError('LIMIT_EXCEEDED', `${what}, and one answer may hold ${most} (limits.values): ${fits}`, {
    expected: fits,
  });
}
