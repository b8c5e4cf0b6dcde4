import { existsSync, readdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Api } from '../support/api.js';
import { type ArchiveApi, BUILT_START, archiveApi, servedArchives } from '../support/archive-gateway.js';
import { shell } from './fake-terminal.js';
import { rows } from '../support/rows.js';

/** No gateway listens here. */
const NOWHERE = 'http://127.0.0.1:1';

const timesIn = (csv: string): readonly string[] =>
  csv
    .split('\n')
    .slice(1, -1)
    .map((line) => line.split(',')[0]!);
const second = (offset: number): string => new Date((BUILT_START + offset) * 1000).toISOString().replace('.000Z', '');

describe('flags that people know from PCP, over a host', () => {
  let api: Api;
  let url: string;
  beforeAll(async () => {
    api = await Api.start();
    ({ url } = api);
  });
  afterAll(() => api.stop());

  it('-h names the host', async () => {
    const { code, stdout } = await shell(['fetch', '-h', 'a', '-h', 'b', 'mem.util.free', '-o', 'csv'], { url });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^host,.*\na,.*\nb,.*\n$/);
    expect(await shell(['metric', '-h'], { url })).toMatchObject({ code: 2, stdout: '' });
    expect((await shell(['metric', '--help'], { url })).stdout).toContain('-h, --host <hostspec>');
  });

  it('a node of the namespace stands for the metrics below it', async () => {
    const { code, stdout } = await shell(['fetch', 'kernel.all', 'mem.util.free', '-o', 'csv'], { url });
    expect(code).toBe(0);
    const names = stdout.split('\n').flatMap((line) => line.split(',')[1] ?? []);
    expect([...new Set(names.slice(1))]).toEqual(['kernel.all.load', 'kernel.all.sysfork', 'mem.util.free']);
    expect(await shell(['fetch', 'kernel.no'], { url })).toMatchObject({ code: 1 });
  });

  it('-i takes names joined by commas, quoted or not', async () => {
    const instances = async (...flags: string[]): Promise<readonly (string | undefined)[]> => {
      const { stdout } = await shell(['fetch', 'kernel.all.load', ...flags, '-o', 'csv'], { url });
      return stdout
        .split('\n')
        .slice(1, -1)
        .map((line) => line.split(',')[3]);
    };
    expect(await instances('-i', '1 minute,15 minute')).toEqual(['1 minute', '15 minute']);
    expect(await instances('-i', `"1 minute", '5 minute'`)).toEqual(['1 minute', '5 minute']);
    expect(await instances('-i', '1*,5*', '--match', 'glob')).toEqual(['1 minute', '5 minute', '15 minute']);
    // A regular expression is one, commas and all.
    expect(await instances('-i', '^[15]{2,3} ', '--match', 'regex')).toEqual(['15 minute']);
  });

  it('-s and -t fetch again and again', async () => {
    const { code, stdout } = await shell(['fetch', 'mem.util.free', '-s', '2', '-t', '0.1', '-o', 'csv'], { url });
    expect(code).toBe(0);
    expect(timesIn(stdout)).toHaveLength(2);
    expect(await shell(['fetch', 'mem.util.free', '-s', '2', '-h', 'a', '-h', 'b'], { url })).toMatchObject({
      code: 2,
    });
  });

  it('-r is what happens without --rate, and excludes it', async () => {
    const raw = await shell(['fetch', 'disk.all.total_bytes', '-r'], { url });
    expect(raw.stdout).toContain('18446744073709551615  byte\n');
    expect(await shell(['fetch', 'disk.all.total_bytes', '-r', '--rate'], { url })).toMatchObject({ code: 2 });
  });

  it('metric -f -d -t -T -m write what pminfo writes', async () => {
    expect((await shell(['metric', '-fdtm', 'kernel.all.load', 'pmcd.hostname'], { url })).stdout).toBe(
      'kernel.all.load PMID: 60.2.0 [load average]\n' +
        '    Data Type: float  InDom: 60.2\n    Semantics: instant  Units: none\n' +
        '    inst [1 or "1 minute"] value 0.51\n    inst [5 or "5 minute"] value 0.21\n' +
        '    inst [15 or "15 minute"] value 0.07\n\n' +
        'pmcd.hostname PMID: 2.0.21 []\n' +
        '    Data Type: string  InDom: PM_INDOM_NULL\n    Semantics: discrete  Units: none\n' +
        '    value "über"host\\n"\n',
    );
    expect((await shell(['metric', '-T', 'kernel.all.load'], { url })).stdout).toBe(
      'kernel.all.load\nHelp:\nload average of the last minutes\n',
    );
    expect((await shell(['metric', '-f', 'test.broken'], { url })).stdout).toContain('    No value(s) available!\n');
    const json = JSON.parse((await shell(['metric', '-f', 'mem.util.free', '-o', 'json'], { url })).stdout) as {
      metrics: object[];
    };
    expect(json.metrics[0]).toMatchObject({ pmid: '60.1.2', instances: [{ instance: null, value: 23987772 }] });
  });

  it('search without a hit ends with 1', async () => {
    expect(await shell(['search', 'qqqqqqqq'], { url })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no results') as string,
    });
  });

  it('derive remove is derive rm', async () => {
    expect((await shell(['derive', 'remove', 'no.such'], { url })).stderr).toBe(
      (await shell(['derive', 'rm', 'no.such'], { url })).stderr,
    );
  });

  it('help shows commands of commands', async () => {
    const help = await shell(['help', 'derive', 'add'], { url });
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('pmgate derive add') as string });
    expect(help.stdout).toBe((await shell(['derive', 'add', '--help'], { url })).stdout);
  });
});

