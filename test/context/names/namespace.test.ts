import { jest } from '@jest/globals';
import type { Context } from '../../../src/context/index.js';
import { DefinitionStore } from '../../../src/derived/index.js';
import { formatPmid, INDOM_NULL, makePmid, MetricType, PM_ERR, PmError, Semantics } from '../../../src/pmapi/index.js';
import { FakeClock } from '../../support/fake-clock.js';
import { type MemoryContent, MemorySource } from '../../support/memory-source.js';
import { sampleContent } from '../../support/sample-metrics.js';
import { contextsOf } from '../../support/contexts-of.js';

/** A source with a metric of its own that pmlogger recorded as a derived one: domain 511, cluster 2048 and up. */
const REMAPPED = makePmid(511, 2048, 1);

function metric(name: string, pmid: number, value: number): MemoryContent['metrics'][number] {
  return {
    name,
    descriptor: {
      pmid,
      type: MetricType.U32,
      indom: INDOM_NULL,
      semantics: Semantics.INSTANT,
      units: sampleContent.metrics[0]!.descriptor.units,
    },
    values: value,
  };
}

const content: MemoryContent = {
  ...sampleContent,
  metrics: [
    ...sampleContent.metrics,
    metric('both.base', makePmid(251, 0, 1), 1),
    metric('both.remapped', REMAPPED, 2),
    metric('plain.operand', makePmid(251, 0, 2), 21),
  ],
};

async function setUp() {
  const clock = new FakeClock();
  const definitions = new DefinitionStore();
  const source = new MemorySource(content, clock);
  const manager = contextsOf(source, { clock, definitions });
  const context = await manager.create({ kind: 'host', hostspec: 'localhost' });
  return { definitions, context, manager, source, clock };
}

async function valueOf(context: Context, name: string): Promise<number | string> {
  const plan = await context.plans.get({ names: [name] });
  const [missing] = plan.missing;
  if (missing) return missing.message;
  return context.fetching.fetch(plan, ({ sets }) =>
    sets[0]!.status < 0 ? `error ${sets[0]!.status}` : sets[0]!.column.numbers[0]!,
  );
}

async function pmidOf(context: Context, name: string): Promise<string> {
  const [pmid] = await context.names.lookupNames([name]);
  return pmid! < 0 ? String(pmid) : formatPmid(pmid!);
}

/** What each definition of a name would give, so that the value tells which one was taken. */
const GLOBAL = 'plain.operand * 10';
const OWN = 'plain.operand * 100';

test('thousands of unknown names are compared with the definitions in one pass', async () => {
  const { definitions, context } = await setUp();
  definitions.register('own.part.a', GLOBAL);
  const list = jest.spyOn(definitions, 'list');
  const unknown = Array.from({ length: 1000 }, (_, i) => `no.${i}`);
  const [node, part, ...others] = await context.names.lookupNames(['own', 'own.part', ...unknown]);
  expect([node, part, new Set(others)]).toEqual([PM_ERR.NONLEAF, PM_ERR.NONLEAF, new Set([PM_ERR.NAME])]);
  expect(list.mock.calls.length).toBeLessThan(3);
});

