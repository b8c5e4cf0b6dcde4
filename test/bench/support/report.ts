import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { type Limit, isMet } from '../budgets.js';

/** One figure of a benchmark beside what it should be. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The lowest and the highest of the measurements that `value` is the middle of. */
  readonly spread?: readonly [lowest: number, highest: number];
  readonly budget?: Limit;
}

/** What a benchmark leaves for the run that started it: a line of JSON for each figure. */
export type Entry =
  | (Figure & { readonly bench: string; readonly heading: string })
  | { readonly bench: string; readonly skipped: string };

/** The file for entries, when the benchmark is one of a run. */
const FIGURES_FILE = process.env['BENCH_FIGURES'];
const BENCH = path.basename(process.argv[1] ?? '').replace(/\.bench\.ts$/, '');

/** Whether the run only has to prove that the benchmarks work: each should end within a few seconds. */
export const IS_QUICK = process.env['BENCH_QUICK'] !== undefined;

let under = '';

/**
 * Print a figure as one row, with a verdict when it has a budget: the value, or the median of several measurements, whose spread is then shown.
 */
export function report(
  name: string,
  measured: number | readonly number[],
  unit: string,
  budget?: Limit,
  spread = typeof measured === 'number' ? undefined : spreadOf(measured),
): void {
  const value = typeof measured === 'number' ? measured : median(measured);
  const range = spread ? ` (${formatFigure(spread[0])} to ${formatFigure(spread[1])})` : '';
  const shown = `${name.padEnd(56)} ${formatFigure(value).padStart(10)} ${`${unit}${range}`.padEnd(14)}`;
  process.stdout.write(`${shown}${budget ? verdict(value, budget) : ''}\n`);
  record({ name, value, unit, ...(budget && { budget }), ...(spread && { spread }), bench: BENCH, heading: under });
}

/** Print a heading; the figures after it belong to it. */
export function heading(text: string): void {
  under = text;
  process.stdout.write(`\n# ${text}\n`);
}

/** Say that the benchmark, or the part of it under the last heading, cannot run here, and why. */
export function skip(why: string): void {
  process.stdout.write(`SKIPPED: ${why}\n`);
  record({ bench: BENCH, skipped: why });
}

function record(entry: Entry): void {
  if (FIGURES_FILE !== undefined) appendFileSync(FIGURES_FILE, `${JSON.stringify(entry)}\n`);
}

function verdict(value: number, budget: Limit): string {
  const [sign, limit, missed] = 'atMost' in budget ? ['<=', budget.atMost, 'OVER'] : ['>=', budget.atLeast, 'UNDER'];
  return `budget ${sign} ${formatFigure(limit)}  ${isMet(value, budget) ? 'ok' : missed}`;
}

/** A number with three digits that count. */
export function formatFigure(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value)) return String(value);
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** The middle one of some measurements. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The lowest and the highest of some measurements. */
export function spreadOf(values: readonly number[]): readonly [lowest: number, highest: number] {
  return [Math.min(...values), Math.max(...values)];
}

/** The measurement below which a share of all lies; NaN for none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** CPU time of the process since it began, or since an earlier answer. Milliseconds. */
export function cpuMs(sinceMs = 0): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 - sinceMs;
}
