import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Api } from '../support/api.js';
import { type ArchiveApi, archiveApi } from '../support/archive-gateway.js';
import { DerivedApi } from '../support/derived-api.js';
import { shell } from './fake-terminal.js';

const TIME = /\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\.\d+Z/g;
const timeless = (text: string): string => text.replaceAll(TIME, 'NOW');

describe('pmgate', () => {
  let api: Api;
  let url: string;
  beforeAll(async () => {
    api = await Api.start();
    ({ url } = api);
  });
  afterAll(() => api.stop());

  describe('asking a live host', () => {
    it('fetch writes a table that people read', async () => {
      const { code, stdout, stderr } = await shell(['fetch', 'kernel.all.load', 'mem.util.free,pmcd.hostname'], {
        url,
      });
      expect(timeless(stdout)).toBe(
        'NOW\n' +
          'METRIC           INSTANCE         VALUE  UNITS\n' +
          'kernel.all.load  1 minute          0.51\n' +
          'kernel.all.load  5 minute          0.21\n' +
          'kernel.all.load  15 minute         0.07\n' +
          'mem.util.free                     22.88  Gbyte\n' +
          'pmcd.hostname               über"host\\n\n',
      );
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    });

    it('fetch leaves out the column of instances when there are none, and every scale with --raw', async () => {
      const { stdout } = await shell(['fetch', 'disk.all.total_bytes', '--raw'], { url });
      expect(timeless(stdout)).toBe(
        'NOW\nMETRIC                               VALUE  UNITS\ndisk.all.total_bytes  18446744073709551615  byte\n',
      );
    });

    it('fetch writes JSON and NDJSON with units, names and every digit', async () => {
      const json = await shell(['fetch', 'kernel.all.load', 'disk.all.total_bytes', '-o', 'json', '--top', '1'], {
        url,
      });
      expect(JSON.parse(json.stdout)).toEqual({
        timestamp: expect.stringMatching(/^\d{4}-.*\.\d{9}Z$/),
        values: [
          {
            name: 'kernel.all.load',
            pmid: '60.2.0',
            units: '',
            instances: [{ instance: 1, name: '1 minute', value: 0.51 }],
          },
          {
            name: 'disk.all.total_bytes',
            pmid: '60.0.24',
            units: 'byte',
            instances: [{ instance: null, name: null, value: '18446744073709551615' }],
          },
        ],
      });
      const ndjson = await shell(['fetch', 'mem.util.free', '--output=ndjson'], { url });
      expect(ndjson.stdout.endsWith('}\n')).toBe(true);
      expect(ndjson.stdout.indexOf('\n')).toBe(ndjson.stdout.length - 1);
    });

    it('fetch writes CSV', async () => {
      const { stdout } = await shell(['fetch', 'kernel.all.load', 'pmcd.hostname', '-o', 'csv'], { url });
      expect(timeless(stdout)).toBe(
        'time,metric,instance,name,value,units\n' +
          'NOW,kernel.all.load,1,1 minute,0.51,\n' +
          'NOW,kernel.all.load,5,5 minute,0.21,\n' +
          'NOW,kernel.all.load,15,15 minute,0.07,\n' +
          'NOW,pmcd.hostname,,,"über""host\n",\n',
      );
    });

    it('fetch takes two samples for a rate, a second apart', async () => {
      const { code, stdout, waits } = await shell(['fetch', 'kernel.all.sysfork', '--rate'], { url });
      expect(timeless(stdout)).toBe('NOW\nMETRIC              VALUE  UNITS\nkernel.all.sysfork      0  count / sec\n');
      expect({ code, waits }).toEqual({ code: 0, waits: [1000] });
    });

    it('fetch asks several hosts, and says which could not be had', async () => {
      const { code, stdout } = await shell(['fetch', 'mem.util.free', '--host', 'a', '--host', 'b', '-o', 'csv'], {
        url,
      });
      expect(timeless(stdout)).toBe(
        'host,time,metric,instance,name,value,units\n' +
          'a,NOW,mem.util.free,,,23987772,Kbyte\n' +
          'b,NOW,mem.util.free,,,23987772,Kbyte\n',
      );
      expect(code).toBe(0);
    });

    it('fetch takes two samples of each host for their rates', async () => {
      const hosts = ['--host', 'a', '--host', 'b'];
      const { code, stdout, waits } = await shell(['fetch', 'kernel.all.sysfork', ...hosts, '--rate', '-o', 'csv'], {
        url,
      });
      expect(timeless(stdout)).toBe(
        'host,time,metric,instance,name,value,units\n' +
          'a,NOW,kernel.all.sysfork,,,0,count / sec\n' +
          'b,NOW,kernel.all.sysfork,,,0,count / sec\n',
      );
      expect({ code, waits }).toEqual({ code: 0, waits: [1000, 1000] });
    });

    it('metric writes metadata, short and long', async () => {
      const { stdout } = await shell(['metric', 'kernel.all'], { url });
      expect(stdout).toBe(
        'METRIC              TYPE   SEMANTICS  UNITS  INDOM  HELP\n' +
          'kernel.all.load     float  instant           60.2   load average\n' +
          'kernel.all.sysfork  u32    counter    count         forks, \\ "quoted"\n',
      );
      const long = await shell(['metric', '--long', 'kernel.all.load'], { url });
      expect(long.stdout).toContain('kernel.all.load\n  pmid       60.2.0\n  type       float\n');
      expect(long.stdout).toContain('\n\n  load average of the last minutes\n');
    });

    it('metric without a name writes every metric', async () => {
      const { stdout } = await shell(['metric', '-o', 'ndjson'], { url });
      expect(stdout.trim().split('\n')).toHaveLength(12);
    });
  });

  describe('its exit code', () => {
    it.each([
      // asked, exit code, what standard error says
      [['fetch', 'mem.util.free'], 0, ''],
      [['fetch', 'mem.util.free', 'no.such'], 4, 'pmgate: no.such: Unknown metric name\n'],
      [
        ['fetch', 'mem.util.free', 'test.broken'],
        4,
        'pmgate: test.broken: Try again. Information not currently available\n',
      ],
      [['fetch', 'no.such'], 1, 'pmgate: no.such: Unknown metric name\n'],
      [['metric', 'no.such', 'mem.util.free'], 4, 'pmgate: no.such: Unknown metric name\n'],
      [['fetch', 'mem.util.free', '--units', 'sec'], 1, /CONVERSION/],
      [['fetch', 'mem.util.free', '--labels', 'agent=='], 1, /BAD_PARAMETER|SYNTAX/],
      [['fetch'], 2, /no metric given/],
      [['fetch', 'a', '--prefix', 'b'], 2, /are mutually exclusive/],
      [['fetch', 'a', '--host', 'b', '--archive', 'c'], 2, /are mutually exclusive/],
      [['fetch', 'a', '--match', 'glob'], 2, /requires --instance/],
      [['fetch', 'a', '--top', '0'], 2, /an integer/],
      [['fetch', 'a', '--output', 'xml'], 2, /Allowed choices are table, json, ndjson, csv/],
      [['fetch', 'a', '--colour'], 2, /unknown option '--colour'\n.*Try pmgate fetch --help\.\n$/s],
      [['fetsch'], 2, "pmgate: unknown command 'fetsch'\n(Did you mean fetch?)\nTry pmgate --help.\n"],
      [['derive', 'chekc'], 2, /unknown command.*\nTry pmgate derive --help\.\n$/s],
      [['archives', 'extra'], 2, /too many arguments/],
      [['--url', 'ftp://x', 'fetch', 'a'], 2, /invalid gateway URL/],
      [['--url', 'http://bob:secret@x', 'fetch', 'a'], 2, /^(?!.*secret).*--user/],
      [['--url', 'http://x/?a=b', 'fetch', 'a'], 2, /must not have a query/],
      [['--user', 'bob', 'fetch', 'a'], 2, /name:password/],
      [['--url', 'http://127.0.0.1:1', 'fetch', 'a'], 3, /cannot reach.*\nStart one with/],
      [['help'], 0, ''],
      [['help', 'range'], 0, ''],
      [['fetch', '--help'], 0, ''],
    ])('%j is %i', async (words, code, stderr) => {
      const run = await shell(words, { url });
      expect(run.stderr).toEqual(typeof stderr === 'string' ? stderr : expect.stringMatching(stderr));
      expect(run.code).toBe(code);
    });

    it('is told by --help', async () => {
      const { stdout } = await shell(['help']);
      for (const code of ['0', '1', '2', '3', '4', '130']) expect(stdout).toMatch(new RegExp(`^  ${code} +\\w`, 'm'));
    });

    it('is 1 for a server that is no gateway', async () => {
      const { code, stderr } = await shell(['archives'], { url: `${url}/elsewhere` });
      expect(code).toBe(1);
      expect(stderr).toContain('NOT_FOUND');
    });
  });
});

