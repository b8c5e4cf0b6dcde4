import { createPmgateClient } from '../../src/client/index.js';
import { makePmid, MetricType, systemClock } from '../../src/pmapi/index.js';
import { LiveMemory } from '../../src/context/range/index.js';
import { metricFilter, metricRule } from '../../src/sources/index.js';
import { Api } from '../support/api.js';
import { descriptor, memoryGateway, TEST_CONTENT } from '../support/memory-gateway.js';

const [EVENTS, TEXT, SECRET, NOWHERE] = [1, 2, 3, 4].map((item) => makePmid(29, 1, item)) as [
  number,
  number,
  number,
  number,
];

/** One record, at 10 seconds, with a U32 for each PMID. */
function record(...pmids: readonly number[]): Uint8Array {
  const words = [1, 10, 0, 1, pmids.length, ...pmids.flatMap((pmid) => [pmid, 0x01000008, 7])];
  const bytes = Buffer.alloc(4 * words.length);
  for (const [i, word] of words.entries()) bytes.writeUInt32BE(word >>> 0, 4 * i);
  return bytes;
}

const content = {
  ...TEST_CONTENT,
  metrics: [
    ...TEST_CONTENT.metrics,
    {
      name: 'app.events',
      descriptor: descriptor(EVENTS, { type: MetricType.EVENT }),
      values: record(TEXT, SECRET, NOWHERE),
    },
    { name: 'app.user', descriptor: descriptor(TEXT), values: 1 },
    { name: 'secret.key', descriptor: descriptor(SECRET), values: 1 },
  ],
};

let api: Api;
beforeEach(async () => {
  const memory = new LiveMemory(systemClock, { bytes: 1e6, maxAgeMs: 60_000 });
  api = await Api.start(memoryGateway({ content, memory }));
});
afterEach(() => api.stop());

const named = [
  { pmid: '29.1.2', name: 'app.user', value: 7 },
  { pmid: '29.1.3', name: 'secret.key', value: 7 },
  { pmid: '29.1.4', value: 7 },
];

interface Answer {
  readonly values: readonly {
    readonly instances: readonly { readonly records: readonly { parameters: unknown }[] }[];
  }[];
}
const parametersOf = ({ values }: Answer): unknown => values[0]!.instances[0]!.records[0]!.parameters;

describe('parameters of event records', () => {
  it('are named as the context names them, in fetches and in ranges', async () => {
    expect(parametersOf(JSON.parse((await api.get('/pmapi/fetch?names=app.events')).text) as Answer)).toEqual(named);
    const context = await api.context();
    const { text } = await api.get(`/pmapi/${context}/fetch?names=app.events`);
    expect(parametersOf(JSON.parse(text) as Answer)).toEqual(named);
    const client = createPmgateClient(api.url);
    for await (const sample of client.range('app.events', { hostspec: 'localhost', samples: 1 })) {
      expect(parametersOf(sample as unknown as Answer)).toEqual(named);
    }
  });

  it('are named in streams', async () => {
    const controller = new AbortController();
    const response = await fetch(`${api.url}/pmapi/stream?names=app.events`, { signal: controller.signal });
    let text = '';
    let first: Answer | undefined;
    for await (const piece of response.body! as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(piece).toString();
      const data = /^id: .*\ndata: (.*)\n\n/m.exec(text)?.[1];
      if (data === undefined) continue;
      first = JSON.parse(data) as Answer;
      break;
    }
    controller.abort();
    expect(first && parametersOf(first)).toEqual(named);
  });

  it('are asked for once, until names may have changed', async () => {
    const context = await api.gateway.contexts.create({ kind: 'host', hostspec: 'localhost' });
    const asked: number[] = [];
    const plan = await context.plans.get({ names: ['app.events'] });
    const namesOf = api.gateway.sources.at(-1)!.namesOf.bind(api.gateway.sources.at(-1)!);
    api.gateway.sources.at(-1)!.namesOf = (pmid) => {
      asked.push(pmid);
      return namesOf(pmid);
    };
    for (let i = 0; i < 3; i++) await context.fetching.fetch(plan, () => undefined);
    expect(asked).toEqual([TEXT, SECRET, NOWHERE]);
    api.gateway.sources.at(-1)!.generation++;
    await context.fetching.fetch(await context.plans.get({ names: ['app.events'] }), () => undefined);
    expect(asked).toHaveLength(6);
  });

  it('that somebody may not see are not there', async () => {
    const filter = metricFilter([metricRule(['app.*'])])!;
    const spec = { kind: 'host', hostspec: 'localhost', filter } as const;
    const context = await api.gateway.contexts.create(spec);
    const plan = await context.plans.get({ names: ['app.events'] });
    const bytes = await context.fetching.fetch(plan, ({ sets }) => Buffer.from(sets[0]!.column.bytes[0]!));
    expect(bytes).toEqual(Buffer.from(record(TEXT)));
    expect(context.names.events.get(TEXT)).toBe('app.user');
  });
});
