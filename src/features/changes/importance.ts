import type { CulpritResource } from '../../culprits/index.js';
import type { ChangeGroup } from './group-changes.js';
import type { MeasuredWindow } from './measured-window.js';
import type { Finding } from './sentence.js';

/** The resource that a metric is about, by its name, for the first that fits. */
const RESOURCES: readonly (readonly [RegExp, CulpritResource])[] = [
  [/^kernel\.all\.pressure\.memory\.|^(?:mem|swap)\./, 'memory'],
  [/^kernel\.all\.pressure\.io\.|^kernel\.all\.blocked$|^disk\./, 'disk'],
  [/^kernel\.all\.(?:nprocs|sysfork)$|^proc\.nprocs$/, 'processes'],
  [/^kernel\.(?:all|percpu|pernode)\.(?:cpu|load|runnable|pswitch|pressure)/, 'processor'],
  [/^network\./, 'network'],
  [/^vfs\.files\./, 'descriptors'],
];

/** Averages that the kernel makes over minutes: they follow what the other metrics say at once. */
const LAGGING = /^kernel\.all\.(?:load|pressure\..*\.avg)/;
/** Metrics about collecting metrics: changes in them are rarely interesting. */
const OF_COLLECTION = /^(?:pmgate|pmcd|pmproxy|pmlogger|pmie|mmv\.control)\./;

/**
 * From which value on a resource has no more to give, as pmie's rules and `config/diagnosis/rules.yaml` have it: `atMost` or `atLeast`, times
 * another metric of the machine. Times are shares.
 */
const LIMITS: readonly {
  readonly of: RegExp;
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly times?: string;
}[] = [
  { of: /^kernel\.all\.cpu\.idle$/, atMost: 0.1, times: 'hinv.ncpu' },
  { of: /^kernel\.all\.pressure\.cpu\.some\.total$/, atLeast: 0.5 },
  { of: /^kernel\.all\.pressure\.memory\.some\.total$/, atLeast: 0.1 },
  { of: /^kernel\.all\.pressure\.io\.some\.total$/, atLeast: 0.4 },
  { of: /^mem\.util\.available$/, atMost: 0.1, times: 'mem.physmem' },
  { of: /^swap\.pagesout$/, atLeast: 5 },
  { of: /^disk\.dev\.avactive$/, atLeast: 0.9 },
  { of: /^filesys\.full$/, atLeast: 95 },
  { of: /^vfs\.files\.count$/, atLeast: 0.9, times: 'vfs.files.max' },
];

/** The resource that a finding is about; undefined for others, and for instances that came or went. */
export function resourceOf(finding: Finding): CulpritResource | undefined {
  if (!('lead' in finding) || finding.kind !== 'number') return undefined;
  return RESOURCES.find(([pattern]) => pattern.test(finding.lead.after.metric.name))?.[1];
}

/**
 * Orders findings: first resources that are at their limit and were not before, then by score; averages over minutes, and what is
 * about collecting metrics, come last.
 */
export function byImportance(after: MeasuredWindow): (a: Finding, b: Finding) => number {
  const singular = new Map(after.series.map(({ metric, numbers }) => [metric.name, numbers?.find(Number.isFinite)]));
  const ranks = new Map<Finding, number>();
  const rankOf = (finding: Finding): number => {
    const known = ranks.get(finding) ?? rank(finding, singular);
    ranks.set(finding, known);
    return known;
  };
  return (a, b) => rankOf(b) - rankOf(a) || b.score - a.score;
}

function rank(finding: Finding, singular: ReadonlyMap<string, number | undefined>): number {
  const name = 'lead' in finding ? finding.lead.after.metric.name : (finding.metrics[0] ?? '');
  if (OF_COLLECTION.test(name)) return -2;
  if ('lead' in finding && isAtLimit(finding, singular)) return 1;
  return LAGGING.test(name) ? -1 : 0;
}

/** Whether one of the series that changed alike reached its limit. */
function isAtLimit({ lead, alike }: ChangeGroup, singular: ReadonlyMap<string, number | undefined>): boolean {
  return [lead, ...alike].some(({ change, after: { metric } }) => {
    const limit = LIMITS.find(({ of }) => of.test(metric.name));
    if (!limit || change.kind !== 'number') return false;
    const { atLeast = NaN, atMost = NaN, times } = limit;
    const factor = times === undefined ? 1 : (singular.get(times) ?? NaN);
    const isBeyond = (value: number): boolean => value >= atLeast * factor || value <= atMost * factor;
    return isBeyond(change.after.median) && !isBeyond(change.before.median);
  });
}
