import { PM_ERR } from '../../src/pmapi/index.js';
import { type AnswerJson, Api } from '../support/api.js';

const api = Api.serving();

const idsOf = (json: Pick<AnswerJson, 'instances'>): (number | null)[] =>
  json.instances.map(({ instance }) => instance);

describe('/pmapi/indom', () => {
  it('tells everything of an instance domain', async () => {
    const labels = { agent: 'linux', 'bad-json': '{oops', hostname: 'web1', indom_name: 'load', nodes: ['a', 'b'] };
    for (const query of ['name=kernel.all.load', 'indom=60.2', 'indom=251658242', 'indom=0xf000002']) {
      expect((await api.get(`/pmapi/indom?${query}`)).json).toEqual({
        context: expect.any(Number) as number,
        indom: '60.2',
        labels,
        'text-oneline': 'load averages',
        instances: [
          { instance: 1, name: '1 minute', labels: { ...labels, short: true } },
          { instance: 5, name: '5 minute', labels },
          { instance: 15, name: '15 minute', labels },
        ],
      });
    }
  });

  it('has a plain number and no context in the underscore form', async () => {
    const { json } = await api.get('/pmapi/_indom?indom=60.2&client=x');
    expect(json).toMatchObject({ indom: 251658242 });
    expect(json).not.toHaveProperty('context');
    expect(json).not.toHaveProperty('client');
  });

  it.each([
    ['instance=15,1', [1, 15]],
    ['iname=5+minute', [5]],
    ['iname=5%20minute&instance=1', [5]],
    ['iname=1*&match=glob', [1, 15]],
    ['iname=[!1]*&match=glob', [5]],
    ['iname=5&match=regex', [5, 15]],
    ['iname=^5,^15&match=regex', [5, 15]],
  ])('chooses instances by %s', async (query, expected) => {
    expect(idsOf((await api.get(`/pmapi/indom?indom=60.2&${query}`)).json)).toEqual(expected);
  });

  it('lists what names no instance', async () => {
    const { json } = await api.get('/pmapi/indom?indom=60.2&iname=5+minute,nope');
    expect(json.warnings).toEqual([
      { name: 'nope', message: 'Unknown or illegal instance identifier', code: 'UNKNOWN_INSTANCE', pmErr: -12360 },
    ]);
    const none = await api.get('/pmapi/indom?indom=60.2&instance=99');
    expect(none).toMatchObject({ status: 200, json: { instances: [], warnings: [{ instance: 99 }] } });
  });

  it('takes names that hold commas from a JSON body', async () => {
    const { json } = await api.post('/pmapi/indom', { body: { indom: '60.2', iname: ['a,b'] } });
    expect(json.warnings).toMatchObject([{ name: 'a,b' }]);
  });

  it.each([
    ['name=no.such', 404, 'UNKNOWN_METRIC', 'no.such - failed to lookup metric'],
    ['name=kernel.all', 400, 'NOT_A_LEAF', 'kernel.all - failed to lookup metric'],
    ['name=mem.util.free', 400, 'NULL_INDOM', 'mem.util.free - metric has null indom'],
    ['indom=60.99', 404, 'UNKNOWN_INDOM', 'failed to lookup indom 60.99'],
    ['indom=x', 400, 'BAD_PARAMETER', 'failed to lookup indom x'],
    ['indom=60.2&iname=a&match=like', 400, 'BAD_PARAMETER', "like - invalid 'match' parameter value"],
    ['indom=60.2&iname=(&match=regex', 400, 'BAD_PATTERN', expect.stringMatching(/^\( - invalid regex pattern/)],
    ['indom=60.2&match=glob', 400, 'BAD_PARAMETER', "'match' says how to match iname, but iname is missing"],
    ['indom=60.2&instance=one', 400, 'BAD_PARAMETER', expect.stringContaining("'one' of 'instance'")],
    ['', 400, 'BAD_PARAMETER', expect.stringContaining('name or indom is required')],
  ])('refuses %s', async (query, status, code, message) => {
    const answer = await api.get(`/pmapi/indom?${query}`);
    expect(answer).toMatchObject({ status, json: { code, message: message as string } });
  });
});

describe('a metric whose agent has gone', () => {
  it('is not unknown: it can be had another time', async () => {
    const orphaned = await Api.start();
    const context = await orphaned.context();
    Object.assign(orphaned.gateway.sources.at(-1)!, { describe: () => Promise.resolve([PM_ERR.NOAGENT]) });
    for (const query of ['indom?name=kernel.all.load', 'profile?expr=add&name=kernel.all.load']) {
      const { status, json } = await orphaned.get(`/pmapi/${context}/${query}`);
      expect([status, json]).toMatchObject([503, { code: 'UNAVAILABLE', parameter: 'name', pmErr: PM_ERR.NOAGENT }]);
    }
    await orphaned.stop();
  });
});

describe('/pmapi/profile', () => {
  const load = async (context: number): Promise<(number | null)[]> => {
    const { json } = await api.get(`/pmapi/${context}/fetch?names=kernel.all.load`);
    return idsOf(json.values[0]!);
  };

  it('narrows, extends, excludes and restores as pmAddProfile and pmDelProfile do', async () => {
    const id = await api.context();
    const steps: [string, number[]][] = [
      ['expr=add&indom=60.2&instance=5', [5]],
      ['expr=add&name=kernel.all.load&iname=1+minute', [1, 5]],
      ['expr=del&indom=60.2&iname=^5&match=regex', [1]],
      ['expr=del&indom=60.2', []],
      ['expr=add', [1, 5, 15]],
      // PCP: from the fresh state, deleting one instance leaves none.
      ['expr=del&indom=60.2&instance=1', []],
      ['expr=add&indom=60.2', [1, 5, 15]],
      ['expr=del&indom=60.2&instance=1', [5, 15]],
      ['expr=del', []],
    ];
    for (const [query, expected] of steps) {
      expect((await api.get(`/pmapi/${id}/profile?${query}&client=x`)).json).toEqual({
        client: 'x',
        context: id,
        success: true,
      });
      expect([query, await load(id)]).toEqual([query, expected]);
    }
    // The profile concerns fetches, not the instance domain itself; and a copy has a profile of its own.
    expect(idsOf((await api.get(`/pmapi/${id}/indom?indom=60.2`)).json)).toEqual([1, 5, 15]);
    const copy = (await api.post(`/pmapi/${id}/dup`)).json.context;
    await api.get(`/pmapi/${id}/profile?expr=add`);
    expect(await load(copy)).toEqual([]);
  });

  it('makes a context when the request has none', async () => {
    const { json } = await api.get('/pmapi/profile?expr=add&indom=60.2&instance=5');
    expect(await load(json.context)).toEqual([5]);
    const compat = await api.post('/pmapi/_profile', { body: { expr: 'add', indom: '60.2', instance: [5, 15, 77] } });
    expect(compat.json).toMatchObject({ success: true, warnings: [{ instance: 77 }] });
    expect(await load(compat.json.context)).toEqual([5, 15]);
  });

  it.each([
    ['', 400, /^invalid profile parameters/],
    ['expr=bad', 400, /^bad - invalid 'expr' parameter value$/],
    ['expr=add&iname=foo', 400, /^invalid profile parameters/],
    ['expr=add&indom=60.2&iname=nope', 404, /^invalid profile parameters: no such instances$/],
    ['expr=add&indom=60.2&instance=', 404, /^invalid profile parameters: no such instances$/],
    ['expr=del&indom=60.2&match=glob', 400, /iname is missing$/],
    ['expr=add&name=mem.util.free', 400, /metric has null indom$/],
    ['expr=add&indom=60.2&iname=[&match=regex', 400, /invalid regex pattern/],
  ])('refuses %p and changes nothing', async (query, status, message) => {
    const id = await api.context();
    const answer = await api.get(`/pmapi/${id}/profile?${query}`);
    expect(answer.status).toBe(status);
    expect(answer.json.message).toMatch(message);
    expect(await load(id)).toEqual([1, 5, 15]);
  });

  it('is not run by HEAD', async () => {
    const id = await api.context();
    expect((await api.request('HEAD', `/pmapi/${id}/profile?expr=del`)).status).toBe(200);
    expect(await load(id)).toEqual([1, 5, 15]);
  });
});
