import { compilePosixPattern } from '../../../derived/index.js';
import { globMatcher, type InSteps } from '../../../kit/index.js';
import type { ArchiveSeries, CataloguedIndom, CataloguedMetric, Postings } from '../catalogue/archive-series.js';
import type { Comparand, Comparison, Condition, Operand, Relation } from '../language/index.js';

const COMPARISON_COST = 100;

/** Approximate cost of a selection in one archive, in look-ups. */
export function selectionCost({ name, condition }: Operand): number {
  if (!condition) return isGlob(name!) ? COMPARISON_COST : 1;
  const comparisons = (part: Condition): number =>
    part.kind === 'comparison' ? 1 : comparisons(part.left) + comparisons(part.right);
  return COMPARISON_COST * comparisons(condition);
}

/** The metrics of an archive that an operand selects, in steps. A condition selects metrics, never single instances. */
export function* selectMetrics(
  archive: ArchiveSeries,
  { name, condition }: Operand,
): InSteps<Iterable<CataloguedMetric>> {
  if (condition === undefined) return named(archive, name!);
  const selected = yield* satisfying(archive, condition);
  if (name === undefined) return selected;
  const matches = nameMatcher(name);
  return [...selected].filter((metric) => matches(metric.name));
}

function named(archive: ArchiveSeries, name: string): readonly CataloguedMetric[] {
  if (!isGlob(name)) {
    const metric = archive.named(plainName(name));
    return metric ? [metric] : [];
  }
  const matches = nameMatcher(name);
  return archive.metrics.filter((metric) => matches(metric.name));
}

/** A `*` behind `%` or a backslash stands for itself. */
const STAR = /(?<![%\\])\*/;

function isGlob(name: string): boolean {
  return STAR.test(name);
}

function plainName(name: string): string {
  return name.replaceAll(/[%\\]\*/g, '*');
}

function nameMatcher(name: string): (text: string) => boolean {
  if (isGlob(name)) return globMatcher(name);
  const plain = plainName(name);
  return (text) => text === plain;
}

/** Plain set algebra: an empty side of `&&` does not end anything. */
function* satisfying(archive: ArchiveSeries, condition: Condition): InSteps<ReadonlySet<CataloguedMetric>> {
  yield;
  if (condition.kind === 'comparison') return compared(archive, condition);
  const left = yield* satisfying(archive, condition.left);
  const right = yield* satisfying(archive, condition.right);
  if (condition.kind === '||') return new Set([...left, ...right]);
  return new Set([...left].filter((metric) => right.has(metric)));
}

function compared(archive: ArchiveSeries, comparison: Comparison): ReadonlySet<CataloguedMetric> {
  const { subject, relation, comparand } = comparison;
  const selected = new Set<CataloguedMetric>();
  const addAll = (indom: CataloguedIndom): void => {
    for (const metric of archive.indoms().get(indom) ?? []) selected.add(metric);
  };
  if (subject.kind === 'label') {
    const test = labelTest(relation, comparand);
    collect(archive.labels().get(subject.label), test, (metric) => selected.add(metric));
    collect(archive.instanceLabels().get(subject.label), test, addAll);
    return selected;
  }
  const test = textTest(relation, comparand);
  switch (subject.kind) {
    case 'metric':
      return new Set(archive.metrics.filter(({ name }) => test(name)));
    case 'context':
      return new Set(test(archive.name) ? archive.metrics : []);
    case 'instance':
      collect(archive.instanceNames(), test, addAll);
      return selected;
  }
}

/** The owners of all texts that pass a test; each distinct text is tested once. */
function collect<Owner>(
  postings: Postings<Owner> | undefined,
  test: (text: string) => boolean,
  take: (owner: Owner) => void,
): void {
  for (const [text, owners] of postings ?? []) if (test(text)) for (const owner of owners) take(owner);
}

function textTest(relation: Relation, comparand: Comparand): (text: string) => boolean {
  const { text: wanted } = comparand;
  switch (relation) {
    case '==':
      return (text) => text === wanted;
    case '!=':
      return (text) => text !== wanted;
    case '~~':
      return fnmatch(wanted);
    case '=~':
    case '!~': {
      const pattern = compilePosixPattern(wanted);
      if ('reason' in pattern) return () => false;
      return (text) => pattern.test(text) === (relation === '=~');
    }
    default:
      return () => false;
  }
}

/** A test of label values as JSON: strings are seen without their quotes, everything else as written. */
function labelTest(relation: Relation, comparand: Comparand): (json: string) => boolean {
  if (comparand.kind === 'number' && relation !== '~~') return numberTest(relation, Number(comparand.text));
  const test = textTest(relation, comparand);
  // What is compared with a text must be one; patterns see numbers, too.
  const isEquality = relation === '==' || relation === '!=';
  return (json) => {
    const isText = json.startsWith('"');
    if (isEquality && !isText) return relation === '!=';
    return test(isText ? (JSON.parse(json) as string) : json);
  };
}

const ORDERS: Partial<Record<Relation, (value: number, wanted: number) => boolean>> = {
  '==': (value, wanted) => value === wanted,
  '!=': (value, wanted) => value !== wanted,
  '<': (value, wanted) => value < wanted,
  '<=': (value, wanted) => value <= wanted,
  '>': (value, wanted) => value > wanted,
  '>=': (value, wanted) => value >= wanted,
};

function numberTest(relation: Relation, wanted: number): (json: string) => boolean {
  const holds = ORDERS[relation] ?? (() => false);
  return (json) => (/^-?\d/.test(json) ? holds(Number(json), wanted) : relation === '!=');
}

/** A test by an fnmatch(3) glob without flags, in linear time. An unclosed bracket is literal. */
export function fnmatch(glob: string): (text: string) => boolean {
  if (!/[?[\\]/.test(glob)) return globMatcher(glob);
  const pattern = compilePosixPattern(`^${posixOf(glob)}$`);
  if ('reason' in pattern) return () => false;
  return (text) => pattern.test(text);
}

function posixOf(glob: string): string {
  return glob.replaceAll(
    /\\(.?)|\[([!^]?)(\]?[^\]]*)\]|[\s\S]/g,
    (part, escaped?: string, not?: string, set?: string) => {
      if (escaped !== undefined) return literal(escaped);
      if (set !== undefined) return `[${not ? '^' : ''}${set}]`;
      if (part === '*') return '.*';
      return part === '?' ? '.' : literal(part);
    },
  );
}

function literal(text: string): string {
  return text.replaceAll(/[.^$*+?()[{\\|]/g, String.raw`\$&`);
}
