import type { WhyAnswer } from '../../../../client/index.js';
import { instantText } from '../chart/axis-times.js';
import { quantityOf, unitName, valueText, type UnitsFacts } from '../chart/axis-units.js';
import type { TimeZone } from '../../../../pmapi/index.js';

type WhyMetric = WhyAnswer['metrics'][number];
type WhyValue = WhyMetric['values'][number];
type WhyNode = NonNullable<WhyMetric['expression']>;
type Origin = NonNullable<WhyValue['from']>;
type Sample = NonNullable<Origin['sample']>;

/** A line of an explanation; deeper ones say what the line above comes from. */
export interface WhyLine {
  readonly depth: number;
  readonly text: string;
  readonly part?: string;
  readonly value?: string;
  readonly from?: string;
}

/** A line with those that say what it comes from. */
export interface WhyTree extends WhyLine {
  readonly children: readonly WhyTree[];
}

/** Lines as a tree, by their depths. */
export function whyTree(lines: readonly WhyLine[]): readonly WhyTree[] {
  const [first, ...others] = lines;
  if (!first) return [];
  const next = others.findIndex(({ depth }) => depth <= first.depth);
  const own = next === -1 ? others.length : next;
  return [{ ...first, children: whyTree(others.slice(0, own)) }, ...whyTree(others.slice(own))];
}

/** Lines as a text, for a report: indented by their depths. */
export function whyText(lines: readonly WhyLine[]): string {
  return lines.map(({ depth, text }) => `${'  '.repeat(depth)}${text}`).join('\n');
}

/** What is known of the values besides their units. */
export type WhyFacts = Pick<UnitsFacts, 'oneline' | 'unitHint'>;

/** The instances that a line of an expression lists. */
const LISTED = 3;
const CONSTANTS: ReadonlySet<string> = new Set(['integer', 'double', 'mkconst', 'novalue']);

/** How values were obtained: a line for each, then the parts of the expression that computes them. */
export function whyLines(
  { values, missing, metadata, expression }: Pick<WhyMetric, 'values' | 'missing' | 'metadata' | 'expression'>,
  zone: TimeZone,
  facts: WhyFacts = {},
): readonly WhyLine[] {
  return [
    ...values.map((value) => ({ depth: 0, text: lineOf(value, metadata.units, zone, facts) })),
    ...missing.map(({ name, node, reason }) => ({
      depth: 0,
      text: `${name ?? 'no value'}: ${reason}${node === undefined ? '' : ` (${node})`}`,
    })),
    ...(expression ? partLines(expression, 0, zone) : []),
  ];
}

/** A part of an expression with its values, then those of its own parts; constants say what they are in the text. */
function partLines(node: WhyNode, depth: number, zone: TimeZone): readonly WhyLine[] {
  if (CONSTANTS.has(node.kind)) return [];
  const { values = [], previous, metadata, children, text, selected } = node;
  const units = metadata?.units ?? '';
  const shown = values.slice(0, LISTED).map(({ name = '', value, from }) => {
    const own = unitText(value, { units });
    return { value: `${name} ${own}`.trimStart(), origin: from ? originText(from, units, zone, own) : '' };
  });
  if (values.length > LISTED) shown.push({ value: `${values.length - LISTED} more`, origin: '' });
  const none = selected ? 'no value' : '(never evaluated)';
  const written = shown.map(({ value, origin }) => `${value}${origin}`).join('; ') || none;
  const is = selected ? ` = ${written}` : ` ${none}`;
  const since =
    previous?.elapsed === undefined
      ? ''
      : `, from ${previous.values
          .slice(0, LISTED)
          .map(({ value }) => String(value))
          .join('; ')} in ${Number(previous.elapsed.toFixed(3))} s`;
  const own = {
    ...{ depth, text: `${text}${is}${since}`, part: text },
    value: (selected && shown.map(({ value }) => value).join('; ')) || none,
    from: `${shown.map(({ origin }) => origin).join('')}${since}`,
  };
  return [own, ...children.flatMap((child) => partLines(child, depth + 1, zone))];
}

function lineOf({ name = '', value, from, rate }: WhyValue, units: string, zone: TimeZone, facts: WhyFacts): string {
  const label = name === '' ? '' : `${name}: `;
  if (rate) {
    const { before, after, elapsed, wraps, wrapsBy, factor } = rate;
    const wrapped = wraps > 0 ? ` + ${wrapsBy} (it wrapped)` : '';
    const scaled = factor === 1 ? '' : ` × ${factor}`;
    const unit = unitName(units);
    const difference = `(${String(after.value)} − ${String(before.value)}${wrapped})${unit === '' ? '' : ` ${unit}`}${scaled}`;
    const perSecond = `${units === 'none' || units === '' ? 'count' : units} / sec`;
    const text = unitText(value, { ...facts, units: perSecond, ownUnits: units, isRate: true });
    return `${label}${text} = ${difference} in ${Number(elapsed.toFixed(3))} s`;
  }
  const text = unitText(value, { ...facts, units });
  return `${label}${text}${from ? originText(from, units, zone, text) : ''}`;
}

/** A value as charts write it. */
function unitText(value: unknown, given: UnitsFacts): string {
  if (typeof value !== 'number') return String(value);
  const { units, ownUnits = units, isRate } = given;
  const isTime = isRate === true && quantityOf({ units: ownUnits }).kind === 'seconds';
  const quantity = quantityOf(isTime ? { ...given, units: '' } : given);
  return valueText(quantity, value * quantity.factor);
}

/** Where a value was read: ` of 12:00:00 in web1, volume 0`, with the reading where the value is written in another way. */
function originText({ rule, sample, low, high }: Origin, units: string, zone: TimeZone, shown: string): string {
  const readingOf = ({ value }: Sample): string => `${String(value)} ${unitName(units)}`.trimEnd();
  const placeOf = ({ timestamp, archive, volume }: Sample): string => {
    const place = archive === undefined ? '' : ` in ${archive}${volume === undefined ? '' : `, volume ${volume}`}`;
    return ` of ${typeof timestamp === 'number' ? instantText(timestamp, zone) : timestamp}${place}`;
  };
  const sampleText = (each: Sample): string => readingOf(each) + placeOf(each);
  if (rule === 'line' && low && high) return `, on the line from ${sampleText(low)} to ${sampleText(high)}`;
  const source = sample ?? (rule === 'later' ? high : low);
  if (!source) return '';
  if (rule !== 'exact') return `, the ${rule} of two: ${sampleText(source)}`;
  const reading = readingOf(source);
  return `${reading === shown ? '' : ` (${reading})`}${placeOf(source)}`;
}