describe('masking, as the table of pmRegisterDerived(3) has it', () => {
  // name in: source (base or remapped), per-context, global → which one is seen
  it.each([
    ['both.base', true, true, 1, '251.0.1'],
    ['both.base', false, true, 1, '251.0.1'],
    ['both.base', true, false, 1, '251.0.1'],
    ['both.remapped', true, true, 2, '511.2048.1'],
    ['both.remapped', false, true, 2, '511.2048.1'],
    ['both.remapped', true, false, 2, '511.2048.1'],
    ['both.neither', true, true, 2100, '511.2047.1023'],
    ['both.neither', true, false, 2100, '511.2047.1023'],
    ['both.neither', false, true, 210, '511.0.1'],
    ['both.neither', false, false, 'Unknown metric name', String(PM_ERR.NAME)],
  ])('%s, per-context %p, global %p: %p', async (name, isOwn, isGlobal, value, pmid) => {
    const { definitions, context } = await setUp();
    if (isGlobal) definitions.register(name, GLOBAL);
    if (isOwn) await context.addDerived(name, OWN);
    expect(await valueOf(context, name)).toBe(value);
    expect(await pmidOf(context, name)).toBe(pmid);
    // among children and in traversal the name stands once, or not at all
    const children = await context.names.children('both');
    const component = name.split('.')[1]!;
    expect(children.leaf.filter((leaf) => leaf === component)).toHaveLength(typeof value === 'number' ? 1 : 0);
    expect((await context.names.traverse('')).filter((n) => n === name)).toHaveLength(
      typeof value === 'number' ? 1 : 0,
    );
  });

  it('hides the PMID of a masked definition: descriptor, names and values', async () => {
    const { definitions, context } = await setUp();
    const global = definitions.register('both.base', GLOBAL);
    const masked = definitions.register('both.neither', GLOBAL);
    await context.addDerived('both.neither', OWN);
    for (const { pmid } of [global, masked]) {
      expect(await context.names.describe([pmid])).toEqual([PM_ERR.PMID]);
      await expect(context.names.namesOf(pmid)).rejects.toMatchObject({ pmErr: PM_ERR.PMID });
      expect((await context.plans.get({ pmids: [pmid] })).missing).toMatchObject([{ pmErr: PM_ERR.PMID }]);
    }
  });

  it('concerns the one context: others still see the global definition', async () => {
    const { definitions, context, manager } = await setUp();
    const other = await manager.create({ kind: 'host', hostspec: 'localhost' });
    definitions.register('both.neither', GLOBAL);
    await context.addDerived('both.neither', OWN);
    expect([await valueOf(context, 'both.neither'), await valueOf(other, 'both.neither')]).toEqual([2100, 210]);
  });

  it('ends when the masking name goes: a metric that the source loses uncovers the definition', async () => {
    const { definitions, context, source } = await setUp();
    definitions.register('both.base', GLOBAL);
    expect(await valueOf(context, 'both.base')).toBe(1);
    source.replace({ ...content, metrics: content.metrics.filter(({ name }) => name !== 'both.base') });
    expect(await valueOf(context, 'both.base')).toBe(210);
    source.replace(content);
    expect(await valueOf(context, 'both.base')).toBe(1);
  });
});