describe('pmgate, asking for archives', () => {
  let archives: ArchiveApi;
  let url: string;
  beforeAll(async () => {
    archives = await archiveApi();
    ({ url } = archives.api);
  });
  afterAll(() => archives.stop());

  it('archives lists them', async () => {
    const { code, stdout } = await shell(['archives', '-o', 'csv'], { url });
    expect(code).toBe(0);
    expect(stdout).toContain('archive,host,start,finish,timezone,version,metrics,size,error\n');
    expect(stdout).toContain('built,recorded.example,1970-01-12T13:46:40.000Z,1970-01-12T13:46:49.000Z,UTC,3,3,');
  });

  it('range writes a line for each sample', async () => {
    const { code, stdout } = await shell(
      ['range', 'test.counter', '--archive', 'built', '-t', '1', '-T', '3sec', '--rate'],
      { url },
    );
    expect(stdout).toBe(
      'TIME                      test.counter\n' +
        '                            byte / sec\n' +
        '1970-01-12 13:46:40.000Z             -\n' +
        '1970-01-12 13:46:41.000Z            10\n' +
        '1970-01-12 13:46:42.000Z            10\n' +
        '1970-01-12 13:46:43.000Z            10\n',
    );
    expect(code).toBe(0);
  });

  it("range writes the gateway's CSV, a column for each instance", async () => {
    const { code, stdout, stderr } = await shell(
      ['range', 'test.gauge', 'no.such', '-a', 'built', '-S', '0sec', '-T', '1sec', '-o', 'csv'],
      { url },
    );
    expect(stdout.split('\n')[0]).toBe('time,test.gauge[red],test.gauge[green],"test.gauge[blue ""and"" more]"');
    expect(stdout.split('\n')).toHaveLength(4);
    expect({ code, stderr }).toEqual({ code: 4, stderr: 'pmgate: no.such: Unknown metric name\n' });
  });

  it('range writes JSON that is whole', async () => {
    const { stdout } = await shell(['range', 'test.gauge', '-a', 'built', '-o', 'json'], { url });
    const samples = JSON.parse(stdout) as { values: { instances: { name: string }[] }[] }[];
    expect(samples).toHaveLength(10);
    expect(samples[5]).toMatchObject({ values: [], mark: true });
    expect(samples[9]!.values[0]!.instances.map(({ name }) => name)).toEqual(['green', 'blue "and" more']);
  });

  it('range ends with 130 at Ctrl-C, and with whole JSON', async () => {
    const { code, stdout } = await shell(['range', 'test.gauge', '-a', 'built', '-o', 'json'], {
      url,
      onWrite: (_, { interrupt }) => interrupt(),
    });
    expect(code).toBe(130);
    expect(JSON.parse(stdout)).not.toHaveLength(0);
  });

  it('range says that there is nothing', async () => {
    const nothing = await shell(['range', 'test.gauge', '-a', 'built', '-S', '2030-01-01'], { url });
    expect(nothing).toMatchObject({ code: 0, stdout: '', stderr: 'pmgate: no samples in this time window\n' });
    const unknown = await shell(['range', 'test.gauge', '-a', 'no/such', '-o', 'json'], { url });
    expect(unknown).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('UNKNOWN_ARCHIVE') });
  });

  it('stream replays, and ends with the archive', async () => {
    const words = ['stream', 'test.counter', '-a', 'built', '-t', '2sec', '--speed', '100000'];
    const { code, stdout } = await shell(words, { url });
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      'TIME                      test.counter',
      '                                  byte',
      '1970-01-12 13:46:40.000Z           100',
    ]);
    expect(code).toBe(0);
  });

  it('stream ends after so many samples', async () => {
    const words = [
      'stream',
      'test.counter',
      '-a',
      'built',
      '-t',
      '1sec',
      '--speed',
      '100000',
      '-s',
      '2',
      '-o',
      'ndjson',
    ];
    const { code, stdout } = await shell(words, { url });
    expect(stdout).toBe(
      '{"timestamp":"1970-01-12T13:46:40.000000000Z","values":[{"name":"test.counter","pmid":"100.0.1","units":"byte","instances":[{"instance":null,"name":null,"value":100}]}]}\n' +
        '{"timestamp":"1970-01-12T13:46:41.000000000Z","values":[{"name":"test.counter","pmid":"100.0.1","units":"byte","instances":[{"instance":null,"name":null,"value":110}]}]}\n',
    );
    expect(code).toBe(0);
  });

  it('stream ends with 0 at Ctrl-C, and closes its JSON', async () => {
    const { code, stdout, stderr } = await shell(['stream', 'test.counter', '-a', 'built', '-o', 'json'], {
      url,
      onWrite: (_, { interrupt }) => interrupt(),
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toHaveLength(1);
  });

  it('ends quietly with 0 when the reader of its output leaves', async () => {
    for (const command of ['stream', 'range', 'fetch', 'metric']) {
      const { code, stderr } = await shell([command, '--prefix', 'test', '-a', 'built'], {
        url,
        onWrite: (_, { close }) => close(),
      });
      expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: '' });
    }
  });

  it('fetch takes the first sample of an archive, for a rate the second', async () => {
    const { stdout, waits } = await shell(['fetch', 'test.counter', '-a', 'built', '--rate', '-o', 'csv'], { url });
    expect(stdout).toContain('test.counter,,,10,byte / sec\n');
    expect(waits).toEqual([]);
  });

  it('derive check has the values of the parts at a moment of an archive', async () => {
    const parts = ['derive', 'check', 'delta(test.counter) * 2', '-a', 'built', '--at', '2'];
    const { code, stdout } = await shell(parts, { url });
    expect(code).toBe(0);
    expect(stdout).toContain(
      '\n├─ delta(test.counter) = 10  double byte\n│  └─ test.counter = 120  u64 byte\n└─ 2 = 2  u32\n',
    );
    const first = await shell([...parts.slice(0, -1), '0'], { url });
    expect(first.stdout).toContain('delta(test.counter) = delta() needs a second sample  double byte\n');
  });
});

