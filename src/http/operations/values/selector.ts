import { formatPmErr, GatewayError, parsePmid, PM_ERR } from '../../../pmapi/index.js';
import type { ErrorCode } from '../../../pmapi/index.js';
import type { MetricSelector } from '../../../context/index.js';
import type { ParametersOf } from '../../contracts.js';
import { pmErrWarning } from '../../response/warnings.js';
import type { Warning } from '../../response/warnings.js';

/** The metrics of a fetch. */
export interface FetchSelection {
  readonly metrics: MetricSelector;
  /** How the request named the metrics. */
  readonly by: 'name' | 'pmid';
  /** Whether each metric must exist: with the singular parameters. */
  readonly strict: boolean;
  /** Invalid PMIDs. */
  readonly unreadable: readonly Warning[];
}

/** The parameters that name metrics. */
export type SelectorQuery = Pick<ParametersOf<'FetchParameters'>, 'names' | 'name' | 'pmids' | 'pmid' | 'prefix'>;

/**
 * Parses the selector of a fetch: the first present of `names`, `name`, `pmids`, `pmid` and `prefix`.
 * @param most the maximum number of metrics below `prefix`
 */
export function selectMetrics(query: SelectorQuery, most: number): FetchSelection {
  const names = query.names ?? query.name;
  if (names) {
    requireSome(names);
    return { metrics: { names }, by: 'name', strict: query.names === undefined, unreadable: [] };
  }
  const texts = query.pmids ?? query.pmid;
  if (!texts && query.prefix) {
    // An empty list is the root.
    const prefixes = query.prefix.length === 0 ? [''] : query.prefix;
    return { metrics: { prefixes, most }, by: 'name', strict: false, unreadable: [] };
  }
  if (!texts) {
    throw new GatewayError(
      'BAD_PARAMETER',
      'nothing to fetch: one of names, name, pmids, pmid and prefix is required',
      {
        parameter: 'names',
        expected: 'a list of metric names',
      },
    );
  }
  requireSome(texts);
  const pmids: number[] = [];
  const unreadable: Warning[] = [];
  for (const text of texts) {
    const pmid = parsePmid(text);
    if (pmid === undefined) unreadable.push(pmErrWarning({ pmid: text }, PM_ERR.PMID));
    else pmids.push(pmid);
  }
  return { metrics: { pmids }, by: 'pmid', strict: query.pmids === undefined, unreadable };
}

function requireSome(list: readonly string[]): void {
  if (list.length > 0) return;
  throw new GatewayError('BAD_PARAMETER', formatPmErr(PM_ERR.TOOSMALL), {
    pmErr: PM_ERR.TOOSMALL,
    expected: 'at least one metric',
  });
}

/** Throws the first of some warnings as an error, for requests whose metrics must all exist; the message begins with pmproxy's wording. */
export function refuseMissing(warnings: readonly Warning[], lead: string): void {
  const [first] = warnings;
  if (!first) return;
  const subject = first.name ?? first.pmid ?? '';
  const code: ErrorCode = first.code;
  const details = first.pmErr === undefined ? {} : { pmErr: first.pmErr };
  throw new GatewayError(code, `${lead}: ${subject} - ${first.message}`, details);
}
