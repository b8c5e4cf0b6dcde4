import { INSTANCE_NULL } from '../indom.js';
import type { MetricType } from '../descriptor.js';
import type { PmError } from '../pm-error.js';
import { PMID_NULL } from '../pmid.js';
import type { Timestamp } from '../time/timestamp.js';
import { Column } from './column.js';

const NO_INSTANCES = new Int32Array(0);
const INITIAL_CAPACITY = 8;
/** The size of an empty set with its column, and of each typed array and text besides its content: measured on Node 20. */
const SET_BYTES = 280;
const ARRAY_BYTES = 200;
const TEXT_BYTES = 40;

/** Values that were left out, as one. */
export interface RestOfValues {
  /** How many they are. */
  readonly count: number;
  readonly value: number;
}

/**
 * The result of a fetch for one metric: `status` values (0 or more), or a PM_ERR code (below 0), which is data and never an
 * exception. `instances[i]` belongs to value `i` of the column; a singular metric has one value of INSTANCE_NULL.
 *
 * Value sets are reused, like their columns: reset and refilled by each fetch. @see pmFetch(3)
 */
export class ValueSet {
  pmid = PMID_NULL;
  /** Number of values, or a PM_ERR code. */
  status = 0;
  instances: Int32Array = NO_INSTANCES;
  /** Values of other instances, where only the greatest are in the set. */
  rest: RestOfValues | undefined;
  readonly column = new Column();

  /** Start over for one metric, with no values. */
  reset(pmid: number, type: MetricType): void {
    this.pmid = pmid;
    this.status = 0;
    this.rest = undefined;
    this.column.reset(type);
  }

  /** Sets an error code in place of values. */
  fail(pmErr: number): void {
    this.column.reset(this.column.type);
    this.status = pmErr;
  }

  get type(): MetricType {
    return this.column.type;
  }

  /** The approximate memory of the set, including unused capacity. */
  get bytes(): number {
    const { numbers, wide, texts, bytes } = this.column;
    let total = SET_BYTES;
    for (const array of [this.instances, numbers, wide]) {
      if (array && array.length > 0) total += ARRAY_BYTES + array.byteLength;
    }
    for (const text of texts) total += TEXT_BYTES + 2 * text.length;
    for (const block of bytes) total += ARRAY_BYTES + block.byteLength;
    return total;
  }

  /** Appends an exact number (see {@link Column.pushNumber}). */
  addNumber(instance: number, value: number): void {
    this.#addInstance(instance);
    this.column.pushNumber(value);
  }

  /** Append `count` exact numbers, from index `at` of `numbers`, of the instances from index `from` of `instances` on. */
  addNumbers(instances: Int32Array, from: number, numbers: ArrayLike<number>, at: number, count: number): void {
    const start = this.status;
    if (this.instances.length < start + count) this.#growInstances(start + count);
    this.column.pushNumbers(numbers, at, count);
    for (let i = 0; i < count; i++) this.instances[start + i] = instances[from + i]!;
    this.status = start + count;
  }

  /** Append a 64-bit integer of any size. */
  addInteger(instance: number, value: bigint): void {
    this.#addInstance(instance);
    this.column.pushInteger(value);
  }

  addText(instance: number, value: string): void {
    this.#addInstance(instance);
    this.column.pushText(value);
  }

  addBytes(instance: number, value: Uint8Array): void {
    this.#addInstance(instance);
    this.column.pushBytes(value);
  }

  /** The one value of a singular metric. */
  setNumber(value: number): void {
    this.addNumber(INSTANCE_NULL, value);
  }

  #addInstance(instance: number): void {
    const i = this.status++;
    if (this.instances.length <= i) this.#growInstances(i + 1);
    this.instances[i] = instance;
  }

  #growInstances(size: number): void {
    const grown = new Int32Array(Math.max(size, INITIAL_CAPACITY, this.instances.length * 2));
    grown.set(this.instances);
    this.instances = grown;
  }
}

/**
 * The result of a fetch: one value set per requested metric, in the order of the request. Reused from fetch to fetch.
 * @see pmFetch(3)
 */
export class FetchResult {
  timestamp: Timestamp = { sec: 0, nsec: 0 };
  readonly sets: ValueSet[] = [];
  /** A problem to report besides the values: damage in an archive. */
  warning: PmError | undefined;

  /** Makes the result hold exactly `count` value sets, reusing the present ones. */
  resize(count: number): void {
    while (this.sets.length < count) this.sets.push(new ValueSet());
    if (this.sets.length > count) this.sets.length = count;
  }
}
