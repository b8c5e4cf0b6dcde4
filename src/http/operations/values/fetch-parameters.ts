import { badParameter, formatPmErr, GatewayError, parsePmid, PM_ERR, type ErrorCode } from '../../../pmapi/index.js';
import { parseSelection } from '../../../context/index.js';
import type { MetricSelector, Selection, SelectionParameters } from '../../../context/index.js';
import { parseZone } from '../../../context/range/index.js';
import type { QueryOf } from '../../contracts.js';
import { pmErrWarning, type Warning } from '../../response/answer.js';
import { FETCH_FORM, fetchForm, type FetchForm } from '../../response/writers/fetch-writer.js';

export interface FetchSelection {
  readonly metrics: MetricSelector;
  readonly by: 'name' | 'pmid';
  /** Whether each metric must exist: with the singular parameters. */
  readonly strict: boolean;
  readonly unreadable: readonly Warning[];
}

export type SelectorQuery = Pick<QueryOf<'fetchValues'>, 'names' | 'name' | 'pmids' | 'pmid' | 'prefix'>;

/** The first present of `names`, `name`, `pmids`, `pmid` and `prefix`, which may cover `most` metrics. */
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
    const message = 'nothing to fetch: one of names, name, pmids, pmid and prefix is required';
    throw badParameter('names', message, 'a list of metric names');
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

/** The same with each metric once, for ranges: they repeat it in each sample. */
export function eachOnce(selected: FetchSelection): FetchSelection {
  const { names, pmids } = selected.metrics;
  if (names) return { ...selected, metrics: { names: [...new Set(names)] } };
  return pmids ? { ...selected, metrics: { pmids: [...new Set(pmids)] } } : selected;
}

function requireSome(list: readonly string[]): void {
  if (list.length > 0) return;
  const message = formatPmErr(PM_ERR.TOOSMALL);
  throw new GatewayError('BAD_PARAMETER', message, { pmErr: PM_ERR.TOOSMALL, expected: 'at least one metric' });
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

/** The parameters of a fetch, a range or a stream that select, convert and format values. */
export interface SelectionQuery extends SelectionParameters {
  readonly times?: 'epoch' | 'iso' | undefined;
  /** The zone of ISO 8601 timestamps; UTC by default. */
  readonly zone?: string | undefined;
  /** Whether 64-bit integers that a double cannot hold are texts. */
  readonly numbers?: 'plain' | 'exact' | undefined;
}

export interface ReadSelection {
  /** Undefined: all values, as they are. */
  readonly selection: Selection | undefined;
  readonly form: FetchForm;
  /** The same, with the metadata of converted metrics. */
  readonly describedForm: FetchForm;
}

/** All values as they are, in the format of PMWEBAPI. */
const PLAIN: ReadSelection = { selection: undefined, form: FETCH_FORM, describedForm: FETCH_FORM };

/** Throws BAD_PARAMETER, BAD_PATTERN, CONVERSION and LIMIT_EXCEEDED, which name the parameter. */
export function readSelection(query: SelectionQuery): ReadSelection {
  const selection = parseSelection(query);
  const { times, zone, numbers } = query;
  if (!selection && times !== 'iso' && numbers !== 'exact') return PLAIN;
  const choice = { isoZone: times === 'iso' ? parseZone(zone ?? 'UTC') : undefined, isExact: numbers === 'exact' };
  const form = fetchForm(choice);
  const isConverted = selection?.rate !== undefined || selection?.units !== undefined;
  return { selection, form, describedForm: isConverted ? fetchForm({ ...choice, describes: true }) : form };
}
