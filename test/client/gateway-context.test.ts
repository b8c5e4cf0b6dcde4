import type { GatewayContext, PmgateClient } from '../../src/client/index.js';
import { BUILT_START } from '../support/archive-gateway.js';
import type { Api } from '../support/api.js';
import { withServedClient } from './support/served-client.js';

let client: PmgateClient;
let api: Api;
let context: GatewayContext;
withServedClient((made, of) => ([client, api] = [made, of]));
beforeEach(async () => {
  context = await client.context({ hostspec: 'web1', polltimeout: 100 });
});
afterEach(() => context.destroy());

/** Lets the context go behind the client's back, as time does. */
async function expire(): Promise<void> {
  expect((await api.request('DELETE', `/pmapi/${context.id}`)).status).toBe(200);
}

describe('GatewayContext', () => {
  it('knows what it is', async () => {
    expect(context.info).toMatchObject({ context: context.id, hostspec: 'web1' });
    expect(await context.describe()).toMatchObject({ polltimeout: 100, shared: false });
  });

  it('has derived metrics of its own', async () => {
    await context.derive('my.twice', '2 * mem.util.free');
    await context.derive('my.a = 1\nmy.b = 2\n');
    const { values } = await context.fetch(['my.twice', 'my.b']);
    expect(values.map(({ instances }) => instances[0]?.value)).toEqual([2 * 23987772, 2]);
    const check = await context.check('my.twice + 1');
    expect(check).toMatchObject({ ok: false, errors: [{ code: 'nested-derived-metric' }] });
    await expect(context.derive('my.c', '1 +')).rejects.toMatchObject({ code: 'SYNTAX_ERROR', status: 400 });
  });

  it('has a profile of its own', async () => {
    await context.profile({ expr: 'del' });
    await context.profile({ expr: 'add', name: 'kernel.all.load', iname: ['5 minute'] });
    const { values } = await context.fetch('kernel.all.load');
    expect(values[0]?.instances.map(({ instance }) => instance)).toEqual([5]);
  });

  it('tells of names, metadata and instances', async () => {
    expect((await context.children('kernel.all')).leaf).toEqual(['load', 'sysfork']);
    expect((await context.children()).nonleaf).toContain('kernel');
    const { metrics, warnings } = await context.metrics(['kernel.all', 'no.such']);
    expect(metrics.map(({ name }) => name)).toEqual(['kernel.all.load', 'kernel.all.sysfork']);
    expect(warnings?.map(({ name }) => name)).toEqual(['no.such']);
    const { instances } = await context.indom({ name: 'kernel.all.load', instance: [1, 5] });
    expect(instances.map(({ name }) => name)).toEqual(['1 minute', '5 minute']);
  });

  it('is made again when it has expired, with its derived metrics and its profile', async () => {
    const { id } = context;
    await context.derive('my.twice', '2 * mem.util.free');
    await context.profile({ expr: 'del', name: 'kernel.all.load' });
    await context.profile({ expr: 'add', name: 'kernel.all.load', instance: [15] });
    await expire();
    const { values } = await context.fetch(['my.twice', 'kernel.all.load']);
    expect(values.map(({ instances }) => instances.map(({ instance }) => instance))).toEqual([[null], [15]]);
    expect([context.renewals, context.id === id]).toEqual([1, false]);
    expect(await context.describe()).toMatchObject({ polltimeout: 100 });
  });

  it('is made again once for all calls that find it gone', async () => {
    await expire();
    const answers = await Promise.all([
      context.fetch('mem.util.free'),
      context.children('kernel'),
      context.check('mem.util.free'),
      context.metrics('kernel.all.load'),
    ]);
    expect(answers.map((answer) => answer.context)).toEqual(answers.map(() => context.id));
    expect(context.renewals).toBe(1);
  });

  it('is made again by what changes it, too', async () => {
    await expire();
    await context.derive('my.one', '1');
    await context.derive('my.two', '2');
    await expire();
    expect((await context.fetch(['my.one', 'my.two'])).values).toHaveLength(2);
  });

  it('is not made again once it was let go of, until that is asked for', async () => {
    await context.destroy();
    await context.destroy();
    await expect(context.fetch('mem.util.free')).rejects.toMatchObject({ code: 'UNKNOWN_CONTEXT' });
    await context.renew();
    expect((await context.fetch('mem.util.free')).values).toHaveLength(1);
  });

  it('does not lose its way in an archive', async () => {
    context = await client.context({ archive: 'built' });
    await expire();
    // Nothing was fetched so far: the beginning is where it was.
    expect((await context.fetch('test.counter')).timestamp).toBe(BUILT_START);
    expect(context.renewals).toBe(1);
    expect(await context.mode({ mode: 'interp', time: BUILT_START + 2, interval: 0.5 })).toMatchObject({
      interval: 0.5,
    });
    expect((await context.fetch('test.counter')).timestamp).toBe(BUILT_START + 2);
    expect((await context.fetch({ names: 'test.counter', times: 'iso' })).timestamp).toBe(
      '1970-01-12T13:46:42.500000000Z',
    );
    await expire();
    await expect(context.fetch('test.counter')).rejects.toMatchObject({ code: 'UNKNOWN_CONTEXT' });
    await context.renew();
    expect((await context.fetch('test.counter')).timestamp).toBe(BUILT_START);
  });

  it('reads ranges of its derived metrics', async () => {
    context = await client.context({ archive: 'built' });
    await context.derive('my.tenth', 'test.counter / 10');
    await expire();
    const seen: unknown[] = [];
    for await (const { values } of context.range({ names: 'my.tenth', start: '0sec', samples: 3 })) {
      seen.push(values[0]?.instances[0]?.value);
    }
    expect(seen).toEqual([10, 11, 12]);
  });
});
