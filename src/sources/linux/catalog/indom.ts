import { parseIndom } from '../../../pmapi/index.js';
import type { Label } from '../../../pmapi/index.js';

/**
 * How instances come by their numbers:
 * - `fixed`: by meaning (the CPU's number, the pid, 1/5/15 minutes);
 * - `cached`: the next free number in the order of first sight;
 * - `cached-saved`: the same, and PCP's own agents keep them in a file, from which they are taken over;
 * - `positional`: the place in the file.
 */
export type InstanceNumberClass = 'fixed' | 'cached' | 'cached-saved' | 'positional';

/** One instance domain: everything that is known of it without reading anything. */
export interface CatalogIndom {
  readonly indom: number;
  readonly numbers: InstanceNumberClass;
  readonly oneline: string;
  readonly help: string;
  /** Labels of the instance domain (`device_type`, `indom_name`). */
  readonly labels: readonly Label[];
}

/** One row of the table of instance domains; `indom` is `domain.serial`. Without `help` the one-line text serves. */
export function indom(
  id: string,
  numbers: InstanceNumberClass,
  oneline: string,
  labels: readonly Label[] = [],
  help: string = oneline,
): CatalogIndom {
  const parsed = parseIndom(id);
  if (parsed === undefined) throw new Error(`catalogue: ${id} is no instance domain`);
  return { indom: parsed, numbers, oneline, help, labels };
}
