import type { Series } from './series-table.js';

/** What Explain is to explain of a series, as addresses have it: `disk.dev.read[sda]`. */
export function explainedOf({ metric, instance, name }: Pick<Series, 'metric' | 'instance' | 'name'>): string {
  return instance === null ? metric : `${metric}[${name}]`;
}

/** Read {@link explainedOf}. Names of metrics have no brackets; those of instances may. */
export function readExplained(text: string): { readonly metric: string; readonly instance?: string } {
  const bracket = text.indexOf('[');
  if (bracket < 0 || !text.endsWith(']')) return { metric: text };
  return { metric: text.slice(0, bracket), instance: text.slice(bracket + 1, -1) };
}
