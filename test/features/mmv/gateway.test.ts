import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BuiltMmv, buildMmv } from '../../support/mmv-builder.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { type RunningGateway, startGateway } from '../../support/whole-gateway.js';

const count = (value: number, more: Partial<BuiltMmv> = {}): BuiltMmv => ({
  metrics: [{ name: 'count', semantics: 1, units: 0x00100000, oneline: 'requests', value }],
  cluster: 321,
  labels: [{ flags: 8, identity: 321, json: '{"service":"web"}' }],
  ...more,
});

describe('the metrics of applications in a gateway', () => {
  const directory = temporaryDirectory().path;
  const files = path.join(directory, 'tmp', 'mmv');
  let running: RunningGateway;

  const put = (name: string, file: BuiltMmv | Buffer, inPlace = false): void =>
    writeFileSync(path.join(files, name), Buffer.isBuffer(file) ? file : buildMmv(file), {
      flag: inPlace ? 'r+' : 'w',
    });
  const ask = async (target: string, headers: Record<string, string> = {}): Promise<unknown> => {
    const response = await fetch(`${running.url}${target}`, { headers });
    return response.headers.get('content-type')?.includes('json') ? response.json() : response.text();
  };
  const start = async (environment: Record<string, string>): Promise<void> => {
    running = await startGateway({ PMGATE_STATE_DIRECTORY: directory, ...environment });
  };
  const values = async (names: string): Promise<unknown> => {
    const answer = (await ask(`/pmapi/fetch?names=${names}`)) as {
      values: { name: string; instances: { value: unknown }[] }[];
    };
    return Object.fromEntries(answer.values.map(({ name, instances }) => [name, instances.map(({ value }) => value)]));
  };

  beforeEach(() => {
    rmSync(files, { recursive: true, force: true });
    mkdirSync(files, { recursive: true });
  });
  afterEach(() => running.close());

  it('are served with their metadata, and in the format of Prometheus', async () => {
    await start({ PMGATE_LOCAL_MMV_DIRECTORY: files });
    put('app', count(42));
    expect(await ask('/pmapi/metric?names=mmv.app.count')).toMatchObject({
      metrics: [
        {
          name: 'mmv.app.count',
          pmid: '70.321.1',
          type: 'u32',
          sem: 'counter',
          units: 'count',
          labels: { agent: 'mmv', service: 'web' },
          'text-oneline': 'requests',
          'text-help': 'requests',
        },
      ],
    });
    expect(await ask('/metrics?names=mmv.app.count')).toMatch(/^mmv_app_count\{.*service="web".*\} 42$/m);
    expect(await ask('/pmapi/children?prefix=mmv')).toMatchObject({ leaf: [], nonleaf: ['control', 'app'] });
    expect(await values('kernel.all.load,mmv.app.count')).toMatchObject({ 'mmv.app.count': [42] });
    expect(await ask('/pmapi/indom?name=pmcd.agent.status')).toMatchObject({
      instances: expect.arrayContaining([expect.objectContaining({ instance: 70, name: 'mmv' })]),
    });
  });

  it('follow their files from one request to the next, also where the plan of a fetch is kept', async () => {
    await start({ PMGATE_LOCAL_MMV_DIRECTORY: files });
    expect(await values('mmv.app.count,kernel.all.hz')).not.toHaveProperty('mmv.app.count');
    put('app', count(1));
    expect(await values('mmv.app.count,kernel.all.hz')).toMatchObject({ 'mmv.app.count': [1] });
    put('app', count(2), true);
    expect(await values('mmv.app.count,kernel.all.hz')).toMatchObject({ 'mmv.app.count': [2] });
    const other: BuiltMmv = { generation: 2n, cluster: 322, metrics: [{ name: 'other', oneline: 'other', value: 3 }] };
    put('app', { ...other, generation2: 0n }, true);
    expect(await values('mmv.app.count,kernel.all.hz')).toMatchObject({ 'mmv.app.count': [] });
    put('app', other, true);
    const both = 'mmv.app.count,mmv.app.other,kernel.all.hz';
    expect(await values(both)).toMatchObject({ 'mmv.app.other': [3] });
    expect(await values(both)).not.toHaveProperty('mmv.app.count');
    expect(await ask('/pmapi/metric?names=mmv.app.other')).toMatchObject({ metrics: [{ pmid: '70.322.1' }] });
    put('app', count(4, { generation: 3n }), true);
    expect(await values(both)).toMatchObject({ 'mmv.app.count': [4] });
    expect(await values(both)).not.toHaveProperty('mmv.app.other');
    expect(await ask('/pmapi/metric?prefix=mmv.app')).toMatchObject({ metrics: [{ name: 'mmv.app.count' }] });
    rmSync(path.join(files, 'app'));
    expect(await values(both)).not.toHaveProperty('mmv.app.count');
  });

  it('can be used in derived metrics, which follow the files, too', async () => {
    await start({ PMGATE_LOCAL_MMV_DIRECTORY: files });
    const { context } = (await ask('/pmapi/context?hostspec=embedded')) as { context: number };
    put('app', count(1));
    await ask(`/pmapi/${context}/derive?name=my.double&expr=2*mmv.app.count`);
    const value = async (): Promise<unknown> => {
      const answer = (await ask(`/pmapi/${context}/fetch?names=my.double,kernel.all.hz`)) as {
        values: { name: string; instances: { value: unknown }[] }[];
      };
      return answer.values.find(({ name }) => name === 'my.double')?.instances[0]?.value;
    };
    expect(await value()).toBe(2);
    put('app', { generation: 2n, metrics: [{ name: 'other', value: 1 }] }, true);
    expect(await value()).toBeUndefined();
    put('app', { generation: 3n, metrics: [{ name: 'count', value: 21 }] }, true);
    expect(await value()).toBe(42);
  });

  it('are where the environment of PCP says, and nowhere when it is switched off', async () => {
    const { PCP_TMP_DIR } = process.env;
    process.env.PCP_TMP_DIR = path.dirname(files);
    put('app', count(1));
    try {
      await start({});
      expect(await values('mmv.app.count')).toEqual({ 'mmv.app.count': [1] });
      await running.close();
      for (const off of [{ PMGATE_LOCAL_MMV_DIRECTORY: '' }, { PMGATE_LOCAL_COLLECTOR: 'false' }]) {
        await start(off);
        expect(await ask('/pmapi/children?prefix=')).not.toMatchObject({ nonleaf: expect.arrayContaining(['mmv']) });
        await running.close();
      }
      await start({ PMGATE_LOCAL_COLLECTOR: 'false' });
    } finally {
      process.env.PCP_TMP_DIR = PCP_TMP_DIR;
    }
  });

  it('are named when their files are damaged: in the log, once, and to clients on this machine', async () => {
    await start({ PMGATE_LOCAL_MMV_DIRECTORY: files });
    put('bad', Buffer.alloc(100, 'x'));
    put('app', count(1));
    const problems = ['bad: it does not begin with MMV'];
    expect(await ask('/readyz')).toEqual({ status: 'ready', success: true, local: 'embedded', problems });
    // A proxy on this machine asks for clients elsewhere.
    expect(await ask('/readyz', { 'X-Forwarded-For': '192.0.2.1' })).not.toHaveProperty('problems');
    expect(await values('mmv.control.refused')).toEqual({ 'mmv.control.refused': [1] });
    put('app', count(2));
    await ask('/readyz');
    expect(running.lines.filter(({ msg }) => msg === 'part of an MMV file is not served')).toEqual([
      expect.objectContaining({ file: 'bad', reason: 'it does not begin with MMV' }),
    ]);
  });
});
