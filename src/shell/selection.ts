import type { SelectionOptions, Where } from '../client/index.js';
import { isDerivedPmid, parsePmid } from '../pmapi/index.js';
import { UsageError, type Session } from './session.js';

/** Numbers from here on (1973) are seconds since the epoch: no one means three years from the start. */
const EPOCH_FROM = 100_000_000;

export type TextFlags<Name extends string> = { readonly [N in Name]?: string };

export type SourceFlags = TextFlags<'host' | 'archive'>;

export interface SelectionFlags extends TextFlags<'host' | 'archive' | 'labels' | 'units'> {
  readonly prefix?: readonly string[];
  readonly instance?: readonly string[];
  readonly instanceId?: readonly number[];
  readonly match?: 'exact' | 'glob' | 'regex';
  readonly top?: number;
  readonly rate?: boolean;
  readonly wrap?: boolean;
}

export function whereOf({ host }: SourceFlags, { archive }: Pick<Session, 'archive'>): Where {
  if (host !== undefined && archive !== undefined) throw new UsageError('--host and --archive are mutually exclusive');
  return { ...(host === undefined ? {} : { hostspec: host }), ...(archive === undefined ? {} : { archive }) };
}

/** Names of metrics or namespace nodes (for all metrics below), possibly joined by commas, as in PCP's tools. */
export function choiceOf(
  metrics: readonly string[],
  prefix: readonly string[] | undefined,
): { readonly prefix: readonly string[] } {
  const names = splitNames(metrics);
  if (prefix !== undefined && names.length > 0) {
    throw new UsageError('names of metrics and --prefix are mutually exclusive');
  }
  if (prefix === undefined && names.length === 0) {
    throw new UsageError('no metric given: expected names of metrics or of namespace nodes');
  }
  return { prefix: prefix ?? names };
}

export function splitNames(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => name.split(',')).filter((name) => name !== '');
}

/** The instances of `--instance`: joined by commas, quotable ("a,b"), as in PCP's tools. Regular expressions are never split. */
function splitInstances(texts: readonly string[], match: SelectionFlags['match']): readonly string[] {
  if (match === 'regex') return texts;
  return texts.flatMap((text) =>
    [...text.matchAll(/\s*(?:"([^"]*)"|'([^']*)'|([^,]*))\s*(?:,|$)/gy)]
      .map(([, double, single, plain]) => double ?? single ?? plain!.trim())
      .filter((name) => name !== ''),
  );
}

/** A time as in PCP's tools: seconds from the start or, if negative, before the end; from 100,000,000 on, since the epoch. */
export function timeOf(text: string | undefined): string | undefined {
  if (text === undefined || !/^[+-]?\d+(\.\d*)?$/.test(text.trim())) return text;
  return Math.abs(Number(text)) < EPOCH_FROM ? `${text.trim()}sec` : `@${text.trim()}`;
}

/** The gateway's parameters for the flags; integers have all their digits, moments are ISO 8601. */
export function selectionOf(flags: SelectionFlags, { zone }: Pick<Session, 'zone'>): SelectionOptions<'iso'> {
  const { instance, instanceId, match, labels, top, rate, wrap, units } = flags;
  if (match !== undefined && instance === undefined) throw new UsageError('--match requires --instance');
  if (wrap === true && rate !== true) throw new UsageError('--wrap requires --rate');
  return {
    iname: instance && splitInstances(instance, match),
    instance: instanceId,
    match,
    labels,
    top,
    rate,
    wrap,
    units,
    zone,
    inames: true,
    times: 'iso',
    numbers: 'exact',
  };
}

/** The pause between the two samples of a rate, in milliseconds. */
export const RATE_INTERVAL_MS = 1000;

/** Whether a PMID (`511.0.1`) is that of a derived metric. */
export function isDerived(pmid: string): boolean {
  const number = parsePmid(pmid);
  return number !== undefined && isDerivedPmid(number);
}

/** Asks once more after a second if the first answer lacks values that need a second sample. */
export async function twiceIfNeeded<T>(
  { host, signal }: Session,
  ask: () => Promise<T>,
  lacksSample: (answer: T) => boolean | undefined,
): Promise<T> {
  const first = await ask();
  if (lacksSample(first) !== true) return first;
  await host.pause(RATE_INTERVAL_MS, signal);
  return ask();
}
