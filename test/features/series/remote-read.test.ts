import { compress } from 'snappyjs';
import { ContextManager } from '../../../src/context/index.js';
import { systemClock } from '../../../src/pmapi/index.js';
import { Api } from '../../support/api.js';
import { ArchiveBuilder } from '../../support/archive-builder.js';
import { REMOTE_READ_HEADERS, readRequest, remoteRead } from '../../support/remote-read.js';
import type { RemoteQuery, RemoteSeries } from '../../support/remote-read.js';
import { type SeriesApi, seriesApi } from '../../support/series-gateway.js';
import { rows } from '../../support/rows.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const START = 1_000_000;
const LATER = START + 10_000;
const PMID = (item: number): number => 100 * 2 ** 22 + item;
const DISKS = PMID(0);

/** Counters and gauges of a second each, from `start` on; with a mark at the third second. */
function build(hostName: string, start: number, marks: boolean): ArchiveBuilder {
  const builder = new ArchiveBuilder({ version: 3, start: [start, 0], hostName });
  builder
    .metric({ pmid: PMID(1), names: ['disk.bytes'], type: 3, semantics: 1, indom: DISKS, units: 0x10000000 })
    .metric({ pmid: PMID(2), names: ['kernel.load'], type: 5, semantics: 3 })
    .metric({ pmid: PMID(3), names: ['kernel.release'], type: 6, semantics: 4 })
    .metric({ pmid: PMID(4), names: ['kernel.signed'], type: 2, semantics: 1 })
    .indom([start, 0], DISKS, rows([0, 'sda'], [1, 'sdb']))
    .labels([start, 0], 1, 0xffffffff, [[-1, { hostname: hostName, site: 'north' }]])
    .labels([start, 0], 32, DISKS, [[1, { 'device-type': 'spare' }]]);
  for (let s = 0; s < 6; s++) {
    if (marks && s === 3) {
      builder.mark([start + s, 0]);
      continue;
    }
    builder.record(
      [start + s, 7_654_321],
      [
        {
          pmid: PMID(1),
          values: rows([0, 10 * s], [1, 2n ** 60n + BigInt(s)]),
        },
        { pmid: PMID(2), values: [[-1, s / 4]] },
        { pmid: PMID(3), values: [[-1, 'six']] },
        { pmid: PMID(4), values: [[-1, s - 4]] },
      ],
    );
  }
  return builder;
}

let served: SeriesApi;
const root = temporaryDirectory().path;

beforeAll(async () => {
  build('web1', START, true).write(root, 'web1-a');
  build('web1', START + 100, false).write(root, 'web1-b');
  build('web2', START, false).write(root, 'web2');
  new ArchiveBuilder({ version: 3, start: [LATER, 0], hostName: 'floats' })
    .metric({ pmid: PMID(5), names: ['some.float'], type: 4, semantics: 3 })
    .record([LATER, 0], [{ pmid: PMID(5), values: [[-1, 16.73]] }])
    .write(root, 'floats');
  served = await seriesApi(root);
});

afterAll(() => served.stop());

const query = (...matchers: RemoteQuery['matchers'][number][]): RemoteQuery => ({
  startMs: START * 1000,
  endMs: (START + 5) * 1000 + 7,
  matchers,
});
async function ask(queries: readonly RemoteQuery[], search = ''): Promise<readonly (readonly RemoteSeries[])[]> {
  const { status, text, results } = await remoteRead(served.api.port, queries, { search });
  expect([status, text]).toEqual([200, '']);
  return results;
}
const namesOf = (series: readonly RemoteSeries[]): readonly string[] =>
  series.map(({ labels }) => [labels.__name__, labels.hostname, labels.instname].filter(Boolean).join(' ')).sort();

const exposed = ({ __name__, ...labels }: RemoteSeries['labels']): string =>
  sorted(
    `${__name__}{${Object.entries(labels)
      .map(([name, value]) => `${name}="${value}"`)
      .join()}}`,
  );
