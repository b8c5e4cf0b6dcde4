import { makeIndom, makePmid } from '../../src/pmapi/index.js';
import { Api, type Schemas } from '../support/api.js';
import { BUILT_START, counterAt, servedArchives } from '../support/archive-gateway.js';
import { descriptor, memoryGateway } from '../support/memory-gateway.js';

type Check = Schemas['DerivedCheck'];
type Node = NonNullable<Check['tree']>;

const api = Api.serving();

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
    ['dimensions', 'mem.util.free + 1', 'different-dimensions', 'mem.util.free + mkconst(1, units="Kbyte")'],
  ])('explains what is wrong, and suggests a repair: %s', async (_, expr, code, repaired) => {
    const { ok, errors, sample } = await check(expr);
    expect({ ok, sample }).toEqual({ ok: false, sample: undefined });
    expect(errors[0]).toMatchObject({ code });
    expect(errors[0]!.repair?.text).not.toBe('');
    expect(errors[0]!.repair?.expression).toBe(repaired);
    expect((await check(repaired)).errors.map((error) => error.code)).not.toContain(code);
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

/** What each part has: its values, or why it has none. */
function partsOf({ text, sample, children }: Node): Record<string, unknown> {
  const values = sample?.instances.map((one) => (one as { readonly value: unknown }).value);
  const own = sample?.count === 0 ? sample.message : values;
  return Object.assign({ [text]: own }, ...children.map(partsOf)) as Record<string, unknown>;
}

describe('the values of the parts', () => {
  it('are in the tree, with the names of instances, also where the whole is wrong', async () => {
    const { tree, sample } = await check('sum(kernel.all.load) + no.such * test.broken');
    expect(sample).toBeUndefined();
    expect(tree).not.toHaveProperty('sample');
    const [sum, product] = tree!.children;
    expect(sum!.sample).toMatchObject({ count: 1, instances: [{ instance: null }] });
    expect(sum!.children[0]!.sample).toMatchObject({
      count: 3,
      instances: [{ instance: 1, name: '1 minute' }, {}, {}],
    });
    expect(product).not.toHaveProperty('sample');
    expect(product!.children[1]!.sample).toMatchObject({ count: 0, instances: [], pmErr: -12389 });
  });

  it('has the first hundred instances of a part, and all of the whole', async () => {
    const indom = makeIndom(29, 7);
    const ids = Array.from({ length: 150 }, (_, id) => id);
    const content = {
      metrics: [
        {
          name: 'test.many',
          descriptor: descriptor(makePmid(29, 0, 70), { indom }),
          values: new Map(ids.map((id) => [id, id])),
        },
      ],
      indoms: [{ indom, instances: ids.map((id) => ({ id, name: `i${id}` })) }],
    };
    const large = await Api.start(memoryGateway({ content }));
    const { json } = await large.post('/derived/check', { body: { expr: 'test.many * 2' } });
    const { tree, sample } = json as unknown as Check;
    expect(sample!.instances).toHaveLength(150);
    for (const { sample: part } of [tree!, tree!.children[0]!]) {
      expect([part!.count, part!.instances.length]).toEqual([150, 100]);
    }
    await large.stop();
  });

  it('have all their digits, and texts and aggregates; event records have no value', async () => {
    expect(partsOf((await check('pmcd.hostname')).tree!)).toEqual({ 'pmcd.hostname': ['über"host\n'] });
    expect(partsOf((await check('test.event')).tree!)).toEqual({ 'test.event': [null] });
    const { text } = await api.post('/derived/check', { type: 'text/plain', body: 'instant(disk.all.total_bytes)' });
    expect(text.match(/"value":18446744073709551615\b/g)).toHaveLength(3);
  });
});

describe('a long expression', () => {
  const countOf = ({ children, omitted = 0 }: Node): number =>
    children.reduce((sum, child) => sum + countOf(child), 1 + omitted);
  const shownOf = ({ children }: Node): number => children.reduce((sum, child) => sum + shownOf(child), 1);

  it('has the outermost 200 nodes in its tree, and says how many are left out', async () => {
    const { ok, tree } = await check(`test.nan${'+1'.repeat(990)}`);
    expect(ok).toBe(true);
    expect(shownOf(tree!)).toBe(200);
    expect(countOf(tree!)).toBe(1981);
    const wrong = await check(`no.such${'+1'.repeat(990)}`);
    expect([wrong.ok, shownOf(wrong.tree!), countOf(wrong.tree!)]).toEqual([false, 200, 1981]);
  });

  it('has an answer in proportion to its text', async () => {
    const lengthOf = async (operators: number): Promise<number> =>
      (await api.post('/derived/check', { body: { expr: `test.nan${'+1'.repeat(operators)}` } })).text.length;
    expect(await lengthOf(990)).toBeLessThan(2 * (await lengthOf(330)));
  });

  it('counts among those of a batch', async () => {
    const entry = { path: '/derived/check', method: 'POST', body: { expr: `test.nan${'+1'.repeat(990)}` } };
    const requests = Array<typeof entry>(40).fill(entry);
    const limits = { urlBytes: 8191, bodyBytes: 200_000, names: 1000 };
    const large = await Api.start(memoryGateway(), { limits });
    const { json } = await large.post('/pmapi/batch', { body: requests });
    await large.stop();
    const statuses = (json as unknown as { responses: { status: number }[] }).responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(32);
    expect(statuses.lastIndexOf(200)).toBe(31);
    expect(new Set(statuses)).toEqual(new Set([200, 413]));
  });
});

describe('/derived/check on an archive', () => {
  const built = servedArchives();

  async function at(expr: string, more: object = {}): Promise<Check> {
    const { status, text } = await built.api.post('/derived/check', { body: { expr, archive: 'built', ...more } });
    expect([status, text]).toEqual([200, text]);
    return JSON.parse(text) as Check;
  }

  it('has the values of a moment: rates since the record before', async () => {
    const { tree, sample } = await at('rate(test.counter) * 2', { at: String(BUILT_START + 3) });
    expect(sample).toEqual({ timestamp: BUILT_START + 3, instances: [{ instance: null, value: 20 }] });
    expect(partsOf(tree!)).toEqual({
      'rate(test.counter) * 2': [20],
      'rate(test.counter)': [10],
      'test.counter': [counterAt(3)],
      2: [2],
    });
  });

  it('interpolates between records', async () => {
    const { tree } = await at('delta(test.counter)', { at: `@${BUILT_START + 2.5}` });
    expect(partsOf(tree!)).toEqual({ 'delta(test.counter)': [10], 'test.counter': [counterAt(2.5)] });
  });

  it('takes times in the forms of the other requests', async () => {
    const timeOf = async (more: object): Promise<number> => (await at('test.counter', more)).sample!.timestamp;
    expect(await timeOf({ at: '3sec' })).toBe(BUILT_START + 3);
    expect(await timeOf({ at: '-1sec' })).toBe(BUILT_START + 8);
    expect(await timeOf({ at: '1970-01-12T13:46:42Z' })).toBe(BUILT_START + 2);
    expect(await timeOf({ at: '1970-01-12 14:46:42', zone: 'Europe/Vienna' })).toBe(BUILT_START + 2);
  });

  it('has the last values where no moment is named', async () => {
    const { sample, tree } = await at('delta(test.counter)');
    expect(sample).toEqual({ timestamp: BUILT_START + 9, instances: [{ instance: null, value: 10 }] });
    expect(partsOf(tree!)['test.counter']).toEqual([counterAt(9)]);
  });

  it('has the instances of the moment', async () => {
    const namesAt = async (second: number): Promise<readonly object[]> =>
      (await at('test.gauge', { at: String(BUILT_START + second) })).tree!.sample!.instances;
    expect(await namesAt(2)).toMatchObject([{ name: 'red' }, { name: 'green' }]);
    expect(await namesAt(8)).toMatchObject([{ name: 'green' }, { name: 'blue "and" more' }]);
  });

  it.each([
    ['before the first record', -1],
    ['after the last', 1000],
    ['at the first record', 0],
  ])('says why parts have no values %s', async (_, second) => {
    const { ok, tree, sample } = await at('rate(test.counter)', { at: String(BUILT_START + second) });
    expect([ok, sample!.instances]).toEqual([true, []]);
    const { 'rate(test.counter)': rate, 'test.counter': counter } = partsOf(tree!);
    expect(counter).toEqual(second === 0 ? [counterAt(0)] : 'test.counter has no value at this moment');
    expect(rate).toBe(second === 0 ? 'rate() needs a second sample' : 'test.counter has no value at this moment');
  });

  it('compares nothing across a mark', async () => {
    const { tree } = await at('delta(test.counter)', { at: String(BUILT_START + 6) });
    expect(partsOf(tree!)['delta(test.counter)']).toBe('delta() needs a second sample');
  });

  it('leaves the position where it is', async () => {
    const { json } = await built.api.get('/pmapi/context?archive=built');
    const { context } = json;
    const fetched = async (): Promise<unknown> =>
      (await built.api.get(`/pmapi/${context}/fetch?names=test.counter`)).json.timestamp;
    expect(await fetched()).toBe(BUILT_START);
    await at('rate(test.counter)', { archive: undefined, context, at: '-2sec' });
    expect(await fetched()).toBe(BUILT_START + 1);
  });

  it.each([
    ['at', { at: 'yesterday-ish' }],
    ['zone', { at: '3sec', zone: 'Nowhere/At_all' }],
    ['zone', { zone: 'UTC' }],
  ])('refuses a moment that makes no sense: %s', async (parameter, more) => {
    const answer = await built.api.post('/derived/check', {
      body: { expr: 'test.counter', archive: 'built', ...more },
    });
    expect(answer).toMatchObject({ status: 400, json: { code: 'BAD_PARAMETER', parameter } });
  });
});
