/**
 * Prints, as JSON, what the gateway counts for what it keeps for clients by what that takes in memory, by its name. Run with `--expose-gc`
 * in a process of its own: what other tests let go of would be taken for its doing.
 */
import { setImmediate } from 'node:timers/promises';
import { type Context, type ContextManager, parseSelection } from '../../src/context/index.js';
import { StreamHub } from '../../src/context/stream/index.js';
import { DefinitionStore, MemoryQuota } from '../../src/derived/index.js';
import { makeLabel, makePmid, MetricType, Semantics } from '../../src/pmapi/index.js';
import { descriptor, memoryGateway } from '../support/memory-gateway.js';
import { type MemoryContent, MemorySource } from '../support/memory-source.js';
import { HandTime, streamRequest, TestSink } from '../support/stream-fixture.js';
import { STREAM_LIMITS } from '../support/patience.js';

const SPEC = { kind: 'host', hostspec: 'h' } as const;
const METRICS = 40;
const NAMES = Array.from({ length: METRICS }, (_, i) => `test.group.metric${i}`);
const INDOM = 7;
const INSTANCES = 10;
const ROOMY = 2 ** 40;

const content: MemoryContent = {
  metrics: NAMES.map((name, i) => ({
    name,
    descriptor: descriptor(makePmid(60, 0, i), { type: MetricType.U64, semantics: Semantics.COUNTER, indom: INDOM }),
    values: ({ sec }: { sec: number }) => new Map(Array.from({ length: INSTANCES }, (_, k) => [k, (sec % 1000) + k])),
  })),
  indoms: [{ indom: INDOM, instances: Array.from({ length: INSTANCES }, (_, id) => ({ id, name: `instance ${id}` })) }],
};

