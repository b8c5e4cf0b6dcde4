import type { Culprit, Culprits } from '../../culprits/index.js';
import { formatIsoTime, makeTimestamp } from '../../pmapi/index.js';
import type { TimeZone } from '../../pmapi/index.js';
import type { Finding } from './judge.js';

/** The culprits that a sentence names. */
const NAMED = 3;

/**
 * A finding in words: "the processor is saturated since 02:19:24: 98 % busy (15 before); pid 15158 node (group /build) takes 80 % of a processor,
 * others 40". Names of processes are quoted: a user may choose anything.
 */
export function describeTrouble(finding: Finding, who: Culprits | undefined, zone: TimeZone): string {
  const { rule, state, instance, value, since, throughoutSec, before } = finding;
  const subject = rule.subject.replaceAll('{instance}', instance === undefined ? 'unknown' : JSON.stringify(instance));
  const lasting = throughoutSec === undefined ? '' : ` for at least ${Math.max(Math.round(throughoutSec), 1)} s`;
  const begun = since === undefined ? lasting : ` since ${timeOf(since, zone)}`;
  const was = before === undefined ? '' : ` (${short(before)} before)`;
  return `${subject} is ${state}${begun}: ${short(value)} ${rule.unit}${was}${blame(who)}`;
}

function blame(culprits: Culprits | undefined): string {
  if (!culprits) return '';
  const { who, unit, unknown } = culprits;
  if (unknown !== undefined) return `; who did it is not known: ${unknown}`;
  const named = who.filter(({ kind }) => kind === 'process').slice(0, NAMED);
  const rest = who.filter((one) => !named.includes(one)).reduce((sum, { use }) => sum + use, 0);
  const [first, ...others] = named.map(nameUse);
  if (first === undefined) return '';
  return `; ${[`${first} ${unit}`, ...others, `others ${short(rest)}`].join(', ')}`;
}

function nameUse({ pid, name, container, use, ofChildren }: Culprit): string {
  const where = container === undefined ? '' : ` in container ${JSON.stringify(container.slice(0, 12))}`;
  const children = ofChildren !== undefined && ofChildren > use / 2 ? ' with its children' : '';
  return `pid ${pid} ${JSON.stringify(name)}${where}${children} ${short(use)}`;
}

function timeOf(sec: number, zone: TimeZone): string {
  return formatIsoTime(makeTimestamp(Math.floor(sec), 0), zone, 0);
}

/** Three significant digits. */
function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
