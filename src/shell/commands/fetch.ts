import { PmgateError, type FetchAnswer, type HostsAnswer, type Warning, type Where } from '../../client/index.js';
import { EXIT, exitCodeOf, writeWarnings, type ExitCode } from '../exit-codes.js';
import { metricDirectory, type NamedInstance, type NamedSample, type NamedValues } from '../metric-directory.js';
import type { CsvCell } from '../output/json-and-csv.js';
import { plainValue, readableValue } from '../output/numbers.js';
import { instanceTitle, tableTime } from '../output/sample-table.js';
import { SAMPLE_HEAD, sampleRows } from '../output/sample-sink.js';
import { renderTable, writeAnswer, type Column } from '../output/table.js';
import { choiceOf, isDerived, RATE_INTERVAL_MS, selectionOf, twiceIfNeeded, whereOf } from '../selection.js';
import type { SelectionFlags, SourceFlags } from '../selection.js';
import { UsageError, type Session } from '../session.js';
import { rangeCommand } from './range.js';
import { streamCommand } from './stream.js';

interface FetchFlags extends Omit<SelectionFlags, 'host'> {
  /** With either of them, repeated samples, as with pmval. */
  readonly interval?: string;
  readonly samples?: number;
  /** Numbers in tables in their own units, with all digits. */
  readonly raw?: boolean;
}

/** The sample of one source, or of each of several hosts. */
interface SourceSample extends NamedSample {
  readonly hostspec?: string;
  readonly warnings?: readonly Warning[];
}

/** A request for values, wherever they come from. */
interface Asked {
  readonly session: Session;
  readonly metrics: readonly string[];
  readonly flags: FetchFlags;
}

export async function fetchCommand(
  session: Session,
  metrics: readonly string[],
  { host: named = [], ...flags }: FetchFlags & { readonly host?: readonly string[] },
): Promise<ExitCode> {
  const hosts = named.flatMap((host) => host.split(';')).filter((host) => host !== '');
  const asked = { session, metrics, flags };
  if (hosts.length > 1) return fetchHosts(asked, hosts);
  const source: SourceFlags = hosts[0] === undefined ? {} : { host: hosts[0] };
  const where = whereOf(source, session);
  if (flags.interval !== undefined || flags.samples !== undefined) {
    const again = { ...flags, ...source };
    return where.archive === undefined ? streamCommand(session, metrics, again) : rangeCommand(session, metrics, again);
  }
  const answer = await fetchOnce(asked, where);
  const sample = await namedSample(asked, where, answer);
  await writeSamples(asked, [sample], sample);
  await writeWarnings(session, answer.warnings ?? []);
  return exitCodeOf(answer.values.length, answer.warnings?.length ?? 0);
}

async function fetchOnce({ session, metrics, flags }: Asked, where: Where): Promise<FetchAnswer<'iso'>> {
  const { client, signal, host } = session;
  const request = { ...choiceOf(metrics, flags.prefix), ...selectionOf(flags, session), signal };
  if (flags.rate !== true) {
    const once = (): Promise<FetchAnswer<'iso'>> => client.fetch({ ...request, ...where });
    return where.archive === undefined
      ? twiceIfNeeded(session, once, ({ values }) => values.some(isUnfinished))
      : once();
  }
  // A rate requires two samples: of a host one second apart, of an archive the first two.
  const context = await client.context({ hostspec: where.hostspec, archive: where.archive, signal });
  try {
    await context.fetch(request);
    if (where.archive === undefined) await host.pause(RATE_INTERVAL_MS, signal);
    return await context.fetch(request);
  } finally {
    await context.destroy();
  }
}

/** Whether a derived metric has no value yet: `rate()` and `delta()` need a second sample. */
function isUnfinished({ pmid, instances }: FetchAnswer['values'][number]): boolean {
  return instances.length === 0 && isDerived(pmid);
}

async function namedSample(
  { session: { client, signal }, flags }: Asked,
  where: Where,
  { warnings, ...sample }: Pick<FetchAnswer<'iso'>, 'timestamp' | 'values' | 'warnings'>,
): Promise<SourceSample> {
  const named = await metricDirectory(client, where, flags, signal).name(sample);
  return warnings === undefined ? named : { ...named, warnings };
}

