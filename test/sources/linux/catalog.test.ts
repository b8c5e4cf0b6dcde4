import { readdirSync } from 'node:fs';
import {
  formatIndom,
  formatPmid,
  formatUnits,
  INDOM_NULL,
  isMetricName,
  parseUnits,
} from '../../../src/pmapi/index.js';
import type { CatalogIndom } from '../../../src/sources/linux/catalog/indom.js';
import type { CatalogMetric } from '../../../src/sources/linux/catalog/metric.js';
import { metric } from '../../../src/sources/linux/catalog/metric.js';
import { clusterFactories } from '../../../src/sources/linux/clusters/index.js';
import { LocalMetrics } from '../../support/local-metrics.js';

const CATALOG = new URL('../../../src/sources/linux/catalog/', import.meta.url);
const ONELINE_MAX = 80;

/** Every table in the catalogue's files, however it is exported. */
async function readCatalog(): Promise<{ metrics: CatalogMetric[]; indoms: CatalogIndom[] }> {
  const metrics = new Map<string, CatalogMetric[]>();
  const indoms = new Set<CatalogIndom>();
  for (const file of readdirSync(CATALOG)) {
    const module = (await import(new URL(file, CATALOG).href)) as Record<string, unknown>;
    for (const [name, value] of Object.entries(module)) {
      if (name.endsWith('_INDOM')) indoms.add(value as CatalogIndom);
      if (!Array.isArray(value)) continue;
      const rows = (value as (CatalogMetric | { metric: CatalogMetric })[]).map((row) =>
        'metric' in row ? row.metric : row,
      );
      metrics.set(`${file} ${name}`, rows);
    }
  }
  return { metrics: [...new Set([...metrics.values()].flat())], indoms: [...indoms] };
}

describe('the catalogue of local metrics', () => {
  let metrics: CatalogMetric[];
  let indoms: CatalogIndom[];

  beforeAll(async () => {
    ({ metrics, indoms } = await readCatalog());
  });

  it('holds some 400 metrics and the instance domains that they need', () => {
    expect(metrics.length).toBeGreaterThan(400);
    const described = new Set(indoms.map(({ indom }) => indom));
    const missing = metrics
      .filter(({ descriptor }) => descriptor.indom !== INDOM_NULL && !described.has(descriptor.indom))
      .map(({ name, descriptor }) => `${name} ${formatIndom(descriptor.indom)}`);
    expect(missing).toEqual([]);
  });

  it('gives every metric a name and a PMID of its own', () => {
    expect(metrics.filter(({ name }) => !isMetricName(name))).toEqual([]);
    expect(duplicates(metrics.map(({ name }) => name))).toEqual([]);
    expect(duplicates(metrics.map(({ descriptor }) => formatPmid(descriptor.pmid)))).toEqual([]);
    expect(duplicates(indoms.map(({ indom }) => formatIndom(indom)))).toEqual([]);
  });

  it('has no metric whose name is a node of the name space', () => {
    const names = new Set(metrics.map(({ name }) => name));
    const nodes = metrics.flatMap(({ name }) => {
      const parts = name.split('.');
      return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('.'));
    });
    expect(nodes.filter((node) => names.has(node))).toEqual([]);
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

  it('has units that pmParseUnitsStr reads back', () => {
    for (const { name, descriptor } of metrics) {
      const text = formatUnits(descriptor.units);
      expect([name, parseUnits(text).units]).toEqual([name, descriptor.units]);
    }
  });

  it('is served by the clusters, but for the metrics about the collector itself', async () => {
    const local = new LocalMetrics('/nowhere', clusterFactories);
    const served = new Set(await local.source.traverse(''));
    await local.close();
    const unserved = metrics.map(({ name }) => name).filter((name) => !served.has(name));
    expect(unserved.filter((name) => !name.startsWith('pmcd.'))).toEqual([]);
    expect([...served].filter((name) => !metrics.some((row) => row.name === name))).toEqual([]);
  });
});

describe('metric', () => {
  it('refuses a PMID or an instance domain that cannot be read', () => {
    expect(() => metric('a.b', '60.1', 'u32', null, 'counter', 'count', 'x')).toThrow('a.b has PMID 60.1');
    expect(() => metric('a.b', '60.1.1', 'u32', '60.x', 'counter', 'count', 'x')).toThrow('indom 60.x');
  });
});

/** Things that PCP has two names for, in different families. */
const REPEATED: readonly string[] = [
  'Hardware name of the machine, such as x86_64',
  'Memory that is used for nothing at all',
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
