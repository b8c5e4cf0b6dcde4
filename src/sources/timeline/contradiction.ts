import {
  earlier,
  later,
  addSeconds,
  compareTimestamps,
  INDOM_NULL,
  isLess,
  onPmError,
  secondsBetween,
  Semantics,
} from '../../pmapi/index.js';
import type { MetricDescriptor, Timestamp } from '../../pmapi/index.js';
import type { ObservedValue } from '../batch.js';
import { InstanceProfile } from '../profile.js';
import type { ArchivePart } from './timeline-part.js';

/** What differs from machine to machine, and not from moment to moment. */
const IDENTITY = ['kernel.all.boottime', 'kernel.uname.nodename', 'hinv.ncpu', 'hinv.physmem'];
/** Whose counters are of a program rather than of the machine. */
const OF_PROGRAMS = /^(?:pm|mmv|proc\.|hotproc\.)/;
/** The counters that are compared, and the moments of an overlap at which they are. */
const [COUNTERS, MOMENTS] = [8, 5];
/** Two archives contradict each other if this share of what is compared does. */
const LEAST_SHARE = 0.25;

/** Where they overlap, what never changes differs, or counters are lower at a later moment, which neither archive lets fall. */
export async function contradict(a: ArchivePart, b: ArchivePart): Promise<boolean> {
  const [from, to] = [later(a.start, b.start), earlier(a.end, b.end)];
  const seconds = secondsBetween(to, from);
  if (seconds <= 0) return false;
  const [ofA, ofB] = [await comparable(a), await comparable(b)];
  const common = [...ofA].filter(([name, { units, type }]) => {
    const other = ofB.get(name);
    return other?.type === type && JSON.stringify(other.units) === JSON.stringify(units);
  });
  const constants = common.filter(([name]) => IDENTITY.includes(name));
  const counters = common.filter(([, { semantics }]) => semantics === Semantics.COUNTER).slice(0, COUNTERS);
  const compared = [...constants, ...counters];
  const moments = Array.from({ length: MOMENTS }, (_, i) => addSeconds(from, (seconds * (i + 1)) / (MOMENTS + 1)));
  const pmids = (of: ReadonlyMap<string, MetricDescriptor>): number[] => compared.map(([name]) => of.get(name)!.pmid);
  const [seenInA, seenInB] = [await observe(a, pmids(ofA), moments), await observe(b, pmids(ofB), moments)];
  const pairs = compared.map((_, i) => [seenInA[i]!, seenInB[i]!] as const);
  const known = pairs.filter(([one, other]) => one.length > 0 && other.length > 0);
  const conflicts = pairs.filter(([one, other], i) => (i < constants.length ? differ(one, other) : cross(one, other)));
  return conflicts.length > 0 && conflicts.length >= known.length * LEAST_SHARE;
}

/** The metrics of an archive, without instances, that tell machines from each other. */
async function comparable({ source }: ArchivePart): Promise<ReadonlyMap<string, MetricDescriptor>> {
  const names = await source.traverse('').catch(onPmError((): readonly string[] => []));
  const own = names.filter((name) => !OF_PROGRAMS.test(name)).sort();
  const descriptors = await source.describe(await source.lookupNames(own));
  return new Map(
    own.flatMap((name, i) => {
      const descriptor = descriptors[i]!;
      if (typeof descriptor === 'number' || descriptor.indom !== INDOM_NULL) return [];
      return descriptor.semantics === Semantics.COUNTER || IDENTITY.includes(name) ? [[name, descriptor] as const] : [];
    }),
  );
}

async function observe(
  { source }: ArchivePart,
  pmids: readonly number[],
  moments: readonly Timestamp[],
): Promise<readonly (readonly ObservedValue[])[]> {
  const seen = pmids.map((): ObservedValue[] => []);
  for (const at of moments) {
    const found = await source.neighbours?.(pmids, new InstanceProfile(), at).catch(onPmError(() => undefined));
    for (const [i, [instance]] of (found ?? []).entries()) {
      for (const one of [instance?.low, instance?.high]) if (one?.kind === 'value') seen[i]!.push(one);
    }
  }
  return seen.map((values) => values.sort((a, b) => compareTimestamps(a.timestamp, b.timestamp)));
}

function differ(a: readonly ObservedValue[], b: readonly ObservedValue[]): boolean {
  const [ofA, ofB] = [new Set(a.map(({ value }) => value)), new Set(b.map(({ value }) => value))];
  return ofA.size === 1 && ofB.size === 1 && [...ofA][0] !== [...ofB][0];
}

/** Whether a counter that falls in neither list is lower at a later moment of the other one. */
function cross(a: readonly ObservedValue[], b: readonly ObservedValue[]): boolean {
  const falls = (values: readonly ObservedValue[]): boolean =>
    values.some(({ value }, i) => i > 0 && isLess(value, values[i - 1]!.value));
  const isBelow = (early: readonly ObservedValue[], late: readonly ObservedValue[]): boolean =>
    early.some((one) =>
      late.some((other) => compareTimestamps(one.timestamp, other.timestamp) < 0 && isLess(other.value, one.value)),
    );
  return !falls(a) && !falls(b) && (isBelow(a, b) || isBelow(b, a));
}
