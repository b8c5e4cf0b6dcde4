import { existsSync } from 'node:fs';
import {
  formatUnits,
  INDOM_NULL,
  INSTANCE_NULL,
  isArithmeticType,
  linearScale,
  makePmid,
  makeUnits,
  secondsBetween,
  Semantics,
  systemClock,
  timestampToSeconds,
  UTC_ZONE,
} from '../../src/pmapi/index.js';
import type { MetricDescriptor, Timestamp } from '../../src/pmapi/index.js';
import { bindExpression, compileProgram, operandNames, parseExpression } from '../../src/derived/index.js';
import { InstanceProfile, recordsOf } from '../../src/sources/index.js';
import { ArchiveStore } from '../../src/sources/archive/node/index.js';
import type { ArchiveSource } from '../../src/sources/archive/index.js';
import { collectColumns, parseRange, readRange } from '../../src/context/range/index.js';
import type { RangeColumns, RangeMetric, RangeParameters } from '../../src/context/range/index.js';
import { area } from './support/conformance.js';
import { get } from './support/pmproxy.js';
import { type PmrepTable, hasReportingTools, pmrep, pmval, tableOfCsv } from './support/pmrep.js';
import { type RunningGateway, startGateway } from '../support/whole-gateway.js';

const ARCHIVES = '/var/lib/pcp/testsuite/archives';
/** One or more of each: old and new, many instances, marks, wraps, compressed, several volumes, instances that come and go. */
const NAMES = [
  '20041125',
  '20101004-trunc',
  '20180102',
  '20180127.08.40',
  '20180415.09.16',
  '20190628.04.03',
  'babylon.percpu_v2',
  'bozo-disk',
  'count-mark',
  'cputime',
  'dm-io',
  'dyninsts',
  'gap2',
  'interpmark',
  'mark-bug',
  'markmerge',
  'moomba.pmkstat',
  'naslog',
  'rep',
  'sample-secs',
  'uwrap',
];
const COUNTERS_PER_ARCHIVE = 10;
const INSTANCES_AT_MOST = 40;
/** A U32 counter that wraps: 6.0.3's rate() subtracts modulo 2^32, pmgate's has no value. */
const WRAPPING = 'uwrap';
const SEC = 3;
const ALL = new InstanceProfile();

const isThere = hasReportingTools() && existsSync(ARCHIVES);
if (!isThere) process.stderr.write('SKIPPED: ranges beside pmrep and pmval need PCP and pcp-testsuite\n');
const describeWithTools = isThere ? describe : describe.skip;

/** Equal to about seven digits, which is what the tools compute times to. */
function isClose(a: number | undefined, b: number | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return Math.abs(a - b) <= 2e-6 * Math.max(1, Math.abs(a), Math.abs(b));
}

class Comparison {
  equal = 0;
  compared = 0;
  readonly differing: string[] = [];

  add(what: string, ours: number | undefined, theirs: number | undefined): void {
    this.compared++;
    if (isClose(ours, theirs)) this.equal++;
    else this.differing.push(`${what}: pmgate ${ours}, PCP ${theirs}`);
  }
}

async function namesOfInstances(source: ArchiveSource, indom: number): Promise<ReadonlyMap<number, string>> {
  if (indom === INDOM_NULL) return new Map();
  const { instances } = await source.instancesEver(indom).catch(() => ({ instances: [] }));
  return new Map(instances.map(({ id, name }) => [id, name]));
}

/** Some counters of an archive, spread over all that it has. */
async function someCounters(source: ArchiveSource): Promise<RangeMetric[]> {
  const names = [...(await source.traverse(''))].sort();
  const pmids = await source.lookupNames(names);
  const descriptors = await source.describe(pmids);
  const counters: RangeMetric[] = [];
  for (const [i, found] of descriptors.entries()) {
    const descriptor = found as MetricDescriptor;
    if (descriptor.semantics !== Semantics.COUNTER || !isArithmeticType(descriptor.type)) continue;
    if (descriptor.indom !== INDOM_NULL) {
      const { size } = await namesOfInstances(source, descriptor.indom);
      if (size === 0 || size > INSTANCES_AT_MOST) continue; // pmrep refuses a domain that was never listed
    }
    counters.push({ name: names[i]!, pmid: pmids[i]!, descriptor });
  }
  const step = Math.max(1, counters.length / COUNTERS_PER_ARCHIVE);
  return counters.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step));
}

async function ours(
  source: ArchiveSource,
  metrics: readonly RangeMetric[],
  parameters: RangeParameters,
): Promise<RangeColumns> {
  const { start, end } = await source.info();
  const request = parseRange(parameters, { start: start!, end: end!, now: systemClock.now(), zone: UTC_ZONE });
  return collectColumns(readRange({ source, profile: ALL, metrics, request }));
}

