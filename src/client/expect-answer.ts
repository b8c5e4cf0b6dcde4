import type { Schemas } from './answers.js';
import { errorDetails, errorOf, PmgateError } from './pmgate-error.js';

/** The type of a member of a response; a moment is a number of seconds or a text. */
type MemberKind = 'array' | 'number' | 'string' | 'boolean' | 'object' | 'moment';

/** What is checked before a response is accepted as one of a schema: the members that distinguish it from others of the same routes. */
const TELLING_MEMBERS = {
  Fetch: { timestamp: 'moment', values: 'array' },
  FetchOfHosts: { hosts: 'array' },
  RangeSample: { timestamp: 'moment', values: 'array' },
  RangeRows: { metrics: 'array', samples: 'array' },
  RangeColumns: { times: 'array', metrics: 'array' },
  Metrics: { metrics: 'array' },
  Children: { leaf: 'array', nonleaf: 'array' },
  Indom: { indom: 'string', instances: 'array' },
  Context: { context: 'number', kind: 'string', labels: 'object' },
  ContextDescription: { context: 'number', polltimeout: 'number' },
  Mode: { mode: 'string', position: 'number' },
  Done: { context: 'number', success: 'boolean' },
  Archives: { archives: 'array' },
  Whoami: { permissions: 'array' },
  Hosts: { hosts: 'array' },
  Functions: { functions: 'array' },
  Timeline: { segments: 'array', gaps: 'array' },
  Search: { total: 'number', results: 'array' },
  Changes: { total: 'number', findings: 'array' },
  Diagnosis: { state: 'string', resources: 'array' },
  BatchResponse: { responses: 'array' },
  DerivedList: { derived: 'array' },
  DerivedDefinition: { name: 'string', expression: 'string' },
  DerivedCheck: { ok: 'boolean', errors: 'array' },
} as const satisfies { readonly [S in keyof Schemas]?: { readonly [M in keyof Schemas[S]]?: MemberKind } };

/** The schemas of the helpers' responses. */
export type AnswerSchema = keyof typeof TELLING_MEMBERS;

/**
 * The response as one of a schema. Only its distinguishing members are checked; the gateway's own tests check all others. Throws
 * UNEXPECTED_ANSWER if they do not match, and the response's own error if it is one.
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
  if (kind === 'array') return Array.isArray(value);
  if (kind === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (kind === 'moment') return typeof value === 'number' || typeof value === 'string';
  return typeof value === kind;
}
