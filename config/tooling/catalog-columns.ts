/** The columns of a catalog's table: each is read from its text, or throws an Error that says what was expected. */
import { MetricType, Semantics, formatIndom, formatPmid, isMetricName, parseIndom, parsePmid } from '../../src/pmapi/identifiers.js';
import { encodeUnits, formatUnits } from '../../src/pmapi/units/units.js';
import { parseUnits } from '../../src/pmapi/units/parse-units.js';
import { parseReading, type RowLabels } from '../../src/sources/linux/catalog/catalog.js';

const { I32, U32, I64, U64, FLOAT, DOUBLE, STRING } = MetricType;
/** Types by their names in the table. */
export const TYPES = { i32: I32, u32: U32, i64: I64, u64: U64, float: FLOAT, double: DOUBLE, string: STRING } as const;
/** Semantics by their names in the table. */
export const SEMANTICS = {
  counter: Semantics.COUNTER,
  instant: Semantics.INSTANT,
  discrete: Semantics.DISCRETE,
} as const;
/** How instances get their numbers. */
export const NUMBERS = { fixed: 'fixed', cached: 'cached', 'cached-saved': 'cached-saved' } as const;

/** The value that a word stands for. */
export function oneOf<T>(known: Readonly<Record<string, T>>, word: string, what: string): T {
  need(Object.hasOwn(known, word), `unknown ${what} ${word} (known: ${Object.keys(known).join(', ')})`);
  return known[word]!;
}

/** A metric's name. */
export function readName(name: string): string {
  need(isMetricName(name), `invalid metric name ${name}`);
  return name;
}

/** A PMID, `domain.cluster.item`. */
export function readPmid(id: string): number {
  const pmid = parsePmid(id);
  need(pmid !== undefined && formatPmid(pmid) === id, `invalid PMID ${id}: expected DOMAIN.CLUSTER.ITEM`);
  return pmid;
}

/** The number of an instance domain, `domain.serial`. */
export function readIndom(id: string): number {
  const indom = parseIndom(id);
  need(indom !== undefined && formatIndom(indom) === id, `invalid instance domain ${id}: expected DOMAIN.SERIAL`);
  return indom;
}

/** Units as pmUnitsStr(3) prints them, `none` for no dimension; the 32-bit word of a descriptor. */
export function readUnits(text: string): number {
  const units = attempt(() => parseUnits(text === 'none' ? '' : text).units);
  const isExact = units !== undefined && (formatUnits(units) || 'none') === text;
  need(isExact, `unknown units ${text}: expected units as pmUnitsStr(3) prints them, or none`);
  return encodeUnits(units);
}

/** The cells of a file that a value is. */
export function readReading(text: string): string {
  need(
    parseReading(text),
    `invalid reading ${text}: expected FILE:COLUMN, or two columns joined by +, -, * or |; then *NUMBER or *PAGE, /NUMBER or /HZ`,
  );
  return text;
}

/** Labels as a JSON object. */
export function readLabels(json = '{}'): RowLabels {
  const labels: unknown = attempt(() => JSON.parse(json) as unknown);
  const isObject = typeof labels === 'object' && labels !== null && !Array.isArray(labels);
  const areTexts =
    isObject &&
    Object.values(labels)
      .flat()
      .every((value) => typeof value === 'string');
  need(areTexts, `invalid labels ${json}: expected a JSON object of strings and lists of strings`);
  return labels as RowLabels;
}

/** What a function returns; undefined when it throws. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Throws an Error unless a condition holds. */
export function need(condition: unknown, message: string): asserts condition {
  if (condition === undefined || condition === false) throw new Error(message);
}
