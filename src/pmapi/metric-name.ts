/**
 * The rule for names in the PMNS: components joined by dots, each a letter followed by letters, digits and underscores.
 * @see PMNS(5)
 */
const METRIC_NAME = /^[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)*$/;

/** The longest accepted name; PCP itself is limited only by the size of a PDU. */
export const METRIC_NAME_MAX_LENGTH = 1024;

/** Whether `name` obeys the PMNS rule. The root is not a name. */
export function isMetricName(name: string): boolean {
  return name.length <= METRIC_NAME_MAX_LENGTH && METRIC_NAME.test(name);
}