async function fetchHosts(asked: Asked, hosts: readonly string[]): Promise<ExitCode> {
  const { session, flags } = asked;
  if (flags.interval !== undefined || flags.samples !== undefined) {
    throw new UsageError('--interval and --samples work with one host only');
  }
  if (session.archive !== undefined) throw new UsageError('--host and --archive are mutually exclusive');
  const answer = await fetchFrom(asked, hosts);
  const samples: SourceSample[] = [];
  const warnings: Warning[] = [];
  for (const entry of answer.hosts) {
    const { hostspec, timestamp, values, error } = entry;
    if (timestamp === undefined || values === undefined) {
      if (error) warnings.push({ hostspec, message: error.message, code: error.code });
      continue;
    }
    warnings.push(...(entry.warnings ?? []).map((warning) => ({ ...warning, hostspec })));
    const sample = await namedSample(asked, { hostspec }, { ...entry, timestamp, values });
    samples.push({ hostspec, ...sample });
  }
  await writeSamples(asked, samples, hostsDocument(answer, samples));
  await writeWarnings(session, warnings);
  return samples.length === 0 ? EXIT.FAILED : exitCodeOf(samples.length, warnings.length);
}

async function fetchFrom(asked: Asked, hostspecs: readonly string[]): Promise<HostsAnswer<'iso'>> {
  const { session, metrics, flags } = asked;
  const { client, signal } = session;
  if (flags.rate !== true) {
    const choice = choiceOf(metrics, flags.prefix);
    const request = { ...choice, ...selectionOf(flags, session), signal };
    return twiceIfNeeded(
      session,
      () => client.fetchHosts(hostspecs, request),
      ({ hosts }) => hosts.some(({ values }) => values?.some(isUnfinished)),
    );
  }
  // Two samples for a rate, in a private context per host.
  const fetching = hostspecs.map(async (hostspec) => {
    try {
      return { hostspec, ...(await fetchOnce(asked, { hostspec })) };
    } catch (error) {
      if (!(error instanceof PmgateError && error.details)) throw error;
      return { hostspec, error: error.details };
    }
  });
  return { hosts: await Promise.all(fetching) };
}

function hostsDocument({ hosts }: HostsAnswer<'iso'>, samples: readonly SourceSample[]): object {
  const byHost = new Map(samples.map((sample) => [sample.hostspec, sample]));
  return { hosts: hosts.map(({ hostspec, error }) => byHost.get(hostspec) ?? { hostspec, error }) };
}

function writeSamples({ session, flags }: Asked, samples: readonly SourceSample[], whole: unknown): Promise<void> {
  // The column of hosts is there only if several were asked.
  const withHost = (row: readonly CsvCell[], { hostspec }: SourceSample): readonly CsvCell[] =>
    hostspec === undefined ? row : [hostspec, ...row];
  return writeAnswer(session, {
    items: samples,
    whole,
    csvHead: samples[0]?.hostspec === undefined ? SAMPLE_HEAD : ['host', ...SAMPLE_HEAD],
    csvRows: (items) => items.flatMap((sample) => sampleRows(sample).map((row) => withHost(row, sample))),
    table: () =>
      samples
        .filter(({ values }) => values.length > 0)
        .map((sample) => tableOf(session, sample, flags))
        .join('\n'),
  });
}

function tableOf({ colours }: Session, { hostspec, timestamp, values }: SourceSample, flags: FetchFlags): string {
  const title = [hostspec, tableTime(timestamp)].filter((part) => part !== undefined).join('  ');
  const rows = values.flatMap((one) => rowsOf(one, flags));
  const all = ['metric', 'instance', { title: 'value', align: 'right' }, 'units'] as const;
  // Without the column of instances if no metric has any.
  const kept = <T>(row: readonly T[]): readonly T[] => (hasInstances(values) ? row : row.toSpliced(1, 1));
  return `${colours.dim(title)}\n${renderTable(kept<Column>(all), rows.map(kept), { colours, width: undefined })}`;
}

function hasInstances(values: readonly NamedValues[]): boolean {
  return values.some(({ instances }) => instances.some(({ instance }) => instance !== null));
}

function rowsOf({ name, units, instances }: NamedValues, flags: FetchFlags): (readonly string[])[] {
  if (instances.length === 0) return [[name, '', '-', units]];
  return instances.map((instance) => {
    const shown = shownValue(instance, units, flags);
    return [name, instanceTitle(instance), shown.text, shown.units];
  });
}

function shownValue({ value }: NamedInstance, units: string, { raw, units: asked }: FetchFlags) {
  if (value === null) return { text: '-', units };
  if (raw === true) return { text: String(value), units };
  return asked === undefined ? readableValue(value, units) : plainValue(value, units);
}
