import { globMatcher } from '../kit/index.js';

/** Which metrics somebody may see, by name. Filters of equal keys decide alike. */
export interface MetricFilter {
  /** Tells filters apart: what was learnt through one filter holds for all of its key. */
  readonly key: string;
  allows(name: string): boolean;
}

/** What one rule says of metric names: those that any of `allow` matches and none of `deny`. */
export interface MetricRule {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/**
 * Read globs over metric names: `kernel.*`, `*.util`, and with `!` in front those that are kept out (`!proc.*`). `*` stands for any
 * characters, dots too; a name stands for itself and everything below it. Only denials mean everything but those.
 */
export function metricRule(globs: readonly string[]): MetricRule {
  const deny = globs.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
  const allow = globs.filter((glob) => !glob.startsWith('!'));
  return { allow: allow.length === 0 && deny.length > 0 ? ['*'] : allow, deny };
}

/** The filter that lets through what any of some rules does; undefined when one of them lets everything through. */
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
  // A name alone stands for its whole subtree.
  const subtrees = globs.filter((glob) => !glob.includes('*')).map((glob) => `${glob}.`);
  return (name) => patterns.some((matches) => matches(name)) || subtrees.some((subtree) => name.startsWith(subtree));
}
