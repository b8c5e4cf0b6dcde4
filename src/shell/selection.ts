import type { SelectionOptions, Where } from '../client/index.js';
import { UsageError } from './session.js';

/** The flags that say where from. */
export interface SourceFlags {
  readonly host?: string;
  readonly archive?: string;
}

/** The flags that say which metrics, and which of their instances, in which units. */
export interface SelectionFlags extends SourceFlags {
  readonly prefix?: readonly string[];
  readonly instance?: readonly string[];
  readonly instanceId?: readonly number[];
  readonly match?: 'exact' | 'glob' | 'regex';
  readonly labels?: string;
  readonly top?: number;
  readonly rate?: boolean;
  readonly wrap?: boolean;
  readonly units?: string;
  readonly zone?: string;
}

/** What the flags `--host` and `--archive` stand for. */
export function whereOf({ host, archive }: SourceFlags): Where {
  if (host !== undefined && archive !== undefined) throw new UsageError('--host and --archive exclude one another');
  return { ...(host === undefined ? {} : { hostspec: host }), ...(archive === undefined ? {} : { archive }) };
}

/** Names, or nodes of the namespace: what the arguments and `--prefix` ask for. Names may be joined by commas. */
export function choiceOf(
  metrics: readonly string[],
  prefix: readonly string[] | undefined,
): { readonly names: readonly string[] } | { readonly prefix: readonly string[] } {
  const names = splitNames(metrics);
  if (prefix === undefined) {
    if (names.length === 0)
      throw new UsageError('no metric is named: give names, or a node of the namespace with --prefix');
    return { names };
  }
  if (names.length > 0) throw new UsageError('names of metrics and --prefix exclude one another');
  return { prefix };
}

/** Names that may be joined by commas, as the names that they are. */
export function splitNames(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => name.split(',')).filter((name) => name !== '');
}

/** The parameters of the gateway that the flags stand for; integers come with all their digits, moments in ISO 8601. */
export function selectionOf(flags: SelectionFlags): SelectionOptions<'iso'> {
  const { instance, instanceId, match, labels, top, rate, wrap, units, zone } = flags;
  if (match !== undefined && instance === undefined)
    throw new UsageError('--match says how --instance is compared: give both');
  if (wrap === true && rate !== true) throw new UsageError('--wrap says how --rate takes counters: give both');
  return {
    iname: instance,
    instance: instanceId,
    match,
    labels,
    top,
    rate,
    wrap,
    units,
    zone,
    times: 'iso',
    numbers: 'exact',
  };
}
