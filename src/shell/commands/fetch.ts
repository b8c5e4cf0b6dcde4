import { PmgateError, type FetchAnswer, type HostsAnswer, type Warning, type Where } from '../../client/index.js';
import { EXIT, exitCodeOf, writeWarnings, type ExitCode } from '../exit-codes.js';
import { MetricDirectory, type NamedInstance, type NamedSample, type NamedValues } from '../metric-directory.js';
import { csvLine, jsonLine, jsonText } from '../output/json-and-csv.js';
import { plainValue, readableValue } from '../output/numbers.js';
import { instanceTitle, tableTime } from '../output/sample-table.js';
import { renderTable, type Column } from '../output/table.js';
import { choiceOf, selectionOf, whereOf, type SelectionFlags, type SourceFlags } from '../selection.js';
import { UsageError, type Session } from '../session.js';
import { isDerived, RATE_INTERVAL_MS, twiceIfNeeded } from '../second-sample.js';
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

export async function fetchCommand(
  session: Session,
  metrics: readonly string[],
  { host: named = [], ...flags }: FetchFlags & { readonly host?: readonly string[] },
): Promise<ExitCode> {
  const hosts = named.flatMap((host) => host.split(';')).filter((host) => host !== '');
  if (hosts.length > 1) return fetchHosts(session, metrics, flags, hosts);
  const source: SourceFlags = hosts[0] === undefined ? {} : { host: hosts[0] };
  const where = whereOf(source, session);
  if (flags.interval !== undefined || flags.samples !== undefined) {
    const again = { ...flags, ...source };
    return where.archive === undefined ? streamCommand(session, metrics, again) : rangeCommand(session, metrics, again);
  }
  const answer = await fetchOnce(session, metrics, flags, where);
  const sample = await namedSample(session, flags, where, answer);
  await writeSamples(session, [sample], sample, flags);
  await writeWarnings(session, answer.warnings ?? []);
  return exitCodeOf(answer.values.length, answer.warnings?.length ?? 0);
}

async function fetchOnce(
  session: Session,
  metrics: readonly string[],
  flags: FetchFlags,
  where: Where,
): Promise<FetchAnswer<'iso'>> {
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
  { client, signal }: Session,
  flags: FetchFlags,
  where: Where,
  { timestamp, values, warnings }: Pick<FetchAnswer<'iso'>, 'timestamp' | 'values' | 'warnings'>,
): Promise<SourceSample> {
  const directory = new MetricDirectory(client, where, flags, signal);
  const named = await directory.name({ timestamp, values });
  return warnings === undefined ? named : { ...named, warnings };
}

async function fetchHosts(
  session: Session,
  metrics: readonly string[],
  flags: FetchFlags,
  hosts: readonly string[],
): Promise<ExitCode> {
  if (flags.interval !== undefined || flags.samples !== undefined) {
    throw new UsageError('--interval and --samples work with one host only');
  }
  if (session.archive !== undefined) throw new UsageError('--host and --archive are mutually exclusive');
  const answer = await fetchFrom(session, metrics, flags, hosts);
  const samples: SourceSample[] = [];
  const warnings: Warning[] = [];
  for (const entry of answer.hosts) {
    const { hostspec, timestamp, values, error } = entry;
    if (timestamp === undefined || values === undefined) {
      if (error) warnings.push({ hostspec, message: error.message, code: error.code });
      continue;
    }
    warnings.push(...(entry.warnings ?? []).map((warning) => ({ ...warning, hostspec })));
    const sample = await namedSample(session, flags, { hostspec }, { ...entry, timestamp, values });
    samples.push({ hostspec, ...sample });
  }
  await writeSamples(session, samples, hostsDocument(answer, samples), flags);
  await writeWarnings(session, warnings);
  return samples.length === 0 ? EXIT.FAILED : exitCodeOf(samples.length, warnings.length);
}

async function fetchFrom(
  session: Session,
  metrics: readonly string[],
  flags: FetchFlags,
  hostspecs: readonly string[],
): Promise<HostsAnswer<'iso'>> {
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
  const asked = hostspecs.map(async (hostspec) => {
    try {
      return { hostspec, ...(await fetchOnce(session, metrics, flags, { hostspec })) };
    } catch (error) {
      if (!(error instanceof PmgateError && error.details)) throw error;
      return { hostspec, error: error.details };
    }
  });
  return { hosts: await Promise.all(asked) };
}

/** All hosts as one document: samples, and errors as received. */
function hostsDocument({ hosts }: HostsAnswer<'iso'>, samples: readonly SourceSample[]): object {
  const byHost = new Map(samples.map((sample) => [sample.hostspec, sample]));
  return { hosts: hosts.map(({ hostspec, error }) => byHost.get(hostspec) ?? { hostspec, error }) };
}

async function writeSamples(
  { format, terminal: { stdout }, colours }: Session,
  samples: readonly SourceSample[],
  whole: unknown,
  flags: FetchFlags,
): Promise<void> {
  switch (format) {
    case 'json':
      return stdout.write(jsonText(whole));
    case 'ndjson':
      return stdout.write(samples.map(jsonLine).join(''));
    case 'csv':
      return stdout.write(samplesCsv(samples));
    case 'table':
      for (const [i, sample] of samples.entries()) {
        if (sample.values.length === 0) continue;
        const title = [sample.hostspec, tableTime(sample.timestamp)].filter((part) => part !== undefined).join('  ');
        await stdout.write(`${i > 0 ? '\n' : ''}${colours.dim(title)}\n`);
        const rows = sample.values.flatMap((values) => rowsOf(values, flags));
        const all = ['metric', 'instance', { title: 'value', align: 'right' }, 'units'] as const;
        // Without the column of instances if no metric has any.
        const kept = <T>(row: readonly T[]): readonly T[] => (hasInstances(sample.values) ? row : row.toSpliced(1, 1));
        await stdout.write(renderTable(kept<Column>(all), rows.map(kept), { colours, width: undefined }));
      }
  }
}

function samplesCsv(samples: readonly SourceSample[]): string {
  const hasHosts = samples.some(({ hostspec }) => hostspec !== undefined);
  const head = [...(hasHosts ? ['host'] : []), 'time', 'metric', 'instance', 'name', 'value', 'units'];
  const lines = samples.flatMap(({ hostspec, timestamp, values }) =>
    values.flatMap(({ name, units, instances }) =>
      instances.map((of) =>
        csvLine([...(hasHosts ? [hostspec] : []), timestamp, name, of.instance, of.name, of.value, units]),
      ),
    ),
  );
  return csvLine(head) + lines.join('');
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
