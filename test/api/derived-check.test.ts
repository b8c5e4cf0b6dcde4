import { Api } from '../support/api.js';

interface Check {
  readonly ok: boolean;
  readonly context: number;
  readonly canonical?: string;
  readonly parenthesised?: string;
  readonly tree?: { readonly kind: string; readonly operator?: string; readonly children: readonly object[] };
  readonly operands: readonly object[];
  readonly metadata?: object;
  readonly errors: readonly {
    readonly code: string;
    readonly repair?: { readonly text: string; readonly expression?: string };
  }[];
  readonly sample?: { readonly timestamp: number; readonly instances: readonly object[]; readonly pmErr?: number };
}

let api: Api;
beforeAll(async () => {
  api = await Api.start();
});
afterAll(() => api.stop());

async function check(expr: string, more: object = {}): Promise<Check> {
  const { status, text } = await api.post('/derived/check', { body: { expr, ...more } });
  expect(status).toBe(200);
  return JSON.parse(text) as Check;
}

describe('/derived/check', () => {
  it('says what a good expression is, how it is understood, and what it gives', async () => {
    const report = await check('kernel.all.load*100-1+2');
    expect(report).toMatchObject({
      ok: true,
      canonical: 'kernel.all.load * 100 - 1 + 2',
      parenthesised: '((kernel.all.load * 100) - 1) + 2',
      metadata: { type: 'FLOAT', semantics: 'instant', units: '', indom: '60.2' },
      operands: [{ name: 'kernel.all.load', known: true, pmid: '60.2.0', needed: true }],
      errors: [],
      tree: { kind: 'binary', operator: '+', start: 0, end: 23, selected: true },
    });
    expect(report.sample?.instances).toEqual([
      { instance: 1, name: '1 minute', value: expect.closeTo(52, 4) as number },
      { instance: 5, name: '5 minute', value: expect.closeTo(22, 4) as number },
      { instance: 15, name: '15 minute', value: expect.closeTo(8, 4) as number },
    ]);
    expect(Math.abs(report.sample!.timestamp * 1000 - Date.now())).toBeLessThan(10_000);
  });

  it('gives 64-bit integers all their digits, and singular values no instance', async () => {
    const { text } = await api.post('/derived/check', { type: 'text/plain', body: 'disk.all.total_bytes' });
    expect(text).toMatch(/"instances":\[\{"instance":null,"value":18446744073709551615\}\]\}\}\r\n$/);
  });

  it('takes two samples for a rate', async () => {
    expect((await check('rate(kernel.all.sysfork)')).sample?.instances).toEqual([{ instance: null, value: 0 }]);
  });

  it('says why there are no values', async () => {
    const { ok, sample } = await check('test.broken + 1');
    expect(ok).toBe(true);
    expect(sample).toMatchObject({ instances: [], pmErr: -12389 });
  });

  it.each([
    ['a name that is nearly right', 'mem.util.fre', 'unknown-metric', 'mem.util.free'],
    ['a node', 'kernel.all', 'unknown-metric', undefined],
    [
      'two counters',
      'kernel.all.sysfork * disk.all.total_bytes',
      'counters',
      'delta(kernel.all.sysfork) * delta(disk.all.total_bytes)',
    ],
    ['dimensions', 'mem.util.free + 1', 'different-dimensions', 'mem.util.free + mkconst(1, units="Kbyte")'],
    ['an assignment', 'mem.util.free = 1', 'syntax', 'mem.util.free == 1'],
    ['a misspelt function', 'avrg(mem.util.free)', 'syntax', 'avg(mem.util.free)'],
  ])('explains what is wrong, and suggests a repair: %s', async (_, expr, code, repaired) => {
    const { ok, errors, sample } = await check(expr);
    expect({ ok, sample }).toEqual({ ok: false, sample: undefined });
    expect(errors[0]).toMatchObject({ code });
    expect(errors[0]!.repair?.text).not.toBe('');
    expect(errors[0]!.repair?.expression).toBe(repaired);
    if (repaired !== undefined) expect((await check(repaired)).errors.map((error) => error.code)).not.toContain(code);
  });

  it('tells all that is wrong, not the first alone', async () => {
    const { errors } = await check('(no.such + 1) / (mem.util.free + 1) + also.none');
    expect(errors.map(({ code }) => code)).toEqual(['unknown-metric', 'unknown-metric', 'different-dimensions']);
  });

  it('says where a syntax error is and what could stand there', async () => {
    const { json } = await api.get(`/derived/check?expr=${encodeURIComponent('rate(kernel.all.sysfork')}`);
    expect(json).toMatchObject({
      ok: false,
      operands: [],
      errors: [{ phase: 'syntax', position: { offset: 23, line: 1, column: 24 }, found: 'end of expression' }],
    });
  });

  it('checks in the context that it is given, with the derived metrics of that', async () => {
    const context = await api.context();
    await api.get(`/pmapi/${context}/derive?name=my.a&expr=1`);
    expect((await check('my.a + 1', { context })).errors).toMatchObject([{ code: 'nested-derived-metric' }]);
    expect((await check('my.a + 1')).errors).toMatchObject([{ code: 'unknown-metric' }]);
    await api.get(`/pmapi/${context}/profile?expr=add&name=kernel.all.load&instance=5`);
    expect((await check('kernel.all.load', { context })).sample?.instances).toMatchObject([{ name: '5 minute' }]);
    expect((await api.get(`/derived/check?context=4711&expr=1`)).status).toBe(404);
  });

  it('checks on localhost, or on another host', async () => {
    const { context } = await check('1');
    expect((await check('2', { hostspec: 'localhost' })).context).toBe(context);
    expect((await check('3', { hostspec: 'web7' })).context).not.toBe(context);
    expect(api.gateway.opened.at(-1)).toEqual({ kind: 'host', hostspec: 'web7' });
  });

  it('registers nothing', async () => {
    const context = await api.context();
    await check('1 + 1', { context });
    expect(api.gateway.contexts.use(context).derived.own()).toEqual([]);
    expect((await api.get('/derived')).json).toEqual({ derived: [] });
  });

  it('repeats client, and wants an expression', async () => {
    expect(await check('1', { client: 'me' })).toMatchObject({ client: 'me' });
    expect(await api.get('/derived/check')).toMatchObject({
      status: 400,
      json: { code: 'BAD_PARAMETER', parameter: 'expr' },
    });
  });
});
