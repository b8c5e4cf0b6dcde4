import fc from '../../../support/properties.js';
import {
  DIMENSIONLESS,
  FetchResult,
  INDOM_NULL,
  INSTANCE_NULL,
  makeIndom,
  makeLabel,
  makePmid,
  makeUnits,
  MetricType,
  Semantics,
} from '../../../../src/pmapi/index.js';
import type { Label, MetricDescriptor } from '../../../../src/pmapi/index.js';
import type { ExposedSource, Exposition } from '../../../../src/http/response/writers/exposition.js';
import { exposeSource, labelName, metricName, UniqueNames } from '../../../../src/http/response/writers/exposition.js';
import { writeOpenMetrics, writePmproxyText } from '../../../../src/http/response/writers/open-metrics.js';
import { writeOpenTelemetry } from '../../../../src/http/response/writers/open-telemetry.js';
import { descriptor } from '../../../support/memory-gateway.js';
import { parseOpenMetrics } from '../../../support/open-metrics-parser.js';
import { rows } from '../../../support/rows.js';

const INDOM = makeIndom(60, 1);

const writtenOpenMetrics = (...given: Parameters<typeof writeOpenMetrics>): string =>
  [...writeOpenMetrics(...given)].join('');
const writtenPmproxyText = (...given: Parameters<typeof writePmproxyText>): string =>
  [...writePmproxyText(...given)].join('');
const writtenOpenTelemetry = (...given: Parameters<typeof writeOpenTelemetry>): string =>
  [...writeOpenTelemetry(...given)].join('');

interface Metric {
  readonly name: string;
  readonly parts: Partial<MetricDescriptor>;
  readonly help: string;
  readonly labels: readonly Label[];
  readonly values: readonly (readonly [instance: number, value: number])[];
}

function expose(metrics: readonly Metric[]): readonly ExposedSource[] {
  const result = new FetchResult();
  result.timestamp = { sec: 1795192083, nsec: 5_000_000 };
  result.resize(metrics.length);
  const entries = metrics.map(({ name, parts, values }, i) => {
    const pmid = makePmid(60, 0, i);
    const described = descriptor(pmid, { type: MetricType.DOUBLE, ...parts });
    result.sets[i]!.reset(pmid, described.type);
    for (const [instance, value] of values) result.sets[i]!.addNumber(instance, value);
    return { name, pmid, descriptor: described };
  });
  const exposition: Exposition = {
    plan: { entries },
    result,
    metadata: metrics.map(({ labels, help }, i) => ({
      descriptor: entries[i]!.descriptor,
      names: [entries[i]!.name],
      labels,
      identity: labels,
      oneline: help,
      help,
    })),
    indoms: new Map([
      [
        INDOM,
        {
          names: new Map(rows([1, 'one'], [2, 'tw"o\\'])),
          labels: new Map([[2, [makeLabel('own', 5)]]]),
        },
      ],
    ]),
  };
  return [exposeSource(exposition, [makeLabel('a', 'b')])];
}

const metric = (name: string, more: Partial<Metric> = {}): Metric => ({
  name,
  parts: {},
  help: '',
  labels: [],
  values: [[INSTANCE_NULL, 1]],
  ...more,
});

