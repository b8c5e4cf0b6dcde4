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

/**
 * Parses globs over metric names: `kernel.*`, `*.util`, and with `!` in front excluded ones (`!proc.*`). `*` stands for any
 * characters, including dots; a name stands for itself and everything below it. A list of exclusions alone means everything else.
 */
export function metricRule(globs: readonly string[]): MetricRule {
  const deny = globs.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
  const allow = globs.filter((glob) => !glob.startsWith('!'));
  return { allow: allow.length === 0 && deny.length > 0 ? ['*'] : allow, deny };
}

/** The filter that lets through what any of several rules does; undefined if one of them lets everything through. */
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
