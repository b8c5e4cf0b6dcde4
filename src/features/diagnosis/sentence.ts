import { readable, roundNumber, titleOf, type Culprit, type Culprits } from '../../culprits/index.js';
import { formatIsoTime, type Timestamp, type TimeZone } from '../../pmapi/index.js';
import type { Trouble } from './judge.js';

const LONGEST_INSTANCE = 100;

/** Trouble in one sentence: "The processors are 97 % busy since 02:19:24 (it was 15 %): pid 15158 node takes 80 %, others 40 %." */
export function describeTrouble(trouble: Trouble, culprits: Culprits | undefined, zone: TimeZone): string {
  const { rule, value, total, instance = '', since, before, span, isOver } = trouble;
  const parts = {
    value: amount(value, rule.unit),
    total: amount(total, rule.unit),
    instance: instance.slice(0, LONGEST_INSTANCE),
  };
  const what = rule.sentence.replaceAll(/\{(value|total|instance)\}/g, (_, part: keyof typeof parts) => parts[part]);
  const timeOf = (time: Timestamp): string => formatIsoTime(time, zone, 0).slice(11, 19);
  const began = since && timeOf(since);
  const ended = isOver ? timeOf(span.finish) : undefined;
  const during = began === ended ? ` at ${ended}` : ` from ${began} to ${ended}`;
  const when = ended === undefined ? (began ? ` since ${began}` : '') : began ? during : ` until ${ended}`;
  // A rate below 0 was a fall, and a sum has no before.
  const hasBefore = before !== undefined && before >= 0 && !rule.sentence.includes('{total}');
  const was = !hasBefore ? '' : ` (it was ${amount(before, rule.unit)})`;
  const unsure = since ? '' : '; when it began is not known';
  return `${what}${when}${was}${unsure}${describeCulprits(culprits)}`;
}

function describeCulprits(culprits: Culprits | undefined): string {
  if (!culprits) return '.';
  if (culprits.unknown !== undefined) return `. ${culprits.unknown}`;
  const { unit, by } = culprits;
  const who = culprits.who.filter(({ kind, use }) => kind !== 'others' || use > 0);
  if (who.length === 0) return '.';
  return `${by === undefined ? '' : `; ${by}`}: ${who.map((one, i) => describeCulprit(one, unit, i === 0)).join(', ')}.`;
}

function describeCulprit(culprit: Culprit, unit: string, isFirst: boolean): string {
  const { kind, use, ofChildren = 0 } = culprit;
  const takes = isFirst && kind !== 'others' ? ' takes' : '';
  const children = ofChildren > use / 2 ? ', mostly by children that ended' : '';
  return `${titleOf(culprit)}${takes} ${amount(use, unit)}${children}`;
}

/** A number with its unit; bytes get a prefix. */
function amount(value: number, unit: string): string {
  const { divisor, unit: scaled } = readable(value, unit);
  const text = roundNumber(value / divisor);
  const shown = scaled === 'count' ? '' : scaled.replace('count ', '');
  return shown === '' ? text : `${text} ${shown}`;
}
