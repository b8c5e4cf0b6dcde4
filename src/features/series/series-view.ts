import { compareTimestamps, LEAST_RATE_SEC, limitExceeded, badParameter } from '../../pmapi/index.js';
import type { Clock, Label, MetricDescriptor } from '../../pmapi/index.js';
import { addTo, eventLoopTurns, inTurns, throughInTurns } from '../../kit/index.js';
import type { ArchiveSeries, CataloguedInstance } from './catalogue/archive-series.js';
import { EvaluationPlan, metadataOf } from './evaluation/evaluate.js';
import { readNumbers, type NumberWindow, type WantedNumbers } from './evaluation/read-numbers.js';
import { endsBefore, readValues } from './evaluation/read-values.js';
import type { ArchiveEnds, Held, HeldSeries, ReadingBounds, SkippedArchive } from './evaluation/read-values.js';
import type { SeriesMetadata, SeriesSample, SeriesValues } from './evaluation/series-values.js';
import type { MemoryShare, ValueMemory } from './evaluation/value-memory.js';
import { parseWindow, type Window } from './evaluation/window.js';
import { operandsOf, parseQuery, printQuery } from './language/index.js';
import type { Expression, Operand, WindowText } from './language/index.js';
import { fnmatch, selectionCost, selectMetrics } from './selection/select.js';

export interface SeriesLimits {
  readonly series: number;
  readonly values: number;
  /** Memory for the values of all requests; one has at most half of what others leave. */
  readonly bytes: number;
  /** How often it may look something up in an archive, all archives together. */
  readonly lookUps: number;
}

/** What the views of all requests share. */
export interface SeriesBasis {
  readonly catalogue: ArchiveEnds;
  readonly clock: Clock;
  readonly limits: SeriesLimits;
  readonly memory: ValueMemory;
  remember(expression: Expression): string;
  expression(id: string): Expression | undefined;
}

export interface AnsweredSeries {
  readonly id: string;
  readonly isExpression: boolean;
  readonly values: SeriesValues;
}

/** The result of a query: identifiers, or values in its window. */
export type QueryResult =
  | { readonly kind: 'ids'; readonly ids: readonly string[] }
  | { readonly kind: 'values'; readonly series: readonly AnsweredSeries[] };

/** Metadata of a series, for `descs`. */
export interface SeriesDescription {
  readonly metadata: SeriesMetadata;
  /** Absent for an expression. */
  readonly metric?: { readonly descriptor: MetricDescriptor; readonly source: string };
}

export interface SeriesInstance extends CataloguedInstance {
  readonly source: string;
}

/** One request's view of the series that its client may see. */
export class SeriesView {
  readonly #series: SeriesBasis;
  readonly #signal: AbortSignal | undefined;
  /** Archives that were to be read and could not be opened. */
  readonly skipped: SkippedArchive[] = [];
  readonly #memory: MemoryShare;
  readonly #selected = new Map<string, Held>();
  #lookUps = 0;

  /** @param archives in order of their start */
  constructor(
    series: SeriesBasis,
    readonly archives: readonly ArchiveSeries[],
    signal: AbortSignal | undefined,
  ) {
    this.#series = series;
    this.#signal = signal;
    this.#memory = series.memory.share();
  }

  /** Gives back the memory of its values: they are answered. */
  readonly release = (): void => this.#memory.release();

  /** Identifiers or names, each once, in turns of the event loop. Throws LIMIT_EXCEEDED before the first for too many look-ups. */
  async *each(names: Iterable<string>): AsyncGenerator<string, void> {
    const unique = new Set(names);
    this.#admitLookUps(unique.size);
    for await (const name of inTurns(unique)) {
      this.#signal?.throwIfAborted();
      yield name;
    }
  }

  get archiveNames(): readonly string[] {
    return namesOfArchives(this.archives);
  }