const sorted = (line: string): string =>
  line.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(',').sort().join()}}`);

describe('samples', () => {
  it('of floats are what they were written as, not their widened bits', async () => {
    const [startMs, endMs] = [LATER * 1000, (LATER + 1) * 1000];
    const [found] = await ask([{ startMs, endMs, matchers: [['__name__', '=', 'some_float']] }]);
    expect(found!.map(({ samples }) => samples)).toEqual([[[startMs, 16.73]]]);
  });

  it('come to the millisecond, with a stale marker at a mark', async () => {
    const [found] = await ask([query(['hostname', '=', 'web1'], ['__name__', '=', 'kernel_load'])]);
    expect(found![0]).toEqual({
      labels: { __name__: 'kernel_load', hostname: 'web1', site: 'north' },
      samples: [
        [START * 1000 + 7, 0],
        [START * 1000 + 1007, 0.25],
        [START * 1000 + 2007, 0.5],
        [START * 1000 + 3000, 'stale'],
        [START * 1000 + 4007, 1],
        [START * 1000 + 5007, 1.25],
      ],
    });
  });

  it('are those within the window, both ends included', async () => {
    const window = {
      ...query(['__name__', '=', 'kernel_load']),
      startMs: START * 1000 + 1007,
      endMs: START * 1000 + 2007,
    };
    const times = (await ask([window]))[0]!.map(({ samples }) => samples.map(([ms]) => ms - START * 1000));
    expect(times).toEqual(rows([1007, 2007], [1007, 2007]));
    expect(await ask([{ ...window, startMs: START * 1000 + 1008, endMs: START * 1000 + 2006 }])).toEqual([[]]);
  });

  it('of several archives of a host are one series, which ends between them', async () => {
    const window = {
      ...query(['__name__', '=', 'disk_bytes_total'], ['instname', '=', 'sda'], ['hostname', '=', 'web1']),
      endMs: (START + 101) * 1000,
    };
    const [series] = await ask([window]);
    expect(series).toHaveLength(1);
    expect(series![0]!.samples.slice(-3)).toEqual([
      [(START + 5) * 1000 + 7, 50],
      [(START + 5) * 1000 + 8, 'stale'],
      [(START + 100) * 1000 + 7, 0],
    ]);
  });

  it('are numbers as Prometheus has them: doubles, and no negative counters', async () => {
    const [disks, signed] = await ask([
      query(['__name__', '=', 'disk_bytes_total'], ['instname', '=', 'sdb'], ['hostname', '=', 'web2']),
      query(['__name__', '=', 'kernel_signed_total'], ['hostname', '=', 'web2']),
    ]);
    expect(disks![0]!.samples[0]![1]).toBe(2 ** 60);
    expect(signed![0]!.samples.map(([, value]) => value)).toEqual([0, 1]);
  });

  it('are one for each series where the query is about series', async () => {
    const [series] = await ask([{ ...query(['__name__', '=~', '.+']), func: 'series' }]);
    expect(series!.every(({ samples }) => samples.length === 1)).toBe(true);
    expect(series).toHaveLength(8);
  });
});

describe('matchers', () => {
  it.each([
    [
      'an equal name and label',
      rows(['__name__', '=', 'kernel_load'], ['hostname', '=', 'web2']),
      ['kernel_load web2'],
    ],
    ['no name at all', rows(['instname', '=', 'sdb'], ['hostname', '=', 'web2']), ['disk_bytes_total web2 sdb']],
    ['an anchored regular expression', [['__name__', '=~', 'kernel_lo']], []],
    [
      'one that matches',
      rows(['__name__', '=~', 'kernel_lo.*|disk.*'], ['hostname', '=~', 'web[2-3]']),
      ['disk_bytes_total web2 sda', 'disk_bytes_total web2 sdb', 'kernel_load web2'],
    ],
    [
      'one that must not match',
      rows(['__name__', '!~', 'disk.*|kernel_signed.*'], ['hostname', '!=', 'web1']),
      ['kernel_load web2'],
    ],
    [
      'an empty text, for a label that is not there',
      rows(['instname', '=', ''], ['hostname', '=', 'web2'], ['__name__', '!=', 'kernel_signed_total']),
      ['kernel_load web2'],
    ],
    [
      'an empty text among others',
      rows(['instname', '=~', '|sda'], ['hostname', '=', 'web2'], ['__name__', '!=', 'kernel_signed_total']),
      ['disk_bytes_total web2 sda', 'kernel_load web2'],
    ],
    [
      'a text that a missing label is not',
      rows(['instname', '!=', ''], ['hostname', '=', 'web2']),
      ['disk_bytes_total web2 sda', 'disk_bytes_total web2 sdb'],
    ],
  ] as const)('select by %s', async (_what, matchers, names) => {
    const [series] = await ask([query(...matchers)]);
    expect(namesOf(series!)).toEqual(names);
  });

  it('of several queries are answered in order, empty ones too', async () => {
    const results = await ask([
      query(['__name__', '=', 'kernel_load']),
      query(['__name__', '=', 'nothing']),
      query(['__name__', '=', 'disk_bytes_total']),
    ]);
    expect(results.map((series) => series.length)).toEqual([2, 0, 4]);
  });
});

describe('parameters', () => {
  it('choose archives, and whose names metrics have', async () => {
    const all = query(['__name__', '=~', 'disk.*']);
    expect(namesOf((await ask([all], '?archive=web2'))[0]!)).toEqual([
      'disk_bytes_total web2 sda',
      'disk_bytes_total web2 sdb',
    ]);
    expect(namesOf((await ask([all], '?archive=web2&format=text'))[0]!)).toEqual([
      'disk_bytes web2 sda',
      'disk_bytes web2 sdb',
    ]);
    expect(await remoteRead(served.api.port, [all], { search: '?archive=web3' })).toMatchObject({ status: 404 });
    expect(await remoteRead(served.api.port, [all], { search: '?format=other' })).toMatchObject({ status: 400 });
  });

  it('are the names and labels that a scrape of the archive has', async () => {
    const contexts = new ContextManager({
      sources: { open: (spec) => served.archives.open({ archive: spec.kind === 'archive' ? spec.archive : '' }) },
      clock: systemClock,
      limits: { contexts: 10, pollTimeoutMs: 60_000, maxPollTimeoutMs: 60_000 },
    });
    const api = await Api.start({ contexts, opened: [], sources: [] });
    for (const format of ['openmetrics', 'text']) {
      const { text } = await api.get(`/metrics?archive=web2&format=${format}&filter=kernel.signed`);
      const scraped = text.split('\n').flatMap((line) => /^([^# ]+) /.exec(line)?.[1] ?? []);
      expect(scraped).toHaveLength(3);
      const [series] = await ask([query(['__name__', '=~', 'disk.*|kernel_load'])], `?archive=web2&format=${format}`);
      expect(series!.map(({ labels }) => exposed(labels)).sort()).toEqual(scraped.map(sorted).sort());
    }
    await api.stop();
    await contexts.close();
  });
});

describe('what is refused', () => {
  const post = async (
    body: Uint8Array,
    headers: Record<string, string> = REMOTE_READ_HEADERS,
  ): Promise<[number, string]> => {
    const answer = await fetch(`http://127.0.0.1:${served.api.port}/api/v1/read`, { method: 'POST', headers, body });
    return [answer.status, await answer.text()];
  };

  it('says in its first line why: Prometheus shows that as a warning', async () => {
    const [status, text] = await post(compress(readRequest([query(['__name__', '=~', '('])])));
    expect(status).toBe(400);
    expect(text.split('\n')[0]).toContain('__name__=~\\"(\\" - invalid regular expression');
  });

  it.each([
    ['a length that is more than a message may have', Buffer.from('ffffffff0f00', 'hex')],
    ['a length that is not followed by as much', Buffer.from('80800400', 'hex')],
    ['a length beyond 32 bits', Buffer.from('ffffffffffff7f', 'hex')],
    ['no snappy', Buffer.from('hello, gateway')],
    ['no protobuf', compress(Buffer.from('hello, gateway'))],
    ['nothing', Buffer.alloc(0)],
    ['a matcher of an unknown type', compress(Buffer.from('0a071a050809120178', 'hex'))],
  ])('a body with %s', async (_what, body) => {
    const [status, text] = await post(body);
    expect([status, JSON.parse(text)]).toMatchObject([400, { success: false, code: 'BAD_BODY' }]);
  });

  it('a body that is larger when it is decompressed than a message may be', async () => {
    const [status, text] = await post(compress(Buffer.alloc(1024 * 1024 + 1)));
    expect([status, text]).toEqual([400, expect.stringContaining('at most 1048576 bytes')]);
  });

  it('another media type, or another coding', async () => {
    const [first] = await post(compress(readRequest([])), { ...REMOTE_READ_HEADERS, 'content-encoding': 'gzip' });
    const [second] = await post(Buffer.from('{}'), { 'content-type': 'application/json' });
    expect([first, second]).toEqual([415, 415]);
  });

  it('only chunks', async () => {
    expect(await remoteRead(served.api.port, [], { types: [1] })).toMatchObject({ status: 400 });
    expect(await remoteRead(served.api.port, [], { types: [1, 0] })).toMatchObject({ status: 200 });
  });

  it('many queries, many matchers, large regular expressions', async () => {
    const many = (count: number) => Array.from({ length: count }, () => ['a', '!=', 'b'] as const);
    const ask = async (queries: RemoteQuery[]) => (await remoteRead(served.api.port, queries)).status;
    expect(await ask([query(...many(100))])).toBe(200);
    expect(await ask([query(...many(101))])).toBe(413);
    expect(await ask(Array.from({ length: 101 }, () => query(['a', '=', 'b'])))).toBe(413);
    expect(await ask([query(['a', '=~', 'x{1000}'], ['b', '=~', 'y{1000}'])])).toBe(413);
  });

  it('too many queries before the rest of them is decoded', async () => {
    const queries = Buffer.from(Array.from({ length: 202 }, (_, i) => (i % 2 === 0 ? 0x0a : 0)));
    const damaged = Buffer.concat([queries, Buffer.from([0xff])]);
    expect(await post(compress(damaged), REMOTE_READ_HEADERS)).toContain(413);
    expect(await post(compress(damaged.subarray(2)), REMOTE_READ_HEADERS)).toContain(400);
  });

  it('more samples than one answer may have', async () => {
    const few = await seriesApi(root, { ranges: { values: 20, points: 10, columnBytes: 1e6 } });
    const status = async (...matchers: RemoteQuery['matchers'][number][]) =>
      (await remoteRead(few.api.port, [query(...matchers)])).status;
    expect(await status(['__name__', '=', 'kernel_load'])).toBe(200);
    expect(await status(['__name__', '=~', '.+'])).toBe(413);
    await few.stop();
  });
});