/** Bytes of what is alive. */
async function aliveBytes(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    globalThis.gc!();
    await setImmediate();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** What is kept of something, and how much it is said to be. */
interface Kept {
  readonly what: unknown;
  readonly bytes: number;
}

/** What `make` says that it keeps, by what that takes. */
async function counted(make: () => Promise<Kept>): Promise<number> {
  // What the engine makes of the code has its place in memory, too: let it do that before.
  await make();
  const before = await aliveBytes();
  const { what, bytes } = await make();
  const taken = (await aliveBytes()) - before;
  if (what === undefined) throw new Error('nothing was made');
  return bytes / taken;
}

function contextsOf(definitions = new DefinitionStore()): ContextManager {
  const memoryLimits = {
    kept: ROOMY,
    programs: ROOMY,
    metadata: ROOMY,
    definitions: ROOMY,
    profiles: ROOMY,
  };
  return memoryGateway({ content, definitions, memoryLimits, limits: { contexts: 100_000, pollTimeoutMs: 1e9 } })
    .contexts;
}

/** Contexts that share no plans, for each has a derived metric of its own. */
async function ownContexts(contexts: ContextManager, count: number): Promise<readonly Context[]> {
  const made: Context[] = [];
  for (let i = 0; i < count; i++) {
    const context = await contexts.create(SPEC);
    await context.addDerived('my.own', '1');
    made.push(context);
  }
  return made;
}

async function plans(): Promise<Kept> {
  const contexts = contextsOf();
  const [context] = await ownContexts(contexts, 1);
  for (let i = 0; i < 500; i++) {
    // Names come out of the bytes of a request.
    const names = NAMES.slice(i % 7).map((name) => Buffer.from(name).toString('latin1'));
    await context!.plans.get({ names: [...names, `no.such${i}`] });
  }
  return { what: contexts, bytes: contexts.keptBytes.kept };
}

function views(parameters: Parameters<typeof parseSelection>[0]): () => Promise<Kept> {
  return async () => {
    const contexts = contextsOf();
    for (let c = 0; c < 40; c++) {
      const context = await contexts.create(SPEC);
      const plan = await context.plans.get({ names: NAMES });
      for (let top = 1; top <= 8; top++) {
        const view = context.fetching.keptView(plan, parseSelection({ ...parameters, top })!);
        for (let i = 0; i < 2; i++) await context.fetching.fetch(plan, () => undefined, view);
      }
    }
    return { what: contexts, bytes: contexts.keptBytes.kept };
  };
}

/** Definitions with the programs that they become on a source: what a definition counts stands for both. */
function definitions(count: number, expression: (i: number) => string): () => Promise<Kept> {
  return async () => {
    const store = new DefinitionStore({ budget: new MemoryQuota('definitions', ROOMY) });
    for (let i = 0; i < count; i++) store.register(`my.d${i}`, expression(i));
    const contexts = contextsOf(store);
    await (await contexts.create(SPEC)).names.children('my');
    return { what: [store, contexts], bytes: store.bytes };
  };
}

async function profiles(): Promise<Kept> {
  const contexts = contextsOf();
  for (let c = 0; c < 100; c++) {
    const context = await contexts.create(SPEC);
    for (let indom = 0; indom < 20; indom++)
      context.addProfile(
        indom,
        Array.from({ length: 100 }, (_, i) => i * 7 + c),
      );
  }
  return { what: contexts, bytes: contexts.keptBytes.profiles };
}

async function metadata(): Promise<Kept> {
  const contexts = contextsOf();
  // Each host tells texts of its own.
  const text = (length: number): string => Buffer.alloc(length, 'help ').toString('latin1');
  const { helpText, labels } = MemorySource.prototype;
  MemorySource.prototype.helpText = (_target, kind) => Promise.resolve(text(kind === 'oneline' ? 40 : 200));
  MemorySource.prototype.labels = ({ kind }) =>
    Promise.resolve(kind === 'item' ? [{ instance: -1, labels: [makeLabel(text(8), text(20))] }] : []);
  for (let host = 0; host < 100; host++) {
    const context = await contexts.create({ kind: 'host', hostspec: `h${host}` });
    for (const pmid of await context.names.lookupNames(NAMES)) await context.names.metadata(pmid);
  }
  Object.assign(MemorySource.prototype, { helpText, labels });
  return { what: contexts, bytes: contexts.keptBytes.metadata };
}

function streams(changed: boolean): () => Promise<Kept> {
  return async () => {
    const time = new HandTime();
    const hub = new StreamHub({
      clock: time,
      timers: time,
      // What was sent has a budget of its own.
      limits: { ...STREAM_LIMITS, historyBytes: 0, maxSubscribers: 10_000 },
      memoryBytes: ROOMY,
    });
    const contexts = contextsOf();
    const context = await contexts.create(SPEC);
    const sinks: TestSink[] = [];
    for (let top = 1; top <= 200; top++) {
      const sink = new TestSink();
      hub.subscribe(await streamRequest(context, NAMES, { changed, select: { rate: true, top } }), sink);
      sinks.push(sink);
    }
    await time.pass(3000, 1000);
    for (const sink of sinks) sink.text = '';
    return { what: [hub, contexts], bytes: hub.heldBytes };
  };
}

const ratios: Record<string, number> = {
  plans: await counted(plans),
  'views of rates': await counted(views({ rate: true })),
  'views of instances': await counted(views({ iname: ['instance 1', 'instance 2'] })),
  'small definitions': await counted(definitions(1000, (i) => `delta(${NAMES[i % METRICS]!}) + ${i}`)),
  'large definitions': await counted(definitions(20, (i) => `delta(${NAMES[i]!})${'+1'.repeat(900)}`)),
  'definitions of many metrics': await counted(
    definitions(100, (i) => NAMES.map((name) => `delta(${name})`).join('+') + `+ ${i}`),
  ),
  profiles: await counted(profiles),
  metadata: await counted(metadata),
  streams: await counted(streams(false)),
  'streams of changes': await counted(streams(true)),
};
process.stdout.write(JSON.stringify(ratios));
