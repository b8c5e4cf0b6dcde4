import { rmSync } from 'node:fs';
import { LiveMemory } from '../../../src/context/range/index.js';
import { systemClock } from '../../../src/pmapi/index.js';
import type { ApiAnswer, ColumnsJson, Schemas } from '../../support/api.js';
import { ArchiveBuilder } from '../../support/archive-builder.js';
import { archiveApi, servedArchives } from '../../support/archive-gateway.js';
import { rows } from '../../support/rows.js';

const START = 2_000_000;
const PMID = (item: number): number => 100 * 2 ** 22 + item;
const DISKS = PMID(1);

/** Ten minutes, a record every five seconds; at eight minutes sda gets slow, sdb appears and the release changes. */
function buildIncident(hostName: string, isHit: boolean): ArchiveBuilder {
  const builder = new ArchiveBuilder({ version: 3, start: [START, 0], hostName });
  builder
    .metric({ pmid: PMID(1), names: ['disk.bytes'], type: 3, semantics: 1, indom: DISKS, units: 0x10000000 })
    .metric({ pmid: PMID(2), names: ['disk.await'], type: 5, semantics: 3, indom: DISKS })
    .metric({ pmid: PMID(3), names: ['kernel.load'], type: 5, semantics: 3 })
    .metric({ pmid: PMID(4), names: ['kernel.release'], type: 6, semantics: 4 })
    .metric({ pmid: PMID(5), names: ['proc.nprocs'], type: 5, semantics: 3 })
    .indom([START, 0], DISKS, rows([0, 'sda'], [1, 'sdb, spare']))
    .indexEntry([START, 0]);
  let bytes = 0n;
  for (let second = 0; second <= 600; second += 5) {
    const isLate = isHit && second >= 480;
    const noise = 1 + 0.03 * Math.sin(second * 1.7);
    bytes += BigInt(Math.round(5000 * noise));
    const disks: (readonly [number, number])[] = [[0, 3 * noise * (isLate ? 16 : 1)]];
    if (isLate) disks.push([1, 1]);
    builder.record(
      [START + second, 0],
      [
        { pmid: PMID(1), values: [[0, bytes]] },
        { pmid: PMID(2), values: disks },
        { pmid: PMID(3), values: [[-1, noise]] },
        { pmid: PMID(4), values: [[-1, isLate ? '6.2' : '6.1']] },
        { pmid: PMID(5), values: [[-1, isLate ? 900 : 100]] },
      ],
    );
  }
  return builder;
}

const { api, root } = servedArchives();
for (const host of ['web1', 'web2', 'web3']) buildIncident(host, host === 'web1').write(root, host);

const changes = (query: string): Promise<Schemas['Changes']> => api.ok(`/changes?${query}`);
const refused = (query: string): Promise<ApiAnswer> => api.get(`/changes?${query}`);

