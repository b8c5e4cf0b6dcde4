import { type PmgateClient, PmgateError } from '../../src/client/index.js';
import { BUILT_START, counterAt } from '../support/archive-gateway.js';
import { withServedClient } from './support/served-client.js';
import { rows } from '../support/rows.js';

let client: PmgateClient;
withServedClient((made) => (client = made));

describe('PmgateClient', () => {
  it('fetches by names, as a list or as one text', async () => {
    const one = await client.fetch('mem.util.free', { hostspec: 'web1' });
    expect(one.values).toEqual([
      { pmid: '60.1.2', name: 'mem.util.free', instances: [{ instance: null, value: 23987772 }] },
    ]);
    const { values, warnings } = await client.fetch({ names: ['kernel.all.load', 'no.such'], hostspec: 'web1' });
    expect(values.map(({ name }) => name)).toEqual(['kernel.all.load']);
    expect(warnings).toMatchObject([{ name: 'no.such', code: 'UNKNOWN_METRIC' }]);
  });

  it('throws what the gateway says is wrong', async () => {
    const failure = client.fetch({ names: 'x', hostspec: 'web1', context: 12 }).catch((error: unknown) => error);
    const error = (await failure) as PmgateError;
    expect(error).toBeInstanceOf(PmgateError);
    expect(error).toMatchObject({ code: 'UNKNOWN_CONTEXT', status: 404, message: 'unknown context identifier: 12' });
    expect(error.details).toMatchObject({ context: 12, pmErr: -12376 });
  });

  it('reads a range sample by sample', async () => {
    const seen: unknown[] = [];
    for await (const { timestamp, values } of client.range('test.counter', {
      archive: 'built',
      start: '2sec',
      samples: 2,
    })) {
      seen.push([timestamp - BUILT_START, values[0]?.instances[0]?.value]);
    }
    expect(seen).toEqual(rows([2, counterAt(2)], [3, counterAt(3)]));
  });

  it('asks several things at once, each with its own outcome', async () => {
    const [made, fetched, unknown] = await client.batch([
      { id: 'made', method: 'POST', path: '/pmapi/context', body: { hostspec: 'web1' } },
      { path: '/pmapi/{$made.context}/fetch?names=mem.util.free' },
      { path: '/pmapi/fetch?name=no.such' },
    ]);
    expect([made?.status, made?.id, fetched?.status]).toEqual([200, 'made', 200]);
    expect(fetched?.body).toMatchObject({ values: [{ name: 'mem.util.free' }] });
    expect(unknown?.error).toBeInstanceOf(PmgateError);
    expect(unknown?.error).toMatchObject({ code: 'UNKNOWN_METRIC', status: 404 });
    expect(await client.batch([])).toEqual([]);
  });

  it('stores what a source lets it', async () => {
    await expect(client.store('mem.util.free', 1n, { hostspec: 'web1' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});
