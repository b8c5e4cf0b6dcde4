/**
 * The generated parts of openapi.yaml, marked `# generated` there. A GET operation says in `x-pmgate-forms` which other forms it has:
 *
 * - `post: FetchBody`: POST, with the parameters in a body (one of `components.requestBodies`);
 * - `inContext: FetchAnswer`: the same below `/pmapi/{context}/`, with this response (`true`: with the same response);
 * - `underscore`: `/pmapi/_fetch`, the form of pmproxy and pmwebd, also in a context. `true`, or what differs: `response`,
 *   `summary`, `body`, `parameters`.
 *
 * From this the operations are made, and the schema of each body from the parameters. A generated operation keeps the `description` and
 * `x-pmgate-examples` that were added to it.
 */
import { parse } from 'yaml';

const MARK = ' # generated';

/** The text of openapi.yaml with its generated parts brought up to date. */
export function withForms(text) {
  const top = split(text, 0);
  const parameters = parse(text).components.parameters;
  const schemas = new Map();
  const paths = split(top.blocks.get('paths'), 2);
  for (const [path, item] of [...paths.blocks]) {
    let last = path;
    for (const form of formsOf(path, parse(item)[path])) {
      if (form.body) schemas.set(form.body.replace(/Body$/, 'Parameters'), bodyProperties(form.refs, parameters));
      const before = paths.blocks.get(form.path) ?? '';
      const after = form.path === path ? withPost(before, form) : pathItem(form, before);
      if (before === '') paths.blocks = insertedAfter(paths.blocks, last, form.path, after);
      else paths.blocks.set(form.path, after);
      last = form.path;
    }
  }
  top.blocks.set('paths', join(paths));
  const components = split(top.blocks.get('components'), 2);
  const known = split(components.blocks.get('schemas'), 4);
  for (const [name, properties] of schemas) known.blocks.set(name, bodySchema(name, properties));
  components.blocks.set('schemas', join(known));
  top.blocks.set('components', join(components));
  return join(top);
}

/** The forms of a path's GET operation, itself first; none without `x-pmgate-forms`. */
function formsOf(path, { get, parameters }) {
  const forms = get?.['x-pmgate-forms'];
  if (!forms) return [];
  const refs = parameters.map(({ $ref }) => $ref);
  const { operationId: id, summary, tags, responses } = get;
  const base = { path, id, summary, tags, responses, refs, body: forms.post };
  const found = [base];
  if (forms.inContext) found.push(inContext(base, forms.inContext));
  if (forms.underscore) {
    const own = forms.underscore === true ? {} : forms.underscore;
    const name = path.slice('/pmapi/'.length);
    const underscore = {
      path: `/pmapi/_${name}`,
      id: `compat${name[0].toUpperCase()}${name.slice(1)}`,
      summary: own.summary ?? summary,
      tags: ['compatibility'],
      responses: withResponse(responses, own.response),
      refs: own.parameters?.map((parameter) => `#/components/parameters/${parameter}`) ?? refs,
      body: own.body ?? base.body,
    };
    found.push(underscore, inContext(underscore, true));
  }
  return found;
}

function inContext(form, response) {
  return {
    ...form,
    path: form.path.replace('/pmapi/', '/pmapi/{context}/'),
    id: `${form.id}InContext`,
    responses: response === true ? form.responses : withResponse(form.responses, response),
    refs: ['#/components/parameters/contextInPath', ...form.refs],
  };
}

function withResponse(responses, name) {
  return name === undefined ? responses : { ...responses, 200: { $ref: `#/components/responses/${name}` } };
}

function withPost(item, form) {
  const { head, blocks } = split(item, 4);
  if (form.body) blocks.set('post', operation('post', form, blocks.get('post')));
  return join({ head, blocks });
}

function pathItem(form, before) {
  const { blocks } = split(before, 4);
  const list = form.refs.map((ref) => `      - $ref: '${ref}'\n`).join('');
  const get = operation('get', form, blocks.get('get'));
  const post = form.body ? operation('post', form, blocks.get('post')) : '';
  return `  ${form.path}:${MARK}\n    parameters:\n${list}${get}${post}`;
}

function operation(method, { id, summary, tags, responses, body }, before = '') {
  const { blocks } = split(before, 6);
  const isPost = method === 'post';
  const list = Object.entries(responses).map(([status, { $ref }]) => {
    return `        ${status === 'default' ? status : `'${status}'`}: { $ref: '${$ref}' }\n`;
  });
  return [
    `    ${method}:${MARK}\n`,
    `      operationId: ${id}${isPost ? 'Post' : ''}\n`,
    `      tags: [${tags.join(', ')}]\n`,
    `      summary: ${summary}\n`,
    blocks.get('description') ?? '',
    isPost ? `      requestBody: { $ref: '#/components/requestBodies/${body}' }\n` : '',
    blocks.get('x-pmgate-examples') ?? '',
    '      responses:\n',
    ...list,
  ].join('');
}

/** The members of a body: the parameters that are in the query. */
function bodyProperties(refs, parameters) {
  const listed = refs.map((ref) => parameters[ref.split('/').at(-1)]).filter((parameter) => parameter.in === 'query');
  return new Map(listed.map(({ name, schema }) => [name, schema.$ref]));
}

function bodySchema(name, properties) {
  const list = [...properties].map(([property, ref]) => `        ${property}: { $ref: '${ref}' }\n`).join('');
  return `    ${name}:${MARK}\n      type: object\n      additionalProperties: false\n      properties:\n${list}`;
}

function insertedAfter(blocks, last, key, text) {
  const entries = [...blocks];
  entries.splice(entries.findIndex(([other]) => other === last) + 1, 0, [key, text]);
  return new Map(entries);
}

/** The text of a mapping, formatted by prettier: what stands before its first key at this depth, and the lines of each key. */
function split(text, depth) {
  const blocks = new Map();
  const key = new RegExp(`^ {${depth}}([^\\s#].*?):(?: |$)`, 'm');
  let head = '';
  let current;
  for (const line of text.split(/(?<=\n)/)) {
    const found = key.exec(line);
    if (found) blocks.set((current = found[1]), line);
    else if (current === undefined) head += line;
    else blocks.set(current, blocks.get(current) + line);
  }
  return { head, blocks };
}

function join({ head, blocks }) {
  return head + [...blocks.values()].join('');
}
