import fc from '../../support/properties.js';
import { parseSelection } from '../../../src/context/index.js';
import type { Context, MetricSelector, SelectionParameters } from '../../../src/context/index.js';
import { LiveMemory } from '../../../src/context/range/index.js';
import { labelTexts } from '../../../src/context/selection/label-selector.js';
import { compilePatterns } from '../../../src/context/selection/selection.js';
import { DefinitionStore } from '../../../src/derived/index.js';
import {
  FetchResult,
  formatUnits,
  GatewayError,
  makeIndom,
  makeLabel,
  makePmid,
  makeUnits,
  MetricType,
  PM_ERR,
  Semantics,
} from '../../../src/pmapi/index.js';
import type { InstanceDomain, Label, LabelSet, LabelTarget } from '../../../src/pmapi/index.js';
import { FakeClock } from '../../support/fake-clock.js';
import { descriptor } from '../../support/memory-gateway.js';
import { type MemoryContent, MemorySource, type MemoryValues } from '../../support/memory-source.js';
import { rows } from '../../support/rows.js';
import { contextsOf } from '../../support/contexts-of.js';

const DISKS = makeIndom(60, 1);
const COUNTER = { semantics: Semantics.COUNTER, units: makeUnits({ dimSpace: 1 }) };

/** Disks that come and go without notice, and how often they were asked for. */
class Disks extends MemorySource {
  readonly names = new Map(rows([0, 'sda'], [1, 'sdb'], [2, 'nvme0n1']));
  readonly read = new Map<number, bigint>(rows([0, 100n], [1, 200n], [2, 50n]));
  writtenError = 0;
  asked: string[] = [];
  reconnects = 0;
  readonly #metrics: MemoryContent['metrics'];

  constructor(clock: FakeClock) {
    const values = (): MemoryValues => new Map(this.read);
    const content: MemoryContent = {
      metrics: [
        {
          name: 'disk.read',
          descriptor: descriptor(makePmid(60, 0, 1), { ...COUNTER, type: MetricType.U64, indom: DISKS }),
          values,
        },
        {
          name: 'disk.busy',
          descriptor: descriptor(makePmid(60, 0, 2), { type: MetricType.U64, indom: DISKS }),
          labels: [makeLabel('kind', 'busy')],
          values,
        },
        {
          name: 'disk.written',
          descriptor: descriptor(makePmid(60, 0, 3), { ...COUNTER, type: MetricType.U64, indom: DISKS }),
          values: () => (this.writtenError < 0 ? { error: this.writtenError } : new Map(this.read)),
        },
        {
          name: 'forks',
          descriptor: descriptor(makePmid(60, 1, 1), {
            semantics: Semantics.COUNTER,
            units: makeUnits({ dimCount: 1 }),
          }),
          values: (now) => now.sec % 1000,
        },
        {
          name: 'host',
          descriptor: descriptor(makePmid(60, 1, 2), { type: MetricType.STRING, semantics: Semantics.DISCRETE }),
          values: 'web1',
        },
      ],
      contextLabels: [makeLabel('hostname', 'web1')],
      domainLabels: new Map([[60, [makeLabel('agent', 'linux')]]]),
    };
    super(content, clock);
    this.#metrics = content.metrics;
  }

  renumber(name: string, pmid: number): void {
    const metrics = this.#metrics.map((metric) =>
      metric.name === name ? { ...metric, descriptor: { ...metric.descriptor, pmid } } : metric,
    );
    this.replace({ metrics });
  }

  override async instances(indom: number): Promise<InstanceDomain> {
    await Promise.resolve();
    this.asked.push('instances');
    return { indom, instances: [...this.names].map(([id, name]) => ({ id, name })) };
  }

  override labels(target: LabelTarget): Promise<readonly LabelSet[]> {
    if (target.kind !== 'instances') return super.labels(target);
    this.asked.push('labels');
    return Promise.resolve([...this.names].map(([instance, name]) => ({ instance, labels: labelsOfDisk(name) })));
  }
}

const labelsOfDisk = (name: string): readonly Label[] => [makeLabel('type', name.startsWith('sd') ? 'sd' : 'nvme')];

