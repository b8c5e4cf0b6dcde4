import { compareTimestamps, GatewayError } from '../../pmapi/index.js';
import type { Clock, Label, MetricDescriptor } from '../../pmapi/index.js';
import { eventLoopTurns } from '../../kit/index.js';
import type { ArchiveSeries, CataloguedInstance, CataloguedMetric } from './catalogue/archive-series.js';
import { evaluateSeries, metadataOf, operandsOf } from './evaluation/evaluate.js';
import { readNumbers } from './evaluation/read-numbers.js';
import type { NumberWindow, WantedNumbers } from './evaluation/read-numbers.js';
import { endsBefore, ValueReader } from './evaluation/read-values.js';
import type { ArchiveEnds, HeldSeries, ReadingBounds, SkippedArchive } from './evaluation/read-values.js';
import type { SeriesMetadata, SeriesSample, SeriesValues } from './evaluation/series-values.js';
import { parseWindow } from './evaluation/window.js';
import type { Window } from './evaluation/window.js';
import { parseQuery, printQuery } from './language/index.js';
import type { Expression, Operand, WindowText } from './language/index.js';
import { fnmatch, selectMetrics } from './selection/select.js';

/** What one request may take. */
export interface SeriesLimits {
  /** Series that it may be about. */
  readonly series: number;
  /** Values that it may read. */
  readonly values: number;
}

/** What all requests share. */
export interface SeriesBasis {
  readonly ends: ArchiveEnds;
  readonly clock: Clock;
  readonly limits: SeriesLimits;
  /** The identifier of an expression, which stands for it from now on, for as long as few others are asked for. */
  remember(expression: Expression): string;
  /** The expression of an identifier. */
  expression(id: string): Expression | undefined;
}

/** Values of one series of an answer. */
export interface AnsweredSeries {
  /** The identifier of the series, or of an expression. */
  readonly id: string;
  readonly isExpression: boolean;
  readonly values: SeriesValues;
}

/** What a query gives: identifiers, or values where it has a window. */
export type QueryResult =
  | { readonly kind: 'ids'; readonly ids: readonly string[] }
  | { readonly kind: 'values'; readonly series: readonly AnsweredSeries[] };

/** What a series is, for `descs`. */
export interface SeriesDescription {
  readonly metadata: SeriesMetadata;
  /** Absent for an expression. */
  readonly metric?: { readonly descriptor: MetricDescriptor; readonly source: string };
}

/** One instance of a series. */
export interface SeriesInstance extends CataloguedInstance {
  readonly source: string;
}

/** What one request is asked of: the series that its client may see, until the client leaves. */
export class SeriesView {
  /** Archives that were to be read and could not be opened. */
  readonly skipped: SkippedArchive[] = [];
  readonly #series: SeriesBasis;
  readonly #archives: readonly ArchiveSeries[];
  readonly #signal: AbortSignal | undefined;

  /** @param archives in order of their start */
  constructor(series: SeriesBasis, archives: readonly ArchiveSeries[], signal: AbortSignal | undefined) {
    this.#series = series;
    this.#archives = archives;
    this.#signal = signal;
  }

