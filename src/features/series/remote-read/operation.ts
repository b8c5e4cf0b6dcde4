import { eventLoopTurns, getOrMake } from '../../../kit/index.js';
import { GatewayError, INSTANCE_NULL, isArithmeticType, type Timestamp, limitExceeded } from '../../../pmapi/index.js';
import { NumberColumn } from '../evaluation/number-column.js';
import type { CataloguedMetric, ArchiveSeries } from '../catalogue/archive-series.js';
import type { NumberWindow, WantedNumbers } from '../evaluation/read-numbers.js';
import type { SeriesView } from '../series-view.js';
import {
  UniqueNames,
  labelsOfSample,
  metricName,
  openMetricsNames,
  parseMediaType,
  untilGone,
} from '../../../http/index.js';
import type { ExposedIndom, OperationRequest, QueryOf, Routes, StreamedAnswer } from '../../../http/index.js';
import type { Series } from '../series.js';
import { readRemoteQueries, type LabelCondition, type RemoteQuery } from './request.js';
import { REMOTE_READ_TYPE, SAMPLE_BYTES, remoteReadAnswer, type RemoteSeries } from './writer.js';
import { viewOf, withWarnings } from '../operations.js';

type ReadRequest = OperationRequest<QueryOf<'remoteRead'>>;

/** Samples and uncompressed bytes of one response, all in memory until it is sent. */
const SAMPLES_MAX = 2_000_000;
const ANSWER_BYTES = 64 * 1024 * 1024;
/** Memory of a series besides its labels and samples. */
const SERIES_BYTES = 300;

export function remoteReadRoutes(series: Series) {
  return {
    remoteRead: {
      run: (request: ReadRequest) => runRemoteRead(request, series),
      cost: 'costly',
      readsDocument: 'bytes',
      standsAlone: true,
    },
  } satisfies Routes;
}

/**
 * Samples of archives for Prometheus, under the names and labels of scrapes.
 * @see https://prometheus.io/docs/prometheus/latest/querying/remote_read_api/
 */
async function runRemoteRead(request: ReadRequest, series: Series): Promise<StreamedAnswer> {
  requireMessage(request.headers);
  const queries = readRemoteQueries(request.document as Uint8Array);
  const { format = 'openmetrics' } = request.query;
  const { ranges } = request.options.limits;
  const { overload } = request.options.guards;
  const leave = await overload.remoteReads.enter(untilGone(request));
  try {
    const view = await viewOf(request, series);
    const archives = await storesOf(request, view);
    const room = { samples: Math.min(ranges.values, SAMPLES_MAX), bytes: ANSWER_BYTES };
    const results: RemoteSeries[][] = [];
    for (const query of queries) results.push(await readQuery(view, archives, query, format, room));
    return withWarnings(await remoteReadAnswer(results), view);
  } finally {
    leave();
  }
}

function requireMessage(headers: ReadRequest['headers']): void {
  const type = parseMediaType(headers['content-type'] ?? '')?.name;
  if (type === REMOTE_READ_TYPE && headers['content-encoding'] === 'snappy') return;
  const expected = `Content-Type: ${REMOTE_READ_TYPE} and Content-Encoding: snappy`;
  const message = `the body is not a request of Prometheus: expected ${expected}`;
  throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', message, { expected });
}

async function storesOf(request: ReadRequest, { archives }: SeriesView): Promise<readonly ArchiveSeries[]> {
  const { archive, hostspec } = request.query;
  if (archive === undefined && hostspec === undefined) return archives;
  const named = new Set(archive === undefined ? [] : archivesNamed(archives, archive));
  for (const host of hostspec?.split(';') ?? []) {
    const remembered = archives.find(({ spec }) => spec.kind === 'host' && spec.hostspec === host);
    const own = await request.options.directories.hostArchives.list(host, remembered?.hostName, untilGone(request));
    const names = new Set(own.archives.map(({ name }) => name));
    for (const each of archives) {
      if (each.spec.kind === 'host' ? each.spec.hostspec === host : names.has(each.name)) named.add(each);
    }
  }
  return archives.filter((each) => named.has(each));
}

/** Archives by their names and directories, separated by commas. Throws UNKNOWN_ARCHIVE for a name without any. */
function archivesNamed(archives: readonly ArchiveSeries[], list: string): readonly ArchiveSeries[] {
  const named = new Set<ArchiveSeries>();
  for (const name of list.split(',').map((element) => element.trim().replace(/\/+$/, ''))) {
    const found = archives.filter(
      (archive) => archive.spec.kind === 'archive' && (archive.name === name || archive.name.startsWith(`${name}/`)),
    );
    if (found.length === 0) {
      const message = `no archive ${JSON.stringify(name)} below the configured roots`;
      throw new GatewayError('UNKNOWN_ARCHIVE', message, { parameter: 'archive' });
    }
    for (const archive of found) named.add(archive);
  }
  return archives.filter((archive) => named.has(archive));
}

interface Room {
  samples: number;
  bytes: number;
}

async function readQuery(
  view: SeriesView,
  archives: readonly ArchiveSeries[],
  query: RemoteQuery,
  names: ExposedNames,
  room: Room,
): Promise<RemoteSeries[]> {
  const window = windowOf(query);
  const selection = new Selection(query.conditions, room);
  for (const archive of archives) {
    if (view.mayHold(archive, window)) await selection.add(archive, names);
  }
  const read = Math.min(room.samples, Math.floor(room.bytes / SAMPLE_BYTES));
  await view.readNumbers(selection.wanted, window, read);
  const found = selection.series.filter(({ column }) => column.length > 0);
  for (const { column } of found) {
    column.sort();
    room.samples -= column.length;
    room.bytes -= column.length * SAMPLE_BYTES;
  }
  return found;
}

