import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { unpackTar } from 'modern-tar';
import { createPmgateClient } from '../../src/client/index.js';
import { DEFAULT_RANGE_LIMITS } from '../../src/context/range/index.js';
import type { RowsJson } from '../support/api.js';
import { BUILT_START, servedArchives } from '../support/archive-gateway.js';

const served = servedArchives({
  defined: { 'test.double': 'test.counter * 2' },
  ranges: { ...DEFAULT_RANGE_LIMITS, values: 1000 },
});
let count = 0;

async function bytesOf(query: string): Promise<{ readonly response: Response; readonly bytes: Uint8Array }> {
  const response = await fetch(`${served.api.url}/pmapi/fetch?archive=built&format=archive&${query}`);
  return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
}

/** Export a range below the root of the archives; returns what it is called there. */
async function exported(query: string): Promise<string> {
  const { response, bytes } = await bytesOf(query);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-tar']);
  const name = `exported${++count}`;
  for (const { header, data } of await unpackTar(bytes)) {
    expect(header.name).toMatch(/^recorded\.example-19700112\.13\.46\.(meta|index|\d+)$/);
    writeFileSync(path.join(served.root, name + path.extname(header.name)), data!);
  }
  return name;
}

const rows = (archive: string, query: string): Promise<RowsJson> =>
  served.api.ok(`/pmapi/fetch?archive=${archive}&format=rows&${query}`);

describe('format=archive', () => {
  it.each([
    'names=test.counter,test.gauge,test.text',
    'names=test.gauge&start=1000002&finish=1000007',
    'names=test.gauge&iname=red,green',
    'names=test.gauge&instance=2',
    'names=test.gauge&top=1',
    'names=test.counter,test.gauge&interval=1.5&samples=5',
    'names=test.counter&rate=true',
    'names=test.counter&units=Kbyte',
    'names=test.gauge&points=3&decimation=max',
    'names=test.double',
    'names=test.text&start=1000003&finish=1000003',
  ])('of %s holds the samples of the range', async (query) => {
    const name = await exported(query);
    const wanted = await rows('built', query);
    const metrics = wanted.metrics.map((metric) => metric.name).join();
    const { samples, metrics: descriptors } = await rows(name, `names=${metrics}`);
    // Derived metrics have other PMIDs in an archive.
    const comparable = (text: unknown): unknown =>
      JSON.parse(JSON.stringify(text).replaceAll(/"pmid":"[\d.]+",?/g, ''));
    const withValues = (all: RowsJson['samples']): RowsJson['samples'] => all.filter(({ values }) => values.length > 0);
    expect(comparable(withValues(samples))).toEqual(comparable(withValues(wanted.samples)));
    const shapes = (all: RowsJson['metrics']): unknown => all.map(({ type, sem, units }) => [type, sem, units]);
    expect(shapes(descriptors)).toEqual(shapes(wanted.metrics));
    if (existsSync('/usr/bin/pmlogcheck')) {
      const { stdout, stderr } = spawnSync('pmlogcheck', ['-w', path.join(served.root, name)], { encoding: 'utf8' });
      expect(stdout + stderr).toBe('');
    }
  });

  it('has marks, instances, labels and help texts as of their times', async () => {
    const name = await exported('names=test.counter,test.gauge');
    const at = async (what: string): Promise<string> => (await served.api.get(what.replace('NAME', name))).text;
    for (const query of [
      '/pmapi/metric?archive=NAME&names=test.counter,test.gauge',
      '/pmapi/metric?archive=NAME&names=test.counter&at=1000002',
      '/pmapi/indom?archive=NAME&name=test.gauge&at=1000002',
      '/pmapi/indom?archive=NAME&name=test.gauge&at=1000007',
      // No rate across the mark.
      '/pmapi/fetch?archive=NAME&names=test.counter&rate=true&format=csv',
      '/pmapi/fetch?archive=NAME&names=test.gauge&interval=0.5&format=csv',
    ]) {
      const shown = (text: string): string => text.replaceAll(/"(context|source)":("\w+"|\d+),?/g, '');
      expect(shown(await at(query))).toBe(shown((await served.api.get(query.replace('NAME', 'built'))).text));
    }
  });

  it('is an attachment that is called by host and start', async () => {
    const { response } = await bytesOf('names=test.counter');
    expect(response.headers.get('content-disposition')).toBe(
      'attachment; filename="recorded.example-19700112.13.46.tar"',
    );
  });

  it('can be asked for by Accept', async () => {
    const url = `${served.api.url}/pmapi/fetch?archive=built&names=test.counter&samples=2`;
    const response = await fetch(url, { headers: { Accept: 'application/x-tar' } });
    expect(response.headers.get('content-type')).toBe('application/x-tar');
    expect((await unpackTar(new Uint8Array(await response.arrayBuffer()))).length).toBe(3);
  });

  it('tells of a range without samples with a status, not with an archive that no tool opens', async () => {
    const { response, bytes } = await bytesOf(
      `names=test.counter&start=${BUILT_START + 500}&finish=${BUILT_START + 600}`,
    );
    expect(response.status).toBe(416);
    expect(JSON.parse(Buffer.from(bytes).toString())).toMatchObject({ code: 'END_OF_ARCHIVE' });
  });

  it('refuses what exceeds the limits of ranges before the first byte', async () => {
    const { response } = await bytesOf('names=test.counter&interval=0.001');
    expect(response.status).toBe(413);
  });

  it('cannot be part of a batch', async () => {
    const body = [{ path: '/pmapi/fetch?archive=built&names=test.counter&format=archive' }];
    const { json } = await served.api.post('/pmapi/batch', { body });
    expect(json).toMatchObject({ responses: [{ status: 400, body: { code: 'BAD_PARAMETER' } }] });
  });

  it('comes from the client as bytes', async () => {
    const client = createPmgateClient(served.api.url);
    const pieces: Uint8Array[] = [];
    for await (const piece of client.archive('test.text', { archive: 'built' })) pieces.push(piece);
    const entries = await unpackTar(Buffer.concat(pieces));
    expect(entries.map(({ header }) => path.extname(header.name)).sort()).toEqual(['.0', '.index', '.meta']);
  });
});
