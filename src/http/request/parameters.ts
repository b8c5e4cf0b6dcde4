import { GatewayError, nearestNames, badParameter } from '../../pmapi/index.js';
import type { Schema } from './openapi.js';

/** How the text of a parameter becomes a value; `ignored` parameters are accepted without a value. */
export type ParameterKind = 'list' | 'integers' | 'string' | 'integer' | 'number' | 'boolean' | 'ignored';

/** A parameter's value before validation: invalid text stays text, which the schema rejects. */
export type ParameterValue = string | number | boolean | readonly (string | number)[];

export type ParameterValues = Record<string, ParameterValue>;

type Check = (value: unknown) => boolean;

const TYPES: Readonly<Record<string, Check | undefined>> = {
  array: Array.isArray,
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isInteger,
  number: Number.isFinite,
  string: (value) => typeof value === 'string',
};

const ofNumbers =
  (test: (value: number, limit: number) => boolean) =>
  (limit: number): Check =>
  (value) =>
    typeof value !== 'number' || test(value, limit);
const ofTexts =
  (test: (length: number, limit: number) => boolean) =>
  (limit: number): Check =>
  (value) =>
    typeof value !== 'string' || test(value.length, limit);

/** What each keyword of a schema demands. A character has one or two units: lengths that depend on it do not pass. */
const KEYWORDS: Readonly<Record<string, ((of: never) => Check | undefined) | undefined>> = {
  type: (names: string | readonly string[]) => {
    const types = [names].flat().map((name) => TYPES[name]);
    return (value) => types.some((isOf) => isOf?.(value));
  },
  enum: (values: readonly unknown[]) => (value) => values.includes(value),
  minimum: ofNumbers((value, limit) => value >= limit),
  maximum: ofNumbers((value, limit) => value <= limit),
  exclusiveMinimum: ofNumbers((value, limit) => value > limit),
  minLength: ofTexts((length, limit) => length >= (limit === 1 ? 1 : 2 * limit)),
  maxLength: ofTexts((length, limit) => length <= limit),
  pattern: (text: string) => {
    const pattern = new RegExp(text, 'u');
    return (value) => typeof value !== 'string' || pattern.test(value);
  },
  items: (schema: Schema) => {
    const check = plainCheck(schema);
    return check && ((value) => !Array.isArray(value) || value.every(check));
  },
  default: () => () => true,
  'x-message': () => () => true,
};

/** Whether a value satisfies a schema for certain; undefined for a schema with other keywords. Compiling a schema takes 10 ms at first. */
export function plainCheck(schema: Schema): Check | undefined {
  const checks = Object.entries(schema).map(([keyword, wanted]) => KEYWORDS[keyword]?.(wanted as never));
  return checks.every((check) => check !== undefined) ? (value) => checks.every((check) => check(value)) : undefined;
}

const SHOWN_LENGTH = 80;

const INTEGER = /^-?\d{1,16}$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * Parses queries and form bodies. Lists may be repeated (`a=1,2&a=3` is `a=1,2,3`); other repeated and unknown parameters are errors.
 * `where` names the text in messages.
 */
export function readEncodedParameters(
  text: string,
  kinds: ReadonlyMap<string, ParameterKind>,
  where: 'query' | 'body',
): ParameterValues {
  const values: ParameterValues = {};
  for (let start = 0; start < text.length;) {
    let end = text.indexOf('&', start);
    if (end === -1) end = text.length;
    if (end > start) {
      let equals = text.indexOf('=', start);
      if (equals === -1 || equals > end) equals = end;
      const name = decode(text.slice(start, equals), where);
      const kind = requireKnown(name, kinds);
      if (kind !== 'ignored') {
        const value = coerce(decode(text.slice(equals + 1, end), where), kind);
        if (!Object.hasOwn(values, name)) values[name] = value;
        else if (Array.isArray(value)) append(values[name] as (string | number)[], value);
        else throw givenTwice(name, 'one value: only lists may be repeated');
      }
    }
    start = end + 1;
  }
  return values;
}

/** Reads the members of a JSON body: texts are parsed as in a query, numbers, booleans and arrays are taken as they are. */
export function readJsonParameters(members: object, kinds: ReadonlyMap<string, ParameterKind>): ParameterValues {
  const values: ParameterValues = {};
  for (const [name, value] of Object.entries(members) as [string, unknown][]) {
    const kind = requireKnown(name, kinds);
    if (kind === 'ignored') continue;
    // Other JSON (null, objects, nested arrays) is left for the schema to reject.
    values[name] = typeof value === 'string' ? coerce(value, kind) : (value as ParameterValue);
  }
  return values;
}

/** The parameters of query and body together. Throws BAD_PARAMETER if one is in both. */
export function joinParameters(query: ParameterValues, body: ParameterValues): ParameterValues {
  for (const name in body) {
    if (Object.hasOwn(query, name)) throw givenTwice(name, 'a value either in the query or in the body');
    query[name] = body[name]!;
  }
  return query;
}

function requireKnown(name: string, kinds: ReadonlyMap<string, ParameterKind>): ParameterKind {
  const kind = kinds.get(name);
  if (kind !== undefined) return kind;
  const known = [...kinds].flatMap(([each, kindOfIt]) => (kindOfIt === 'ignored' ? [] : each));
  const expected = known.length === 0 ? 'no parameters' : known.join(', ');
  const shown = name.slice(0, SHOWN_LENGTH);
  const [meant] = nearestNames(name, known);
  const message =
    meant === undefined
      ? `unknown parameter '${shown}' (known: ${expected})`
      : `unknown parameter '${shown}': did you mean '${meant}'? (known: ${expected})`;
  throw new GatewayError('UNKNOWN_PARAMETER', message, { parameter: shown, expected });
}

function givenTwice(name: string, expected: string): GatewayError {
  return badParameter(name, `duplicate parameter '${name}'`, expected);
}

/** One at a time: without many copies of a long list, and without more arguments than the stack holds. */
function append(list: (string | number)[], more: readonly (string | number)[]): void {
  for (const element of more) list.push(element);
}

export function coerce(text: string, kind: ParameterKind): ParameterValue {
  switch (kind) {
    case 'string':
    case 'ignored':
      return text;
    case 'list':
      return text === '' ? [] : text.split(',');
    case 'integers':
      return text === '' ? [] : text.split(',').map((part) => (INTEGER.test(part) ? Number(part) : part));
    case 'integer':
      return INTEGER.test(text) ? Number(text) : text;
    case 'number':
      return NUMBER.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
  }
}

function decode(text: string, where: 'query' | 'body'): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    const code = where === 'query' ? 'BAD_REQUEST' : 'BAD_BODY';
    const message = `invalid percent-encoding in the ${where}: '${text.slice(0, 80)}'`;
    throw new GatewayError(code, message, { expected: 'percent-encoded UTF-8' });
  }
}
