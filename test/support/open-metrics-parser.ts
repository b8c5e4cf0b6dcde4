/** One sample line. */
export interface ParsedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** As written: 64-bit integers do not fit a number. */
  readonly value: string;
  readonly timestamp?: string;
}

/** One metric family. */
export interface ParsedFamily {
  readonly name: string;
  type: string;
  unit: string;
  help: string;
  readonly samples: ParsedSample[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)(?: (\S+))?$/s;
const NUMBER = /^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|NaN|[+-]Inf)$/;
const TYPES: Readonly<Record<string, readonly string[]>> = {
  counter: ['_total', '_created'],
  gauge: [''],
  unknown: [''],
};

/**
 * Read OpenMetrics 1.0.0 text as strictly as the specification allows, for the types that the gateway writes; throws with the
 * number of the line at fault. Written from the specification, without a look at the writer.
 */
export function parseOpenMetrics(text: string): ParsedFamily[] {
  if (!text.endsWith('# EOF\n')) throw new Error('the text does not end in "# EOF"');
  const lines = text.slice(0, -'# EOF\n'.length).split('\n');
  if (lines.pop() !== '') throw new Error('the last line before # EOF has no line feed');
  const families: ParsedFamily[] = [];
  const taken = new Set<string>();
  lines.forEach((line, i) => {
    try {
      const current = families.at(-1);
      if (line.startsWith('#')) readDescriptor(line, current, families, taken);
      else readSample(line, current);
    } catch (error) {
      throw new Error(`line ${i + 1}: ${(error as Error).message}: ${line}`, { cause: error });
    }
  });
  return families;
}

function readDescriptor(
  line: string,
  current: ParsedFamily | undefined,
  families: ParsedFamily[],
  taken: Set<string>,
): void {
  const match = /^# (TYPE|UNIT|HELP) (\S+) (.*)$/s.exec(line);
  if (!match) throw new Error('neither TYPE, UNIT, HELP nor EOF');
  const [, keyword, name = '', rest = ''] = match;
  if (!NAME.test(name)) throw new Error('a bad family name');
  if (keyword === 'TYPE') {
    if (!(rest in TYPES)) throw new Error('an unknown type');
    const names = [...new Set([name, ...TYPES[rest]!.map((suffix) => name + suffix)])];
    for (const one of names) {
      if (taken.has(one)) throw new Error(`${one} is taken by another family`);
      taken.add(one);
    }
    families.push({ name, type: rest, unit: '', help: '', samples: [] });
    return;
  }
  if (current?.name !== name) throw new Error('metadata of a family that is not the current one');
  if (current.samples.length > 0) throw new Error('metadata after samples');
  if (keyword === 'UNIT') {
    if (!name.endsWith(`_${rest}`)) throw new Error('the family name does not end in its unit');
    if (current.unit !== '') throw new Error('a second UNIT');
    current.unit = rest;
  } else {
    if (current.help !== '') throw new Error('a second HELP');
    current.help = unescapeText(rest);
  }
}

function readSample(line: string, family: ParsedFamily | undefined): void {
  const match = SAMPLE.exec(line);
  if (!match) throw new Error('not a sample');
  if (!family) throw new Error('a sample without a family');
  const [, name = '', labelText, value = '', timestamp] = match;
  if (!TYPES[family.type]!.some((suffix) => family.name + suffix === name)) throw new Error('not of this family');
  if (!NUMBER.test(value)) throw new Error('a bad value');
  if (timestamp !== undefined && !/^-?\d+(?:\.\d+)?$/.test(timestamp)) throw new Error('a bad time stamp');
  if (family.type === 'counter' && (value === 'NaN' || value.startsWith('-'))) throw new Error('a bad counter');
  const labels = readLabels(labelText ?? '');
  const key = JSON.stringify([name, Object.entries(labels).sort()]);
  const isKnown = family.samples.some((one) => JSON.stringify([one.name, Object.entries(one.labels).sort()]) === key);
  if (isKnown) throw new Error('a second sample with the same labels');
  family.samples.push({ name, labels, value, ...(timestamp === undefined ? {} : { timestamp }) });
}

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const match = LABEL.exec(text);
    if (!match) throw new Error('bad labels');
    const [, name = '', value = ''] = match;
    if (name in labels) throw new Error(`the label ${name} twice`);
    if (name.startsWith('__')) throw new Error(`the label ${name} is reserved`);
    labels[name] = unescapeText(value);
  }
  if (text.endsWith(',')) throw new Error('a comma after the last label');
  return labels;
}

function unescapeText(text: string): string {
  if (/(?<!\\)(?:\\\\)*"/.test(text)) throw new Error('a quote that is not escaped');
  return text.replace(/\\(.?)/gs, (_, char: string) => {
    if (char === 'n') return '\n';
    if (char === '\\' || char === '"') return char;
    throw new Error('a bad escape');
  });
}
