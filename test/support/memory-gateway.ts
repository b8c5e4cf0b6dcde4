import {
  DIMENSIONLESS,
  INDOM_NULL,
  makeIndom,
  makeLabel,
  makePmid,
  makeUnits,
  MetricType,
  PM_ERR,
  Semantics,
  systemClock,
} from '../../src/pmapi/index.js';
import type { Clock, MetricDescriptor } from '../../src/pmapi/index.js';
import { ContextManager } from '../../src/context/index.js';
import type { ContextDirectory, ContextLimits, ContextMemoryLimits } from '../../src/context/index.js';
import type { LiveMemory } from '../../src/context/range/index.js';
import type { DefinitionStore } from '../../src/derived/index.js';
import type { SourceFactory, SourceSpec } from '../../src/sources/index.js';
import { type MemoryContent, type MemoryMetric, MemorySource } from './memory-source.js';
import { rows } from './rows.js';

/** A descriptor from the parts that matter to a test; an instant, dimensionless, singular U32 unless said otherwise. */
export function descriptor(pmid: number, parts: Partial<MetricDescriptor> = {}): MetricDescriptor {
  return {
    pmid,
    type: MetricType.U32,
    indom: INDOM_NULL,
    semantics: Semantics.INSTANT,
    units: DIMENSIONLESS,
    ...parts,
  };
}

/** The instance domain of kernel.all.load. */
export const LOAD_INDOM = makeIndom(60, 2);

const loadPmid = makePmid(60, 2, 0);

const metrics: readonly MemoryMetric[] = [
  {
    name: 'kernel.all.load',
    descriptor: descriptor(loadPmid, { type: MetricType.FLOAT, indom: LOAD_INDOM }),
    oneline: 'load average',
    help: 'load average of the last minutes',
    values: new Map(rows([1, Math.fround(0.51)], [5, Math.fround(0.21)], [15, Math.fround(0.07)])),
  },
  {
    name: 'mem.util.free',
    descriptor: descriptor(makePmid(60, 1, 2), {
      type: MetricType.U64,
      units: makeUnits({ dimSpace: 1, scaleSpace: 1 }),
    }),
    oneline: 'free memory',
    values: 23_987_772n,
  },
  {
    name: 'disk.all.total_bytes',
    descriptor: descriptor(makePmid(60, 0, 24), {
      type: MetricType.U64,
      semantics: Semantics.COUNTER,
      units: makeUnits({ dimSpace: 1, scaleSpace: 0 }),
    }),
    values: 18_446_744_073_709_551_615n,
  },
  {
    name: 'kernel.all.sysfork',
    descriptor: descriptor(makePmid(60, 0, 14), { semantics: Semantics.COUNTER, units: makeUnits({ dimCount: 1 }) }),
    oneline: 'forks, \\ "quoted"\nand on a second line',
    values: 9369,
  },
  {
    name: 'pmcd.hostname',
    descriptor: descriptor(makePmid(2, 0, 21), { type: MetricType.STRING, semantics: Semantics.DISCRETE }),
    values: 'über"host\n',
  },
  { name: 'test.broken', descriptor: descriptor(makePmid(29, 0, 1)), values: { error: PM_ERR.AGAIN } },
  { name: 'test.nan', descriptor: descriptor(makePmid(29, 0, 2), { type: MetricType.DOUBLE }), values: Number.NaN },
  { name: 'test.infinite', descriptor: descriptor(makePmid(29, 0, 3), { type: MetricType.DOUBLE }), values: -Infinity },
  {
    name: 'test.aggregate',
    descriptor: descriptor(makePmid(29, 0, 4), { type: MetricType.AGGREGATE }),
    values: new Uint8Array([104, 105, 0]),
  },
  {
    name: 'test.event',
    descriptor: descriptor(makePmid(29, 0, 5), { type: MetricType.EVENT }),
    values: new Uint8Array([0, 0, 0, 0]),
  },
  { name: 'test.collide.a_b', descriptor: descriptor(makePmid(29, 0, 6)), values: 1 },
  { name: 'test.collide_a.b', descriptor: descriptor(makePmid(29, 0, 7)), values: 2 },
];

/** The metrics that API tests ask for. */
export const TEST_CONTENT: MemoryContent = {
  hostName: 'web1',
  metrics,
  indoms: [
    {
      indom: LOAD_INDOM,
      instances: rows({ id: 1, name: '1 minute' }, { id: 5, name: '5 minute' }, { id: 15, name: '15 minute' }),
      oneline: 'load averages',
      labels: [makeLabel('indom_name', 'load')],
      instanceLabels: new Map([[1, [makeLabel('short', true)]]]),
    },
  ],
  contextLabels: [makeLabel('hostname', 'web1'), makeLabel('nodes', ['a', 'b'])],
  domainLabels: new Map([[60, [makeLabel('agent', 'linux'), { name: 'bad-json', json: '{oops' }]]]),
};

/** Hostspecs under which nothing can be reached, and the error that opening them gives. */
export type Failures = Readonly<Record<string, Error>>;

/** Contexts over memory sources, and what was opened for them. */
export interface MemoryGateway {
  readonly contexts: ContextManager;
  readonly opened: SourceSpec[];
  readonly sources: MemorySource[];
}

/** A context manager whose every hostspec leads to a memory source with the same content. */
export function memoryGateway(
  options: {
    readonly directory?: ContextDirectory;
    readonly content?: MemoryContent;
    readonly clock?: Clock;
    readonly limits?: Partial<ContextLimits>;
    readonly failures?: Failures;
    /** Opens archives; without it, they are memory sources as well. */
    readonly openArchive?: (archive: string) => ReturnType<SourceFactory['open']>;
    /** What opening throws, if anything. */
    readonly refuse?: (spec: SourceSpec) => Error | undefined;
    readonly definitions?: DefinitionStore;
    readonly memory?: LiveMemory;
    readonly memoryLimits?: ContextMemoryLimits;
  } = {},
): MemoryGateway {
  const { content = TEST_CONTENT, clock = systemClock, failures = {} } = options;
  const opened: SourceSpec[] = [];
  const sources: MemorySource[] = [];
  const factory: SourceFactory = {
    async open(spec) {
      const failure = (spec.kind === 'host' ? failures[spec.hostspec] : undefined) ?? options.refuse?.(spec);
      if (failure) throw failure;
      opened.push(spec);
      if (spec.kind === 'archive' && options.openArchive) return options.openArchive(spec.archive);
      const source = new MemorySource(content, clock);
      sources.push(source);
      return source;
    },
  };
  const limits = { contexts: 100, pollTimeoutMs: 5000, maxPollTimeoutMs: 86_400_000, ...options.limits };
  const definitions = options.definitions && { definitions: options.definitions };
  const memory = options.memory && { memory: options.memory };
  const memoryLimits = options.memoryLimits && { memoryLimits: options.memoryLimits };
  return {
    contexts: new ContextManager({
      sources: factory,
      clock,
      limits,
      directory: options.directory,
      ...definitions,
      ...memory,
      ...memoryLimits,
    }),
    opened,
    sources,
  };
}
