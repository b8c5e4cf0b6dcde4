/** One figure of a benchmark beside what it should be. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The budget: `at most` for costs, `at least` for rates and ratios. */
  readonly budget?: { readonly atMost: number } | { readonly atLeast: number };
}

/** Print a figure as one row, with a verdict when it has a budget. */
export function report(figure: Figure): void {
  const { name, value, unit, budget } = figure;
  const shown = `${name.padEnd(56)} ${format(value).padStart(10)} ${unit.padEnd(14)}`;
  process.stdout.write(`${shown}${budget ? verdict(value, budget) : ''}\n`);
}

/** Print a heading. */
export function heading(text: string): void {
  process.stdout.write(`\n# ${text}\n`);
}

function verdict(value: number, budget: NonNullable<Figure['budget']>): string {
  if ('atMost' in budget) return `budget <= ${format(budget.atMost)}  ${value <= budget.atMost ? 'ok' : 'OVER'}`;
  return `budget >= ${format(budget.atLeast)}  ${value >= budget.atLeast ? 'ok' : 'UNDER'}`;
}

function format(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** The middle one of some measurements. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
