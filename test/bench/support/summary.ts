import { isListed, isMet, limitText, markdownTable } from '../budgets.js';
import { type Machine, machineText } from './machine.js';
import { type Entry, formatFigure } from './report.js';

/** What became of one benchmark. */
export interface Outcome {
  readonly bench: string;
  /** How the process ended; 0 when all went well. */
  readonly exitCode: number;
  readonly seconds: number;
  readonly entries: readonly Entry[];
}

/** A whole run, as `--json` writes it. */
export interface Run {
  readonly machine: Machine;
  readonly isQuick: boolean;
  readonly outcomes: readonly Outcome[];
}

type FigureEntry = Exclude<Entry, { readonly skipped: string }>;

/** With what a figure is compared, by the words of its name. */
const PEERS: readonly (readonly [peer: string, pattern: RegExp])[] = [
  ['pmproxy', /against pmproxy/],
  ['PCP tools', /against pm(?:val|rep|logsummary|dumptext)/],
  ['Prometheus', /against Prometheus/],
  ['DuckDB', /against DuckDB/],
  ['reading the bytes', /against cat /],
  ['bare node:http', /\/ bare node:http|against bare node:http/],
  ['a bare socket', /against the (?:bare socket|floor)/],
];

/** Figures whose budget is missed. */
export function missedOf(run: Run): readonly FigureEntry[] {
  return figuresOf(run).filter(({ value, budget }) => budget !== undefined && !isMet(value, budget));
}

/** Figures with a budget that the table of budgets has not. */
export function unlistedOf(run: Run): readonly FigureEntry[] {
  // Short runs have fewer clients, which some limits count.
  if (run.isQuick) return [];
  return figuresOf(run).filter(({ bench, budget }) => budget !== undefined && !isListed(bench, budget));
}

/** The report of a run in Markdown: the machine, all figures, the ratios to others, and a verdict. */
export function summaryText(run: Run): string {
  const figures = figuresOf(run);
  const budgeted = figures.filter(({ budget }) => budget !== undefined);
  const missed = missedOf(run);
  const parts = [
    `## Summary${run.isQuick ? ' (quick: shows that the benchmarks run; its figures mean nothing)' : ''}`,
    machineText(run.machine),
    markdownTable([['bench', 'figure', 'value', 'budget', 'verdict'], ...figures.map(row)]),
  ];
  const ratios = PEERS.flatMap(([peer, pattern]) =>
    figures.filter(({ name }) => pattern.test(name)).map((figure) => [peer, ...row(figure)]),
  );
  if (ratios.length > 0) {
    parts.push(
      '### Against others',
      markdownTable([['peer', 'bench', 'figure', 'ratio', 'budget', 'verdict'], ...ratios]),
    );
  }
  const notes = [...skippedOf(run), ...failedOf(run), ...unlistedOf(run).map(unlistedNote)];
  if (notes.length > 0) parts.push(notes.map((note) => `- ${note}`).join('\n'));
  const seconds = run.outcomes.reduce((sum, outcome) => sum + outcome.seconds, 0);
  const each = run.outcomes.map((outcome) => `${outcome.bench} ${Math.round(outcome.seconds)} s`).join(', ');
  parts.push(`Took ${(seconds / 60).toFixed(1)} min: ${each}.`);
  parts.push(`${budgeted.length - missed.length} of ${budgeted.length} budgets met, ${missed.length} missed.`);
  if (missed.length > 0)
    parts.push(missed.map((figure) => `- missed: ${row(figure).slice(0, 4).join(' · ')}`).join('\n'));
  return `${parts.join('\n\n')}\n`;
}

function figuresOf({ outcomes }: Run): readonly FigureEntry[] {
  const figures = outcomes.flatMap(({ entries }) => entries.filter((entry) => 'name' in entry));
  // JSON has no NaN and no Infinity.
  return figures.map((figure) => ({ ...figure, value: (figure.value as number | null) ?? Number.NaN }));
}

function row({ bench, heading, name, value, unit, budget, spread }: FigureEntry): readonly string[] {
  const range = spread ? ` (${spread.map(formatFigure).join(' to ')})` : '';
  const shown = `${formatFigure(value)}${range}${unit === '' || unit === 'ratio' ? '' : ` ${unit}`}`;
  const verdict = budget ? (isMet(value, budget) ? 'met' : '**missed**') : '';
  const figure = `${heading === '' ? '' : `${heading}: `}${name}`.replaceAll('|', '\\|');
  return [bench, figure, shown, budget ? limitText(budget) : '', verdict];
}

function skippedOf({ outcomes }: Run): readonly string[] {
  return outcomes.flatMap(({ bench, entries }) =>
    entries.flatMap((entry) => ('skipped' in entry ? [`${bench} skipped: ${entry.skipped}`] : [])),
  );
}

function failedOf({ outcomes }: Run): readonly string[] {
  return outcomes
    .filter(({ exitCode }) => exitCode !== 0)
    .map(({ bench, exitCode }) => `**${bench} failed** with exit code ${exitCode}: see its output above`);
}

function unlistedNote({ bench, name }: FigureEntry): string {
  return `**${bench}: ${name}** has a budget that the table in test/bench/budgets.ts has not`;
}
