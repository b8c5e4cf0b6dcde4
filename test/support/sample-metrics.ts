import { makeIndom, makeLabel, makePmid, makeUnits, MetricType, PM_ERR, Semantics } from '../../src/pmapi/index.js';
import type { MetricDescriptor } from '../../src/pmapi/index.js';
import type { MemoryContent, MemoryMetric, MemoryValues } from './memory-source.js';
import { rows } from './rows.js';

/** The instance domain of `sample.colour`, `sample.bin` and others: 0=red, 1=green, 2=blue. */
export const COLOURS = makeIndom(250, 1);

function metric(
  name: string,
  item: number,
  type: MetricType,
  values: MemoryValues,
  rest: Partial<MetricDescriptor> = {},
): MemoryMetric {
  return {
    name,
    descriptor: {
      pmid: makePmid(250, 0, item),
      type,
      indom: 0xffffffff,
      semantics: Semantics.INSTANT,
      units: makeUnits({}),
      ...rest,
    },
    values,
    oneline: `one line about ${name}`,
    help: `More than\none line about "${name}".`,
  };
}

const colours = (red: number, green: number, blue: number): MemoryValues =>
  new Map(rows([0, red], [1, green], [2, blue]));

/**
 * A small source that has one of everything: each type, each semantics, instances, labels, help, an error, no values, an
 * alias, and text that needs escaping.
 */
export const sampleContent: MemoryContent = {
  hostName: 'sample.example.com',
  contextLabels: [makeLabel('hostname', 'sample.example.com'), { ...makeLabel('userid', 1000), optional: true }],
  domainLabels: new Map([[250, [makeLabel('agent', 'sample')]]]),
  indoms: [
    {
      indom: COLOURS,
      instances: rows({ id: 0, name: 'red' }, { id: 1, name: 'green' }, { id: 2, name: 'blue sky' }),
      oneline: 'colours',
      help: 'The colours of the sample source.',
      labels: [makeLabel('device_type', 'colour')],
      instanceLabels: new Map([[0, [makeLabel('hue', 0)]]]),
    },
  ],
  metrics: [
    metric('sample.long.one', 1, MetricType.I32, -1),
    metric('sample.ulong.max', 2, MetricType.U32, 4294967295),
    metric('sample.longlong.min', 3, MetricType.I64, -(2n ** 63n)),
    metric('sample.ulonglong.max', 4, MetricType.U64, 2n ** 64n - 1n, { semantics: Semantics.COUNTER }),
    metric('sample.float.pi', 5, MetricType.FLOAT, Math.fround(3.14159)),
    metric('sample.double.third', 6, MetricType.DOUBLE, 1 / 3),
    metric('sample.string.hullo', 7, MetricType.STRING, 'hullo "wörld"\n\u{1F600}', { semantics: Semantics.DISCRETE }),
    metric('sample.aggregate.null', 8, MetricType.AGGREGATE, new Uint8Array([0x68, 0x69, 0, 0xff])),
    metric('sample.colour', 9, MetricType.I32, colours(101, 202, 303), { indom: COLOURS }),
    metric('sample.bytes', 10, MetricType.U64, colours(1024, 2048, 4096), {
      indom: COLOURS,
      semantics: Semantics.COUNTER,
      units: makeUnits({ dimSpace: 1, scaleSpace: 1 }),
    }),
    metric('sample.error', 11, MetricType.U32, { error: PM_ERR.AGAIN }),
    metric('sample.novalue', 12, MetricType.U32, new Map(), { indom: COLOURS }),
    metric('sample.nan', 13, MetricType.DOUBLE, Number.NaN),
    metric('sample.infinite', 14, MetricType.DOUBLE, Number.POSITIVE_INFINITY),
    metric('sample.seconds', 15, MetricType.U64, 12345, {
      semantics: Semantics.COUNTER,
      units: makeUnits({ dimTime: 1, scaleTime: 2 }),
    }),
    metric('sample.alias.first', 16, MetricType.U32, 7),
    metric('sample.alias.second', 16, MetricType.U32, 7),
  ],
};