/** What pmgate's value times this is pmrep's: pmrep leaves the scale of a time counter's rate as it is. */
function rateScale({ units }: MetricDescriptor): number {
  return units.dimTime === 0 ? 1 : 1 / linearScale(units, makeUnits({ ...units, scaleTime: SEC })).factor;
}

/** Milliseconds since midnight, as pmval prints them: cut, not rounded. */
function dayMs({ sec, nsec }: Timestamp): number {
  return (sec % 86400) * 1000 + Math.floor(nsec / 1e6);
}

function rateScales(metrics: readonly RangeMetric[]): number[] {
  return metrics.map(({ descriptor }) => rateScale(descriptor));
}

function unscaled(metrics: readonly RangeMetric[]): number[] {
  return metrics.map(() => 1);
}

/** A derived metric over metrics of an archive. */
async function derive(source: ArchiveSource, name: string, expression: string, item: number): Promise<RangeMetric> {
  const parsed = parseExpression(expression);
  if (!parsed.ok) throw new Error(`${expression} does not parse`);
  const { metrics } = operandNames(parsed.expression);
  const pmids = await source.lookupNames(metrics);
  const descriptors = (await source.describe(pmids)) as MetricDescriptor[];
  const bound = bindExpression(parsed.expression, {
    operand: (operand) => ({ descriptor: descriptors[metrics.indexOf(operand)]! }),
    isDerived: () => false,
  });
  if (!bound.ok) throw new Error(`${expression} does not bind`);
  const program = compileProgram(bound.bound);
  const pmid = makePmid(511, 0, item);
  const operands = bound.bound.operands.map(({ descriptor }) => descriptor.pmid);
  const descriptor = { pmid, ...program.meta };
  return { name, pmid, descriptor, computed: { pmid, descriptor, program, operands, bytes: 0 } };
}

async function compareTables(
  source: ArchiveSource,
  seen: RangeColumns,
  theirs: PmrepTable,
  scales: readonly number[],
  into: Comparison,
  leftOut: ReadonlySet<number> = new Set(),
): Promise<void> {
  expect(seen.length).toBe(theirs.times.length);
  for (const [row, time] of theirs.times.entries()) expect(timestampToSeconds(seen.timeAt(row))).toBeCloseTo(time, 4);
  const headings = new Map<string, (row: number) => number | undefined>();
  for (const { metric, instance, values } of seen.series) {
    const { name, descriptor } = seen.metrics[metric]!;
    const known = await namesOfInstances(source, descriptor.indom);
    const heading = instance === INSTANCE_NULL ? name : `${name}-${known.get(instance)!}`;
    headings.set(heading, (row) => {
      const value = values.at(row);
      return value === undefined ? undefined : Number(value) * scales[metric]!;
    });
  }
  for (const [heading, values] of theirs.columns) {
    const valueOf = headings.get(heading) ?? ((): undefined => undefined);
    for (const [row, value] of values.entries()) {
      if (!leftOut.has(row)) into.add(`${heading} at ${theirs.times[row]!}`, valueOf(row), value);
    }
  }
}

/**
 * The rows that come right behind a mark. Reading records, pmrep does not see marks and makes a rate across them; pmgate, as
 * pmval, has none there.
 */
async function timesAfterMarks(source: ArchiveSource, metric: RangeMetric): Promise<ReadonlySet<number>> {
  const { start, end } = await source.info();
  const prepared = source.prepare([metric.pmid]);
  const rows = new Set<number>();
  let row = 0;
  let isAfterMark = false;
  for await (const { isMark } of recordsOf(source.batches(prepared, ALL, start!, end!))) {
    if (!isMark && isAfterMark) rows.add(row);
    isAfterMark = isMark;
    if (!isMark) row++;
  }
  return rows;
}

/** A range as a gateway answered it over HTTP: seconds, and the values of a heading by row. */
interface AnsweredTable {
  readonly times: readonly number[];
  readonly columns: ReadonlyMap<string, readonly (number | undefined)[]>;
}

interface AnsweredColumns {
  readonly times: readonly number[];
  readonly metrics: readonly {
    readonly name: string;
    readonly series: readonly { readonly name?: string; readonly values: readonly (number | null)[] }[];
  }[];
}

interface AnsweredRows {
  readonly samples: readonly {
    readonly timestamp: number;
    readonly values: readonly {
      readonly name: string;
      readonly instances: readonly { readonly instance: number | null; readonly value: number }[];
    }[];
  }[];
}

function headingOf(metric: string, instance: string | undefined): string {
  return instance === undefined ? metric : `${metric}-${instance}`;
}

