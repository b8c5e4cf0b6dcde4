import { readFileSync } from 'node:fs';
import { readCatalog } from '../../../config/tooling/catalog-reader.js';
import { formatIndom, INDOM_NULL, makeIndom, makePmid, MetricType, Semantics } from '../../../src/pmapi/index.js';
import { Catalog, type CatalogRows, type MetricRow } from '../../../src/sources/linux/catalog/catalog.js';
import { LINUX_CATALOG } from '../../../src/sources/linux/catalog/linux-catalog.js';
import { ROWS } from '../../../src/sources/linux/catalog/rows.generated.js';
import { clusterFactories } from '../../../src/sources/linux/clusters/index.js';
import { pmcdCluster } from '../../../src/sources/linux/clusters/pmcd.js';
import { LocalMetrics } from '../../support/local-metrics.js';

const FOLDER = 'src/sources/linux/catalog';
const ONELINE_MAX = 80;

function dataFile(file: string): { file: string; text: string } {
  return { file, text: readFileSync(`${FOLDER}/${file}`, 'utf8') };
}

describe('the catalog of local metrics', () => {
  const { metrics, indoms } = LINUX_CATALOG;

  it('is made of metrics.txt and help.txt as they are', () => {
    expect(ROWS).toEqual(readCatalog(dataFile('metrics.txt'), dataFile('help.txt')));
    expect(metrics.length).toBeGreaterThan(400);
  });

  it('describes every metric and instance domain in a line and at length', () => {
    for (const { oneline, help } of [...metrics, ...indoms]) {
      expect(oneline).toMatch(/^\S.*[^.\s]$/);
      expect(oneline.length).toBeLessThanOrEqual(ONELINE_MAX);
      expect(help).toMatch(/^\S.*[.]\)?$/);
      expect(help).not.toMatch(/undefined|\n| {2}/);
    }
    for (const { oneline, help } of metrics) expect(help).not.toBe(oneline);
  });

  it('tells metrics apart by their one-line help', () => {
    const repeated = duplicates(metrics.map(({ oneline }) => oneline));
    expect(repeated.sort()).toEqual(REPEATED);
  });

  it('has a binding for each metric, and enumerates each instance domain', async () => {
    const extra = [pmcdCluster({ agents: new Map() } as never)];
    const local = new LocalMetrics('/nowhere', clusterFactories, { extra });
    const served = await local.source.traverse('');
    const ids = indoms.map(({ indom }) => formatIndom(indom)).filter((id) => id !== PROCESSES);
    await Promise.all(ids.map((id) => local.instances(id)));
    await local.close();
    // Served by binding a metric that the catalog has not is impossible: Catalog.bind throws.
    expect(served).toEqual(metrics.map(({ name }) => name));
  });
});

const METRIC: MetricRow = [
  'a.b.c',
  makePmid(60, 1, 1),
  MetricType.U32,
  INDOM_NULL,
  Semantics.COUNTER,
  0x100000,
  'A',
  'A.',
  { x: 'y', z: ['p', 'q'] },
];

describe('Catalog', () => {
  const rows: CatalogRows = {
    indoms: [[makeIndom(60, 2), 'fixed', 'Spans', 'Spans.', { x: 'y' }]],
    metrics: [METRIC, ['a.b.d', makePmid(60, 1, 2), ...METRIC.slice(2)] as unknown as MetricRow],
  };
  const catalog = new Catalog(rows);

  it('holds metrics and instance domains as the model has them', () => {
    expect(catalog.metrics[0]).toMatchObject({
      name: 'a.b.c',
      descriptor: { pmid: makePmid(60, 1, 1), indom: INDOM_NULL, units: { dimSpace: 0, dimTime: 0, dimCount: 1 } },
      labels: [
        { name: 'x', json: '"y"' },
        { name: 'z', json: '["p","q"]' },
      ],
    });
    expect(Object.isFrozen(catalog.metrics[0]!.descriptor)).toBe(true);
    const labels = [{ name: 'x', json: '"y"' }];
    expect(catalog.indoms).toEqual([
      { indom: makeIndom(60, 2), numbers: 'fixed', oneline: 'Spans', help: 'Spans.', labels },
    ]);
    expect(catalog.indom('60.2')).toBe(catalog.indoms[0]);
    expect(() => catalog.indom('60.3')).toThrow('no instance domain 60.3');
  });

  it('binds metrics in its own order, and refuses names that it does not have', () => {
    const bound = catalog.bind(
      new Map([
        ['a.b.d', 1],
        ['a.b.c', 2],
      ]),
    );
    expect(bound.map(({ metric, binding }) => [metric.name, binding])).toEqual([
      ['a.b.c', 2],
      ['a.b.d', 1],
    ]);
    expect(() => catalog.bind(new Map([['a.b.e', 1]]))).toThrow('the catalog has no metric a.b.e');
  });
});

/** The processes of the machine are not listed where /proc is absent. */
const PROCESSES = '3.9';

/** Things that PCP has two names for, in different families. */
const REPEATED: readonly string[] = [
  'Hardware name of the machine, such as x86_64',
  'Memory that is not used at all',
  'Memory that the process has in RAM',
  'Multicast packets received, each interface',
  'Swap space configured',
  'Swap space not in use',
  'Virtual memory of the process',
];

function duplicates(texts: readonly string[]): string[] {
  const seen = new Set<string>();
  return texts.filter((text) => seen.size === seen.add(text).size);
}
