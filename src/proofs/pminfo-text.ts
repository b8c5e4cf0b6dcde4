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
  /^(?<name>\S+) PMID: (?<pmid>\S+) \[(?<oneline>.*)\]\n {4}Data Type: (?<type>.*?) {2}InDom: (?<indom>\S+) 0x[0-9a-f]+\n {4}Semantics: (?<sem>\S+) {2}Units: (?<units>.*)$/gm;

/** The descriptors and one-line help of metrics by name, in the words of the API, of `pminfo -dmt`. */
export function readFacts(text: string): ReadonlyMap<string, Readonly<Record<string, string | undefined>>> {
  return new Map(
    [...text.matchAll(FACTS)].map(({ groups }) => {
      const { name, type = '', indom, ...facts } = groups!;
      return [name!, { ...facts, type: TYPES[type] ?? type, indom: indom === 'PM_INDOM_NULL' ? undefined : indom }];
    }),
  );
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
  const found = [...part.matchAll(new RegExp(`^ {4}(?:inst \\[(\\d+) or "(.*?)"\\] )?${what} `, 'gm'))];
  return found.map(({ 0: head, 1: instance, 2: name, index }, i) => {
    const text = part.slice(index + head.length, found[i + 1]?.index).trimEnd();
    return { instance: instance === undefined ? null : Number(instance), name, text: text.replace(/^"([^]*)"$/, '$1') };
  });
}
