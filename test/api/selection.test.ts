import fc from '../support/properties.js';
import { type OpenedArchives, archiveFactory } from '../support/archive-gateway.js';
import type { ColumnsJson, RowsJson } from '../support/api.js';
import { ExampleGateway } from '../support/example-gateway.js';
import { rows } from '../support/rows.js';

let archives: OpenedArchives;
let gateway: ExampleGateway;

beforeAll(async () => {
  archives = archiveFactory();
  gateway = await ExampleGateway.start(archives);
});
afterAll(async () => {
  await gateway.stop();
  await archives.close();
});

async function fetch(
  query: Readonly<Record<string, string>>,
): Promise<{ readonly text: string; readonly json: unknown }> {
  const answer = await gateway.api.get(`/pmapi/fetch?${new URLSearchParams(query).toString()}`);
  expect([query, answer.status, answer.status === 200 ? '' : answer.text]).toEqual([query, 200, '']);
  return answer;
}
const refusal = async (query: Readonly<Record<string, string>>): Promise<unknown> => {
  const answer = await gateway.api.get(`/pmapi/fetch?${new URLSearchParams(query).toString()}`);
  return [answer.status, answer.json];
};

const NAMES = new Map(rows([0, 'red'], [1, 'green'], [2, 'blue "and" more']));
const RANGE = { archive: 'built', names: 'test.gauge,test.counter,test.text' };

/** The instances of a metric by their means, greatest first. */
function ranked(samples: RowsJson['samples'], m: number): readonly (number | null)[] {
  const means = new Map<number | null, number[]>();
  for (const { values } of samples) {
    for (const { instance, value } of values[m]!.instances)
      means.set(instance, [...(means.get(instance) ?? []), Number(value)]);
  }
  const mean = (list: readonly number[]): number => list.reduce((sum, value) => sum + value, 0) / list.length;
  return [...means].sort((a, b) => mean(b[1]) - mean(a[1])).map(([instance]) => instance);
}

