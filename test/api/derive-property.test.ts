import fc, { tries } from '../support/properties.js';
import { DerivedApi } from '../support/derived-api.js';

let derived: DerivedApi;
beforeAll(async () => {
  derived = await DerivedApi.start();
});
afterAll(() => derived.stop());

const names = ['mem.util.free', 'kernel.all.load', 'kernel.all.sysfork', 'disk.all.total_bytes', 'test.event'];
const others = ['pmcd.hostname', 'test.broken', 'no.such', 'my.a', 'kernel.all', 'a', '.', 'sum', 'novalue'];
const constants = ['0', '1', '4294967295', '4294967296', '1.5', '.', '.5', '0x10', '1e3'];
const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const inner = tie('expression');
  return {
    expression: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.constantFrom(...names, ...others, ...constants),
      fc
        .tuple(inner, fc.constantFrom('+', '-', '*', '/', '<', '==', '!=', '&&', '||', '&', '^'), inner)
        .map((p) => p.join(' ')),
      fc
        .tuple(
          fc.constantFrom('rate', 'delta', 'instant', 'scalar', 'sum', 'avg', 'count', 'defined', 'anon', 'abs'),
          inner,
        )
        .map(([call, operand]) => `${call}(${operand})`),
      fc.tuple(inner, inner, inner).map(([guard, a, b]) => `${guard} ? ${a} : ${b}`),
      inner.map((operand) => `(${operand})[1 minute]`),
      inner.map((operand) => `matchinst(/^1/, ${operand})`),
      inner.map((operand) => `rescale(${operand}, "Mbyte")`),
      inner.map((operand) => `mkconst(${operand}, type=u64, semantics=counter, units="Kbyte / sec")`),
      inner.map((operand) => `-!(${operand})`),
    ),
  };
});
const anyExpression = fc.oneof(
  { weight: 6, arbitrary: expression },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constantFrom('(', ')', '-').map((piece) => piece.repeat(1500)) },
);
const anyName = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom('my.a', 'my.b', 'mem.util.free', 'kernel', 'check', '__proto__', 'constructor'),
  },
  { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 20 }).filter((text) => !/^\.+$/.test(text)) },
);
const line = fc.oneof(
  fc.tuple(anyName, expression).map(([name, text]) => `${name} = ${text}`),
  anyName.map((name) => `${name}(oneline) = "some text`),
  fc.constantFrom('# comment', '#control GLOBAL_LIMIT=1', '', '\\', 'a = \\', '=', '  '),
  fc.string({ maxLength: 20 }),
);
const anyFile = fc
  .array(line, { maxLength: 4 })
  .chain((lines) => fc.constantFrom('\n', ';', '&', '\r\n').map((end) => lines.join(end)));
const anyType = fc.constantFrom('text/plain', 'form', 'application/json', 'application/xml');
const anyBody = fc.oneof(
  anyFile.map((body) => ({ type: 'text/plain', body })),
  anyExpression.map((body) => ({ type: 'text/plain', body })),
  fc
    .tuple(anyName, anyExpression)
    .map(([name, expr]) => ({ type: 'application/json', body: JSON.stringify({ name, expr }) })),
  fc.tuple(anyType, fc.oneof(anyFile, fc.json())).map(([type, body]) => ({ type, body })),
);
const query = fc
  .record({ name: anyName, expr: anyExpression, client: fc.constant('me') }, { requiredKeys: [] })
  .map((parameters) => `?${new URLSearchParams(parameters).toString()}`);

type Step = readonly [method: string, url: string, body?: { readonly type: string; readonly body: string }];
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(
    fc.constant('GET'),
    query.map((text) => `/pmapi/CTX/derive${text}`),
  ),
  fc.tuple(
    fc.constant('POST'),
    fc.constantFrom('', '?name=my.a').map((text) => `/pmapi/CTX/derive${text}`),
    anyBody,
  ),
  fc.tuple(fc.constant('POST'), fc.constant('/derived'), anyBody),
  fc.tuple(
    fc.constant('PUT'),
    anyName.map((name) => `/derived/${encodeURIComponent(name)}`),
    anyBody,
  ),
  fc.tuple(
    fc.constant('DELETE'),
    anyName.map((name) => `/derived/${encodeURIComponent(name)}`),
  ),
  fc.tuple(
    fc.constant('GET'),
    anyName.map((name) => `/derived/${encodeURIComponent(name)}?context=CTX`),
  ),
  fc.tuple(fc.constant('GET'), fc.constantFrom('/derived', '/derived?context=CTX', '/derived?prefix=my')),
  fc.tuple(
    fc.constant('GET'),
    anyName.map((name) => `/pmapi/CTX/fetch?${new URLSearchParams({ names: name }).toString()}`),
  ),
  fc.tuple(
    fc.constant('GET'),
    fc.constantFrom('/pmapi/CTX/metric', '/pmapi/CTX/metrics', '/pmapi/CTX/children?prefix=my'),
  ),
);

describe('whatever is defined', () => {
  it('is answered as openapi.yaml says, and never with 500', async () => {
    const { api } = derived;
    let successes = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
        const context = await api.context();
        for (const [method, url, body] of steps) {
          const { status } = await api.request(method, url.replace('CTX', String(context)), body ?? {});
          expect(status).not.toBe(500);
          if (status < 300) successes++;
        }
        expect(api.defects).toEqual([]);
        await api.request('DELETE', `/pmapi/${context}`);
      }),
      { numRuns: tries(150) },
    );
    expect(successes).toBeGreaterThan(tries(150) / 3);
  });

  it('survives a restart as it is', async () => {
    const before = derived.registry.store.list().map(({ name, canonical }) => [name, canonical]);
    derived = await derived.restart();
    expect(derived.registry.store.list().map(({ name, canonical }) => [name, canonical])).toEqual(before);
  });

  it('can be asked about beforehand: the dry run answers everything, and agrees with registration', async () => {
    const { api } = derived;
    await fc.assert(
      fc.asyncProperty(
        expression.filter((text) => !/rate|delta|=u64/.test(text)),
        async (expr) => {
          const context = await api.context();
          const { status, text } = await api.post('/derived/check', { body: { expr, context } });
          expect(status).toBe(200);
          const { ok } = JSON.parse(text) as { ok: boolean };
          const definition = await api.post(`/pmapi/${context}/derive`, { body: { name: 'new.name', expr } });
          expect([expr, ok]).toEqual([expr, definition.status === 200]);
          await api.request('DELETE', `/pmapi/${context}`);
        },
      ),
      { numRuns: tries(150) },
    );
    expect(api.defects).toEqual([]);
  });
});