function windowOf({ startMs, endMs, isAboutSeries }: RemoteQuery): NumberWindow {
  const from = timestampOf(startMs);
  const to = timestampOf(endMs);
  // Samples are cut to milliseconds.
  return { from, to: { sec: to.sec, nsec: to.nsec + 999_999 }, isOneEnough: isAboutSeries };
}

function timestampOf(ms: number): Timestamp {
  const sec = Math.floor(ms / 1000);
  return { sec, nsec: (ms - sec * 1000) * 1_000_000 };
}

/** The series that a query selects, each once, however many archives have it. */
class Selection {
  readonly wanted: WantedNumbers[] = [];
  readonly #conditions: readonly LabelCondition[];
  readonly #room: Room;
  readonly #series = new Map<string, RemoteSeries>();

  constructor(conditions: readonly LabelCondition[], room: Room) {
    this.#conditions = conditions.map(remembering);
    this.#room = room;
  }

  get series(): readonly RemoteSeries[] {
    return [...this.#series.values()];
  }

  async add(archive: ArchiveSeries, names: ExposedNames): Promise<void> {
    for (const { name, metric } of this.#named(exposedNames(archive, names))) {
      const turn = eventLoopTurns.next();
      if (turn) await turn;
      const columns = new Map<number, NumberColumn>();
      for (const [instance, labels] of exposedLabels(metric)) {
        const matches = this.#conditions.every(({ label, matches }) =>
          matches(label === NAME_LABEL ? name : (labels.get(label) ?? '')),
        );
        if (matches) columns.set(instance, this.#columnOf(name, labels));
      }
      if (columns.size > 0) this.wanted.push({ archive, metric, columns });
    }
  }

  #named(exposed: ReadonlyMap<string, ExposedName>): Iterable<ExposedName> {
    const only = this.#conditions.find(({ label, text }) => label === NAME_LABEL && text !== undefined);
    if (only) return [exposed.get(only.text!) ?? []].flat();
    const named = this.#conditions.filter(({ label }) => label === NAME_LABEL);
    return [...exposed.values()].filter(({ name }) => named.every(({ matches }) => matches(name)));
  }

  #columnOf(name: string, labels: ReadonlyMap<string, string>): NumberColumn {
    // As in Prometheus: a label with an empty value does not exist.
    const sorted = [[NAME_LABEL, name] as const, ...labels].filter(([, value]) => value !== '').sort(byName);
    const key = JSON.stringify(sorted);
    return getOrMake(this.#series, key, () => {
      this.#room.bytes -= SERIES_BYTES + 2 * key.length;
      if (this.#room.bytes < 0) {
        const expected = 'a selector of fewer series';
        throw limitExceeded(`too many series for one request: ask with ${expected}`, expected);
      }
      return { labels: sorted, column: new NumberColumn() };
    }).column;
  }
}

const NAME_LABEL = '__name__';

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A condition that tests each text once: few labels have many values. */
function remembering(condition: LabelCondition): LabelCondition {
  if (condition.text !== undefined) return condition;
  const known = new Map<string, boolean>();
  return { ...condition, matches: (text) => getOrMake(known, text, () => condition.matches(text)) };
}

/** Names of OpenMetrics, or of pmproxy's text. */
type ExposedNames = 'openmetrics' | 'text';

/** A metric of an archive under the name that a scrape would store. */
interface ExposedName {
  readonly name: string;
  readonly metric: CataloguedMetric;
}

type Catalogued = NonNullable<CataloguedMetric['indom']>;

const known = {
  openmetrics: new WeakMap<ArchiveSeries, ReadonlyMap<string, ExposedName>>(),
  text: new WeakMap<ArchiveSeries, ReadonlyMap<string, ExposedName>>(),
};
const indoms = new WeakMap<Catalogued, ExposedIndom>();

/** The metrics of an archive that have numbers, by the names that a scrape would store; remembered. */
function exposedNames(archive: ArchiveSeries, names: ExposedNames): ReadonlyMap<string, ExposedName> {
  return getOrMake(known[names], archive, () => {
    const unique = new UniqueNames();
    const numeric = archive.metrics.filter(({ descriptor }) => isArithmeticType(descriptor.type));
    return new Map(
      numeric.map((metric) => {
        const { name, descriptor } = metric;
        const { pmid } = descriptor;
        const own =
          names === 'text'
            ? unique.claim(metricName(name, '_'), pmid)
            : openMetricsNames({ name, pmid, descriptor }, unique).name;
        return [own, { name: own, metric }];
      }),
    );
  });
}

/** The labels of each instance of a metric, as a scrape would store them; of INSTANCE_NULL for a metric without instances. */
function* exposedLabels({
  labels,
  indom,
}: CataloguedMetric): Generator<readonly [instance: number, labels: ReadonlyMap<string, string>], void> {
  if (!indom) {
    yield [INSTANCE_NULL, labelsOfSample(labels, INSTANCE_NULL, undefined)];
    return;
  }
  const exposed = exposedIndom(indom);
  for (const instance of exposed.names.keys()) yield [instance, labelsOfSample(labels, instance, exposed)];
}

function exposedIndom(indom: Catalogued): ExposedIndom {
  return getOrMake(indoms, indom, () => ({
    names: new Map(indom.instances.map(({ number, name }) => [number, name])),
    labels: new Map(indom.instances.map(({ number, ownLabels }) => [number, ownLabels])),
  }));
}
