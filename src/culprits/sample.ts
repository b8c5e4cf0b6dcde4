import type { OpenRange, PlanEntry } from '../context/index.js';
import { INDOM_NULL, INSTANCE_NULL, onPmError, type ValueSet } from '../pmapi/index.js';

/** The seconds of each scale of time, from nanoseconds to hours. */
const UNIT_SEC = [1e-9, 1e-6, 1e-3, 1, 60, 3600] as const;

/** What a number of a metric is multiplied with to become seconds, bytes or a count. */
export function baseFactor({ descriptor: { units } }: Pick<PlanEntry, 'descriptor'>): number {
  const { dimTime, scaleTime, dimSpace, scaleSpace } = units;
  return (UNIT_SEC[scaleTime] ?? 1) ** dimTime * (1024 ** scaleSpace) ** dimSpace;
}

/** Names instances of a domain that a range has at some time; undefined: of a singular metric. */
export async function instanceNames(range: OpenRange, indom: number): Promise<(id: number) => string | undefined> {
  if (indom === INDOM_NULL) return () => undefined;
  const { instances } = await range.instancesEver(indom).catch(onPmError(() => ({ instances: [] })));
  const names = new Map(instances.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? `inst ${id}`;
}

/** Looks values up by instance, which is quick in about the order of the set. */
export class Cells {
  readonly #set: ValueSet;
  #next = 0;
  #places: ReadonlyMap<number, number> | undefined;

  constructor(set: ValueSet) {
    this.#set = set;
  }

  get instances(): Int32Array {
    return this.#set.instances.subarray(0, Math.max(this.#set.status, 0));
  }

  /** NaN for an instance that is not there. */
  number(instance: number): number {
    return this.#set.column.numbers[this.#placeOf(instance)] ?? NaN;
  }

  text(instance: number): string | undefined {
    return this.#set.column.texts[this.#placeOf(instance)];
  }

  #placeOf(instance: number): number {
    const { instances, status } = this.#set;
    if (this.#next < status && instances[this.#next] === instance) return this.#next++;
    this.#places ??= new Map(Array.from(this.instances, (id, place) => [id, place]));
    const found = this.#places.get(instance) ?? -1;
    this.#next = found + 1;
    return found;
  }
}

/** The values of some metrics at one moment. */
export interface Sample {
  readonly sec: number;
  /** The value set of a metric; undefined if the sample does not have it, or nothing but an error. */
  set(name: string): ValueSet | undefined;
  /** From a number of a metric to seconds, bytes or a count. */
  factor(name: string): number;
}

/** The sum of metrics by instance, in seconds, bytes or counts; NaN without one of them. Undefined without a metric, or for none. */
export function sumsOf(sample: Sample, names: readonly string[]): ((instance: number) => number) | undefined {
  const parts: { readonly cells: Cells; readonly factor: number }[] = [];
  for (const name of names) {
    const set = sample.set(name);
    if (!set) return undefined;
    parts.push({ cells: new Cells(set), factor: sample.factor(name) });
  }
  if (parts.length === 0) return undefined;
  return (instance) => parts.reduce((sum, { cells, factor }) => sum + factor * cells.number(instance), 0);
}

/** The sum of metrics without instances; undefined as {@link sumsOf}. */
export function singularSum(sample: Sample, names: readonly string[]): number | undefined {
  const sum = sumsOf(sample, names)?.(INSTANCE_NULL);
  return sum === undefined || Number.isNaN(sum) ? undefined : sum;
}
