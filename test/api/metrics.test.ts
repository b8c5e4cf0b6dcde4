import { Api } from '../support/api.js';
import { DefinitionStore } from '../../src/derived/index.js';
import { makePmid } from '../../src/pmapi/index.js';
import { descriptor, memoryGateway, TEST_CONTENT } from '../support/memory-gateway.js';
import type { MemoryMetric } from '../support/memory-source.js';
import { parseOpenMetrics } from '../support/open-metrics-parser.js';

const openMetrics = { headers: { accept: 'application/openmetrics-text' } };

const clock = { now: () => ({ sec: 1795192083, nsec: 651_234_567 }), monotonicMs: () => 0 };
const api = Api.serving(memoryGateway({ clock }));

describe('/metrics for clients of pmproxy', () => {
  it('tells the metadata of PCP, help, type and values', async () => {
    const { text, headers } = await api.get('/metrics?names=kernel.all.load&times=true');
    const labels = 'agent="linux",bad_json="{oops",hostname="web1",indom_name="load",nodes="[\\"a\\",\\"b\\"]"';
    expect(text.split('\n')).toEqual([
      '# PCP5 kernel.all.load 60.2.0 float 60.2 instant none',
      '# HELP kernel_all_load load average',
      '# TYPE kernel_all_load gauge',
      `kernel_all_load{${labels},short="true",instname="1 minute",instid="1"} 0.51 1795192083651`,
      `kernel_all_load{${labels},instname="5 minute",instid="5"} 0.21 1795192083651`,
      `kernel_all_load{${labels},instname="15 minute",instid="15"} 0.07 1795192083651`,
      '',
    ]);
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(headers).toMatchObject({ vary: 'Accept', 'cache-control': 'no-store' });
  });

  it('escapes help, and gives 64-bit integers with every digit', async () => {
    const { text } = await api.get('/pmapi/metrics?prefix=disk,kernel.all.sysfork');
    expect(text).toContain('# HELP kernel_all_sysfork forks, \\\\ "quoted"\\nand on a second line\n');
    expect(text).toContain('# TYPE kernel_all_sysfork counter\n');
    expect(text).toMatch(/^disk_all_total_bytes\{.*\} 18446744073709551615$/m);
  });

  it('leaves out what has no number for a value, and metrics without values', async () => {
    const { text } = await api.get('/metrics');
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1]);
    expect(names).toEqual([
      'kernel_all_load',
      'kernel_all_sysfork',
      'mem_util_free',
      'disk_all_total_bytes',
      'test_nan',
      'test_infinite',
      'test_collide_a_b',
      'test_collide_a_b_29_0_7',
    ]);
    expect(text).toMatch(/^test_infinite\{.*\} -Inf$/m);
  });

  it('leaves out metrics of single processes unless they are named', async () => {
    const metric = (name: string, item: number): MemoryMetric => ({
      name,
      descriptor: descriptor(makePmid(3, 8, item)),
      values: item,
    });
    const metrics = ['proc.nprocs', 'hotproc.nprocs', 'process.count', 'mem.free'].map(metric);
    const own = await Api.start(memoryGateway({ content: { ...TEST_CONTENT, metrics } }));
    const names = async (url: string): Promise<string[]> =>
      [...(await own.get(url)).text.matchAll(/^# PCP5? (\S+)/gm)].map((match) => match[1]!);
    for (const url of ['/metrics', '/pmapi/metrics?prefix=', '/pmapi/_metrics', '/metrics?filter=x']) {
      expect([url, await names(url)]).toEqual([url, ['process.count', 'mem.free']]);
    }
    expect(await names('/metrics?names=proc,mem')).toEqual(['proc.nprocs', 'mem.free']);
    expect(await names('/pmapi/metrics?prefix=hotproc')).toEqual(['hotproc.nprocs']);
    await own.stop();
  });

  it('keeps one plan for one query, however many metrics come and go between scrapes', async () => {
    const definitions = new DefinitionStore();
    const gateway = memoryGateway({ clock, definitions });
    const own = await Api.start(gateway);
    const scrape = async (): Promise<[names: string[], keptBytes: number]> => {
      const { text } = await own.get('/metrics?names=mem,my');
      const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1]!);
      return [names, gateway.contexts.keptBytes.kept];
    };
    await scrape();
    const kept: number[] = [];
    for (let i = 10; i < 20; i++) {
      definitions.register(`my.m${i}`, 'mem.util.free', 'api');
      const [names, bytes] = await scrape();
      expect(names).toEqual(['mem_util_free', `my_m${i}`]);
      kept.push(bytes);
      definitions.unregister(`my.m${i}`);
    }
    expect(new Set(kept).size).toBe(1);
    await own.stop();
  });

  it.each([
    ['text', 'text/plain', 'kernel_all_sysfork{'],
    ['openmetrics', 'application/openmetrics-text', 'kernel_all_sysfork_total{'],
    ['opentelemetry', 'application/json', '"kernel.all.sysfork"'],
  ])('gives what format=%s says, whatever Accept does', async (format, type, name) => {
    for (const accept of ['application/openmetrics-text', 'text/plain', 'application/json']) {
      const { headers, text } = await api.get(`/metrics?names=kernel&format=${format}`, { headers: { accept } });
      expect([headers['content-type']!.split(';')[0], text]).toEqual([type, expect.stringContaining(name)]);
    }
    const compat = await api.get(`/pmapi/_metrics?names=kernel&format=${format}`);
    expect(compat.headers['content-type']).toMatch(/^text\/plain;/);
  });

  it('leaves out what filter names', async () => {
    const names = async (query: string): Promise<string[]> =>
      [...(await api.get(`/metrics?names=kernel,mem&${query}`)).text.matchAll(/^# PCP5 (\S+)/gm)].map((m) => m[1]!);
    expect(await names('filter=kernel.*')).toEqual(['mem.util.free']);
    expect(await names('filter=^mem,load$&match=regex')).toEqual(['kernel.all.sysfork']);
    expect(await names('filter=kernel,mem.util.free&match=exact')).toEqual(['kernel.all.load', 'kernel.all.sysfork']);
    expect(await api.get('/metrics?filter=(&match=regex')).toMatchObject({
      status: 400,
      json: { code: 'BAD_PATTERN' },
    });
    expect(await api.get('/metrics?match=exact')).toMatchObject({ status: 400, json: { code: 'BAD_PARAMETER' } });
    expect(await api.get(`/metrics?filter=${'*,'.repeat(100)}*`)).toMatchObject({ json: { code: 'TOO_MANY_NAMES' } });
  });

  it('writes colons in the underscore form', async () => {
    const { text } = await api.get('/pmapi/_metrics?target=mem', openMetrics);
    expect(text.split('\n').slice(0, 3)).toEqual([
      '# PCP mem.util.free instant Kbyte',
      '# HELP mem:util:free free memory',
      '# TYPE mem:util:free gauge',
    ]);
  });

  it('answers what it can, and tells the rest in a header', async () => {
    const { status, text, headers } = await api.get('/metrics?names=mem,n%C3%B6.such');
    expect(status).toBe(200);
    expect(text).toContain('mem_util_free');
    expect(headers['x-pmgate-warnings']).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(headers['x-pmgate-warnings']!)).toMatchObject([{ name: 'nö.such', code: 'UNKNOWN_METRIC' }]);
  });

  it('is an error when nothing is known', async () => {
    expect(await api.get('/metrics?names=no.such')).toMatchObject({
      status: 404,
      json: {
        message: "'no.such' - Unknown metric name",
        code: 'UNKNOWN_METRIC',
        context: expect.any(Number) as number,
      },
    });
  });

  it('applies the profile of the context', async () => {
    const id = await api.context();
    await api.get(`/pmapi/${id}/profile?expr=add&indom=60.2&instance=5`);
    const { text } = await api.get(`/pmapi/${id}/metrics?names=kernel.all.load`);
    expect(text.match(/instid="\d+"/g)).toEqual(['instid="5"']);
  });
});

