import type { Label } from '../../../pmapi/index.js';

const written = new WeakMap<readonly Label[], string>();

/** A label's value as JSON. Sources pass on what agents said, and not every agent says JSON. */
export function labelJson(label: Label): string {
  try {
    JSON.parse(label.json);
    return label.json;
  } catch {
    return JSON.stringify(label.json);
  }
}

/** A label's value as plain text: a string without its quotes, anything else as JSON. */
export function labelText(label: Label): string {
  const json = labelJson(label);
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

/** Labels as a JSON object, in their order. Cached by list: sources' lists are cached and do not change. */
export function writeLabels(labels: readonly Label[]): string {
  const known = written.get(labels);
  if (known !== undefined) return known;
  const text = `{${labels.map((label) => `${JSON.stringify(label.name)}:${labelJson(label)}`).join(',')}}`;
  written.set(labels, text);
  return text;
}