describe('derived metrics of a context', () => {
  it('merge into the PMNS: below the nodes of the source, beside its leaves, at the root', async () => {
    const { definitions, context } = await setUp();
    definitions.register('sample.derived.one', GLOBAL);
    definitions.register('sample.long.derived', GLOBAL);
    definitions.register('top', GLOBAL);
    expect(await context.names.children('sample.derived')).toEqual({ leaf: ['one'], nonleaf: [] });
    expect((await context.names.children('sample.long')).leaf).toEqual(['one', 'derived']);
    expect((await context.names.children('sample')).nonleaf).toContain('derived');
    expect((await context.names.children('')).leaf).toContain('top');
    expect(await context.names.children('sample.derived.one')).toEqual({ leaf: [], nonleaf: [] });
    expect(await context.names.traverse('sample.long')).toEqual(['sample.long.one', 'sample.long.derived']);
    expect(await context.names.traverse('top')).toEqual(['top']);
    expect(await context.names.lookupNames(['sample.derived', 'sample'])).toEqual([PM_ERR.NONLEAF, PM_ERR.NONLEAF]);
    await expect(context.names.children('no.such')).rejects.toThrow(PmError);
  });

  it('resolve by lookup, but have no place in the PMNS, under the name of an interior node', async () => {
    const { definitions, context } = await setUp();
    const { pmid } = definitions.register('sample.long', GLOBAL);
    expect(await context.names.lookupNames(['sample.long'])).toEqual([pmid]);
    expect(await context.names.traverse('sample.long')).toEqual(['sample.long.one']);
    expect((await context.names.children('sample')).leaf).not.toContain('long');
  });

  it('keep name and PMID when they do not bind, have no place in the PMNS, and say why', async () => {
    const { definitions, context } = await setUp();
    const { pmid } = definitions.register('broken.metric', 'no.such.operand + 1');
    expect(await context.names.lookupNames(['broken.metric'])).toEqual([pmid]);
    expect(await context.names.namesOf(pmid)).toEqual(['broken.metric']);
    expect(await context.names.describe([pmid])).toEqual([PM_ERR.BADDERIVE]);
    expect((await context.names.children('')).nonleaf).not.toContain('broken');
    expect(await context.names.traverse('')).not.toContain('broken.metric');
    const explanation = 'Semantic error: derived metric broken.metric: operand no.such.operand: Unknown operand metric';
    expect(await valueOf(context, 'broken.metric')).toContain(explanation);
    expect((await context.names.explainMissing(['broken.metric', 'plain.operand'])).get('broken.metric')).toContain(
      explanation,
    );
  });

  it('leave the answer of a request as it was asked: operands that are only needed are not in it', async () => {
    const { definitions, context } = await setUp();
    definitions.register('derived.sum', 'sum(sample.colour)');
    definitions.register('derived.scaled', 'sample.bytes / 1024');
    const plan = await context.plans.get({
      names: ['derived.scaled', 'sample.colour', 'derived.sum', 'derived.scaled'],
    });
    expect(plan.entries.map(({ name }) => name)).toEqual([
      'derived.scaled',
      'sample.colour',
      'derived.sum',
      'derived.scaled',
    ]);
    const values = await context.fetching.fetch(plan, ({ sets }) =>
      sets.map((set) => [...set.column.numbers.subarray(0, set.status)]),
    );
    expect(values).toEqual([[1, 2, 4], [101, 202, 303], [606], [1, 2, 4]]);
  });

  it('see the instances that the profile of the context lets through', async () => {
    const { context } = await setUp();
    await context.addDerived('own.count', 'count(sample.colour)');
    context.addProfile(sampleContent.indoms![0]!.indom, [0, 2]);
    expect(await valueOf(context, 'own.count')).toBe(2);
  });

  it('may not name one another', async () => {
    const { definitions, context } = await setUp();
    definitions.register('first', GLOBAL);
    await expect(context.addDerived('second', 'first + 1')).rejects.toMatchObject({ code: 'SEMANTIC_ERROR' });
    definitions.register('third', 'first + 1');
    expect(await valueOf(context, 'third')).toContain('Illegal nested derived metric');
  });

  it('do not go along to a duplicate of the context', async () => {
    const { context, manager } = await setUp();
    await context.addDerived('own.one', OWN);
    const copy = await manager.duplicate(context.id);
    expect(await valueOf(copy, 'own.one')).toBe('Unknown metric name');
  });
});

describe('history', () => {
  it('belongs to the context: each sees the rate since its own last fetch', async () => {
    const { context, manager, definitions, source, clock } = await setUp();
    const other = await manager.create({ kind: 'host', hostspec: 'localhost' });
    definitions.register('rate.of', 'rate(both.base)');
    let value = 0;
    source.replace({
      ...content,
      metrics: content.metrics.map((m) => (m.name === 'both.base' ? { ...m, values: () => value } : m)),
    });
    expect(await valueOf(context, 'rate.of')).toBeUndefined();
    clock.advance(1000);
    value = 10;
    expect(await valueOf(other, 'rate.of')).toBeUndefined();
    clock.advance(1000);
    value = 30;
    expect([await valueOf(context, 'rate.of'), await valueOf(other, 'rate.of')]).toEqual([15, 20]);
  });

  it('is not moved by a second answer from the same sample', async () => {
    const { context, clock } = await setUp();
    await context.addDerived('own.delta', 'delta(plain.operand)');
    await valueOf(context, 'own.delta');
    clock.advance(1000);
    expect(await valueOf(context, 'own.delta')).toBe(0);
    expect(await valueOf(context, 'own.delta')).toBe(0);
  });

  it('outlives a new generation of the source, as long as the operands stay what they were', async () => {
    const { context, source, clock } = await setUp();
    await context.addDerived('own.delta', 'delta(plain.operand)');
    const status = async () => {
      clock.advance(1000);
      return context.fetching.fetch(await context.plans.get({ names: ['own.delta'] }), ({ sets }) => sets[0]!.status);
    };
    expect(await status()).toBe(0);
    source.replace({ ...content });
    expect(await status()).toBe(1);
    const changed = content.metrics.map((m) =>
      m.name === 'plain.operand' ? { ...m, descriptor: { ...m.descriptor, semantics: Semantics.DISCRETE } } : m,
    );
    source.replace({ ...content, metrics: changed });
    expect(await status()).toBe(0);
  });
});
