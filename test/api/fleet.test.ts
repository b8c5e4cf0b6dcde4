import type { ContextDirectory } from '../../src/context/index.js';
import type { ContextWork } from '../../src/fleet/index.js';
import { GatewayError } from '../../src/pmapi/index.js';
import { Api } from '../support/api.js';
import { fakeFleet } from '../support/fake-fleet.js';
import { memoryGateway } from '../support/memory-gateway.js';

/** What a fleet is asked, and a directory told, in order. */
const told: string[] = [];
let refusal: GatewayError | undefined;
const note = (text: string): Promise<void> => {
  told.push(text);
  return refusal ? Promise.reject(refusal) : Promise.resolve();
};
const directory: ContextDirectory = {
  create: () => note('create'),
  save: () => note('save'),
  end: (_, how) => note(how),
};

/** Contexts of a gateway that has gone, and how contexts ended elsewhere. */
const records = new Map<number, string>();
const ends = new Map<number, string | undefined>();
const fleet = fakeFleet({
  async atHome<T extends object>(id: number, work: ContextWork<T>): Promise<T> {
    if (ends.has(id)) return work.gone(ends.get(id));
    await work.restore(records.get(id)!);
    return work.here();
  },
});

const gateway = memoryGateway({ directory });
const api = Api.serving(gateway, { fleet });
beforeEach(() => {
  told.length = 0;
  refusal = undefined;
});

/** Makes a context with a definition of its own, and has the gateway that made it go. */
async function orphan(authorization?: string): Promise<number> {
  const headers = authorization === undefined ? {} : { authorization };
  const { context } = (await api.request('GET', '/pmapi/context?hostspec=web1', { headers })).json;
  await api.request('GET', `/pmapi/${context}/derive?name=my.load&expr=kernel.all.load*2`, { headers });
  records.set(context, gateway.contexts.record(context)!.text);
  gateway.contexts.drop(context);
  return context;
}

describe('a gateway of a fleet', () => {
  it('answers a change once it is noted', async () => {
    const { context } = (await api.get('/pmapi/context')).json;
    expect(told).toEqual(['create']);
    await api.get(`/pmapi/${context}/fetch?name=kernel.all.load`);
    expect(told).toEqual(['create']);
    await api.get(`/pmapi/${context}/profile?expr=del`);
    await api.get(`/pmapi/${context}/derive?name=my.load&expr=kernel.all.load`);
    await api.request('DELETE', `/pmapi/${context}`);
    expect(told).toEqual(['create', 'save', 'save', 'destroyed']);
  });

  it('says so when a change may be lost', async () => {
    const { context } = (await api.get('/pmapi/context')).json;
    refusal = new GatewayError('OUTCOME_UNKNOWN', 'the change may be lost');
    expect(await api.get(`/pmapi/${context}/profile?expr=del`)).toMatchObject({
      status: 503,
      json: { code: 'OUTCOME_UNKNOWN', context },
    });
  });

  it('opens no context that it cannot note', async () => {
    refusal = new GatewayError('UNAVAILABLE', 'not now');
    const before = gateway.contexts.size;
    expect(await api.get('/pmapi/context')).toMatchObject({ status: 503, json: { code: 'UNAVAILABLE' } });
    expect(gateway.contexts.size).toBe(before);
  });

  it('goes on with a context of a gateway that has gone', async () => {
    const context = await orphan();
    const answer = await api.get(`/pmapi/${context}/fetch?name=my.load`);
    expect(answer).toMatchObject({ status: 200, json: { context } });
    expect(answer.json.values[0]!.instances).toHaveLength(3);
  });

  it('opens it with the credentials of the request, and for the same user only', async () => {
    const basic = (login: string): string => `Basic ${Buffer.from(login).toString('base64')}`;
    const context = await orphan(basic('alice:secret'));
    expect(records.get(context)).not.toContain('secret');
    const fetchAs = async (authorization?: string): Promise<number> => {
      const headers = authorization === undefined ? {} : { authorization };
      return (await api.request('GET', `/pmapi/${context}/fetch?name=my.load`, { headers })).status;
    };
    expect(await fetchAs()).toBe(401);
    expect(await fetchAs(basic('bob:secret'))).toBe(403);
    expect(gateway.contexts.openAs(context)).toBeUndefined();
    expect(await fetchAs(basic('alice:secret'))).toBe(200);
    expect(gateway.contexts.list().find(({ id }) => id === context)?.spec).toMatchObject({ password: 'secret' });
  });

  it('says how a context ended that another gateway had', async () => {
    ends.set(7, 'expired').set(8, undefined);
    const { json, status } = await api.get('/pmapi/7/fetch?name=kernel.all.load');
    expect([status, json.code, json.message]).toEqual([404, 'UNKNOWN_CONTEXT', 'expired context identifier: 7']);
    expect((await api.get('/pmapi/8/fetch?name=kernel.all.load')).json.message).toBe('unknown context identifier: 8');
  });

  it('answers for its shared contexts itself', async () => {
    const { context } = (await api.get('/pmapi/fetch?name=kernel.all.load')).json;
    expect((await api.get(`/pmapi/${context}/fetch?name=kernel.all.load`)).status).toBe(200);
    expect(told).toEqual([]);
  });
});
