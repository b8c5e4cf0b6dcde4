/** What pminfo(1) prints, read. */

/** A metric's descriptor and one-line help, in the words of the API. */
export interface PrintedMetric {
  readonly pmid: string;
  readonly oneline: string;
  readonly type: string;
  readonly indom: string | undefined;
  readonly sem: string;
  readonly units: string;
}

/** What belongs to an instance, or to the metric where it has none. */
export interface Printed {
  readonly instance: number | null;
  readonly name: string | undefined;
  readonly text: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '32-bit int': '32',
  '32-bit unsigned int': 'u32',
  '64-bit int': '64',
  '64-bit unsigned int': 'u64',
};
const FACTS =
  /^(\S+) PMID: (\S+) \[(.*)\]\n {4}Data Type: (.*?) {2}InDom: (\S+) 0x[0-9a-f]+\n {4}Semantics: (\S+) {2}Units: (.*)$/gm;

/** Metrics by name, of `pminfo -dmt`. */
export function readFacts(text: string): ReadonlyMap<string, PrintedMetric> {
  const found = [...text.matchAll(FACTS)].map(
    ([, name = '', pmid = '', oneline = '', type = '', domain, sem, units]) => [
      name,
      {
        pmid,
        oneline,
        type: TYPES[type] ?? type,
        indom: domain === 'PM_INDOM_NULL' ? undefined : domain,
        sem: sem!,
        units: units!,
      },
    ],
  );
  return new Map(found as [string, PrintedMetric][]);
}

/** The part of each metric, of an output that has them in this order: it may hold anything, such as help texts. */
export function readParts(text: string, names: readonly string[]): ReadonlyMap<string, string> {
  const parts = new Map<string, string>();
  let from = 0;
  for (const [i, name] of names.entries()) {
    const head = `\n${name}\n`;
    const begin = text.indexOf(head, from);
    if (begin === -1) continue;
    const next = names[i + 1];
    const end = next === undefined ? -1 : text.indexOf(`\n\n${next}\n`, begin + 1);
    parts.set(name, text.slice(begin + head.length, end === -1 ? text.length : end + 1));
    from = end === -1 ? begin + 1 : end;
  }
  return parts;
}

/** The values or labels of a part, of `pminfo -f` or `-l`: texts without their quotes, all their lines. */
export function readEntries(part: string, what: 'value' | 'labels'): readonly Printed[] {
  const heads = new RegExp(`^ {4}(?:inst \\[(\\d+) or "(.*?)"\\] )?${what} `, 'gm');
  const found = [...part.matchAll(heads)];
  return found.map(({ 0: head, 1: instance, 2: name, index }, i) => ({
    instance: instance === undefined ? null : Number(instance),
    name,
    text: part
      .slice(index + head.length, found[i + 1]?.index)
      .trimEnd()
      .replace(/^"([^]*)"$/, '$1'),
  }));
}
