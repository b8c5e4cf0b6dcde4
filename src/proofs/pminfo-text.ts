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
  const all = `\n${text}`;
  const found: { readonly name: string; readonly at: number }[] = [];
  for (const name of names) {
    const at = all.indexOf(`\n\n${name}\n`, found.at(-1)?.at);
    if (at !== -1) found.push({ name, at });
  }
  return new Map(found.map(({ name, at }, i) => [name, all.slice(at + name.length + 3, found[i + 1]?.at)]));
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