describe('pmgate derive', () => {
  let derived: DerivedApi;
  let url: string;
  beforeAll(async () => {
    derived = await DerivedApi.start();
    ({ url } = derived.api);
  });
  afterAll(() => derived.stop());

  it('check tells what an expression is and gives', async () => {
    const { code, stdout } = await shell(['derive', 'check', 'mem.util.free + mem.util.free * 2'], { url });
    expect(code).toBe(0);
    expect(stdout).toContain('expression  mem.util.free + mem.util.free * 2\n');
    expect(stdout).toContain('means       mem.util.free + (mem.util.free * 2)\n');
    expect(stdout).toMatch(
      /\nmem\.util\.free \+ mem\.util\.free \* 2 = .+\n├─ mem\.util\.free = 23,987,772 {2}u64 Kbyte\n└─ .+\n {3}├─ /,
    );
  });

  it('check shows where an expression is wrong, and ends with 1', async () => {
    const { code, stdout, stderr } = await shell(['derive', 'check', '-'], { url, input: 'mem.util.free +' });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('at line 1, column 16\n  mem.util.free +\n                 ^\n');
  });

  it('check gives programs the whole answer, and its exit code', async () => {
    const { code, stdout, stderr } = await shell(['derive', 'check', 'no.such', '-o', 'json'], { url });
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ ok: false });
  });

  it('adds, lists, and removes definitions', async () => {
    const added = await shell(['derive', 'add', 'my.free', 'mem.util.free*2'], { url });
    expect(added).toMatchObject({
      code: 0,
      stdout: 'METRIC   ORIGIN  EXPRESSION\nmy.free  api     mem.util.free * 2\n',
    });
    const again = await shell(['derive', 'add', 'my.free', '1'], { url });
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('DUPLICATE_NAME') });
    const listed = await shell(['derive', 'list', '--origin', 'api', '-o', 'csv'], { url });
    expect(listed.stdout).toMatch(/^metric,pmid,origin,expression\nmy\.free,511\.\d+\.\d+,api,mem\.util\.free \* 2\n$/);
    expect(await shell(['derive', 'rm', 'my.free'], { url })).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(await shell(['derive', 'rm', 'my.free'], { url })).toMatchObject({ code: 1 });
  });

  it('add shows the place of an error', async () => {
    const { code, stderr } = await shell(['derive', 'add', 'my.bad', 'mem.util.free + * 2'], { url });
    expect(code).toBe(1);
    expect(stderr).toContain('mem.util.free + * 2\n                ^\n');
    expect(stderr).toContain('SYNTAX_ERROR');
  });

  it('loads files, and names them in its errors', async () => {
    const directory = mkdtempSync(path.join(os.tmpdir(), 'pmgate-shell-'));
    const [good, bad] = [path.join(directory, 'good.conf'), path.join(directory, 'bad.conf')];
    writeFileSync(good, 'a.one = 1\na.two = mem.util.free\n');
    writeFileSync(bad, 'b.one = 1\nb.two = (1\n');
    expect(await shell(['derive', 'load', good, '-o', 'ndjson'], { url })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\{"name":"a\.one".*\}\n\{"name":"a\.two".*\}\n$/),
    });
    expect(await shell(['derive', 'load', bad], { url })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`[${bad}:2]`),
    });
    expect(await shell(['derive', 'load', `${bad}.not`], { url })).toMatchObject({ code: 2 });
    expect(await shell(['derive', 'load', '-'], { url, input: 'c.one = 1\n' })).toMatchObject({ code: 0 });
  });
});

describe('pmgate check-config', () => {
  const faults = [
    { place: 'x.yaml:3: listen.port', source: 'x.yaml', line: 3, option: 'listen.port', message: 'must be >= 0' },
    { place: 'PMGATE_FOO', source: 'PMGATE_FOO', option: '', message: 'no such option' },
  ];

  it('says that a file is good', async () => {
    expect(await shell(['check-config', 'x.yaml'])).toMatchObject({ code: 0, stdout: 'x.yaml: good\n', stderr: '' });
    expect((await shell(['check-config'])).stdout).toBe('shipped.yaml: good\n');
  });

  it('says everything that is wrong, with its place, and ends with 2', async () => {
    expect(await shell(['check-config', 'x.yaml'], { faults })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'x.yaml:3: listen.port: must be >= 0\nPMGATE_FOO: no such option\n',
    });
    const json = await shell(['check-config', 'x.yaml', '-o', 'json'], { faults });
    expect(json.code).toBe(2);
    expect(JSON.parse(json.stdout)).toEqual({
      file: 'x.yaml',
      ok: false,
      problems: faults.map((fault) => ({ ...fault, place: undefined })),
    });
  });
});
