import type { Schemas } from './answers.js';
import { errorDetails, errorOf, PmgateError } from './pmgate-error.js';

/** What a member of an answer has to be; a moment is a number of seconds or a text. */
type MemberKind = 'array' | 'number' | 'string' | 'boolean' | 'object' | 'moment';

/** What is looked at before an answer counts as one of a schema: the members that tell it from others of the same routes. */
const TELLING_MEMBERS = {
  Fetch: { timestamp: 'moment', values: 'array' },
  FetchOfHosts: { hosts: 'array' },
  RangeSample: { timestamp: 'moment', values: 'array' },
  RangeColumns: { times: 'array', metrics: 'array' },
  Metrics: { metrics: 'array' },
  Children: { leaf: 'array', nonleaf: 'array' },
  Indom: { indom: 'string', instances: 'array' },
  Context: { context: 'number', kind: 'string', labels: 'object' },
  ContextDescription: { context: 'number', polltimeout: 'number' },
  Mode: { mode: 'string', position: 'number' },
  Done: { context: 'number', success: 'boolean' },
  Archives: { archives: 'array' },
  Search: { total: 'number', results: 'array' },
  Changes: { total: 'number', findings: 'array' },
  BatchResponse: { responses: 'array' },
  DerivedList: { derived: 'array' },
  DerivedDefinition: { name: 'string', expression: 'string' },
  DerivedCheck: { ok: 'boolean', errors: 'array' },
} as const satisfies { readonly [S in keyof Schemas]?: { readonly [M in keyof Schemas[S]]?: MemberKind } };

/** The schemas that answers of the helpers have. */
export type AnswerSchema = keyof typeof TELLING_MEMBERS;

/**
 * The answer as one of a schema. Its telling members are looked at; whether all others are as openapi.yaml says is what the
 * gateway's own tests hold it to. Throws UNEXPECTED_ANSWER otherwise, and the error that the answer is when it is one.
 */
export function expectAnswer<S extends AnswerSchema>(answer: unknown, schema: S): Schemas[S] {
  const details = errorDetails(answer);
  if (details) throw errorOf(details);
  const members: Readonly<Record<string, MemberKind>> = TELLING_MEMBERS[schema];
  const wrong = Object.entries(members).find(([name, kind]) => !isOfKind(memberOf(answer, name), kind));
  if (!wrong) return answer as Schemas[S];
  const ofHosts = Array.isArray(memberOf(answer, 'hosts')) ? '; responses from several hosts are for fetchHosts()' : '';
  throw new PmgateError(
    'UNEXPECTED_ANSWER',
    `the response is not a ${schema}: '${wrong[0]}' should be ${AN[wrong[1]]}${ofHosts}`,
  );
}

const AN: Readonly<Record<MemberKind, string>> = {
  array: 'an array',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  object: 'an object',
  moment: 'a number of seconds or a time as a string',
};

function memberOf(answer: unknown, name: string): unknown {
  return typeof answer === 'object' && answer !== null ? Reflect.get(answer, name) : undefined;
}

function isOfKind(value: unknown, kind: MemberKind): boolean {
  switch (kind) {
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'moment':
      return typeof value === 'number' || typeof value === 'string';
    default:
      return typeof value === kind;
  }
}
