/** What can be found. @see pmSearchTextQuery(3) */
export type EntityType = 'metric' | 'indom' | 'instance';

/** What is searched of an entity. */
export type SearchField = 'name' | 'oneline' | 'helptext' | 'labels';

/** One entity that can be found; absent texts are ''. */
export interface SearchDocument {
  readonly type: EntityType;
  /** Metric name, instance name, or the number of an instance domain as pmInDomStr(3) writes it. */
  readonly name: string;
  /** The instance domain that the entity is, belongs to or has values for, as pmInDomStr(3) writes it; '' without one. */
  readonly indom: string;
  readonly oneline: string;
  readonly helptext: string;
  /** Values by name, as text. */
  readonly labels: Readonly<Record<string, string>>;
}