  /** Names of archives that there are. */
  get archiveNames(): readonly string[] {
    return namesOfArchives(this.#archives);
  }

  /** What the archives and hosts hold, in order of their start. */
  get archives(): readonly ArchiveSeries[] {
    return this.#archives;
  }

  /** Whether an archive can have records in a window, as far as is known without opening it. */
  mayHold({ name, start }: ArchiveSeries, { from, to }: NumberWindow): boolean {
    return compareTimestamps(start, to) <= 0 && !endsBefore(this.#series.ends, name, from);
  }

  /** Read numbers into columns. Throws LIMIT_EXCEEDED for more than `values` of them, if possible before they are read. */
  async readNumbers(wanted: readonly WantedNumbers[], window: NumberWindow, values: number): Promise<void> {
    await readNumbers(this.#series.ends, wanted, window, { values, ...this.#bounds });
  }

  /** Answer a query. Throws SYNTAX_ERROR, BAD_PARAMETER for its window and for operands that do not fit, and LIMIT_EXCEEDED. */
  async query(text: string): Promise<QueryResult> {
    const { expression, window: windowText } = parseQuery(text);
    const window = windowText && parseWindow(windowText, this.#series.clock.now());
    if (window) return { kind: 'values', series: await this.#evaluate(expression, window) };
    const operands = await Promise.all(operandsOf(expression).map((operand) => this.#select(operand)));
    if (expression.kind === 'operand') return { kind: 'ids', ids: [...operands[0]!.keys()] };
    const isEmpty = operands.some((held) => held.size === 0);
    return { kind: 'ids', ids: isEmpty ? [] : [this.#series.remember(expression)] };
  }

  /** Values of series and expressions, in the order requested; without a window the newest sample. */
  async values(ids: readonly string[], windowText: WindowText): Promise<readonly AnsweredSeries[]> {
    const window = parseWindow(windowText, this.#series.clock.now()) ?? { kind: 'newest', count: 1 };
    const reader = this.#reader();
    const held = new Map<string, readonly HeldSeries[]>();
    for (const id of ids) {
      const places = held.has(id) ? [] : this.#holdersOf(id);
      if (places.length > 0) held.set(id, places);
    }
    const read = await reader.read(held, window);
    const answered: AnsweredSeries[] = [];
    for (const id of ids) {
      const places = held.get(id);
      if (places) {
        const values = seriesValues(id, places, read.get(id)!, window);
        answered.push({ id, isExpression: false, values });
        continue;
      }
      const expression = this.#series.expression(id);
      if (expression) answered.push(...(await this.#evaluate(expression, window, reader)));
    }
    return answered;
  }

  /** What a series or an expression is; undefined for an unknown one. Throws BAD_PARAMETER for an expression without meaning. */
  async describe(id: string): Promise<SeriesDescription | undefined> {
    const last = this.#holdersOf(id).at(-1);
    if (last) {
      const { archive, metric } = last;
      return { metadata: metadataOf(metric), metric: { descriptor: metric.descriptor, source: archive.source } };
    }
    const expression = this.#series.expression(id);
    if (!expression) return undefined;
    const [first] = await this.#evaluateWithoutValues(expression);
    return first && { metadata: first.metadata };
  }

  /** The name of a series' metric, or the text of an expression; undefined for an unknown one. */
  nameOf(id: string): string | undefined {
    const metric = this.#holdersOf(id).at(-1)?.metric;
    if (metric) return metric.name;
    const expression = this.#series.expression(id);
    return expression && printQuery(expression);
  }

  /** The instances of a series, or of what an expression is over. */
  async instancesOf(id: string): Promise<readonly SeriesInstance[]> {
    let places = this.#holdersOf(id);
    const expression = places.length === 0 ? this.#series.expression(id) : undefined;
    if (expression) {
      const first = operandsOf(expression)[0]!;
      places = [...(await this.#select(first)).values()].flat();
    }
    const instances = new Map<string, SeriesInstance>();
    for (const { archive, metric } of places) {
      for (const instance of metric.indom?.instances ?? []) {
        instances.set(`${instance.instance} ${archive.source}`, { ...instance, source: archive.source });
      }
    }
    return [...instances.values()];
  }

  /** The labels of a series or of an instance, at the end of the latest archive that has it; undefined for an unknown one. */
  labelsOf(id: string): readonly Label[] | undefined {
    const metric = this.#holdersOf(id).at(-1)?.metric;
    if (metric) return metric.labels;
    for (let i = this.#archives.length - 1; i >= 0; i--) {
      const instance = this.#archives[i]!.instance(id);
      if (instance) return instance.labels;
    }
    return undefined;
  }

  /** Names of metrics that match a glob; all without one. */
  metricNames(glob?: string): readonly string[] {
    return this.#names(glob, (archive) => archive.metrics.map(({ name }) => name));
  }

  /** Names of instances that match a glob; all without one. */
  instanceNames(glob?: string): readonly string[] {
    return this.#names(glob, (archive) => archive.instanceNames.keys());
  }

  /** Names of labels that match a glob; all without one. */
  labelNames(glob?: string): readonly string[] {
    return this.#names(glob, (archive) => [...archive.labels.keys(), ...archive.instanceLabels.keys()]);
  }

  /** The distinct values of a label, as JSON; none for an unknown one. */
  labelValues(label: string): readonly string[] {
    const values = new Set<string>();
    for (const archive of this.#archives) {
      for (const json of archive.labels.get(label)?.keys() ?? []) values.add(json);
      for (const json of archive.instanceLabels.get(label)?.keys() ?? []) values.add(json);
    }
    return [...values];
  }

  /** What a source is called: its host, and its archives. */
  namesOfSource(source: string): readonly string[] {
    const own = this.#archives.filter((archive) => archive.source === source);
    return [...new Set([...own.map(({ hostName }) => hostName), ...namesOfArchives(own)])];
  }

  /** Names of hosts and archives that match a glob. */
  sourceNames(glob: string): readonly string[] {
    return this.#names(glob, (archive) => [archive.hostName, ...namesOfArchives([archive])]);
  }

  #names(glob: string | undefined, of: (archive: ArchiveSeries) => Iterable<string>): readonly string[] {
    const matches = glob === undefined ? undefined : fnmatch(glob);
    const names = new Set<string>();
    for (const archive of this.#archives) {
      for (const name of of(archive)) if (!matches || matches(name)) names.add(name);
    }
    return [...names].sort();
  }

  get #bounds(): Omit<ReadingBounds, 'values'> {
    return { signal: this.#signal, skipped: this.skipped };
  }

  #reader(): ValueReader {
    const { ends, limits } = this.#series;
    return new ValueReader(ends, { values: limits.values, ...this.#bounds });
  }

  /** Where a series is, the latest archive last. */
  #holdersOf(id: string): readonly HeldSeries[] {
    const holders: HeldSeries[] = [];
    for (const archive of this.#archives) {
      for (const metric of archive.ofSeries(id)) holders.push({ archive, metric });
    }
    return holders;
  }

  /** The series that an operand selects, with where they are. */
  async #select(operand: Operand): Promise<ReadonlyMap<string, readonly HeldSeries[]>> {
    const selected = new Map<string, HeldSeries[]>();
    for (const archive of this.#archives) {
      this.#signal?.throwIfAborted();
      const turn = eventLoopTurns.next();
      if (turn) await turn;
      for (const metric of selectMetrics(archive, operand)) addHolder(selected, archive, metric);
      requireFewSeries(selected.size, this.#series.limits);
    }
    return selected;
  }

  async #evaluate(expression: Expression, window: Window, reader = this.#reader()): Promise<readonly AnsweredSeries[]> {
    const operands = new Map<Operand, ReadonlyMap<string, readonly HeldSeries[]>>();
    const all = new Map<string, readonly HeldSeries[]>();
    for (const operand of operandsOf(expression)) {
      const held = await this.#select(operand);
      operands.set(operand, held);
      for (const [id, places] of held) all.set(id, places);
    }
    const read = await reader.read(all, window);
    const valuesOf = (operand: Operand): readonly SeriesValues[] =>
      [...operands.get(operand)!].map(([id, places]) => seriesValues(id, places, read.get(id)!, window));
    const isExpression = expression.kind !== 'operand';
    const results = await evaluateSeries(expression, valuesOf, this.#signal);
    const id = isExpression ? this.#series.remember(expression) : undefined;
    return results.map((values) => ({ id: id ?? values.series, isExpression, values }));
  }

  /** The metadata of what an expression gives. */
  async #evaluateWithoutValues(expression: Expression): Promise<readonly SeriesValues[]> {
    const operands = new Map<Operand, readonly SeriesValues[]>();
    for (const operand of operandsOf(expression)) {
      const held = await this.#select(operand);
      const series = [...held].map(([id, places]) => seriesValues(id, places, [], NEWEST));
      operands.set(operand, series);
    }
    return evaluateSeries(expression, (operand) => operands.get(operand)!, this.#signal);
  }
}

function namesOfArchives(archives: readonly ArchiveSeries[]): readonly string[] {
  return archives.flatMap(({ name, spec }) => (spec.kind === 'archive' ? [name] : []));
}

/** Throw LIMIT_EXCEEDED for a request about too many series. */
function requireFewSeries(count: number, { series }: SeriesLimits): void {
  if (count <= series) return;
  throw new GatewayError('LIMIT_EXCEEDED', `more than ${series} series: select fewer`, {
    expected: `at most ${series} series`,
  });
}

const NEWEST: Window = { kind: 'newest', count: 1 };

function addHolder(selected: Map<string, HeldSeries[]>, archive: ArchiveSeries, metric: CataloguedMetric): void {
  const holders = selected.get(metric.series);
  if (holders) holders.push({ archive, metric });
  else selected.set(metric.series, [{ archive, metric }]);
}

function seriesValues(
  series: string,
  places: readonly HeldSeries[],
  samples: readonly SeriesSample[],
  window: Window,
): SeriesValues {
  const { archive, metric } = places.at(-1)!;
  return {
    series,
    source: archive.source,
    metadata: metadataOf(metric),
    samples,
    isNewestFirst: window.kind === 'newest',
  };
}

/** The identifiers of a list, in lower case. Throws BAD_PARAMETER for an invalid one; as in pmproxy, what follows 40 digits is ignored. */
export function requireIds(ids: readonly string[]): readonly string[] {
  return ids.map((id) => {
    if (/^[0-9a-f]{40}/i.test(id)) return id.slice(0, 40).toLowerCase();
    throw new GatewayError('BAD_PARAMETER', `invalid series identifier '${id.slice(0, 80)}'`, {
      parameter: 'series',
      expected: '40 hexadecimal digits',
    });
  });
}