describe('a selection of a range', () => {
  const choices = fc.record(
    {
      iname: fc.subarray(['red', 'green', 'grey'], { minLength: 1 }),
      instance: fc.subarray([0, 1, 2, 9], { minLength: 1 }),
      rate: fc.boolean(),
      interval: fc.constantFrom('1', '2'),
      top: fc.integer({ min: 1, max: 3 }),
    },
    { requiredKeys: [] },
  );

  it('has the values that choosing by hand gives, in every form', async () => {
    await fc.assert(
      fc.asyncProperty(choices, async ({ iname, instance, rate, interval, top }) => {
        const common = {
          ...RANGE,
          ...(interval === undefined ? {} : { interval }),
          ...(rate === undefined ? {} : { rate: String(rate) }),
        };
        const filters = {
          ...(iname ? { iname: iname.join(',') } : {}),
          ...(instance ? { instance: instance.join(',') } : {}),
        };
        const all = (await fetch({ ...common, format: 'rows' })).json as RowsJson;
        const isWanted = (id: number | null): boolean =>
          id === null || ((!iname || iname.includes(NAMES.get(id)!)) && (!instance || instance.includes(id)));
        // A mark has no values.
        const samples = all.samples.filter(({ values }) => values.length > 0);
        const byHand = samples.map(({ timestamp, values }) => ({
          timestamp,
          values: values.map((metric) => ({
            ...metric,
            instances: metric.instances.filter((one) => isWanted(one.instance)),
          })),
        }));
        const filtered = (await fetch({ ...common, ...filters, format: 'rows' })).json as RowsJson;
        // Recorded samples that hold nothing that is wanted may be left out.
        const held = ({ values }: RowsJson['samples'][number]): boolean =>
          values.some(({ instances }) => instances.length > 0);
        expect(filtered.samples.filter(held)).toEqual(byHand.filter(held));
        expect((filtered.warnings ?? []).map(({ name }) => name)).toEqual(iname?.includes('grey') ? ['grey'] : []);
        if (top === undefined) return;

        const greatest = (await fetch({ ...common, ...filters, top: String(top), format: 'rows' })).json as RowsJson;
        expect(greatest.samples.filter(held)).toEqual(
          byHand.filter(held).map((sample) => ({
            ...sample,
            values: sample.values.map((metric) => ({
              ...metric,
              instances: [...metric.instances]
                .sort((a, b) => (a.instance === null ? 0 : Number(b.value) - Number(a.value)))
                .slice(0, top),
            })),
          })),
        );
        const columns = (await fetch({ ...common, ...filters, top: String(top), format: 'columns' }))
          .json as ColumnsJson;
        const expected = ranked(byHand, 0).slice(0, top);
        expect(columns.metrics[0]!.series.map((series) => series.instance)).toEqual(expected);
        const { text } = await fetch({ ...common, ...filters, top: String(top), format: 'csv' });
        const headings = text.split('\r\n')[0]!.match(/test\.gauge\[\w+/g) ?? [];
        expect(headings).toEqual(expected.map((id) => `test.gauge[${NAMES.get(id!)!.replace(/ .*/, '')}`));
      }),
      { numRuns: 25 },
    );
  });

  it('does not change what derived metrics are', async () => {
    const { api, clock } = gateway;
    const total = async (query: object): Promise<unknown> => {
      const names = 'disk.all.read_bytes,disk.dev.read_blocks';
      const { samples } = (await fetch({ names, format: 'rows', ...query })).json as RowsJson;
      return samples.map(({ values }) => values.map(({ instances }) => instances.map(({ value }) => value)));
    };
    await api.get('/pmapi/fetch?names=disk.dev.read_bytes');
    clock.advance(1000);
    expect(await total({ iname: 'sdb' })).toEqual([[[6_000_000], [2_000_000 / 512]]]);
    expect(await total({ labels: 'device_type="sd"' })).toEqual([[[], [3_000_000 / 512, 2_000_000 / 512]]]);
  });
});

describe('a selection that cannot be', () => {
  it.each([
    [{ names: 'mem.util.free', labels: 'a=~"("' }, 'BAD_PATTERN', 'labels'],
    [{ names: 'mem.util.free', labels: '' }, 'BAD_PARAMETER', 'labels'],
    [{ names: 'mem.util.free', top: 'many' }, 'BAD_PARAMETER', 'top'],
    [{ names: 'mem.util.free', match: 'fuzzy', iname: 'x' }, 'BAD_PARAMETER', 'match'],
    [{ names: 'mem.util.free', instance: 'sda' }, 'BAD_PARAMETER', 'instance'],
    [{ names: 'mem.util.free,pmcd.hostname', units: 'Mbyte' }, 'CONVERSION', 'units'],
    [{ names: 'mem.util.free', times: 'local' }, 'BAD_PARAMETER', 'times'],
    [{ names: 'mem.util.free', times: 'iso', zone: 'Nowhere/None' }, 'BAD_PARAMETER', 'zone'],
    [{ names: 'mem.util.free', zone: 'UTC' }, 'BAD_PARAMETER', 'zone'],
    [{ names: 'mem.util.free', numbers: 'big' }, 'BAD_PARAMETER', 'numbers'],
  ])('is refused, of a fetch and of a range: %j', async (query, code, parameter) => {
    expect(await refusal(query)).toMatchObject([400, { code, parameter }]);
    if (parameter === 'zone' && !('times' in query)) return;
    expect(await refusal({ ...query, format: 'columns' })).toMatchObject([400, { code, parameter }]);
  });

  it('is refused once for several hosts', async () => {
    expect(await refusal({ names: 'mem.util.free', hostspec: 'a;b', top: '0' })).toMatchObject([
      400,
      { parameter: 'top' },
    ]);
    expect(await refusal({ names: 'mem.util.free', hostspec: 'a;b', labels: 'x' })).toMatchObject([
      400,
      { parameter: 'labels' },
    ]);
  });
});

it('of an archive that is read record by record has the rates between the records', async () => {
  const { api } = gateway;
  const context = (await api.get('/pmapi/context?archive=built')).json.context;
  const next = async (): Promise<unknown> =>
    (await api.get(`/pmapi/${context}/fetch?names=test.counter&rate=true`)).json.values[0]!.instances.map(
      ({ value }) => value,
    );
  expect([await next(), await next(), await next()]).toEqual([[], [10], [10]]);
});
