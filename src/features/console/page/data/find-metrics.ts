import type { MetricSummary } from '../../../../client/index.js';

/**
 * The metrics that contain all words in their names or one-line texts, best first: names that begin with the words, then names that
 * contain all of them, then others; among equals, those higher in the tree, then by name. Without words, all metrics in order.
 */
export function findMetrics<T extends Pick<MetricSummary, 'name' | 'text-oneline'>>(
  metrics: readonly T[],
  text: string,
): readonly T[] {
  const words = wordsIn(text);
  if (words.length === 0) return metrics;
  const found: { metric: T; rank: number; depth: number }[] = [];
  for (const metric of metrics) {
    const name = metric.name.toLowerCase();
    const oneline = (metric['text-oneline'] ?? '').toLowerCase();
    if (!words.every((word) => name.includes(word) || oneline.includes(word))) continue;
    found.push({ metric, rank: rankOf(name, words), depth: name.split('.').length });
  }
  return found
    .sort((a, b) => a.rank - b.rank || a.depth - b.depth || (a.metric.name < b.metric.name ? -1 : 1))
    .map(({ metric }) => metric);
}

/** The words of a text, in lower case. */
export function wordsIn(text: string): readonly string[] {
  return text.toLowerCase().match(/\S+/g) ?? [];
}

/** What people mean by words such as `disk`, before all else that contains them. */
const MEANT: readonly string[] = [
  ...['kernel.cpu.util.user', 'kernel.cpu.util.sys', 'kernel.all.load', 'proc.cpu.util'],
  ...['mem.util.used', 'mem.util.available', 'mem.util.free', 'proc.psinfo.rss'],
  ...['disk.dev.util', 'disk.dev.await', 'disk.dev.read_bytes', 'disk.dev.write_bytes', 'filesys.full'],
  ...['network.interface.in.bytes', 'network.interface.out.bytes', 'network.interface.in.errors', 'swap.used'],
];

/** What was found for words, with what people mean by them first; names (`disk.dev.`) mean themselves. */
export function meantFirst<T extends Pick<MetricSummary, 'name'>>(found: readonly T[], text: string): readonly T[] {
  if (/^\s*$|\./.test(text)) return found;
  const meant = MEANT.flatMap((name) => found.find((each) => each.name === name) ?? []);
  return [...new Set([...meant, ...found])];
}

function rankOf(name: string, words: readonly string[]): number {
  if (name === words.join(' ')) return 0;
  if (!words.every((word) => name.includes(word))) return 4;
  if (name.startsWith(words[0]!)) return 1;
  const parts = name.split(/[._]/);
  return words.every((word) => parts.some((part) => part.startsWith(word))) ? 2 : 3;
}

/** The direct children of a node ('' for the root) with the number of metrics at and below each. `names` are in order. */
export function childrenOf(names: readonly string[], path: string) {
  const prefix = path === '' ? '' : `${path}.`;
  const counts = new Map<string, number>();
  for (const name of names) {
    if (!name.startsWith(prefix)) continue;
    const dot = name.indexOf('.', prefix.length);
    const label = name.slice(prefix.length, dot === -1 ? undefined : dot);
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return [...counts].map(([label, count]) => ({ label, path: `${prefix}${label}`, count }));
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  event: 'events',
  highres_event: 'events',
  aggregate: 'bytes of its own',
  aggregate_static: 'bytes of its own',
};

/** What a metric is, in words: `counter, shown as a rate`. */
export function kindText({ type, sem }: Pick<MetricSummary, 'type' | 'sem'>): string {
  const special = KINDS[type];
  if (special !== undefined) return special;
  return sem === 'counter' ? 'counter, as a rate' : sem === 'discrete' ? 'changes seldom' : 'instant';
}

/** Whether a chart can draw its values. */
export function isDrawable({ type }: Pick<MetricSummary, 'type'>): boolean {
  return !['event', 'highres_event', 'aggregate', 'aggregate_static'].includes(type.toLowerCase());
}
