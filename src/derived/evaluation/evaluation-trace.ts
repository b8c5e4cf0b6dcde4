import { ValueSet } from '../../pmapi/index.js';
import type { Timestamp } from '../../pmapi/index.js';
import type { History, PreviousSample } from './history.js';
import { copyValues } from './kernels/value-room.js';

/** What one evaluation went through: copies of the values of all cells, and of what delta() and rate() compared them with. */
export class EvaluationTrace {
  /** When the sample was taken. */
  timestamp: Timestamp | undefined;
  /** The samples before, by history slot. */
  previous: readonly (PreviousSample | undefined)[] = [];
  readonly #cells: ValueSet[] = [];

  /** The values of a cell; undefined when nothing was evaluated. */
  cell(cell: number): ValueSet | undefined {
    return this.#cells[cell];
  }

  /** An evaluation begins. */
  begin(timestamp: Timestamp, { samples }: History): void {
    this.timestamp = timestamp;
    this.previous = samples.map((sample) => sample && { timestamp: sample.timestamp, values: copyOf(sample.values) });
  }

  /** Take down the values of a cell. */
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
