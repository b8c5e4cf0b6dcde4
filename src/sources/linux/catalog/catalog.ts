import { getOrMake } from '../../../kit/index.js';
import { decodeUnits, makeLabel, parseIndom } from '../../../pmapi/index.js';
import type { Label, MetricDescriptor, MetricType, Semantics, Units } from '../../../pmapi/index.js';

/**
 * How instances get their numbers:
 * - `fixed`: by meaning (the CPU's number, the pid, 1/5/15 minutes);
 * - `cached`: the next free number in the order of first appearance;
 * - `cached-saved`: the same, and numbers in the files of PCP's own agents are adopted.
 */
export type InstanceNumbers = 'fixed' | 'cached' | 'cached-saved';

/** One metric of a catalog: everything known about it without reading anything. */
export interface CatalogMetric {
  readonly name: string;
  readonly descriptor: MetricDescriptor;
  readonly oneline: string;
  readonly help: string;
  readonly labels: readonly Label[];
  /** The cells of a file that the value is; undefined where a cluster computes it. */
  readonly reading: Reading | undefined;
}

/** A metric's value as cells of a file: `FILE:COLUMN`, `FILE:COLUMN+OTHER*1024/2`. `*PAGE` and `/HZ` are the machine's. */
export interface Reading {
  /** A path below the root: `proc/meminfo`. */
  readonly file: string;
  readonly column: string;
  /** `a|b` is b where a is absent. */
  readonly operator?: '+' | '-' | '*' | '|';
  readonly other?: string;
  readonly multiplier: number | 'PAGE';
  readonly divisor: number | 'HZ';
}

const READING = /^([\w./-]+):([\w:.]+)(?:([-+*|])(?!PAGE)([A-Za-z_][\w:.]*))?(?:\*(\d+|PAGE))?(?:\/(\d+|HZ))?$/;

/** A reading from its text; undefined for an invalid one. */
export function parseReading(text: string): Reading | undefined {
  const [, file, column, operator, other, multiplier = '1', divisor = '1'] = READING.exec(text) ?? [];
  if (file === undefined || column === undefined) return undefined;
  const scale: Pick<Reading, 'multiplier' | 'divisor'> = {
    multiplier: multiplier === 'PAGE' ? multiplier : Number(multiplier),
    divisor: divisor === 'HZ' ? divisor : Number(divisor),
  };
  return other === undefined
    ? { file, column, ...scale }
    : { file, column, operator: operator as NonNullable<Reading['operator']>, other, ...scale };
}

/** One instance domain: everything known about it without reading anything. */
export interface CatalogIndom {
  readonly indom: number;
  readonly numbers: InstanceNumbers;
  readonly oneline: string;
  readonly help: string;
  readonly labels: readonly Label[];
}

export type RowLabels = Readonly<Record<string, string | readonly string[]>>;

/** A metric as generated from a catalog's data files; the units are the 32-bit word of a descriptor. */
export type MetricRow = readonly [
  name: string,
  pmid: number,
  type: MetricType,
  indom: number,
  semantics: Semantics,
  units: number,
  oneline: string,
  help: string,
  labels: RowLabels,
  reading?: string,
];

/** An instance domain as generated from a catalog's data files. */
export type IndomRow = readonly [
  indom: number,
  numbers: InstanceNumbers,
  oneline: string,
  help: string,
  labels: RowLabels,
];

/** The rows that `npm run generate` makes from a catalog's data files (config/tooling/catalog-reader.ts), which it validates. */
export interface CatalogRows {
  readonly indoms: readonly IndomRow[];
  readonly metrics: readonly MetricRow[];
}

/** A table of metrics and the instance domains that they need. */
export class Catalog {
  readonly metrics: readonly CatalogMetric[];
  readonly indoms: readonly CatalogIndom[];

  constructor(rows: CatalogRows) {
    const units = new Map<number, Units>();
    this.metrics = rows.metrics.map(([name, pmid, type, indom, semantics, word, oneline, help, labels, reading]) => {
      const decoded = getOrMake(units, word, () => decodeUnits(word));
      const descriptor = Object.freeze({ pmid, type, indom, semantics, units: decoded });
      return { name, descriptor, oneline, help, labels: labelsOf(labels), reading: parseReading(reading ?? '') };
    });
    this.indoms = rows.indoms.map(([indom, numbers, oneline, help, labels]) => ({
      ...{ indom, numbers, oneline, help },
      labels: labelsOf(labels),
    }));
  }

  /** The columns of a file that metrics are read from. */
  columnsOf(file: string): readonly string[] {
    const readings = this.metrics.flatMap(({ reading }) => (reading?.file === file ? [reading] : []));
    return [...new Set(readings.flatMap(({ column, other }) => (other === undefined ? [column] : [column, other])))];
  }

  /** An instance domain by its number, `domain.serial`. Throws for an unknown one. */
  indom(id: string): CatalogIndom {
    const number = parseIndom(id);
    const found = this.indoms.find(({ indom }) => indom === number);
    if (!found) throw new Error(`the catalog has no instance domain ${id}`);
    return found;
  }

  /** Each metric for which the table has a binding, with it, in the order of the namespace. Throws for an unknown name. */
  bind<Binding>(
    table: ReadonlyMap<string, Binding>,
  ): readonly { readonly metric: CatalogMetric; readonly binding: Binding }[] {
    const names = new Set(this.metrics.map(({ name }) => name));
    for (const name of table.keys()) if (!names.has(name)) throw new Error(`the catalog has no metric ${name}`);
    return this.metrics.flatMap((metric) => {
      const binding = table.get(metric.name);
      return binding === undefined ? [] : [{ metric, binding }];
    });
  }
}

function labelsOf(labels: RowLabels): readonly Label[] {
  return Object.entries(labels).map(([name, value]) => makeLabel(name, value));
}