const component = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,5}$/);
const pcpName = fc.oneof(
  fc.array(component, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.')),
  // Names that differ for PCP but not for OpenMetrics, and names that end in what OpenMetrics adds.
  fc.constantFrom(
    'a.b',
    'a_b',
    'a.b_total',
    'a_b.total',
    'a.b.seconds',
    'a.b.seconds_total',
    'a.total',
    'total',
    'a.b_created',
  ),
);
const label = fc.tuple(
  fc.oneof(component, fc.constantFrom('instid', 'instname', '__x', 'a.b', '9', '')),
  fc.string({ unit: 'binary' }),
);
const anyMetric: fc.Arbitrary<Metric> = fc.record({
  name: pcpName,
  parts: fc.record({
    semantics: fc.constantFrom(...Object.values(Semantics)),
    indom: fc.constantFrom(INDOM, INDOM_NULL),
    units: fc.constantFrom(
      DIMENSIONLESS,
      makeUnits({ dimTime: 1, scaleTime: 3 }),
      makeUnits({ dimSpace: 1 }),
      makeUnits({ dimTime: -1 }),
    ),
  }),
  help: fc.string({ unit: 'binary' }),
  labels: fc.array(label, { maxLength: 3 }).map((pairs) => pairs.map(([name, value]) => makeLabel(name, value))),
  values: fc.uniqueArray(fc.tuple(fc.constantFrom(1, 2, 3), fc.double()), { selector: ([instance]) => instance }),
});

/** Metrics of one source: their names differ. */
const differentMetrics = fc.uniqueArray(anyMetric, { maxLength: 8, selector: ({ name }) => name });

describe('writeOpenMetrics', () => {
  it('passes a strict parser whatever the metrics', () => {
    fc.assert(
      fc.property(differentMetrics, fc.boolean(), (metrics, times) => {
        const families = parseOpenMetrics(writtenOpenMetrics(expose(metrics), times));
        expect(families).toHaveLength(metrics.filter(({ values }) => values.length > 0).length);
      }),
    );
  });

  it('adds units and _total to names that lack them', () => {
    const seconds = { units: makeUnits({ dimTime: 1, scaleTime: 3 }) };
    const counter = { ...seconds, semantics: Semantics.COUNTER };
    const text = writtenOpenMetrics(
      expose([
        metric('a.busy', { parts: seconds }),
        metric('a.busy_seconds', { parts: seconds }),
        metric('b.busy', { parts: counter }),
        metric('c.busy_seconds_total', { parts: counter }),
        metric('d.ops', { parts: { semantics: Semantics.COUNTER } }),
        metric('e.rate', { parts: { units: makeUnits({ dimSpace: 1, dimTime: -1 }) } }),
      ]),
      false,
    );
    const families = parseOpenMetrics(text).map(({ unit, samples }) => [samples[0]!.name, unit]);
    expect(families).toEqual([
      ['a_busy_seconds', 'seconds'],
      ['a_busy_60_0_1_seconds', 'seconds'],
      ['b_busy_seconds_total', 'seconds'],
      ['c_busy_seconds_total', 'seconds'],
      ['d_ops_total', ''],
      ['e_rate', ''],
    ]);
  });

  it('leaves out counters that are negative or not a number', () => {
    const parts = { semantics: Semantics.COUNTER, indom: INDOM };
    const text = writtenOpenMetrics(
      expose([
        metric('a', {
          parts,
          values: rows([1, Number.NaN], [2, -1], [3, Infinity]),
        }),
      ]),
      false,
    );
    expect(parseOpenMetrics(text)[0]!.samples).toEqual([{ name: 'a_total', labels: { instid: '3' }, value: '+Inf' }]);
  });

  it('names instances, and lets labels of that name win', () => {
    const labels = [makeLabel('instname', 'mine'), makeLabel('n', [])];
    const text = writtenOpenMetrics(expose([metric('a', { parts: { indom: INDOM }, labels, values: [[2, 1]] })]), true);
    expect(parseOpenMetrics(text)[0]!.samples).toEqual([
      {
        name: 'a',
        labels: { instname: 'mine', n: '[]', own: '5', instid: '2' },
        value: '1',
        timestamp: '1795192083.005000000',
      },
    ]);
  });

  it('puts what several sources have of a metric into one family, each sample once', () => {
    const of = (host: string, value: number, parts = {}): readonly ExposedSource[] =>
      expose([
        metric('a', { labels: [makeLabel('host', host)], values: [[INSTANCE_NULL, value]], parts }),
        metric(`only.${host}`),
      ]);
    const counter = { semantics: Semantics.COUNTER };
    const sources = [...of('x', 1), ...of('y', 2), ...of('x', 3), ...of('z', 4, counter)];
    const families = parseOpenMetrics(writtenOpenMetrics(sources, false));
    const samples = families.map((f) => f.samples.map(({ name, labels, value }) => [name, labels.host, value]));
    expect(samples).toEqual([
      rows(['a', 'x', '1'], ['a', 'y', '2']),
      [['only_x', undefined, '1']],
      [['only_y', undefined, '1']],
      [['a_60_0_0_total', 'z', '4']],
      [['only_z', undefined, '1']],
    ]);
  });
});

describe('writePmproxyText', () => {
  it('gives times in milliseconds', () => {
    expect(writtenPmproxyText(expose([metric('a.b')]), { times: true, compat: false })).toBe(
      '# PCP5 a.b 60.0.0 double PM_INDOM_NULL instant none\n# TYPE a_b gauge\na_b 1 1795192083005\n',
    );
  });

  it('has no line that is neither a comment nor a sample, whatever the metrics', () => {
    fc.assert(
      fc.property(differentMetrics, (metrics) => {
        const lines = writtenPmproxyText(expose(metrics), { times: false, compat: false }).split('\n');
        expect(lines.pop()).toBe('');
        for (const line of lines) expect(line).toMatch(/^# (PCP5|HELP|TYPE) |^[a-zA-Z_:][\w:]*(\{.*\})? \S+$/s);
      }),
    );
  });
});

describe('writeOpenTelemetry', () => {
  it('is JSON whatever the metrics', () => {
    fc.assert(
      fc.property(differentMetrics, (metrics) => {
        const parsed = JSON.parse(writtenOpenTelemetry(expose(metrics), '1')) as {
          resourceMetrics: { scopeMetrics: { metrics: unknown[] }[] }[];
        };
        const written = parsed.resourceMetrics[0]!.scopeMetrics[0]!.metrics;
        expect(written).toHaveLength(metrics.filter(({ values }) => values.length > 0).length);
      }),
    );
  });
});

describe('names', () => {
  it('become what the formats allow', () => {
    expect(['a.b', 'a-b', '9', 'ü', ''].map((name) => metricName(name, '_'))).toEqual(['a_b', 'a_b', '_9', '_', '_']);
    expect(metricName('a.b_c', ':')).toBe('a:b_c');
    expect(['a.b', '__a', '9a', ''].map(labelName)).toEqual(['a_b', '_a', '_9a', '_']);
  });

  it('are given out once', () => {
    const names = new UniqueNames();
    expect(names.claim('a', makePmid(1, 2, 3), ['_total'])).toBe('a');
    expect(names.claim('a_total', makePmid(1, 2, 4))).toBe('a_total_1_2_4');
    expect(names.claim('a', makePmid(1, 2, 5))).toBe('a_1_2_5');
    expect(names.claim('a', makePmid(1, 2, 5))).toBe('a_1_2_5_2');
  });
});
