/**
 * openapi.compat.yaml: openapi.yaml, what `src/http/compat-operations.yaml` adds to it, and the forms that this says operations have:
 *
 * - `post`: a POST twin of a GET, which takes the parameters in a body, too;
 * - `get`: a GET twin of a POST, without the body;
 * - `body`: the same operation takes them in a body;
 * - `parameters`: the same operation takes these in the query, besides its body;
 * - `also`: another path;
 * - `inContext`: the same below `/pmapi/{context}/`;
 * - `underscore`: `/pmapi/_fetch` for `/pmapi/fetch`, the form of pmproxy and pmwebd, also in a context: what differs in it.
 */

/** @returns the whole document, as a plain object */
export function compatDocument(lean, { info, forms, paths, components }) {
  const whole = structuredClone({
    ...lean,
    info: { ...lean.info, ...info },
    tags: lean.tags,
    paths: {},
    components: { ...lean.components },
  });
  for (const kind of Object.keys(components)) {
    whole.components[kind] = { ...whole.components[kind], ...components[kind] };
  }
  const unused = new Set(Object.keys(forms));
  for (const [path, item] of Object.entries({ ...lean.paths, ...paths })) {
    for (const [method, operation] of Object.entries(item)) {
      unused.delete(operation.operationId);
      for (const form of formsOf({ path, method, operation }, forms[operation.operationId] ?? {}, whole)) {
        (whole.paths[form.path] ??= {})[form.method] = form.operation;
      }
    }
  }
  if (unused.size > 0) throw new Error(`forms of operations that do not exist: ${[...unused].join(', ')}`);
  return whole;
}

/** An operation and all its other forms, itself first. */
function formsOf(written, forms, whole) {
  const { path } = written;
  const name = path.split('/').at(-1);
  const alone = { ...written, operation: { ...written.operation } };
  if (forms.parameters) {
    const refs = forms.parameters.map((each) => ({ $ref: `#/components/parameters/${each}` }));
    alone.operation.parameters = [...(written.operation.parameters ?? []), ...refs];
  }
  if (forms.body) alone.operation.requestBody = bodyOf(alone.operation, forms.body, whole);
  const places = [alone];
  if (forms.also) places.push(elsewhere(alone, forms.also, 'InPmapi'));
  if (forms.inContext) places.push(inContext(alone, name));
  if (forms.underscore) {
    const older = underscore(alone, name, forms.underscore);
    places.push(older, inContext(older, `_${name}`));
  }
  const twin = forms.post ? 'post' : forms.get ? 'get' : undefined;
  if (!twin) return places;
  return places.flatMap((place, i) => {
    const { 'x-pmgate-examples': examples, ...own } = forms[twin];
    const other = twinOf(place, twin, i === 0 && examples ? { ...own, 'x-pmgate-examples': examples } : own, whole);
    return twin === 'get' ? [other, place] : [place, other];
  });
}

/** A copy without some members. */
function without(object, ...names) {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

/** The same operation at another path, where examples would repeat those of the first. */
function elsewhere({ method, operation }, path, suffix, parameters = operation.parameters) {
  const { operationId, ...rest } = without(operation, 'x-pmgate-examples');
  return {
    path,
    method,
    operation: formOf(operation, { ...rest, operationId: `${operationId}${suffix}`, parameters }),
  };
}

function inContext(place, name) {
  const parameters = [{ $ref: '#/components/parameters/contextInPath' }, ...place.operation.parameters];
  return elsewhere(place, `/pmapi/{context}/${name}`, 'InContext', parameters);
}

function underscore(place, name, { response, parameters, ...own }) {
  const { path, method, operation } = elsewhere(place, `/pmapi/_${name}`, '');
  const id = operation.operationId;
  const only = (each) => !parameters || parameters.some((kept) => each.$ref.endsWith(`/${kept}`));
  const answers = response ? { ...operation.responses, 200: { $ref: `#/components/responses/${response}` } } : {};
  return {
    path,
    method,
    operation: {
      ...operation,
      ...own,
      operationId: `compat${id[0].toUpperCase()}${id.slice(1)}`,
      tags: ['compatibility'],
      parameters: operation.parameters.filter(only),
      responses: { ...operation.responses, ...answers },
    },
  };
}

function twinOf({ path, operation }, method, { body = {}, ...own }, whole) {
  const rest = without(operation, 'x-pmgate-examples', 'requestBody');
  const suffix = method === 'post' ? 'Post' : 'Get';
  const twin = { ...rest, ...own, operationId: `${operation.operationId}${suffix}` };
  if (method === 'post') twin.requestBody = bodyOf(operation, body, whole);
  return { path, method, operation: formOf(operation, twin) };
}

/** An operation that says of which one it is a form. */
function formOf({ operationId, 'x-pmgate-form-of': of = operationId }, operation) {
  return { ...operation, 'x-pmgate-form-of': of };
}

/** The body that holds the parameters of the query: a component of its own, which the forms of an operation share. */
function bodyOf({ operationId, parameters = [], 'x-pmgate-form-of': of = operationId }, body, { components }) {
  const {
    text,
    example,
    examples,
    description = 'The same parameters as in the query; in an array, elements may contain commas.',
    ...own
  } = body;
  const listed = parameters
    .map((each) => (each.$ref ? components.parameters[each.$ref.split('/').at(-1)] : each))
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema }) => [name, schema]);
  const properties = Object.fromEntries(listed);
  const base = `${of[0].toUpperCase()}${of.slice(1)}`;
  const known = components.schemas[`${base}Parameters`]?.properties ?? properties;
  const name = Object.keys(known).length === listed.length ? base : `Compat${base}`;
  const schema = { $ref: `#/components/schemas/${name}Parameters` };
  components.schemas[`${name}Parameters`] ??= { type: 'object', additionalProperties: false, properties };
  components.requestBodies[`${name}Body`] ??= {
    description,
    ...own,
    content: {
      'application/json': { schema, ...(example && { example }), ...(examples && { examples }) },
      'application/x-www-form-urlencoded': { schema },
      ...(text && { 'text/plain': text }),
    },
  };
  return { $ref: `#/components/requestBodies/${name}Body` };
}

/** A document without what is for readers and clients only: texts, examples and responses. */
export function forRequests(node, isMap = false) {
  if (Array.isArray(node)) return node.map((element) => forRequests(element));
  if (typeof node !== 'object' || node === null) return node;
  const kept = Object.entries(node).filter(([name]) => isMap || !NOT_FOR_REQUESTS.has(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, forRequests(inner, !isMap && name === 'properties')]));
}

const NOT_FOR_REQUESTS = new Set(['summary', 'description', 'example', 'examples', 'x-pmgate-examples', 'responses']);
