import fc, { tries } from '../support/properties.js';
import type { Context } from '../../src/context/index.js';
import type { KeptResult } from '../../src/context/plans/fetcher.js';
import { type FetchResult, INDOM_NULL, MetricType, Semantics, makeIndom, makePmid } from '../../src/pmapi/index.js';
import { metricFilter, metricRule } from '../../src/sources/index.js';
import { FakeClock } from '../support/fake-clock.js';
import { descriptor, memoryGateway } from '../support/memory-gateway.js';
import type { MemoryContent } from '../support/memory-source.js';

const INDOM = makeIndom(29, 1);
const INSTANCES = [1, 2, 3, 4];
const HIDDEN = 'secret.value';
const NAMES = ['open.value', 'open.wide', 'open.text', HIDDEN, 'own.a', 'own.b'];
const EXPRESSIONS = ['delta(open.value)', 'open.wide * 2', 'rate(open.wide)', `${HIDDEN} + 1`, 'sum(open.wide)', '7'];

/** Every value is another one at another time. */
const content: MemoryContent = {
  metrics: [
    {
      name: 'open.value',
      descriptor: descriptor(makePmid(29, 0, 0), { type: MetricType.U64, semantics: Semantics.COUNTER }),
      values: ({ sec }) => sec % 100_000,
    },
    {
      name: 'open.wide',
      descriptor: descriptor(makePmid(29, 0, 1), { indom: INDOM, semantics: Semantics.COUNTER }),
      values: ({ sec }) => new Map(INSTANCES.map((id) => [id, (sec % 100_000) * id])),
    },
    {
      name: 'open.text',
      descriptor: descriptor(makePmid(29, 0, 2), { indom: INDOM, type: MetricType.STRING }),
      values: ({ sec }) => new Map(INSTANCES.map((id) => [id, `${id} at ${sec}`])),
    },
    {
      name: HIDDEN,
      descriptor: descriptor(makePmid(29, 0, 3), { indom: INDOM_NULL }),
      values: ({ sec }) => 1_000_000 + (sec % 100),
    },
  ],
  indoms: [{ indom: INDOM, instances: INSTANCES.map((id) => ({ id, name: `i${id}` })) }],
};

/** Two clients of each of two roles. */
const FILTERS = [undefined, metricFilter([metricRule(['open'])])!];
const CLIENTS = [0, 0, 1, 1];

const client = fc.nat(CLIENTS.length - 1);
const name = fc.constantFrom('own.a', 'own.b');
const names = fc.subarray(NAMES, { minLength: 1 });
const operation = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('fetch' as const), client, names }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('keep' as const), client, names }) },
  fc.record({ kind: fc.constant('release' as const), client }),
  fc.record({ kind: fc.constant('hide' as const), client, instances: fc.subarray(INSTANCES) }),
  fc.record({ kind: fc.constant('show' as const), client, instances: fc.subarray(INSTANCES) }),
  fc.record({ kind: fc.constant('derive' as const), client, name, expression: fc.constantFrom(...EXPRESSIONS) }),
  fc.record({ kind: fc.constant('tick' as const) }),
  fc.record({ kind: fc.constant('move' as const) }),
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

const clientOf = (one: Operation): number | undefined => ('client' in one ? one.client : undefined);

function write({ timestamp, sets }: FetchResult): string {
  return JSON.stringify([
    timestamp.sec,
    sets.map(({ pmid, status, instances, column }) => [
      pmid,
      status,
      Array.from({ length: Math.max(status, 0) }, (_, i) => [instances[i], String(column.atomAt(i))]),
    ]),
  ]);
}

/** Some clients, and what they have been told. */
class World {
  readonly clock = new FakeClock();
  readonly told: string[][] = CLIENTS.map(() => []);
  readonly #kept: { result: KeptResult; text: string }[][] = CLIENTS.map(() => []);
  readonly #gateways;
  readonly #contexts: Promise<Context>[];

  /** @param isApart whether each client has a gateway of its own */
  constructor(isApart: boolean) {
    const make = () => memoryGateway({ content, clock: this.clock });
    const one = make();
    this.#gateways = isApart ? CLIENTS.map(make) : CLIENTS.map(() => one);
    this.#contexts = CLIENTS.map((role, i) => {
      const filter = FILTERS[role];
      return this.#gateways[i]!.contexts.create({ kind: 'host', hostspec: 'h', ...(filter ? { filter } : {}) });
    });
  }

  async perform(operation: Operation): Promise<void> {
    if (operation.kind === 'tick') return;
    if (operation.kind === 'move') {
      for (const { sources } of new Set(this.#gateways)) for (const source of sources) source.generation++;
      return;
    }
    const context = await this.#contexts[operation.client]!;
    const told = this.told[operation.client]!;
    const kept = this.#kept[operation.client]!;
    try {
      switch (operation.kind) {
        case 'fetch':
        case 'keep': {
          const plan = await context.plans.get({ names: operation.names });
          const text = await context.fetching.fetch(plan, (result, notes) => {
            if (operation.kind === 'keep') kept.push({ result: notes.keep(), text: write(result) });
            return write(result);
          });
          told.push(text, plan.missing.map(({ requested, message }) => `${requested}: ${message}`).join());
          return;
        }
        case 'release':
          for (const { result, text } of kept.splice(0)) {
            told.push(write(result.result) === text ? 'as it was' : write(result.result));
            result.release();
          }
          return;
        case 'hide':
          context.deleteProfile(INDOM, operation.instances);
          return;
        case 'show':
          context.addProfile(INDOM, operation.instances);
          return;
        case 'derive':
          await context.addDerived(operation.name, operation.expression);
      }
    } catch (error) {
      told.push((error as Error).message);
    }
  }

  async end(): Promise<void> {
    for (const client of CLIENTS.keys()) await this.perform({ kind: 'release', client });
  }
}

test('contexts that share plans and results are told what they would be told alone', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(operation, { minLength: 1, maxLength: 4 }), { maxLength: 30 }),
      async (turns) => {
        const [together, apart] = [new World(false), new World(true)];
        for (const world of [together, apart]) {
          // What is in one turn is under way at once; of one client each waits for the one before.
          for (const turn of turns) {
            if (turn.some(({ kind }) => kind === 'tick')) world.clock.advance(1000);
            const clients = [...new Set(turn.map(clientOf))];
            await Promise.all(
              clients.map(async (client) => {
                for (const one of turn) if (clientOf(one) === client) await world.perform(one);
              }),
            );
          }
          await world.end();
        }
        expect(together.told).toEqual(apart.told);
        const hidden = together.told.filter((_, client) => FILTERS[CLIENTS[client]!]);
        expect(hidden.flat().join()).not.toMatch(/"10000\d\d"/);
      },
    ),
    { numRuns: tries(200) },
  );
});
