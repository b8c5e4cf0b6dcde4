import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { DIMENSIONLESS, type MetricDescriptor, MetricType, Semantics, ValueSet } from '../../../../src/pmapi/index.js';
import type { ArchiveSample } from '../../../../src/sources/archive/writing/index.js';
import { at } from '../support.js';

/** A value of a set, by the type of its metric. */
export type WrittenValue = number | bigint | string | Uint8Array;

/** A metric with a name of its own. */
export function descriptor(pmid: number, type: MetricType, fields: Partial<MetricDescriptor> = {}): MetricDescriptor {
  return { pmid, type, indom: 0xffffffff, semantics: Semantics.INSTANT, units: DIMENSIONLESS, ...fields };
}

/** A value set: values by instance, or a status. */
export function valueSet(
  { pmid, type }: MetricDescriptor,
  values: readonly (readonly [instance: number, value: WrittenValue])[] | number,
): ValueSet {
  const set = new ValueSet();
  set.reset(pmid, type);
  if (typeof values === 'number') {
    set.status = values;
    return set;
  }
  for (const [instance, value] of values) {
    if (typeof value === 'bigint') set.addInteger(instance, value);
    else if (typeof value === 'number') set.addNumber(instance, value);
    else if (typeof value === 'string') set.addText(instance, value);
    else set.addBytes(instance, value);
  }
  return set;
}

/** A sample so many seconds after the tests' own moment. */
export function sample(seconds: number, sets: readonly ValueSet[]): ArchiveSample {
  return { timestamp: at(seconds), sets: [...sets] };
}

/** The bytes of an archive's files, by what is behind its base name. */
export function filesOf(base: string): Map<string, Buffer> {
  const directory = path.dirname(base);
  const prefix = `${path.basename(base)}.`;
  const names = readdirSync(directory).filter((name) => name.startsWith(prefix));
  return new Map(names.map((name) => [name.slice(prefix.length), readFileSync(path.join(directory, name))]));
}