async function setUp(isShared = false, memory = true) {
  const clock = new FakeClock();
  const source = new Disks(clock);
  const definitions = new DefinitionStore();
  definitions.register('my.total', 'sum(disk.written)');
  definitions.register('my.double', 'disk.read * 2');
  const manager = contextsOf(source, { clock, definitions, ...(memory ? { memory: new LiveMemory(clock) } : {}) });
  const spec = { kind: 'host', hostspec: 'web1' } as const;
  const context = isShared ? await manager.shared(spec) : await manager.create(spec);
  return { clock, source, context, definitions };
}

type Values = readonly (readonly [number, number | string])[];

const read = ({ sets }: FetchResult): Values[] =>
  sets.map(({ status, instances, column }) =>
    Array.from(
      { length: Math.max(status, 0) },
      (_, i) => [instances[i]!, column.texts[i] ?? column.numbers[i]!] as const,
    ),
  );

async function fetch(context: Context, names: readonly string[], parameters: SelectionParameters): Promise<Values[]> {
  const plan = await context.plans.get({ names });
  const selection = parseSelection(parameters);
  return context.fetching.fetch(plan, read, selection && context.fetching.keptView(plan, selection));
}

describe('a view of fetches', () => {
  it('lets instances through that every filter wants', async () => {
    const { context } = await setUp();
    const ids = async (parameters: SelectionParameters): Promise<readonly number[]> =>
      (await fetch(context, ['disk.busy'], parameters))[0]!.map(([instance]) => instance);
    expect(await ids({ iname: ['sda', 'nvme0n1'] })).toEqual([0, 2]);
    expect(await ids({ iname: ['sd*'], match: 'glob' })).toEqual([0, 1]);
    expect(await ids({ iname: ['b$', 'n1'], match: 'regex' })).toEqual([1, 2]);
    expect(await ids({ instance: [2, 7] })).toEqual([2]);
    expect(await ids({ instance: [0, 2], iname: ['sda', 'sdb'] })).toEqual([0]);
    expect(await ids({ labels: 'type="sd"', instance: [1, 2] })).toEqual([1]);
    expect(await ids({ labels: 'kind="busy",agent="linux",hostname="web1"' })).toEqual([0, 1, 2]);
    expect(await ids({ labels: 'kind="idle"' })).toEqual([]);
  });

  it('asks metrics without instances for their labels only', async () => {
    const { context } = await setUp();
    expect(await fetch(context, ['host', 'disk.busy'], { iname: ['none'] })).toEqual([[[-1, 'web1']], []]);
    expect(await fetch(context, ['host', 'disk.busy'], { labels: 'kind="busy",type="sd"' })).toEqual([
      [],
      rows([0, 100], [1, 200]),
    ]);
  });

  it('looks instances up once, and again only when an unknown one turns up or the source has changed', async () => {
    const { context, source } = await setUp();
    const ids = async (): Promise<readonly number[]> =>
      (await fetch(context, ['disk.busy', 'disk.read'], { iname: ['sda', 'sdc'] }))[0]!.map(([instance]) => instance);
    expect(await ids()).toEqual([0]);
    expect(await ids()).toEqual([0]);
    expect(source.asked).toEqual(['instances']);
    source.read.set(3, 1n); // appears before it has a name
    expect(await ids()).toEqual([0]);
    expect(await ids()).toEqual([0]);
    expect(source.asked).toHaveLength(2);
    source.names.set(3, 'sdc');
    source.read.set(4, 1n);
    expect(await ids()).toEqual([0, 3]);
    source.names.set(0, 'sdz');
    source.generation++;
    expect(await ids()).toEqual([3]);
  });

  it('serves fetches that overlap, each with its own selection of the same instances', async () => {
    const { context, source } = await setUp();
    const asking = ['sda', 'sdb', 'sda', 'nvme0n1', 'sda'].map((name) =>
      fetch(context, ['disk.busy'], { iname: [name] }),
    );
    const all = await Promise.all(asking);
    expect(all.map(([values]) => values)).toEqual([[[0, 100]], [[1, 200]], [[0, 100]], [[2, 50]], [[0, 100]]]);
    // Those with the same selection share one look-up.
    expect(source.asked).toHaveLength(3);
  });

  it('keeps derived values apart from those of a fetch that ends while instances are looked up', async () => {
    const { context, source, clock } = await setUp();
    const plan = await context.plans.get({ names: ['my.double'] });
    const view = context.fetching.keptView(plan, parseSelection({ iname: ['sda'] })!);
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const instances = source.instances.bind(source);
    source.instances = async (indom) => {
      await gate;
      return instances(indom);
    };
    const first = context.fetching.fetch(plan, read, view);
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1000);
    source.read.set(0, 110n);
    const second = await context.fetching.fetch(plan, read);
    open();
    expect([(await first)[0], second[0]![0]]).toEqual([[[0, 200]], [0, 220]]);
  });

  it('does not choose from more values than it can in a moment: it is refused before any is looked at', async () => {
    const { context, source } = await setUp();
    const plan = await context.plans.get({ names: ['disk.busy', 'disk.read'] });
    const view = context.fetching.view(plan, parseSelection({ iname: ['sda'] }));
    const result = new FetchResult();
    result.resize(2);
    for (const set of result.sets) set.status = 500_001;
    await expect(view.shape(result)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(source.asked).toEqual([]);
  });

  it('tells names that no instance has', async () => {
    const { context } = await setUp();
    const plan = await context.plans.get({ names: ['disk.busy', 'host'] });
    const unmatched = (parameters: SelectionParameters): Promise<readonly string[]> => {
      const view = context.fetching.view(plan, parseSelection(parameters));
      return context.fetching.fetch(plan, () => view.unmatched, view);
    };
    expect(await unmatched({ iname: ['sda', 'sdz'] })).toEqual(['sdz']);
    expect(await unmatched({ iname: ['sdz'], match: 'glob' })).toEqual([]);
    expect(await unmatched({ instance: [99] })).toEqual([]);
  });

  it('needs no look-up for instances by number', async () => {
    const { context, source } = await setUp();
    await fetch(context, ['disk.busy'], { instance: [1], top: 1 });
    expect(source.asked).toEqual([]);
  });

  it('gives the rates between two fetches of a context, the first has none', async () => {
    const { context, source, clock } = await setUp();
    const rates = (): Promise<Values[]> => fetch(context, ['disk.read', 'disk.busy', 'host'], { rate: true });
    expect(await rates()).toEqual([[], rows([0, 100], [1, 200], [2, 50]), [[-1, 'web1']]]);
    clock.advance(2000);
    source.read.set(0, 110n).set(1, 150n).set(3, 5n);
    expect((await rates())[0]).toEqual(rows([0, 5], [2, 0]));
    // The same moment once more is the same sample.
    expect((await rates())[0]).toEqual(rows([0, 5], [2, 0]));
    clock.advance(1000);
    expect((await rates())[0]).toEqual(rows([0, 0], [1, 0], [2, 0], [3, 0]));
  });

  it('keeps rates over a change of generation, and starts over when the source was lost', async () => {
    const { context, source, clock } = await setUp();
    const rates = async (): Promise<Values> => (await fetch(context, ['disk.read'], { rate: true, instance: [0] }))[0]!;
    await rates();
    clock.advance(1000);
    source.generation++;
    source.read.set(0, 107n);
    expect(await rates()).toEqual([[0, 7]]);
    clock.advance(1000);
    source.reconnects++;
    expect(await rates()).toEqual([]);
    clock.advance(1000);
    expect(await rates()).toEqual([[0, 0]]);
  });

  it('takes counters that went down for ones that wrapped, on request', async () => {
    const { context, source, clock } = await setUp();
    source.read.set(0, 2n ** 64n - 5n);
    const rates = async (wrap: boolean): Promise<Values> =>
      (await fetch(context, ['disk.read'], { rate: true, wrap, instance: [0] }))[0]!;
    await rates(true);
    await rates(false);
    clock.advance(1000);
    source.read.set(0, 5n);
    expect(await rates(false)).toEqual([]);
    expect(await rates(true)).toEqual([[0, 10]]);
  });

  it('selects and converts derived metrics, and counts on from nothing for none of them', async () => {
    const { context, source, clock } = await setUp();
    const rates = (): Promise<Values[]> => fetch(context, ['my.double', 'my.total'], { rate: true, iname: ['sda'] });
    await rates();
    clock.advance(1000);
    source.read.set(0, 101n);
    expect(await rates()).toEqual([[[0, 2]], [[-1, 1]]]);
    clock.advance(1000);
    source.writtenError = PM_ERR.AGAIN;
    expect((await rates())[1]).toEqual([]);
    clock.advance(1000);
    source.writtenError = 0;
    expect((await rates())[1]).toEqual([]);
    clock.advance(1000);
    expect((await rates())[1]).toEqual([[-1, 0]]);
  });

  it('says what the values are once they are converted', async () => {
    const { context } = await setUp();
    const plan = await context.plans.get({ names: ['disk.read'] });
    const of = (parameters: SelectionParameters): unknown => {
      const { descriptor: is } = context.fetching.view(plan, parseSelection(parameters)).metrics[0]!;
      return [is.type, is.semantics, formatUnits(is.units)];
    };
    expect(of({ rate: true })).toEqual([MetricType.DOUBLE, Semantics.INSTANT, 'byte / sec']);
    expect(of({ rate: true, units: 'Kbyte' })).toEqual([MetricType.DOUBLE, Semantics.INSTANT, 'Kbyte / sec']);
    expect(of({ units: 'Kbyte' })).toEqual([MetricType.DOUBLE, Semantics.COUNTER, 'Kbyte']);
    expect(of({ top: 1 })).toEqual([MetricType.U64, Semantics.COUNTER, 'byte']);
    expect(() => of({ units: 'sec' })).toThrow(/^disk\.read cannot be converted to "sec"/);
  });

  it('orders the greatest by what they are after conversion', async () => {
    const { context, source, clock } = await setUp();
    const top = async (): Promise<Values> => (await fetch(context, ['disk.read'], { rate: true, top: 2 }))[0]!;
    await top();
    clock.advance(1000);
    source.read.set(2, 59n).set(0, 103n);
    expect(await top()).toEqual(rows([2, 9], [0, 3]));
  });

  it('on a context that all share begins rates with what was seen of the source, not too shortly before', async () => {
    const { context, source, clock } = await setUp(true);
    const rates = async (names = ['disk.read']): Promise<Values> =>
      (await fetch(context, names, { rate: true, instance: [0] }))[0]!;
    await fetch(context, ['disk.read'], {});
    clock.advance(1000);
    source.read.set(0, 110n);
    expect(await rates()).toEqual([[0, 10]]);
    clock.advance(100);
    source.read.set(0, 121n);
    expect(await rates()).toEqual([[0, 21 / 1.1]]);
    clock.advance(10 * 60 * 1000);
    source.read.set(0, 999n);
    expect(await rates(['disk.read', 'disk.busy'])).toEqual([]);
  });

  it('on a context that all share begins rates of derived counters with what their operands were at one moment', async () => {
    const { context, source, clock, definitions } = await setUp(true);
    definitions.register('my.sum', 'disk.read + disk.written');
    definitions.register('my.other', 'disk.read - disk.written');
    const rates = async (name = 'my.sum'): Promise<Values> => (await fetch(context, [name], { rate: true }))[0]!;
    await fetch(context, ['disk.read', 'disk.written'], {});
    clock.advance(1000);
    source.read.set(0, 105n);
    // Of one operand only: no moment of both.
    await fetch(context, ['disk.read'], {});
    clock.advance(1000);
    source.read.set(0, 110n);
    expect((await rates())[0]).toEqual([0, 10]);
    clock.advance(1000);
    source.read.set(0, 113n);
    expect((await rates())[0]).toEqual([0, 6]);
    expect((await rates('my.double'))[0]).toEqual([0, 6]);
    clock.advance(10 * 60 * 1000);
    expect(await rates('my.other')).toEqual([]);
  });

  it('begins no rate of a derived counter where its operands had no values, or where it has none of one sample', async () => {
    const { context, source, clock, definitions } = await setUp(true);
    definitions.register('my.moved', 'delta(forks) > 0 ? forks : forks');
    const rates = (): Promise<Values[]> => fetch(context, ['my.total', 'my.moved'], { rate: true });
    source.writtenError = PM_ERR.AGAIN;
    await fetch(context, ['disk.written', 'disk.read', 'forks'], {});
    source.writtenError = 0;
    clock.advance(1000);
    expect(await rates()).toEqual([[], []]);
    clock.advance(1000);
    // What has a past of its own goes on with that.
    expect(await rates()).toEqual([[[-1, 0]], [[-1, 1]]]);
    clock.advance(1000);
    expect(await rates()).toEqual([[[-1, 0]], [[-1, 1]]]);
  });

  it('begins rates of derived counters with the operands that they have now', async () => {
    const { context, source, clock } = await setUp(true);
    const rates = async (): Promise<Values> => (await fetch(context, ['my.double'], { rate: true, instance: [0] }))[0]!;
    await rates();
    source.renumber('disk.read', makePmid(60, 0, 9));
    clock.advance(1000);
    await fetch(context, ['disk.read'], {});
    clock.advance(1000);
    source.read.set(0, 110n);
    expect(await rates()).toEqual([[0, 20]]);
  });

  it('does not need a memory for that', async () => {
    const { context, clock } = await setUp(true, false);
    await fetch(context, ['forks'], { rate: true });
    clock.advance(1000);
    expect(await fetch(context, ['forks'], { rate: true })).toEqual([[[-1, 1]]]);
  });

  it('belongs to its owner when asked for with view(): nobody else moves its rates', async () => {
    const { context, clock } = await setUp();
    const plan = await context.plans.get({ names: ['forks'] });
    const selection = parseSelection({ rate: true })!;
    const [mine, other] = [context.fetching.view(plan, selection), context.fetching.view(plan, selection)];
    await context.fetching.fetch(plan, read, mine);
    clock.advance(1000);
    await context.fetching.fetch(plan, read, other);
    clock.advance(1000);
    expect(await context.fetching.fetch(plan, read, mine)).toEqual([[[-1, 1]]]);
    mine.forget();
    clock.advance(1000);
    expect(await context.fetching.fetch(plan, read, mine)).toEqual([[]]);
  });

  it('is the result itself when nothing is selected', async () => {
    const { context } = await setUp();
    const plan = await context.plans.get({ names: ['disk.busy'] });
    const view = context.fetching.view(plan, undefined);
    const [fetched, shaped] = await context.fetching.fetch(plan, (result) => [result, view.shape(result)]);
    expect(shaped).toBe(fetched);
  });

  it('answers as choosing by hand from all values does, and invents none', async () => {
    const { context, source } = await setUp();
    const names = ['disk.busy', 'disk.read', 'host', 'my.double'];
    const chosen = fc.record(
      {
        instance: fc.array(fc.nat(4), { maxLength: 3 }),
        iname: fc.array(fc.constantFrom('sda', 'sdb', 's', 'd', '*', '.*', 'n1'), { minLength: 1, maxLength: 2 }),
        kind: fc.constantFrom('exact' as const, 'glob' as const, 'regex' as const),
        label: fc.constantFrom(['type', 'sd'], ['type', ''], ['kind', 'busy'], ['agent', 'linux']),
        top: fc.integer({ min: 1, max: 4 }),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(chosen, fc.array(fc.bigInt(0n, 5n), { minLength: 3, maxLength: 5 }), async (choice, values) => {
        const { instance, iname, kind, label, top } = choice;
        fc.pre(iname === undefined || kind !== 'regex' || !iname.includes('*'));
        source.read.clear();
        for (const [id, value] of values.entries()) source.read.set(id, value);
        const all = await fetch(context, names, {});
        const labels = label && `${label[0]}="${label[1]}"`;
        const match = iname && kind;
        const picked = await fetch(context, names, { instance, iname, match, labels, top });
        const byHand = all.map((pairs, m) => {
          const wanted = pairs.filter(([id]) => {
            const name = source.names.get(id);
            if (id >= 0 && instance && !instance.includes(id)) return false;
            const matches = (pattern: string): boolean =>
              name !== undefined && compilePatterns([pattern], kind ?? 'exact', 'iname').matches(name);
            if (id >= 0 && iname && !iname.some(matches)) return false;
            if (!label) return true;
            const own = labelTexts([
              makeLabel('agent', names[m] === 'my.double' ? '' : 'linux'),
              makeLabel('kind', names[m] === 'disk.busy' ? 'busy' : ''),
              ...(name !== undefined && id >= 0 ? labelsOfDisk(name) : []),
            ]);
            return (own.get(label[0]) ?? '') === label[1];
          });
          if (top === undefined || names[m] === 'host') return wanted;
          return [...wanted].sort((a, b) => Number(b[1]) - Number(a[1])).slice(0, top);
        });
        expect(picked).toEqual(byHand);
      }),
    );
  });
});

describe('a plan of what is below nodes', () => {
  const namesOf = async (context: Context, selector: MetricSelector): Promise<unknown> => {
    const { entries, missing } = await context.plans.get(selector);
    return [entries.map(({ name }) => name), missing.map(({ requested, pmErr }) => [requested, pmErr])];
  };

  it('holds every metric once, derived ones too, in the order of the namespace', async () => {
    const { context } = await setUp();
    const disks = ['disk.read', 'disk.busy', 'disk.written'];
    expect(await namesOf(context, { prefixes: ['disk'], most: 10 })).toEqual([disks, []]);
    expect(await namesOf(context, { prefixes: ['disk.busy', 'disk', 'my'], most: 10 })).toEqual([
      ['disk.busy', 'disk.read', 'disk.written', 'my.total', 'my.double'],
      [],
    ]);
    expect(await namesOf(context, { prefixes: [''], most: 10 })).toEqual([
      [...disks, 'forks', 'host', 'my.total', 'my.double'],
      [],
    ]);
  });

  it('lists the nodes that there are not', async () => {
    const { context } = await setUp();
    expect(await namesOf(context, { prefixes: ['no', 'host'], most: 10 })).toEqual([['host'], [['no', PM_ERR.NAME]]]);
  });

  it('is refused when it is too long, and says how long it is', async () => {
    const { context } = await setUp();
    const error = await Promise.resolve(context.plans.get({ prefixes: ['disk'], most: 2 })).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({
      code: 'TOO_MANY_NAMES',
      message: "'prefix' matches 3 metrics; limits.names allows 2",
    });
  });

  it('follows what is defined', async () => {
    const { context } = await setUp();
    expect(await namesOf(context, { prefixes: ['mine'], most: 10 })).toEqual([[], [['mine', PM_ERR.NAME]]]);
    await context.addDerived('mine.one', 'forks * 2');
    expect(await namesOf(context, { prefixes: ['mine'], most: 10 })).toEqual([['mine.one'], []]);
  });
});

describe('parseSelection', () => {
  it('is nothing when nothing is selected or converted', () => {
    expect(parseSelection({})).toBeUndefined();
    expect(parseSelection({ rate: false, wrap: false })).toBeUndefined();
  });

  it('has one key for the same selection, and different ones for different selections', () => {
    const all: SelectionParameters[] = [
      { iname: ['a'] },
      { iname: ['a'], match: 'glob' },
      { iname: ['a', 'b'] },
      { instance: [1] },
      { labels: 'a="1"' },
      { top: 1 },
      { rate: true },
      { rate: true, wrap: true },
      { units: 'byte' },
    ];
    const keys = all.map((one) => parseSelection(one)!.key);
    expect(new Set(keys).size).toBe(all.length);
    expect(parseSelection({ match: 'exact', iname: ['a'] })!.key).toBe(keys[0]);
  });

  it.each([
    [{ top: 0 }, 'BAD_PARAMETER', 'top'],
    [{ top: 1.5 }, 'BAD_PARAMETER', 'top'],
    [{ match: 'glob' as const }, 'BAD_PARAMETER', 'match'],
    [{ wrap: true }, 'BAD_PARAMETER', 'wrap'],
    [{ iname: ['('], match: 'regex' as const }, 'BAD_PATTERN', 'iname'],
    [{ iname: Array.from({ length: 101 }, (_, i) => String(i)), match: 'glob' as const }, 'LIMIT_EXCEEDED', 'iname'],
    [{ labels: 'a~"x"' }, 'BAD_PARAMETER', 'labels'],
    [{ units: 'furlong' }, 'CONVERSION', 'units'],
  ])('refuses a selection %#', (parameters, code, parameter) => {
    let error: unknown;
    try {
      parseSelection(parameters);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code, details: { parameter } });
  });
});