function tableOfColumns(text: string): AnsweredTable {
  const { times, metrics } = JSON.parse(text) as AnsweredColumns;
  const columns = metrics.flatMap(({ name, series }) =>
    series.map((one) => [headingOf(name, one.name), one.values.map((value) => value ?? undefined)] as const),
  );
  return { times, columns: new Map(columns) };
}

function tableOfRows(text: string, nameOf: (metric: string, instance: number) => string | undefined): AnsweredTable {
  const { samples } = JSON.parse(text) as AnsweredRows;
  const columns = new Map<string, (number | undefined)[]>();
  for (const [row, { values }] of samples.entries()) {
    for (const { name, instances } of values) {
      for (const { instance, value } of instances) {
        const heading = headingOf(name, instance === null ? undefined : nameOf(name, instance));
        const column = columns.get(heading) ?? [];
        columns.set(heading, column);
        column[row] = value;
      }
    }
  }
  return { times: samples.map(({ timestamp }) => timestamp), columns };
}

describeWithTools('ranges beside pmrep and pmval', () => {
  let gateway: RunningGateway;
  let port: number;
  const store = new ArchiveStore({ clock: systemClock });
  const totals = {
    values: new Comparison(),
    rates: new Comparison(),
    recorded: new Comparison(),
    derived: new Comparison(),
    pmval: new Comparison(),
    'over HTTP': new Comparison(),
  };

  beforeAll(async () => {
    gateway = await startGateway({ PMGATE_LOCAL_SOURCE: 'embedded', PMGATE_ARCHIVES_ROOTS: ARCHIVES });
    ({ port } = gateway);
  });

  afterAll(async () => {
    for (const [what, { equal, compared }] of Object.entries(totals)) {
      process.stderr.write(`ranges, ${what}: ${equal} of ${compared} equal\n`);
    }
    await store.close();
    await gateway.close();
  });

  describe.each(NAMES)('of %s', (name) => {
    const archive = `${ARCHIVES}/${name}`;
    let source: ArchiveSource;
    let counters: RangeMetric[];
    let window: { readonly start: string; readonly interval: string; readonly samples: number };

    beforeAll(async () => {
      source = await store.open([archive]);
      counters = await someCounters(source);
      const { start, end } = await source.info();
      const duration = secondsBetween(end!, start!);
      const interval = `${Math.max(1, Math.round((duration / 14) * 1000))}msec`;
      window = { start: `+${Math.round((duration / 30) * 1000)}msec`, interval, samples: 12 };
    });

    afterAll(async () => {
      await source.close();
    });

    const sampling = (): string[] => ['-a', archive, '-S', window.start, '-t', window.interval, '-s', '12'];
    const names = (): string[] => counters.map((metric) => metric.name);
    let printed: PmrepTable | undefined;
    const ratesOfPmrep = (): PmrepTable => (printed ??= pmrep(sampling(), names()));

    it('have the same interpolated counters', async () => {
      const part = new Comparison();
      // Of counters without any dimension, pmrep -r gives rates all the same.
      const metrics = counters.filter(({ descriptor }) => formatUnits(descriptor.units) !== '');
      if (metrics.length === 0) return;
      const theirs = pmrep(
        [...sampling(), '-r'],
        metrics.map((metric) => metric.name),
      );
      await compareTables(source, await ours(source, metrics, window), theirs, unscaled(metrics), part);
      merge(part, totals.values);
    });

    it('have the same rates', async () => {
      const part = new Comparison();
      const theirs = ratesOfPmrep();
      await compareTables(
        source,
        await ours(source, counters, { ...window, rate: true }),
        theirs,
        rateScales(counters),
        part,
      );
      merge(part, totals.rates);
    });

    it('have the same rates of recorded samples', async () => {
      const part = new Comparison();
      for (const metric of counters.slice(0, 2)) {
        const theirs = pmrep(['-a', archive, '-u', '-s', '30'], [metric.name]);
        const seen = await ours(source, [metric], { samples: 30, rate: true });
        await compareTables(source, seen, theirs, rateScales([metric]), part, await timesAfterMarks(source, metric));
      }
      merge(part, totals.recorded);
    });

    it('have the same derived metrics', async () => {
      const part = new Comparison();
      for (const { name: operand } of counters.slice(0, 2)) {
        const sum = `${operand} + 1 * ${operand}`;
        const expressions = name === WRAPPING ? [sum] : [`delta(${operand})`, `rate(${operand})`, sum];
        const metrics = await Promise.all(
          expressions.map((expression, i) => derive(source, `range.test.e${i}`, expression, i)),
        );
        const definitions = metrics.flatMap((metric, i) => ['-e', `${metric.name} = ${expressions[i]!}`]);
        const theirs = pmrep(
          [...sampling(), ...definitions],
          metrics.map((metric) => metric.name),
        );
        const seen = await ours(source, metrics, { ...window, rate: true });
        const scales = metrics.map(({ descriptor }) =>
          descriptor.semantics === Semantics.COUNTER ? rateScale(descriptor) : 1,
        );
        await compareTables(source, seen, theirs, scales, part);
      }
      merge(part, totals.derived);
    });

    it.each(['columns', 'rows', 'csv'] as const)('have the same rates over HTTP, as %s', async (format) => {
      const part = new Comparison();
      const theirs = ratesOfPmrep();
      const query = new URLSearchParams({
        archive: name,
        names: names().join(),
        start: window.start,
        interval: window.interval,
        samples: '12',
        rate: 'true',
        format,
      });
      const answer = await get(port, `/pmapi/fetch?${query.toString()}`);
      expect([answer.status, answer.status === 200 ? '' : answer.body]).toEqual([200, '']);
      const known = new Map<string, ReadonlyMap<number, string>>();
      for (const { name: metric, descriptor } of counters) {
        known.set(metric, await namesOfInstances(source, descriptor.indom));
      }
      const table =
        format === 'columns'
          ? tableOfColumns(answer.body)
          : format === 'csv'
            ? tableOfCsv(answer.body)
            : tableOfRows(answer.body, (metric, instance) => known.get(metric)?.get(instance));
      const scales = new Map(counters.map((metric) => [metric.name, rateScale(metric.descriptor)]));
      // Samples are told by their time: columns have a row for marks, and tools and forms cut fractions differently.
      const rowAt = (time: number): number => table.times.findIndex((own) => Math.abs(own - time) < 0.0015);
      for (const [heading, values] of theirs.columns) {
        const scale = scales.get(heading) ?? scales.get(counters.find((c) => heading.startsWith(`${c.name}-`))!.name)!;
        for (const [i, value] of values.entries()) {
          const row = rowAt(theirs.times[i]!);
          expect([heading, theirs.times[i], row >= 0]).toEqual([heading, theirs.times[i], true]);
          const own = table.columns.get(heading)?.[row];
          part.add(`${heading} at ${theirs.times[i]!} (${format})`, own === undefined ? undefined : own * scale, value);
        }
      }
      merge(part, totals['over HTTP']);
    });

    it('have the values, rates and utilisations that pmval prints', async () => {
      const part = new Comparison();
      for (const metric of counters.filter(({ descriptor }) => descriptor.indom === INDOM_NULL).slice(0, 3)) {
        for (const rate of [false, true]) {
          const theirs = pmval([...sampling(), ...(rate ? [] : ['-r'])], metric.name);
          // pmval does not count samples that it can make no rate of.
          const seen = await ours(source, [metric], { ...window, samples: undefined, rate });
          const values = seen.series[0]?.values;
          const rows = new Map<number, number | undefined>();
          for (let row = 0; row < seen.length; row++) {
            rows.set(dayMs(seen.timeAt(row)), values && (values.at(row) as number | undefined));
          }
          for (const { dayMs: at, value } of theirs) {
            expect([...rows.keys()]).toContain(at);
            part.add(`${metric.name} at ${at}${rate ? ' (rate)' : ''}`, rows.get(at), value);
          }
        }
      }
      merge(part, totals.pmval);
    });
  });

  it.each(['1', '2.5', '7'])(
    'have the rates of a counter that wraps, every %s seconds, as pmval with PCP_COUNTER_WRAP',
    async (interval) => {
      const part = new Comparison();
      const name = 'sample.wrap.ulong';
      const options = ['-a', `${ARCHIVES}/${WRAPPING}`, '-t', interval];
      const theirs = pmval(options, name, { PCP_COUNTER_WRAP: '1' });
      const query = `archive=${WRAPPING}&names=${name}&interval=${interval}&rate=true&wrap=true&format=csv&zone=UTC`;
      const answer = await get(port, `/pmapi/fetch?${query}`);
      const table = tableOfCsv(answer.body);
      for (const { dayMs: at, value } of theirs) {
        const row = table.times.findIndex((time) => Math.floor((time % 86400) * 1000 + 1e-3) === at);
        part.add(`${name} at ${at} (wrap)`, table.columns.get(name)?.[row], value);
      }
      expect(part.compared).toBeGreaterThan(10);
      merge(part, totals.pmval);
    },
  );

  function merge(part: Comparison, total: Comparison): void {
    total.equal += part.equal;
    total.compared += part.compared;
    const row = area('ranges (pmrep, pmval)');
    row.equal(part.equal);
    for (const detail of part.differing) row.wrong(detail);
    expect(part.differing).toEqual([]);
  }
});