  /** Whether an archive can have records in a window, as far as is known without opening it. */
  mayHold({ name, start }: ArchiveSeries, { from, to }: NumberWindow): boolean {
    return compareTimestamps(start, to) <= 0 && !endsBefore(this.#series.catalogue, name, from);
  }

  /** Read numbers into columns. Throws LIMIT_EXCEEDED for more than `values` of them, if possible before they are read. */
  async readNumbers(wanted: readonly WantedNumbers[], window: NumberWindow, values: number): Promise<void> {
    await readNumbers(this.#series.catalogue, wanted, window, { values, ...this.#bounds });
  }

  /** Answer a query. Throws SYNTAX_ERROR, BAD_PARAMETER for its window and for operands that do not fit, and LIMIT_EXCEEDED. */
  async query(text: string): Promise<QueryResult> {
    const { expression, window: windowText } = parseQuery(text);
    const window = windowText && parseWindow(windowText, this.#series.clock.now());
    if (window) return { kind: 'values', series: await this.#valuesOf(expression, window) };
    const plan = new EvaluationPlan();
    plan.add(expression);
    const operands = await this.#selectAll(plan);
    if (expression.kind === 'operand') return { kind: 'ids', ids: [...operands.get(expression)!.keys()] };
    const isEmpty = [...operands.values()].some((held) => held.size === 0);
    return { kind: 'ids', ids: isEmpty ? [] : [this.#series.remember(expression)] };
  }

  /** Values of series and expressions, in order; without a window the newest. Repeated identifiers are repeated, as by pmproxy. */
  async values(ids: readonly string[], windowText: WindowText): Promise<readonly AnsweredSeries[]> {
    const window = parseWindow(windowText, this.#series.clock.now()) ?? { kind: 'newest', count: 1 };
    const held = new Map<string, readonly HeldSeries[]>();
    const expressions = new Map<string, Expression>();
    for await (const id of this.each(ids)) {
      const places = await this.#holdersOf(id);
      const expression = places.length > 0 ? undefined : this.#series.expression(id);
      if (places.length > 0 || expression) held.set(id, places);
      if (expression) expressions.set(id, expression);
    }
    const evaluated = await this.#evaluate([...expressions.values()], { window, held, times: mostRepeated(ids) });
    return ids.flatMap((id) => {
      const places = held.get(id);
      if (!places) return [];
      const expression = expressions.get(id);
      const results = expression ? evaluated.of(expression) : [evaluated.read(id, places)];
      return results.map((values) => ({ id, isExpression: expression !== undefined, values }));
    });
  }

  /** Describes a series or an expression; undefined if unknown. Throws BAD_PARAMETER for an expression without meaning. */
  async describe(id: string): Promise<SeriesDescription | undefined> {
    const last = (await this.#holdersOf(id)).at(-1);
    if (last) {
      const { archive, metric } = last;
      return { metadata: metadataOf(metric), metric: { descriptor: metric.descriptor, source: archive.source } };
    }
    const expression = this.#series.expression(id);
    if (!expression) return undefined;
    const [first] = (await this.#evaluate([expression])).of(expression);
    return first && { metadata: first.metadata };
  }

  async nameOf(id: string): Promise<string | undefined> {
    const metric = (await this.#holdersOf(id)).at(-1)?.metric;
    if (metric) return metric.name;
    const expression = this.#series.expression(id);
    return expression && printQuery(expression);
  }

  /** The instances of a series, or of what an expression is over. Throws LIMIT_EXCEEDED for too many. */
  async instancesOf(id: string): Promise<readonly SeriesInstance[]> {
    let places = await this.#holdersOf(id);
    const expression = places.length === 0 ? this.#series.expression(id) : undefined;
    if (expression) {
      const first = operandsOf(expression)[0]!;
      places = [...(await this.#select(first)).values()].flat();
    }
    const instances = new Map<string, SeriesInstance>();
    for await (const { archive, metric } of inTurns(places)) {
      this.#signal?.throwIfAborted();
      const own = metric.indom?.instances ?? [];
      this.#admitLookUps(own.length / this.archives.length);
      for (const instance of own) {
        instances.set(`${instance.instance} ${archive.source}`, { ...instance, source: archive.source });
      }
    }
    return [...instances.values()];
  }

  /** The labels of a series or of an instance, at the end of the latest archive that has it; undefined for an unknown one. */
  async labelsOf(id: string): Promise<readonly Label[] | undefined> {
    const metric = (await this.#holdersOf(id)).at(-1)?.metric;
    if (metric) return metric.labels;
    for await (const archive of this.#each([...this.archives].reverse())) {
      const instance = archive.instance(id);
      if (instance) return instance.labels;
    }
    return undefined;
  }

  metricNames(glob?: string): Promise<readonly string[]> {
    return this.#names(glob, (archive) => archive.metrics.map(({ name }) => name));
  }

  instanceNames(glob?: string): Promise<readonly string[]> {
    return this.#names(glob, (archive) => archive.instanceNames().keys());
  }

  labelNames(glob?: string): Promise<readonly string[]> {
    return this.#names(glob, (archive) => [...archive.labels().keys(), ...archive.instanceLabels().keys()]);
  }

  /** The distinct values of a label, as JSON; none for an unknown one. */
  async labelValues(label: string): Promise<readonly string[]> {
    const values = new Set<string>();
    for await (const archive of this.#each(this.archives)) {
      for (const json of archive.labels().get(label)?.keys() ?? []) values.add(json);
      for (const json of archive.instanceLabels().get(label)?.keys() ?? []) values.add(json);
    }
    return [...values];
  }

  async namesOfSource(source: string): Promise<readonly string[]> {
    const own: ArchiveSeries[] = [];
    for await (const archive of this.#each(this.archives)) if (archive.source === source) own.push(archive);
    return [...new Set([...own.map(({ hostName }) => hostName), ...namesOfArchives(own)])];
  }

  sourceNames(glob: string): Promise<readonly string[]> {
    return this.#names(glob, (archive) => [archive.hostName, ...namesOfArchives([archive])]);
  }

  async #names(glob: string | undefined, of: (archive: ArchiveSeries) => Iterable<string>): Promise<readonly string[]> {
    const matches = glob === undefined ? undefined : fnmatch(glob);
    const names = new Set<string>();
    for await (const archive of this.#each(this.archives)) {
      for (const name of of(archive)) if (!matches || matches(name)) names.add(name);
    }
    return [...names].sort();
  }

  get #bounds(): Omit<ReadingBounds, 'values'> {
    return { signal: this.#signal, skipped: this.skipped };
  }

  /** Archives in turns of the event loop, until the client leaves. */
  async *#each(archives: readonly ArchiveSeries[]): AsyncGenerator<ArchiveSeries, void> {
    for await (const archive of inTurns(archives)) {
      this.#signal?.throwIfAborted();
      yield archive;
    }
  }

  /** Throws LIMIT_EXCEEDED for more than a request may look up in all archives. */
  #admitLookUps(perArchive: number): void {
    this.#lookUps += perArchive * this.archives.length;
    if (this.#lookUps <= this.#series.limits.lookUps) return;
    const expected = 'fewer series, or simpler selections';
    const message = `too much to look up in ${this.archives.length} archives and hosts: expected ${expected}`;
    throw limitExceeded(message, expected);
  }

  /** The stores of a series, the latest archive last. */
  async #holdersOf(id: string): Promise<readonly HeldSeries[]> {
    const holders: HeldSeries[] = [];
    for (const archive of this.archives) {
      const turn = eventLoopTurns.next();
      if (turn) {
        await turn;
        this.#signal?.throwIfAborted();
      }
      for (const metric of archive.ofSeries(id)) holders.push({ archive, metric });
    }
    return holders;
  }

  async #select(operand: Operand): Promise<Held> {
    const text = printQuery(operand);
    const known = this.#selected.get(text);
    if (known) return known;
    this.#admitLookUps(selectionCost(operand));
    const selected = new Map<string, HeldSeries[]>();
    for await (const archive of this.#each(this.archives)) {
      const metrics = await throughInTurns(selectMetrics(archive, operand), this.#signal);
      for (const metric of metrics) addTo(selected, metric.series, { archive, metric });
      requireFewSeries(selected.size, this.#series.limits);
    }
    this.#selected.set(text, selected);
    return selected;
  }

  async #selectAll({ operands }: EvaluationPlan): Promise<ReadonlyMap<Operand, Held>> {
    const selected = new Map<Operand, Held>();
    for (const operand of operands) selected.set(operand, await this.#select(operand));
    return selected;
  }

  async #valuesOf(expression: Expression, window: Window): Promise<readonly AnsweredSeries[]> {
    const results = (await this.#evaluate([expression], { window })).of(expression);
    const isExpression = expression.kind !== 'operand';
    const id = isExpression ? this.#series.remember(expression) : undefined;
    return results.map((values) => ({ id: id ?? values.series, isExpression, values }));
  }

  /** Evaluates expressions in a window, and reads held series; metadata alone without a window. */
  async #evaluate(expressions: readonly Expression[], { window, held = new Map(), times = 1 }: EvaluationOptions = {}) {
    const plan = new EvaluationPlan();
    const places = new Map(expressions.map((expression) => [expression, plan.add(expression)]));
    const operands = await this.#selectAll(plan);
    const all = new Map(held);
    for (const selected of operands.values()) for (const [id, holders] of selected) all.set(id, holders);
    const { catalogue, limits } = this.#series;
    const bounds = {
      ...this.#bounds,
      values: plan.mostValues(Math.floor(limits.values / times)),
      memory: this.#memory,
    };
    const samples = window && (await readValues(catalogue, bounds, all, window));
    const read = (id: string, holders: readonly HeldSeries[]): SeriesValues =>
      seriesValues(id, holders, samples?.get(id) ?? [], window);
    const operandOf = (operand: Operand): readonly SeriesValues[] =>
      [...operands.get(operand)!].map(([id, holders]) => read(id, holders));
    const results = await plan.evaluate(operandOf, this.#memory, this.#signal);
    return { read, of: (expression: Expression) => results[places.get(expression)!]! };
  }
}

interface EvaluationOptions {
  readonly window?: Window;
  /** Series whose values are wanted themselves. */
  readonly held?: Held;
  /** How often values are answered at most. */
  readonly times?: number;
}

/** How often the most frequent of some identifiers is there. */
function mostRepeated(ids: readonly string[]): number {
  const times = new Map<string, number>();
  for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1);
  return Math.max(...times.values());
}

function namesOfArchives(archives: readonly ArchiveSeries[]): readonly string[] {
  return archives.flatMap(({ name, spec }) => (spec.kind === 'archive' ? [name] : []));
}

function requireFewSeries(count: number, { series }: SeriesLimits): void {
  if (count <= series) return;
  throw limitExceeded(`more than ${series} series: select fewer`, `at most ${series} series`);
}

function seriesValues(
  series: string,
  places: readonly HeldSeries[],
  samples: readonly SeriesSample[],
  window: Window | undefined,
): SeriesValues {
  const { archive, metric } = places.at(-1)!;
  return {
    series,
    source: archive.source,
    metadata: metadataOf(metric),
    samples,
    isNewestFirst: window?.kind === 'newest',
    leastSec: places.some(({ archive: { spec } }) => spec.kind === 'host') ? LEAST_RATE_SEC : 0,
  };
}

/** The identifiers of a list, in lower case. Throws BAD_PARAMETER for an invalid one; as in pmproxy, what follows 40 digits is ignored. */
export function requireIds(ids: readonly string[]): readonly string[] {
  return ids.map((id) => {
    if (/^[0-9a-f]{40}/i.test(id)) return id.slice(0, 40).toLowerCase();
    throw badParameter('series', `invalid series identifier '${id.slice(0, 80)}'`, '40 hexadecimal digits');
  });
}
