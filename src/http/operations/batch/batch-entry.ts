import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { components } from '../../../client/index.js';
import { badParameter, GatewayError, limitExceeded } from '../../../pmapi/index.js';
import { schemaCompiler } from '../../request/compile-schema.js';
import { expectation } from '../../request/validate.js';

export interface BatchEntry extends Readonly<Omit<components['schemas']['BatchEntry'], 'method' | 'body'>> {
  readonly method?: components['schemas']['BatchEntry']['method'];
  /** A JSON body, or the text of any other. */
  readonly body?: Readonly<Record<string, unknown>> | string;
}

/** The entries of a batch. Throws BAD_BODY with the position for an invalid document, no entries or duplicate ids; LIMIT_EXCEEDED. */
export function readBatch(document: unknown, maxEntries: number): readonly BatchEntry[] {
  const listed = Array.isArray(document) ? document : (document as { readonly requests?: unknown } | null)?.requests;
  // Counted first: a list that is too long is not validated.
  if (Array.isArray(listed) && listed.length > maxEntries) {
    const message = `the batch has ${listed.length} entries; limits.batch allows ${maxEntries}`;
    throw limitExceeded(message, `at most ${maxEntries} entries`);
  }
  // The entries one by one, for a more precise position in the message.
  const entries = validator('BatchEntries');
  if (!entries(listed)) {
    const [error] = entries.errors ?? [];
    throw malformed(`${listed === document ? '' : '/requests'}${place(entries)}`, error && expectation(error));
  }
  const whole = validator('BatchRequest');
  if (!whole(document)) throw malformed(place(whole), "unknown members besides 'requests'");
  refuseTwins(listed as readonly BatchEntry[]);
  return listed as readonly BatchEntry[];
}

/** Compiled at first use, and then cached by the compiler. */
function validator(schema: string): ValidateFunction {
  return schemaCompiler().getSchema(`openapi.json#/components/schemas/${schema}`)!;
}

function place({ errors }: ValidateFunction): string {
  return errors?.[0]?.instancePath ?? '';
}

function malformed(pointer: string, message = 'expected a list of requests'): GatewayError {
  const where = pointer === '' ? '' : ` at ${pointer}`;
  return new GatewayError('BAD_BODY', `invalid batch${where}: ${message}`, {
    expected: 'a list of objects with path and, as needed, id, method, headers and body',
  });
}

function refuseTwins(entries: readonly BatchEntry[]): void {
  const seen = new Set<string>();
  for (const [index, { id }] of entries.entries()) {
    if (id === undefined) continue;
    if (seen.has(id)) throw malformed(`/${index}/id`, `duplicate id '${id}'`);
    seen.add(id);
  }
}

/** A reference in a path to a member of an earlier response: `{$0.context}`, `{$made.metrics.0.indom}`. */
export interface BatchReference {
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

/** A path with its references replaced by their values, percent-encoded; `answer` returns the JSON of an entry's response. */
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

export function bad(reference: string, problem: string): GatewayError {
  const message = `the reference ${reference} ${problem}`;
  return badParameter('path', message, 'a member of an earlier response, by its index or id, for example {$0.context}');
}