describe('times that people know from PCP', () => {
  let archives: ArchiveApi;
  let url: string;
  beforeAll(async () => {
    archives = await archiveApi();
    ({ url } = archives.api);
  });
  afterAll(() => archives.stop());

  const range = (...flags: string[]): ReturnType<typeof shell> =>
    shell(['range', 'test.counter', '-a', 'built', '-o', 'csv', ...flags], { url, zone: 'UTC' });
  const times = async (...flags: string[]): Promise<readonly string[]> =>
    timesIn((await range(...flags)).stdout).map((time) => time.slice(0, 19));

  it('numbers without a unit are seconds from the start, with a minus from the end', async () => {
    // The end counts from the start of the window.
    expect(await times('-S', '1', '-T', '2')).toEqual([second(1), second(2), second(3)]);
    expect((await times('-S', '-1')).at(-1)).toBe(second(9));
    expect((await times('-O', '1', '-t', '2'))[0]).toBe(second(1));
    expect((await times('-S', String(BUILT_START * 1000))).length).toBe(0);
  });

  it('are local ones, those of -Z or, with -z, of the archive', async () => {
    const first = async (flags: string[], zone: string): Promise<string> =>
      (await shell(['fetch', 'test.counter', '-a', 'built', ...flags], { url, zone })).stdout.split('\n')[0]!;
    expect(await first([], 'Asia/Kolkata')).toBe('1970-01-12 19:16:40.000+05:30');
    expect(await first(['-Z', 'EST5EDT'], 'Asia/Kolkata')).toBe('1970-01-12 08:46:40.000-05:00');
    expect(await first(['-z'], 'Asia/Kolkata')).toBe('1970-01-12 13:46:40.000Z');
    expect(await shell(['fetch', 'test.counter', '-z', '-Z', 'UTC'], { url })).toMatchObject({ code: 2 });
    // Times of day are read in the same zone as they are written.
    const { stdout } = await shell(['range', 'test.counter', '-a', 'built', '-S', '@19:16:42', '-o', 'csv'], {
      url,
      zone: 'Asia/Kolkata',
    });
    expect(timesIn(stdout)[0]).toMatch(/^1970-01-12T19:16:42/);
  });

  it('offset over REST is a second from the start, too, and never one of 1970', async () => {
    const { json } = await archives.api.get('/pmapi/fetch?archive=built&names=test.counter&offset=1&interval=2');
    const { samples } = json as unknown as { samples: { timestamp: number }[] };
    expect(samples[0]!.timestamp).toBe(BUILT_START + 1);
  });
});

