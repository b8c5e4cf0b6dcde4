import { GatewayError } from '../pmapi/index.js';

/** How the text of one parameter becomes a value. */
export type ParameterKind = 'list' | 'integers' | 'string' | 'integer' | 'number' | 'boolean';

/** A parameter's value before validation: text that could not be turned into its kind stays text, for the schema to refuse. */
export type ParameterValue = string | number | boolean | readonly (string | number)[];

/** The parameters of a request by name. */
export type ParameterValues = Record<string, ParameterValue>;

const INTEGER = /^-?\d{1,16}$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * Read `a=1&b=2` as queries and form bodies hold it: percent-encoded UTF-8, `+` for a blank, a name without `=` as an empty
 * value. A parameter that is not among `kinds`, a repeated one and one already in `into` are errors. `where` names the text in messages.
 */
export function readEncodedParameters(
  text: string,
  kinds: ReadonlyMap<string, ParameterKind>,
  into: ParameterValues,
  where: 'query' | 'body',
): void {
  for (let start = 0; start < text.length;) {
    let end = text.indexOf('&', start);
    if (end === -1) end = text.length;
    if (end > start) {
      let equals = text.indexOf('=', start);
      if (equals === -1 || equals > end) equals = end;
      const name = decode(text.slice(start, equals), where);
      const kind = requireNew(name, kinds, into);
      into[name] = coerce(decode(text.slice(equals + 1, end), where), kind);
    }
    start = end + 1;
  }
}

/** Read the members of a JSON body: texts are read as in a query, numbers, booleans and arrays are taken as they are. */
export function readJsonParameters(
  members: object,
  kinds: ReadonlyMap<string, ParameterKind>,
  into: ParameterValues,
): void {
  for (const [name, value] of Object.entries(members) as [string, unknown][]) {
    const kind = requireNew(name, kinds, into);
    // Whatever else JSON holds (null, objects, nested arrays) is left for the schema to refuse.
    into[name] = typeof value === 'string' ? coerce(value, kind) : (value as ParameterValue);
  }
}

function requireNew(name: string, kinds: ReadonlyMap<string, ParameterKind>, into: ParameterValues): ParameterKind {
  const kind = kinds.get(name);
  if (kind === undefined) {
    const expected = kinds.size === 0 ? 'no parameters' : [...kinds.keys()].join(', ');
    throw new GatewayError('UNKNOWN_PARAMETER', `unknown parameter '${name}'; this route has ${expected}`, {
      parameter: name,
      expected,
    });
  }
  if (Object.hasOwn(into, name)) {
    throw new GatewayError('BAD_PARAMETER', `the parameter '${name}' is given twice`, {
      parameter: name,
      expected: 'one value; lists are separated by commas',
    });
  }
  return kind;
}

/** Turn the text of one parameter into its kind, where it has the form of it. */
export function coerce(text: string, kind: ParameterKind): ParameterValue {
  switch (kind) {
    case 'string':
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
    throw new GatewayError(code, `the ${where} is not percent-encoded properly: '${text.slice(0, 80)}'`, {
      expected: 'percent-encoded UTF-8',
    });
  }
}
