import { FetchResult, isArithmeticType, MetricType, ValueSet, type Column } from '../../pmapi/index.js';
import type { RangeMetric } from '../range/index.js';
import type { GoneInstances, StreamSample } from './stream-output.js';

type Changes = Pick<StreamSample, 'answered' | 'result' | 'changes'>;
type Answered = StreamSample['answered'];

/** Changes between samples: different values, new and gone instances. Event records are always new. */
export class ChangedValues {
  #answered: Answered | undefined;
  readonly #known = new FetchResult();
  readonly #changed = new FetchResult();

  get bytes(): number {
    return [...this.#known.sets, ...this.#changed.sets].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** The changes of a sample; everything for the first one and for other metrics. */
  next(answered: Answered, result: FetchResult): Changes {
    if (this.#answered !== answered) {
      this.#answered = answered;
      this.#keep(result);
      return this.#all(answered);
    }
    const entries: RangeMetric[] = [];
    const places: number[] = [];
    const gone: GoneInstances[] = [];
    const into = this.#changed;
    into.timestamp = result.timestamp;
    into.sets.length = 0;
    for (const [i, metric] of answered.entries.entries()) {
      const [before, now] = [this.#known.sets[i]!, result.sets[i]!];
      const changes = compare(before, now);
      if (!changes) continue;
      entries.push(metric);
      places.push(i);
      into.sets.push(changes.set);
      if (changes.gone.length > 0) gone.push({ name: metric.name, instances: changes.gone });
    }
    this.#keep(result);
    const instanceName = (m: number, instance: number): string | undefined =>
      answered.instanceName?.(places[m]!, instance);
    return { answered: { entries, instanceName }, result: into, changes: { isFull: false, gone } };
  }

  /** The last sample, complete; undefined if it was of other metrics. */
  last(answered: Answered): Changes | undefined {
    return this.#answered === answered ? this.#all(answered) : undefined;
  }

  #all(answered: Answered): Changes {
    return { answered, result: this.#known, changes: { isFull: true, gone: [] } };
  }

  #keep(result: FetchResult): void {
    this.#known.timestamp = result.timestamp;
    this.#known.resize(result.sets.length);
    for (const [i, set] of result.sets.entries()) this.#known.sets[i]!.copyFrom(set);
  }
}

/** The new values of a set, and the instances that are gone; undefined without changes. */
function compare(before: ValueSet, now: ValueSet): { set: ValueSet; gone: readonly number[] } | undefined {
  const set = new ValueSet();
  set.reset(now.pmid, now.type);
  const [had, has] = [Math.max(before.status, 0), Math.max(now.status, 0)];
  let isOther = (before.status < 0 || now.status < 0) && before.status !== now.status;
  const places = placesOf(before, now, had, has);
  const kept = new Set<number>();
  for (let i = 0; i < has; i++) {
    const instance = now.instances[i]!;
    const at = places ? places.get(instance) : i;
    if (at !== undefined) kept.add(at);
    if (at !== undefined && isSame(before.column, at, now.column, i)) continue;
    set.add(instance, now.column.atomAt(i));
  }
  const gone: number[] = [];
  for (let at = 0; at < had && kept.size < had; at++) if (!kept.has(at)) gone.push(before.instances[at]!);
  if (now.status < 0) set.fail(now.status);
  isOther ||= set.status > 0 || gone.length > 0;
  return isOther ? { set, gone } : undefined;
}

/** The previous positions of instances; undefined if they are unchanged. */
function placesOf(before: ValueSet, now: ValueSet, had: number, has: number): Map<number, number> | undefined {
  if (had === has) {
    let i = 0;
    while (i < has && before.instances[i] === now.instances[i]) i++;
    if (i === has) return undefined;
  }
  const places = new Map<number, number>();
  for (let at = 0; at < had; at++) places.set(before.instances[at]!, at);
  return places;
}

function isSame(before: Column, at: number, now: Column, i: number): boolean {
  if (before.type !== now.type) return false;
  if (isArithmeticType(now.type)) {
    if (before.wide ?? now.wide) return before.integerAt(at) === now.integerAt(i);
    return Object.is(before.numbers[at], now.numbers[i]);
  }
  switch (now.type) {
    case MetricType.STRING:
      return before.texts[at] === now.texts[i];
    case MetricType.AGGREGATE:
    case MetricType.AGGREGATE_STATIC:
      return Buffer.from(before.bytes[at]!).equals(now.bytes[i]!);
    default:
      return false;
  }
}
