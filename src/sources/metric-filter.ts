import { globMatcher } from '../kit/index.js';

/** Which metrics a principal may see, by name. Filters with equal keys decide alike. */
export interface MetricFilter {
  /** Identifies the filter: what was learnt through one filter holds for all with its key. */
  readonly key: string;
  allows(name: string): boolean;
}

/** One rule about metric names: those that match any of `allow` and none of `deny`. */
export interface MetricRule {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** Globs over names: `kernel.*`, `*.util`, `!proc.*` (excluded). `*` includes dots; a name its subtree; exclusions alone all else. */
export function metricRule(globs: readonly string[]): MetricRule {
  const deny = globs.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
  const allow = globs.filter((glob) => !glob.startsWith('!'));
  return { allow: allow.length === 0 && deny.length > 0 ? ['*'] : allow, deny };
}

/** A filter by any of several rules; undefined if one of them allows everything. */
export function metricFilter(rules: readonly MetricRule[]): MetricFilter | undefined {
  if (rules.some(({ allow, deny }) => allow.includes('*') && deny.length === 0)) return undefined;
  const compiled = rules.map(({ allow, deny }) => ({ allow: matcher(allow), deny: matcher(deny) }));
  return {
    key: JSON.stringify(rules.map(({ allow, deny }) => [[...allow].sort(), [...deny].sort()])),
    allows: (name) => compiled.some(({ allow, deny }) => allow(name) && !deny(name)),
  };
}

function matcher(globs: readonly string[]): (name: string) => boolean {
  const patterns = globs.map(globMatcher);
  // A plain name stands for its whole subtree.
  const subtrees = globs.filter((glob) => !glob.includes('*')).map((glob) => `${glob}.`);
  return (name) => patterns.some((matches) => matches(name)) || subtrees.some((subtree) => name.startsWith(subtree));
}