describe('-a with a path', () => {
  const archives = servedArchives();

  it('reads the archive without a gateway', async () => {
    const here = path.join(archives.root, 'built');
    const { code, stdout, stderr } = await shell(['range', 'test.counter', '-a', here, '-o', 'csv'], { url: NOWHERE });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(timesIn(stdout)[0]).toMatch(/^1970-01-12T13:46:40/);
    for (const command of [['metric'], ['fetch', 'test.counter'], ['derive', 'check', 'test.counter * 2']]) {
      expect(await shell([...command, '-a', here], { url: NOWHERE })).toMatchObject({ code: 0 });
    }
    expect((await shell(['fetch', 'test.counter', '-a', `${here}.meta`], { url: NOWHERE })).code).toBe(0);
    expect((await shell(['fetch', 'test.counter', '-z', '-a', here], { url: NOWHERE })).code).toBe(0);
  });

  it('exports an archive, as files or as a tar', async () => {
    const here = path.join(archives.root, 'built');
    const base = path.join(archives.root, 'exported');
    const range = ['range', 'test.counter', '-a', here, '-s', '3', '-o', 'archive'];
    expect(await shell([...range, '--file', base], { url: NOWHERE })).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
      waits: [],
    });
    const { stdout } = await shell(['range', 'test.counter', '-a', base, '-o', 'csv'], { url: NOWHERE });
    expect(timesIn(stdout)).toHaveLength(3);
    const again = await shell([...range, '--file', base], { url: NOWHERE });
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('EEXIST') as string });
    expect(existsSync(`${base}.0`)).toBe(true);
    const tar = await shell(range, { url: NOWHERE });
    expect(tar.stdout.length % 512).toBe(0);
    expect(tar.stdout.slice(257, 262)).toBe('ustar');
    expect(await shell(range, { url: NOWHERE, screen: { columns: 80, rows: 25 } })).toMatchObject({
      code: 2,
      stdout: '',
    });
    for (const wrong of rows(['range', 'a', '--file', base], ['fetch', 'a', '-o', 'archive'])) {
      expect(await shell(wrong, { url: NOWHERE })).toMatchObject({ code: 2 });
    }
    const outside = await shell([...range, '-S', '1hour', '--file', `${base}2`], { url: NOWHERE });
    expect(outside).toMatchObject({ code: 1, stderr: expect.stringContaining('no samples') as string });
    expect(existsSync(`${base}2.meta`)).toBe(false);
  });

  it('writes Arrow, but not to a terminal', async () => {
    const range = ['range', 'test.counter', '-a', path.join(archives.root, 'built'), '-o', 'arrow'];
    const { code, stdout, stderr } = await shell(range, { url: NOWHERE });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('recorded.example');
    const screen = { columns: 80, rows: 25 };
    expect(await shell(range, { url: NOWHERE, screen })).toMatchObject({ code: 2, stdout: '' });
    expect(await shell(['fetch', 'a', '-o', 'arrow'], { url: NOWHERE })).toMatchObject({ code: 2 });
  });

  it('says when there is none, and asks the gateway for names', async () => {
    const { code, stderr } = await shell(['fetch', 'test.counter', '-a', '/no/such/archive'], { url: NOWHERE });
    expect(code).toBe(1);
    expect(stderr).toContain('archive');
    expect((await shell(['fetch', 'test.counter', '-a', 'built'], { url: NOWHERE })).code).toBe(3);
    expect((await shell(['fetch', 'test.counter', '-a', 'built'], { url: archives.api.url })).code).toBe(0);
  });

  it('writes nothing', () => {
    expect(existsSync(path.join(os.tmpdir(), `pmgate-${process.pid}-no-state`))).toBe(false);
    expect(readdirSync(os.tmpdir()).filter((name) => name.startsWith(`pmgate-${process.pid}-`))).toEqual([]);
  });
});

describe('passwd at a terminal', () => {
  it('asks twice, and refuses what differs', async () => {
    expect(await shell(['passwd'], { input: 'secret\nsecret', isAsked: true })).toMatchObject({ code: 0 });
    expect(await shell(['passwd'], { input: 'secret\nsecrte', isAsked: true })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('the passwords differ') as string,
    });
  });
});
