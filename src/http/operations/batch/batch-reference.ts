import { GatewayError } from '../../../pmapi/index.js';

/** A reference in a path to a member of an earlier response: `{$0.context}`, `{$made.metrics.0.indom}`. */
export interface BatchReference {
  /** Its text in the path. */
  readonly text: string;
  /** The entry's index, from 0, or its id. */
  readonly entry: number | string;
  /** Names of members and indexes of lists, outermost first. */
  readonly steps: readonly string[];
}

const REFERENCE = /\{\$([^{}]*)\}/g;
const INSIDE = /^(\d{1,6}|[A-Za-z][\w-]{0,63})((?:\.[^.]{1,64}){1,10})$/;

/** The references in a path, in order. Throws BAD_PARAMETER for invalid ones. */
export function referencesIn(path: string): readonly BatchReference[] {
  return [...path.matchAll(REFERENCE)].map(([text, inside = '']) => {
    const [, entry, steps] = INSIDE.exec(inside) ?? [];
    if (entry === undefined || steps === undefined) throw bad(text.slice(0, 100), 'is malformed');
    return { text, entry: /^\d/.test(entry) ? Number(entry) : entry, steps: steps.slice(1).split('.') };
  });
}

/**
 * A path with its references replaced by their values: texts, numbers and booleans, percent-encoded. `answer` returns the JSON of
 * an entry's response.
 */
export function resolveReferences(path: string, answer: (reference: BatchReference) => unknown): string {
  const references = referencesIn(path)[Symbol.iterator]();
  return path.replaceAll(REFERENCE, () => {
    const reference = references.next().value!;
    return encodeURIComponent(String(memberOf(answer(reference), reference)));
  });
}

function memberOf(answer: unknown, { text, steps }: BatchReference): string | number | boolean {
  let value = answer;
  for (const step of steps) {
    const isMember = typeof value === 'object' && value !== null && Object.hasOwn(value, step);
    if (!isMember) throw bad(text, `points to '${step}', which the response does not have`);
    value = (value as Record<string, unknown>)[step];
  }
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  throw bad(text, 'does not point to a string or a number');
}

/** The error for a reference that cannot be resolved. */
export function bad(reference: string, problem: string): GatewayError {
  return new GatewayError('BAD_PARAMETER', `the reference ${reference} ${problem}`, {
    parameter: 'path',
    expected: 'a member of an earlier response, by its index or id, for example {$0.context}',
  });
}
