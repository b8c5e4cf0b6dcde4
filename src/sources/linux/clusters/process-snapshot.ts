import { NumberGrid } from '../sample.js';
import { PROCESS_COLUMNS, processColumn } from './process-parsers.js';
import type { ProcessColumn } from './process-parsers.js';
import type { RunQueueState } from './run-queue.js';

/** What is read of a process in words; '' is a value, undefined is absent. */
export interface ProcessTexts {
  cmd?: string;
  sname?: string;
  wchan?: string;
  psargs?: string;
}

/** What one pass over /proc found: a row for each process that was read. Does not change once the pass is over. */
export class ProcessSnapshot {
  /** Process id of each row. */
  readonly pids: number[] = [];
  readonly texts: ProcessTexts[] = [];
  readonly numbers = new NumberGrid(PROCESS_COLUMNS.length);
  /** All processes that there were, whether they were read or not. */
  processCount = 0;
  /** Processes by state; empty when the pass did not count them. */
  readonly runQueue = new Map<RunQueueState, number>();

  /** Append a row for a process. */
  addRow(pid: number): number {
    this.pids.push(pid);
    this.texts.push({});
    return this.numbers.addRow();
  }

  /** A number of a process, NaN when absent; near it beyond ±2^53. */
  number(row: number, column: ProcessColumn): number {
    return this.numbers.number(row, processColumn(column));
  }
}
