import type { Series } from './series-table.js';

/** What Explain explains: a metric, or one value of it. */
export interface ExplainedValue {
  readonly metric: string;
  readonly instance?: string;
}

/** The text of a value in an address: `disk.dev.read[sda]`. */
export function explainedText({ metric, instance }: ExplainedValue): string {
  return instance === undefined ? metric : `${metric}[${instance}]`;
}

/** What Explain is to explain of a series. */
export function explainedOf({ metric, instance, name }: Pick<Series, 'metric' | 'instance' | 'name'>): string {
  return explainedText({ metric, ...(instance === null ? {} : { instance: name }) });
}

/** Read {@link explainedText}. Names of metrics have no brackets; those of instances may. */
export function readExplained(text: string): ExplainedValue {
  const bracket = text.indexOf('[');
  if (bracket < 0 || !text.endsWith(']')) return { metric: text };
  return { metric: text.slice(0, bracket), instance: text.slice(bracket + 1, -1) };
}
