import { tableFromIPC as flechetteTable } from '@uwdata/flechette';
import { tableFromIPC as arrowTable } from 'apache-arrow';
import { createPmgateClient } from '../../src/client/index.js';
import { servedArchives } from '../support/archive-gateway.js';

const served = servedArchives({ defined: { 'test.double': 'test.counter * 2' } });

const ARROW = 'application/vnd.apache.arrow.stream';

async function bytesOf(query: string, headers: Record<string, string> = {}): Promise<Uint8Array> {
  const response = await fetch(`${served.api.url}/pmapi/fetch?${query}`, { headers });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, ARROW]);
  return new Uint8Array(await response.arrayBuffer());
}

/** Every value, by time in nanoseconds, metric and instance. */
type Values = ReadonlyMap<string, string>;

async function rows(query: string): Promise<Values> {
  const { text } = await served.api.get(`/pmapi/fetch?${query}&format=rows&numbers=exact`);
  const { metrics, samples } = JSON.parse(text.replaceAll(/"timestamp":(\d+)\.(\d{9})/g, '"timestamp":"$1$2"')) as {
    metrics: { name: string; type: string }[];
    samples: {
      timestamp: string;
      values: { name: string; instances: { instance: number | null; value: unknown }[] }[];
    }[];
  };
  const floats = new Set(metrics.filter(({ type }) => type === 'float').map(({ name }) => name));
  return new Map(
    samples.flatMap(({ timestamp, values }) =>
      values.flatMap(({ name, instances }) =>
        instances.map(
          ({ instance, value }) =>
            [
              `${timestamp} ${name} ${instance ?? ''}`,
              String(floats.has(name) ? Math.fround(Number(value)) : value),
            ] as const,
        ),
      ),
    ),
  );
}

function withFlechette(bytes: Uint8Array): Values {
  const table = flechetteTable(bytes, { useBigInt: true, useBigIntTimestamp: true });
  const times = [...table.getChild('time')] as bigint[];
  return new Map(
    table.schema.fields
      .slice(1)
      .flatMap(({ metadata }, k) =>
        [...table.getChildAt(k + 1)].flatMap((value, row) =>
          value === null
            ? []
            : [[`${times[row]} ${metadata.get('metric')} ${metadata.get('instid') ?? ''}`, String(value)] as const],
        ),
      ),
  );
}

function withApacheArrow(bytes: Uint8Array): Values {
  const table = arrowTable(bytes);
  const times = table.getChild('time')!.toArray() as BigInt64Array;
  const values = new Map<string, string>();
  for (const [k, { metadata }] of table.schema.fields.entries()) {
    if (k === 0) continue;
    const column = table.getChildAt(k)!;
    for (let row = 0; row < table.numRows; row++) {
      const value = column.get(row) as bigint | number | string | null;
      if (value !== null)
        values.set(`${times[row]} ${metadata.get('metric')} ${metadata.get('instid') ?? ''}`, String(value));
    }
  }
  return values;
}

describe('format=arrow', () => {
  it.each([
    'archive=built&names=test.counter,test.gauge,test.text',
    'archive=built&names=test.gauge,test.double&interval=1sec',
    'archive=built&names=test.counter&rate=true',
    'archive=built&names=test.counter,test.gauge&start=1sec&interval=500msec&samples=9',
    'archive=built&names=test.gauge&points=2&decimation=max',
    'archive=built&names=test.counter&units=Kbyte',
    'archive=recorded/live-v3&prefix=kernel',
    'archive=recorded/live-v3&prefix=network.interface.in',
    'archive=recorded/live-v2&names=kernel.all.load,kernel.all.nprocs',
  ])('has the values that rows have, read by both libraries: %s', async (query) => {
    const bytes = await bytesOf(`${query}&format=arrow`);
    const expected = await rows(query);
    expect(expected.size).toBeGreaterThan(0);
    expect(withFlechette(bytes)).toEqual(expected);
    expect(withApacheArrow(bytes)).toEqual(expected);
  });

  it('tells what a column is', async () => {
    const bytes = await bytesOf('archive=built&names=test.counter,test.gauge&format=arrow');
    const { fields } = arrowTable(bytes).schema;
    expect(fields.map(({ name, type, nullable }) => [name, String(type), nullable])).toEqual([
      ['time', 'Timestamp<NANOSECOND, UTC>', false],
      ['test.counter', 'Uint64', true],
      ['test.gauge[red]', 'Float64', true],
      ['test.gauge[green]', 'Float64', true],
      ['test.gauge[blue "and" more]', 'Float64', true],
    ]);
    expect(Object.fromEntries(fields[1]!.metadata)).toEqual({
      metric: 'test.counter',
      type: 'u64',
      semantics: 'counter',
      units: 'byte',
      labels: '{"era":"second","hostname":"recorded.example"}',
    });
    expect(Object.fromEntries(fields[4]!.metadata)).toMatchObject({
      metric: 'test.gauge',
      instance: 'blue "and" more',
      instid: '2',
      semantics: 'instant',
    });
  });

  it('is chosen by Accept', async () => {
    const bytes = await bytesOf('archive=built&names=test.counter&start=0sec', { accept: ARROW });
    expect(flechetteTable(bytes).numRows).toBe(10);
  });

  it('is chosen by Accept without a time window, too; JSON as before by clients that prefer it or take anything', async () => {
    const plain = 'archive=built&names=test.counter';
    const bytes = await bytesOf(plain, { accept: ARROW });
    expect(bytes).toEqual(await bytesOf(`${plain}&format=arrow`));
    for (const accept of ['*/*', `application/json, ${ARROW};q=0.5`]) {
      const { headers, json } = await served.api.request('GET', `/pmapi/fetch?${plain}`, { headers: { accept } });
      expect([headers['content-type'], json]).toEqual([
        'application/json',
        expect.objectContaining({ values: expect.anything() }),
      ]);
    }
  });

  it('of an empty window is a table without rows', async () => {
    const table = arrowTable(await bytesOf('archive=built&names=test.counter&start=1hour&format=arrow'));
    expect([table.numRows, table.numCols]).toEqual([0, 2]);
  });

  it('comes to clients in pieces', async () => {
    const client = createPmgateClient(served.api.url);
    const pieces: Uint8Array[] = [];
    for await (const piece of client.arrow('test.gauge', { archive: 'built' })) pieces.push(piece);
    expect(flechetteTable(Buffer.concat(pieces)).numRows).toBe(10);
  });

  it('cannot be part of a batch', async () => {
    const body = [{ path: '/pmapi/fetch?archive=built&names=test.counter&format=arrow' }];
    const { json } = await served.api.post('/pmapi/batch', { body, type: 'application/json' });
    expect(json).toMatchObject({ responses: [{ status: 400, body: { code: 'BAD_PARAMETER' } }] });
  });
});