describe('GET /changes of an archive', () => {
  it('says what differs in the window, and since when', async () => {
    const { before, after, findings, compared, total } = await changes('archive=web1&after=-2min,');
    expect(after).toEqual({ start: START + 480, finish: START + 600, parts: 24 });
    expect(before).toEqual({ start: START, finish: expect.closeTo(START + 480, 6) as number, parts: 96 });
    expect(before.finish).toBeLessThan(after.start);
    expect({ compared, total }).toEqual({ compared: 4, total: 3 });
    expect(findings).toMatchObject([
      { kind: 'number', name: 'disk.await', instance: 'sda', direction: 'up', ratio: expect.closeTo(16, 0) as number },
      { kind: 'state', name: 'kernel.release', stateBefore: '6.1', stateAfter: '6.2', since: START + 480 },
      { kind: 'appeared', what: 'instances', names: ['sdb, spare'], metrics: ['disk.await'] },
    ]);
    expect(findings[0]!.sentence).toMatch(/^disk\.await of sda rose from 3(\.\d+)? to 4\d(\.\d)? \(×16\)$/);
  });

  it('each finding leads to its values', async () => {
    const { findings } = await changes('archive=web1&after=-2min,');
    const charts = await Promise.all(findings.map(({ href }) => api.get(href)));
    for (const chart of charts) expect([chart.status, chart.text.slice(0, 200)]).toEqual([200, expect.any(String)]);
    const { series } = (charts[0]!.json as unknown as ColumnsJson).metrics[0]!;
    expect(series.map(({ name }) => name)).toEqual(['sda']);
  });

  it('nothing where nothing changed', async () => {
    expect(await changes('archive=web2&after=-2min,')).toMatchObject({ total: 0, findings: [], compared: 4 });
    expect(await changes('archive=web1&after=%2B4min,%2B6min&before=,%2B4min')).toMatchObject({ total: 0 });
  });

  it('only of the metrics that are named, those of processes included', async () => {
    const named = await changes('archive=web1&after=-2min,&names=proc.nprocs,kernel.load,no.such');
    expect(named).toMatchObject({ compared: 2, findings: [{ name: 'proc.nprocs' }] });
    expect(named.warnings).toMatchObject([{ name: 'no.such', code: 'UNKNOWN_METRIC' }]);
    expect(await changes('archive=web1&after=-2min,&prefix=kernel')).toMatchObject({ total: 1, compared: 2 });
    expect(await changes('archive=web1&after=-2min,&limit=1')).toMatchObject({ total: 3, findings: [{}] });
  });

  it('of single processes where nothing else was recorded', async () => {
    const builder = new ArchiveBuilder({ version: 3, start: [START, 0], hostName: 'web6' });
    builder.metric({ pmid: PMID(5), names: ['proc.nprocs'], type: 5, semantics: 3 }).indexEntry([START, 0]);
    for (let second = 0; second <= 600; second += 5) {
      builder.record([START + second, 0], [{ pmid: PMID(5), values: [[-1, second < 480 ? 100 : 900]] }]);
    }
    builder.write(root, 'web6');
    expect(await changes('archive=web6&after=-2min,')).toMatchObject({ findings: [{ name: 'proc.nprocs' }] });
  });

  it('counts a sample at the joint of two chosen windows to the later one', async () => {
    const joint = '%2B8min';
    const { before, findings } = await changes(`archive=web1&before=,${joint}&after=${joint},`);
    expect(before.finish).toBeLessThan(START + 480);
    expect(findings.map(({ name }) => name)).toContain('kernel.release');
  });

  it('warns when nothing lies before the window', async () => {
    const { warnings } = await changes('archive=web1&after=,');
    expect(warnings).toMatchObject([
      {
        message:
          "the window 'before' is empty: the archive has nothing in it; " +
          'there are samples from 1970-01-24T03:33:20Z to 1970-01-24T03:43:20Z: ask for after=-120sec,',
      },
    ]);
  });

  it('warns when the windows have too few values', async () => {
    const { compared, warnings } = await changes('archive=web1&names=kernel.load&after=-4sec,');
    expect({ compared, warnings }).toEqual({
      compared: 0,
      warnings: [
        {
          code: 'UNAVAILABLE',
          message:
            'nothing could be compared: five parts of each window need values; ' +
            'there are samples from 1970-01-24T03:33:20Z to 1970-01-24T03:43:20Z: ask for after=-120sec,',
        },
      ],
    });
  });

  it('against other archives', async () => {
    const compared = await changes('archive=web1&after=-2min,&against=web2;web3');
    expect(compared.findings).toMatchObject([{ name: 'disk.await' }, { name: 'kernel.release' }, { kind: 'appeared' }]);
    expect(compared.before.parts).toBe(48);
    expect(compared.findings.map(({ sentence }) => sentence)).toEqual([
      expect.stringMatching(/^disk\.await of sda is 4\d(\.\d)? on web1, (3|2\.\d+) on the others \(×16\)$/),
      'kernel.release is "6.2" on web1, "6.1" on the others',
      '1 instance only on web1 in disk.await (instance domain 100.1): sdb, spare',
    ]);
    const [last] = (await changes('archive=web2&after=-2min,&against=web1')).findings.slice(-1);
    expect(last!.sentence).toBe('1 instance only on web1 in disk.await (instance domain 100.1): sdb, spare');
    expect(await changes('archive=web3&after=-2min,&against=web2')).toMatchObject({ total: 0 });
    const some = await changes('archive=web1&after=-2min,&against=web2;no/such');
    expect(some.warnings).toMatchObject([{ name: 'no/such', code: 'UNKNOWN_ARCHIVE' }]);
  });

  it.each([
    ['archive=web1&after=-2min', 'BAD_PARAMETER', 'after'],
    ['archive=web1&after=a,b,c', 'BAD_PARAMETER', 'after'],
    ['archive=web1&after=yesterday+noonish,', 'BAD_PARAMETER', 'start'],
    ['archive=web1&after=@2030-01-01,@2030-01-02', 'BAD_PARAMETER', 'after'],
    ['archive=web1&after=-2min,&before=@2030-01-01,', 'BAD_PARAMETER', 'before'],
    ['archive=web1&against=web2;web2', 'BAD_PARAMETER', 'against'],
    ['archive=web1&against=%3B', 'BAD_PARAMETER', 'against'],
    [`archive=web1&against=${Array.from({ length: 21 }, (_, i) => `a${i}`).join(';')}`, 'BAD_PARAMETER', 'against'],
    ['archive=web1&names=no.such', 'UNKNOWN_METRIC', 'names'],
    ['archive=web1&limit=0', 'BAD_PARAMETER', 'limit'],
    ['archive=no/such', 'UNKNOWN_ARCHIVE', undefined],
    ['archive=web1&against=no/such', 'UNKNOWN_ARCHIVE', undefined],
  ])('%s is refused', async (query, code, parameter) => {
    const { json } = await refused(query);
    expect(json).toMatchObject({ code, ...(parameter === undefined ? {} : { parameter }) });
  });

  it('reports damage in both windows', async () => {
    const builder = new ArchiveBuilder({ version: 3, start: [START, 0], hostName: 'web5' });
    builder.metric({ pmid: PMID(3), names: ['kernel.load'], type: 5, semantics: 3 }).indexEntry([START, 0]);
    for (let second = 0; second <= 600; second += 5) {
      if (second === 300) builder.newVolume().indexEntry([START + second, 0]);
      const bytes = builder.recordBytes([START + second, 0], [{ pmid: PMID(3), values: [[-1, 1]] }]);
      const isDamaged = second === 200 || second === 500;
      if (isDamaged) bytes.writeUInt32BE(~bytes.readUInt32BE(0) >>> 0, 0);
      builder.raw(bytes);
    }
    builder.write(root, 'web5');
    const { warnings } = await changes('archive=web5&after=@1970-01-24+03:38:20,&zone=UTC');
    expect(warnings).toHaveLength(2);
    expect(warnings!.map(({ message }) => /web5\.\d/.exec(message)?.[0]).sort()).toEqual(['web5.0', 'web5.1']);
  });

  it('an archive that lost its temporal index is compared as well', async () => {
    const builder = buildIncident('web4', true);
    builder.write(root, 'web4');
    rmSync(`${root}/web4.index`);
    expect(await changes('archive=web4&after=-2min,')).toMatchObject({ findings: [{ name: 'disk.await' }, {}, {}] });
  });
});

describe('GET /changes of a live host', () => {
  it('needs values that are remembered', async () => {
    const live = await archiveApi({ memory: new LiveMemory(systemClock) });
    try {
      const answer = await live.api.get('/changes?names=kernel.all.load');
      expect(answer.json).toMatchObject({
        compared: 0,
        findings: [],
        warnings: [
          {
            code: 'UNAVAILABLE',
            message: expect.stringMatching(
              /^the window 'after' is empty: nothing is remembered from it; there are no samples/,
            ),
          },
        ],
      });
      const chosen = await live.api.get('/changes?names=kernel.all.load&after=-1min,');
      expect(chosen.json).toMatchObject({ code: 'BAD_PARAMETER', parameter: 'after' });
      expect(live.api.defects).toEqual([]);
    } finally {
      await live.stop();
    }
  });
});
