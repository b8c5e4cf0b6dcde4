import { ArchiveBuilder } from '../support/archive-builder.js';
import { type ArchiveApi, archiveApi } from '../support/archive-gateway.js';
import { DerivedApi } from '../support/derived-api.js';
import { shell } from './fake-terminal.js';

const START = 2_000_000;
const PMID = 100 * 2 ** 22 + 1;

function writeJump(root: string): void {
  const builder = new ArchiveBuilder({ version: 3, start: [START, 0] });
  builder.metric({ pmid: PMID, names: ['test.load'], type: 5, semantics: 3 }).indexEntry([START, 0]);
  for (let second = 0; second <= 60; second++) {
    const value = (second < 30 ? 1 : 10) + 0.01 * Math.sin(second);
    builder.record([START + second, 0], [{ pmid: PMID, values: [[-1, value]] }]);
  }
  builder.write(root, 'jump');
}

describe('over an archive', () => {
  let archives: ArchiveApi;
  let url: string;
  beforeAll(async () => {
    archives = await archiveApi();
    ({ url } = archives.api);
    writeJump(archives.root);
  });
  afterAll(() => archives.stop());

  describe('pmgate why', () => {
    const gauge = ['why', 'test.gauge', '--archive', 'built', '--at', '2.5'];

    it('writes a tree', async () => {
      const { code, stdout, stderr } = await shell(gauge, { url });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toBe(
        'test.gauge  100.0.2 DOUBLE instant\n' +
          '├─ a metric of the source\n' +
          '├─ red: 2\n' +
          '│  └─ 2, the nearer, earlier record, 0.5 sec before\n' +
          '│     ├─ 2 at 1970-01-12 13:46:42.000Z, built.0 at byte 1060\n' +
          '│     └─ 3 at 1970-01-12 13:46:43.000Z, built.0 at byte 1168\n' +
          '├─ green: 1\n' +
          '│  └─ 1, the nearer, earlier record, 0.5 sec before\n' +
          '│     ├─ 1 at 1970-01-12 13:46:42.000Z, built.0 at byte 1060\n' +
          '│     └─ 1.5 at 1970-01-12 13:46:43.000Z, built.0 at byte 1168\n' +
          '└─ 2: nothing was recorded of it up to this moment\n',
      );
    });

    it('writes a row of CSV for each value, and for each that is missing', async () => {
      const { stdout } = await shell([...gauge, '-o', 'csv'], { url });
      expect(stdout).toBe(
        'metric,instance,value,rule,from,missing\n' +
          'test.gauge,red,2,earlier,"2, the nearer, earlier record, 0.5 sec before",\n' +
          'test.gauge,green,1,earlier,"1, the nearer, earlier record, 0.5 sec before",\n' +
          'test.gauge,2,,,,nothing was recorded of it up to this moment\n',
      );
    });

    it('writes JSON of the response, and a line of NDJSON for each metric', async () => {
      const json = await shell([...gauge, '-o', 'json'], { url });
      const ndjson = await shell([...gauge, '-o', 'ndjson'], { url });
      const { metrics } = JSON.parse(json.stdout) as { metrics: unknown[] };
      expect(metrics).toMatchObject([{ name: 'test.gauge', values: [{ name: 'red' }, { name: 'green' }] }]);
      expect(ndjson.stdout).toBe(`${JSON.stringify(metrics[0])}\n`);
    });

    it('reports unknown metrics', async () => {
      const { code, stdout, stderr } = await shell(['why', 'no.such', '--archive', 'built'], { url });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain('no.such: Unknown metric name');
    });
  });

  describe('pmgate changes', () => {
    const windows = [
      '--archive',
      'jump',
      '--before',
      `@${START},@${START + 29}`,
      '--after',
      `@${START + 30},@${START + 60}`,
    ];

    it('writes findings as a table, and counts them', async () => {
      const { code, stdout, stderr } = await shell(['changes', ...windows], { url });
      expect(code).toBe(0);
      expect(stdout).toMatch(/^SCORE +SINCE +FINDING\n +\d\.\d .* test\.load rose from 1(?:\.\d+)? to 10/);
      expect(stderr).toBe('1 changed among 1 metric or instance\n');
    });

    it('writes whole sentences on a narrow terminal, too', async () => {
      const [narrow, wide] = [40, 400].map((columns) => ({ url, screen: { columns, rows: 24 } }));
      const { stdout } = await shell(['changes', ...windows], wide);
      expect((await shell(['changes', ...windows], narrow)).stdout).toBe(stdout);
    });

    it('says that nothing changed', async () => {
      const { code, stdout, stderr } = await shell(
        [
          'changes',
          '--archive',
          'jump',
          '--before',
          `@${START},@${START + 14}`,
          '--after',
          `@${START + 15},@${START + 29}`,
        ],
        { url },
      );
      expect({ code, stdout, stderr }).toEqual({
        code: 0,
        stdout: '',
        stderr: 'nothing changed among 1 metric or instance\n',
      });
    });

    it('writes CSV, NDJSON and JSON', async () => {
      const csv = await shell(['changes', 'test.load', ...windows, '-o', 'csv'], { url });
      expect(csv.stdout).toMatch(
        /^score,kind,name,instance,before,after,units,alike,sentence\n\d\.\d+,\w+,test\.load,,/,
      );
      const ndjson = await shell(['changes', ...windows, '-o', 'ndjson'], { url });
      const json = await shell(['changes', ...windows, '-o', 'json'], { url });
      const { findings } = JSON.parse(json.stdout) as { findings: { name: string }[] };
      expect(findings.map(({ name }) => name)).toEqual(['test.load']);
      expect(JSON.parse(ndjson.stdout)).toEqual(findings[0]);
    });

    it('reports windows that are empty or not windows', async () => {
      const empty = await shell(['changes', '-a', 'built', '--before', '0,4', '--after', '5,9'], { url });
      expect(empty).toMatchObject({ code: 1, stderr: expect.stringContaining("the window 'after' is empty") });
      const nothing = await shell(['changes', '-a', 'built', '--after', ','], { url });
      expect(nothing).toMatchObject({
        code: 5,
        stdout: '',
        stderr: expect.stringMatching(
          /^pmgate: the window 'before' is empty: .*; there are samples from .* to .*: ask for/,
        ),
      });
      const half = await shell(['changes', '-a', 'built', '--before', '0', '--after', '5,9'], { url });
      expect(half).toMatchObject({ code: 1, stderr: expect.stringContaining('expected START,END') });
    });
  });

  describe('pmgate range', () => {
    it.each(['csv', 'ndjson'])('says what it found damaged on the way, in %s', async (format) => {
      const builder = new ArchiveBuilder({ version: 3, start: [START, 0] });
      builder.metric({ pmid: PMID, names: ['test.load'], type: 5, semantics: 3 }).indexEntry([START, 0]);
      for (let second = 0; second < 60; second++) {
        if (second === 40) builder.newVolume().indexEntry([START + second, 0]);
        const bytes = builder.recordBytes([START + second, 0], [{ pmid: PMID, values: [[-1, 1]] }]);
        if (second === 20) bytes.writeUInt32BE(~bytes.readUInt32BE(0) >>> 0, 0);
        builder.raw(bytes);
      }
      builder.write(archives.root, 'damaged');
      const { code, stderr } = await shell(['range', 'test.load', '-a', 'damaged', '-o', format], { url });
      expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringMatching(/damaged\.0 at offset/) as string });
    });
  });

  describe('pmgate timeline', () => {
    it('reports that nothing is recorded', async () => {
      const { code, stdout, stderr } = await shell(['timeline'], { url });
      expect({ code, stdout, stderr }).toEqual({
        code: 0,
        stdout: '',
        stderr: 'nothing is recorded of localhost in this time\n',
      });
      expect((await shell(['timeline', '-o', 'csv'], { url })).stdout).toBe('from,to,resolution,what,archive\n');
    });
  });
});

describe('values that need a second sample', () => {
  let derived: DerivedApi;
  let url: string;
  beforeEach(async () => {
    derived = await DerivedApi.start();
    ({ url } = derived.api);
    await shell(['derive', 'add', 'my.rate', 'rate(kernel.all.sysfork)'], { url });
  });
  afterEach(() => derived.stop());

  it.each([
    [['fetch', 'my.rate']],
    [['fetch', 'my.rate', '--host', 'a', '--host', 'b']],
    [['why', 'my.rate']],
    [['why', 'kernel.all.sysfork', '--rate']],
  ])('%j takes it a second later', async (args) => {
    const { code, stdout, waits } = await shell(args, { url });
    expect({ code, waits }).toEqual({ code: 0, waits: [1000] });
    expect(stdout).toMatch(/ 0(?: {2}count \/ sec)?\n/);
  });

  it('are not waited for where one sample is enough', async () => {
    const { waits } = await shell(['fetch', 'kernel.all.load'], { url });
    expect(waits).toEqual([]);
  });
});
