import { ValueSet, type Timestamp } from '../../pmapi/index.js';
import type { History, PreviousSample } from './history.js';
import { copyValues } from './kernels/value-room.js';

/** Copies of the values of all cells of one evaluation, and of the previous samples of delta() and rate(). */
export class EvaluationTrace {
  timestamp: Timestamp | undefined;
  previous: readonly (PreviousSample | undefined)[] = [];
  readonly #cells: ValueSet[] = [];

  cell(cell: number): ValueSet | undefined {
    return this.#cells[cell];
  }

  begin(timestamp: Timestamp, { samples }: History): void {
    this.timestamp = timestamp;
    this.previous = samples.map((sample) => sample && { timestamp: sample.timestamp, values: copyOf(sample.values) });
  }

  keep(cell: number, values: ValueSet): void {
    this.#cells[cell] = copyOf(values);
  }
}

function copyOf(values: ValueSet): ValueSet {
  const copy = new ValueSet();
  copy.reset(values.pmid, values.type);
  if (values.status < 0) copy.fail(values.status);
  else copyValues(values, undefined, values.status, copy);
  return copy;
}
