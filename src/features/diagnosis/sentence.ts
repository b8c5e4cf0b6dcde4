import { amount, describeCulprits, type Culprits } from '../../culprits/index.js';
import { formatIsoTime, type TimeZone } from '../../pmapi/index.js';
import type { Trouble } from './judge.js';

const LONGEST_INSTANCE = 100;
/** What stands for something else in the sentence of a rule. */
const PART = /\{(?:(value|total|instance)|([^{}|]*)\|([^{}|]*))\}/g;

/**
 * Trouble in one sentence: "The processors are 97 % busy since 02:19:24 (it was 15 %): pid 15158 node takes 80 %, others 40 %." What is
 * over, or of the past, is in the past tense: "The processors were 97 % busy from 02:19:24 to 02:24:34 (it had been 15 %): …".
 */
export function describeTrouble(
  trouble: Trouble,
  culprits: Culprits | undefined,
  zone: TimeZone,
  isPast: boolean,
): string {
  const { rule, value, total, instance = '', since, before, span, isOver } = trouble;
  const wasBefore = isOver || isPast;
  const parts = {
    value: amount(value, rule.unit),
    total: amount(total, rule.unit),
    instance: instance.slice(0, LONGEST_INSTANCE),
  };
  const what = rule.sentence.replaceAll(PART, (_, part: keyof typeof parts | undefined, now: string, then: string) =>
    part ? parts[part] : wasBefore ? then : now,
  );
  const timeOf = (sec: number): string => formatIsoTime({ sec: Math.floor(sec), nsec: 0 }, zone, 0).slice(11, 19);
  const began = since && timeOf(since.sec);
  const ended = isOver ? timeOf(span.finish.sec) : undefined;
  const during = began === ended ? ` at ${ended}` : ` from ${began} to ${ended}`;
  const lasts = began && (isPast ? ` from ${began} on` : ` since ${began}`);
  const when = ended === undefined ? (lasts ?? '') : began ? during : ` until ${ended}`;
  // A rate below 0 was a fall, and a sum has no before.
  const hasBefore = before !== undefined && before >= 0 && !rule.sentence.includes('{total}');
  const was = !hasBefore ? '' : ` (it ${wasBefore ? 'had been' : 'was'} ${amount(before, rule.unit)})`;
  const unsure = since ? '' : '; when it began is not known';
  return `${what}${when}${was}${unsure}${describeCulprits(culprits, { wasBefore, timeOf })}`;
}
