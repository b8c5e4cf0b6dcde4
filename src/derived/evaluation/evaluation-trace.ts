import type { Timestamp, ValueSet } from '../../pmapi/index.js';
import type { History, PreviousSample } from './history.js';

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
    this.previous = samples.map((sample) => sample && { timestamp: sample.timestamp, values: sample.values.copy() });
  }

  keep(cell: number, values: ValueSet): void {
    this.#cells[cell] = values.copy();
  }
}