describe('/metrics as OpenMetrics', () => {
  it('passes a strict parser, with types, units, help, labels and values', async () => {
    const { text, headers } = await api.get('/metrics?times=true', openMetrics);
    expect(headers['content-type']).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    const families = new Map(parseOpenMetrics(text).map((family) => [family.name, family]));
    expect([...families.keys()]).toEqual([
      'kernel_all_load',
      'kernel_all_sysfork',
      'mem_util_free_kibibytes',
      'disk_all_total_bytes',
      'test_nan',
      'test_infinite',
      'test_collide_a_b',
      'test_collide_a_b_29_0_7',
    ]);
    expect(families.get('kernel_all_sysfork')).toMatchObject({
      type: 'counter',
      unit: '',
      help: 'forks, \\ "quoted"\nand on a second line',
      samples: [{ name: 'kernel_all_sysfork_total', value: '9369', timestamp: '1795192083.651234567' }],
    });
    expect(families.get('disk_all_total_bytes')).toMatchObject({
      type: 'counter',
      unit: 'bytes',
      samples: [{ value: '18446744073709551615', labels: { nodes: '["a","b"]', bad_json: '{oops' } }],
    });
    expect(families.get('kernel_all_load')!.samples[0]).toMatchObject({
      labels: { instname: '1 minute', instid: '1', hostname: 'web1' },
      value: '0.51',
    });
  });

  it.each([
    [
      'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
      'application/openmetrics-text',
    ],
    ['text/plain;q=0.5, application/openmetrics-text; version="0.0.1"', 'application/openmetrics-text'],
    ['application/openmetrics-text; version=2.0.0, text/plain', 'text/plain'],
    ['application/json', 'application/json'],
    ['*/*', 'text/plain'],
    ['text/html, */*;q=0.1', 'text/plain'],
    ['image/png', 'text/plain'],
    ['', 'text/plain'],
  ])('is chosen by Accept: %s', async (accept, expected) => {
    const { headers } = await api.get('/metrics?names=mem', { headers: { accept } });
    expect(headers['content-type']!.split(';')[0]).toBe(expected);
  });
});

describe('/metrics as OpenTelemetry JSON', () => {
  it('gives gauges and sums with attributes and nanoseconds', async () => {
    const { json, text } = await api.get('/metrics', { headers: { accept: 'application/json' } });
    const [resource] = json.resourceMetrics;
    expect(resource!.resource).toEqual({
      attributes: [
        { key: 'hostname', value: { stringValue: 'web1' } },
        { key: 'nodes', value: { stringValue: '["a","b"]' } },
      ],
    });
    const metrics = new Map(resource!.scopeMetrics[0]!.metrics.map((metric) => [metric.name, metric]));
    expect(metrics.get('disk.all.total_bytes')).toMatchObject({
      unit: 'By',
      sum: {
        aggregationTemporality: 2,
        isMonotonic: true,
        dataPoints: [{ timeUnixNano: '1795192083651234567', asDouble: 2 ** 64 }],
      },
    });
    expect(metrics.get('test.nan')).toMatchObject({ gauge: { dataPoints: [{ asDouble: 'NaN' }] } });
    expect(metrics.get('mem.util.free')).toMatchObject({ unit: 'KiBy', description: 'free memory' });
    expect(text).toContain('{"key":"instid","value":{"stringValue":"15"}}');
  });
});
