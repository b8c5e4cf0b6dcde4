import { INDOM_NULL, makePmid, MetricType } from '../../../../src/pmapi/index.js';
import { writeOpenTelemetry } from '../../../../src/http/response/writers/open-telemetry.js';
import { descriptor } from '../../../support/memory-gateway.js';

interface Point {
  readonly attributes: readonly { readonly key: string; readonly value: unknown }[];
  readonly asInt?: string;
  readonly asDouble?: number;
}

function points(type: MetricType, value: string, labels: Record<string, string> = {}): readonly Point[] {
  const pmid = makePmid(60, 0, 1);
  const samples = [{ labels: new Map(Object.entries(labels)), value }];
  const metric = { name: 'a.b', pmid, descriptor: descriptor(pmid, { type, indom: INDOM_NULL }), oneline: '', samples };
  const source = { timestamp: { sec: 1, nsec: 2 }, contextLabels: [], metrics: [metric] };
  const text = [...writeOpenTelemetry([source], '1')].join('');
  const answer = JSON.parse(text) as {
    resourceMetrics: { scopeMetrics: { metrics: { gauge: { dataPoints: readonly Point[] } }[] }[] }[];
  };
  return answer.resourceMetrics[0]!.scopeMetrics[0]!.metrics[0]!.gauge.dataPoints;
}

describe('writeOpenTelemetry', () => {
  it.each([
    [MetricType.U32, '7', { asInt: '7' }],
    [MetricType.I64, '-9223372036854775808', { asInt: '-9223372036854775808' }],
    [MetricType.U64, '9223372036854775807', { asInt: '9223372036854775807' }],
    [MetricType.U64, '9223372036854775808', { asDouble: 2 ** 63 }],
    [MetricType.U64, '18446744073709551615', { asDouble: 2 ** 64 }],
    [MetricType.DOUBLE, '+Inf', { asDouble: 'Infinity' }],
  ])('gives integers as far as they go: %p %s', (type, value, expected) => {
    expect(points(type, value)).toMatchObject([expected]);
  });

  it('has each attribute once: a label of the source wins', () => {
    const [point] = points(MetricType.U32, '1', { type: 'ssd', instname: 'sda' });
    expect(point!.attributes.map(({ key, value }) => [key, value])).toEqual([
      ['semantics', { stringValue: 'instant' }],
      ['pmid', { stringValue: '60.0.1' }],
      ['type', { stringValue: 'ssd' }],
      ['instname', { stringValue: 'sda' }],
    ]);
  });
});
