import { MetricType } from '../../../../src/pmapi/index.js';
import { MmvFlag, MmvLabelFlag, MmvType } from '../../../support/mmv-builder.js';
import type { BuiltMmv, BuiltMmvIndom, BuiltMmvMetric } from '../../../support/mmv-builder.js';
import { imageOf } from '../../../support/mmv-builder.js';
import { rows } from '../../../support/rows.js';
import type { MmvValues } from './mmv-fixture.js';

/** What is expected of a metric beside its values, as far as a scene is about it. */
export interface ExpectedMetric {
  readonly pmid?: string;
  readonly type?: number;
  readonly semantics?: number;
  readonly indom?: string | null;
  readonly oneline?: string | undefined;
  readonly help?: string | undefined;
  readonly cluster?: Readonly<Record<string, string>>;
  readonly item?: Readonly<Record<string, string>>;
}

/** A directory of files and what is served of it: all names that there are, with their values. */
export interface Scene {
  readonly why: string;
  readonly files: Readonly<Record<string, BuiltMmv | Buffer>>;
  readonly values: Readonly<Record<string, MmvValues>>;
  readonly metrics?: Readonly<Record<string, ExpectedMetric>>;
  /** Instances by instance domain, `domain.serial`; null: there is no such domain. */
  readonly instances?: Readonly<Record<string, readonly (readonly [number, string])[] | null>>;
  readonly indomLabels?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly instanceLabels?: Readonly<Record<string, Readonly<Record<number, Readonly<Record<string, string>>>>>>;
  /** mmv.control.files. */
  readonly fileCount?: number;
  /**
   * How PCP's agent answers otherwise: it dies, or what the interop test leaves out of its comparison. Absent: it answers the same, which that
   * test checks with the real one.
   */
  readonly pcp?: 'dies' | readonly string[];
}

const { NO_PREFIX, PROCESS, SENTINEL } = MmvFlag;
const INST = -12360;
const GENERIC = -12345;
const APPVERSION = -12350;
const ONES = Buffer.alloc(8, 0xff);
const HALF = Buffer.from('ffffffff00000000', 'hex');
const FRUIT: BuiltMmvIndom = { serial: 1, instances: rows([0, 'apple'], [1, 'pear']) };

const good: BuiltMmv = { metrics: [{ name: 'count', semantics: 1, units: 0x00100000, value: 7 }] };
const GOOD = { 'mmv.good.count': { [-1]: 7 } };

const allTypes: readonly BuiltMmvMetric[] = [
  { name: 'i32', type: MmvType.I32, value: -2147483648 },
  { name: 'u32', type: MmvType.U32, value: 4294967295 },
  { name: 'i64', type: MmvType.I64, value: -(2n ** 63n) },
  { name: 'u64', type: MmvType.U64, value: 2n ** 64n - 1n },
  { name: 'float', type: MmvType.FLOAT, value: 3.25 },
  { name: 'double', type: MmvType.DOUBLE, value: 0.1 + 0.2 },
  { name: 'string', type: MmvType.STRING, semantics: 4, value: 'hello, world' },
  { name: 'elapsed', type: MmvType.ELAPSED, value: 1234567890123n, extra: 77n },
  { name: 'none', type: MmvType.NOSUPPORT, value: 1 },
];
const TYPES: Readonly<Record<string, MmvValues>> = {
  ...Object.fromEntries(allTypes.map(({ name, value }) => [name, { [-1]: value as number | bigint | string }])),
  none: APPVERSION,
};
const EDGES: readonly (readonly [name: string, type: number, value: number | bigint | string])[] = [
  ['nan', MmvType.DOUBLE, NaN],
  ['inf', MmvType.FLOAT, -Infinity],
  ['tiny', MmvType.DOUBLE, 5e-324],
  ['zero', MmvType.DOUBLE, -0],
  ['wide', MmvType.I64, 2n ** 53n + 1n],
  ['exact', MmvType.I64, -(2n ** 53n)],
  ['long', MmvType.STRING, 'é'.repeat(127)],
  ['full', MmvType.STRING, 'x'.repeat(256)],
  ['empty', MmvType.STRING, ''],
];
const named = <T>(prefix: string, values: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, value]));

/** The values of {@link good} in files of these names, and its PMIDs in these clusters. */
const counts = (files: readonly string[]): Record<string, MmvValues> =>
  Object.fromEntries(files.map((file) => [`mmv.${file}.count`, { [-1]: 7 }]));
const pmids = (clusters: Readonly<Record<string, number>>): Record<string, ExpectedMetric> =>
  Object.fromEntries(
    Object.entries(clusters).map(([file, cluster]) => [`mmv.${file}.count`, { pmid: `70.${cluster}.1` }]),
  );

const app = (metrics: readonly BuiltMmvMetric[], more: Omit<BuiltMmv, 'metrics'> = {}): { readonly app: BuiltMmv } => ({
  app: { metrics, ...more },
});

function damaged(file: BuiltMmv, change: (bytes: Buffer, image: ReturnType<typeof imageOf>) => void): Buffer {
  const image = imageOf(file);
  change(image.bytes, image);
  return image.bytes;
}

/** A bad file beside a good one, which suffers nothing; `values` are those of the bad one. */
function beside(why: string, bad: Buffer | BuiltMmv, { values, ...more }: Partial<Scene>): Scene {
  return { why, files: { bad, good }, values: { ...values, ...GOOD }, ...more };
}

/** A file that is refused as a whole beside a good one. */
const refused = (why: string, bad: Buffer | BuiltMmv): Scene => beside(why, bad, { fileCount: 1 });

const pair = (a: Partial<BuiltMmvMetric> = {}): BuiltMmv => ({
  metrics: rows({ name: 'a', value: 1, ...a }, { name: 'b', value: 2 }),
});

const fruits = (): BuiltMmv => ({
  indoms: [FRUIT],
  metrics: [{ name: 'v', serial: 1, value: rows([0, 1], [1, 2]) }],
});

const labelled: Omit<BuiltMmv, 'cluster'> = {
  version: 3,
  indoms: [{ ...FRUIT, serial: 7 }],
  metrics: rows({ name: 'a', value: 1 }, { name: 'b', serial: 7, value: rows([0, 1], [1, 2]) }),
};
const FRUITS = { 0: 1, 1: 2 };

export const SCENES: Readonly<Record<string, Scene>> = {
  types1: {
    why: 'every type, version 1',
    files: { app: { metrics: allTypes } },
    values: named('mmv.app', TYPES),
    metrics: {
      'mmv.app.i32': { pmid: '70.1.1', type: MetricType.I32, semantics: 3 },
      'mmv.app.string': { pmid: '70.1.7', type: MetricType.STRING, semantics: 4 },
      'mmv.app.elapsed': { pmid: '70.1.8', type: MetricType.I64, semantics: 1 },
      'mmv.app.none': { pmid: '70.1.9', type: MetricType.NOSUPPORT },
    },
  },
  types2: {
    why: 'every type, version 2',
    files: { app: { version: 2, metrics: allTypes } },
    values: named('mmv.app', TYPES),
  },
  types3: {
    why: 'every type, version 3',
    files: { app: { version: 3, metrics: allTypes } },
    values: named('mmv.app', TYPES),
  },
  edges: {
    why: 'NaN, infinities, subnormal numbers, negative zero, the longest string',
    files: app(EDGES.map(([name, type, value]) => ({ name, type, value }))),
    values: named('mmv.app', {
      ...Object.fromEntries(EDGES.map(([name, , value]) => [name, { [-1]: value }])),
      full: { [-1]: 'x'.repeat(255) },
    }),
  },
  semantics: {
    why: '0 means counter',
    files: { app: { metrics: [0, 1, 3, 4].map((semantics) => ({ name: `s${semantics}`, semantics, value: 1 })) } },
    values: named('mmv.app', { s0: { [-1]: 1 }, s1: { [-1]: 1 }, s3: { [-1]: 1 }, s4: { [-1]: 1 } }),
    metrics: named('mmv.app', {
      s0: { semantics: 1 },
      s1: { semantics: 1 },
      s3: { semantics: 3 },
      s4: { semantics: 4 },
    }),
  },
  units: {
    why: 'every dimension and scale',
    files: {
      app: {
        metrics: [0, 0x00100000, 0x01001000, 0x10010000, 0x1f020300, 0xf1103f00 | 0].map((units, i) => ({
          name: `u${i}`,
          units: units >>> 0,
          value: i,
        })),
      },
    },
    values: named('mmv.app', Object.fromEntries([0, 1, 2, 3, 4, 5].map((i) => [`u${i}`, { [-1]: i }]))),
  },
  help: {
    why: 'one line, all, both, none, empty',
    files: app([
      { name: 'none', value: 1 },
      { name: 'both', oneline: 'short', help: 'long', value: 1 },
      { name: 'short', oneline: 'short', value: 1 },
      { name: 'long', help: 'only long', value: 1 },
      { name: 'empty', oneline: '', help: '', value: 1 },
      { name: 'blank', oneline: 'short', help: '', value: 1 },
    ]),
    values: named(
      'mmv.app',
      Object.fromEntries(['none', 'both', 'short', 'long', 'empty', 'blank'].map((n) => [n, { [-1]: 1 }])),
    ),
    metrics: named('mmv.app', {
      none: { oneline: undefined, help: undefined },
      both: { oneline: 'short', help: 'long' },
      short: { oneline: 'short', help: 'short' },
      long: { oneline: undefined, help: 'only long' },
      empty: { oneline: '', help: '' },
      blank: { oneline: 'short', help: 'short' },
    }),
  },
  instances1: {
    why: 'instances, version 1; negative numbers, blanks and UTF-8 in names',
    files: app([{ name: 'v', serial: 3, value: rows([0, 30], [5, 10], [-2, 20], [9, 40]) }], {
      indoms: [{ serial: 3, instances: rows([5, 'with blank'], [-2, 'grüße'], [0, 'q"uote\\'], [9, 'n'.repeat(63)]) }],
    }),
    values: { 'mmv.app.v': { 5: 10, [-2]: 20, 0: 30, 9: 40 } },
    metrics: { 'mmv.app.v': { indom: '70.2051' } },
    instances: { '70.2051': rows([5, 'with blank'], [-2, 'grüße'], [0, 'q"uote\\'], [9, 'n'.repeat(63)]) },
  },
  instances3: {
    why: 'instances, version 3; two domains, and two numbers that mean singular',
    files: app(
      [
        { name: 'fruit', serial: 1, value: rows([1, 2], [0, 1]) },
        { name: 'long', serial: 2, value: [[1, 3]] },
        { name: 'zero', serial: 0, value: 4 },
        { name: 'ones', serial: 0xffffffff, value: 5 },
      ],
      { version: 3, indoms: [FRUIT, { serial: 2, instances: [[1, 'long '.repeat(40)]] }] },
    ),
    values: {
      'mmv.app.fruit': { 0: 1, 1: 2 },
      'mmv.app.long': { 1: 3 },
      'mmv.app.zero': { [-1]: 4 },
      'mmv.app.ones': { [-1]: 5 },
    },
    instances: { '70.2049': FRUIT.instances, '70.2050': [[1, 'long '.repeat(40)]], '70.2051': null },
    metrics: { 'mmv.app.zero': { indom: null }, 'mmv.app.ones': { indom: null } },
  },
  indomMissing: {
    why: 'a metric whose instance domain the file does not have, and an empty one',
    files: app(
      [
        { name: 'a', serial: 5, value: [[0, 1]] },
        { name: 'b', value: 2 },
        { name: 'c', serial: 6, value: [[0, 1]] },
      ],
      { indoms: [{ serial: 6, instances: [] }] },
    ),
    values: { 'mmv.app.a': {}, 'mmv.app.b': { [-1]: 2 }, 'mmv.app.c': {} },
    metrics: { 'mmv.app.a': { indom: '70.2053' } },
    instances: { '70.2053': null, '70.2054': [] },
  },
  valueMissing: {
    why: 'metrics and instances without a value, and two values for one',
    files: app(
      [
        { name: 'none' },
        { name: 'some', serial: 1, value: [[1, 10]] },
        { name: 'all', serial: 1 },
        { name: 'twice', serial: 1, value: rows([1, 1], [0, 2], [1, 3]) },
      ],
      { indoms: [FRUIT] },
    ),
    values: { 'mmv.app.none': INST, 'mmv.app.some': { 1: 10 }, 'mmv.app.all': INST, 'mmv.app.twice': { 0: 2, 1: 1 } },
  },
  names: {
    why: 'names that are refused; digits and underscores may begin one',
    files: {
      app: {
        metrics: [
          'ok',
          'with blank',
          'hy-phen',
          'grün',
          '',
          '9digit',
          '_under',
          'Caps',
          'a.b.c',
          'a..b',
          '.x',
          'y.',
        ].map((name, i) => ({ name, item: i, value: i })),
      },
    },
    values: named('mmv.app', {
      ok: { [-1]: 0 },
      '9digit': { [-1]: 5 },
      _under: { [-1]: 6 },
      Caps: { [-1]: 7 },
      'a.b.c': { [-1]: 8 },
    }),
    pcp: ['mmv.app.', 'mmv.app.a..b', 'mmv.app..x', 'mmv.app.y.'],
  },
  unterminated: {
    why: 'a name of 64 bytes without an end',
    files: app(rows({ name: 'n'.repeat(64), value: 1 }, { name: 'ok', value: 2 })),
    values: { 'mmv.app.ok': { [-1]: 2 } },
  },
  longNames: {
    why: 'names beyond 63 bytes, version 2; 256 bytes without an end are cut',
    files: app(rows({ name: 'a'.repeat(200), value: 1 }, { name: 'b'.repeat(256), value: 2 }), { version: 2 }),
    values: { [`mmv.app.${'a'.repeat(200)}`]: { [-1]: 1 }, [`mmv.app.${'b'.repeat(255)}`]: { [-1]: 2 } },
  },
  fileNames: {
    why: 'which file names give names, and their order; hidden files do not count',
    files: Object.fromEntries(
      ['beta', 'Alpha', '1234', '_x', 'x.1', 'my-app', 'a b', 'grüße', '.hidden'].map((name) => [name, good]),
    ),
    values: counts(['1234', 'Alpha', '_x', 'beta', 'x.1']),
    metrics: pmids({ 1234: 1, Alpha: 2, _x: 3, beta: 5, 'x.1': 8 }),
    fileCount: 8,
  },
  noPrefix: {
    why: 'the flag NOPREFIX: the first file has a name that two have',
    files: {
      a: { flags: NO_PREFIX, metrics: rows({ name: 'same', value: 1 }, { name: 'only_a', value: 2 }) },
      b: { flags: NO_PREFIX, metrics: rows({ name: 'same', value: 10 }, { name: 'only_b', value: 20 }) },
    },
    values: { 'mmv.same': { [-1]: 1 }, 'mmv.only_a': { [-1]: 2 }, 'mmv.only_b': { [-1]: 20 } },
    metrics: { 'mmv.same': { pmid: '70.1.1' }, 'mmv.only_b': { pmid: '70.2.2' } },
  },
  belowLeaf: {
    why: 'a name below a metric, and one that has others below it',
    files: {
      app: { metrics: ['a', 'a.b', 'c.d', 'c', 'e'].map((name, i) => ({ name, value: i })) },
      control: {
        flags: NO_PREFIX,
        metrics: rows({ name: 'control.files', value: 99 }, { name: 'control', value: 98 }),
      },
    },
    values: { 'mmv.app.a': { [-1]: 0 }, 'mmv.app.c.d': { [-1]: 2 }, 'mmv.app.e': { [-1]: 4 } },
  },
  items: {
    why: 'items 0 to 1023; beyond: left out; twice: the first',
    files: app([
      { name: 'zero', item: 0, value: 1 },
      { name: 'last', item: 1023, value: 2 },
      { name: 'beyond', item: 1024, value: 3 },
      { name: 'huge', item: 0xffffffff, value: 3 },
      { name: 'again', item: 0, value: 4 },
    ]),
    values: { 'mmv.app.zero': { [-1]: 1 }, 'mmv.app.last': { [-1]: 2 } },
    metrics: { 'mmv.app.last': { pmid: '70.1.1023' } },
  },
  clusters: {
    why: 'clusters: what a file asks for, else the lowest that no file before it has',
    files: { a: good, b: { ...good, cluster: 2 }, c: good, d: { ...good, cluster: 4095 }, e: good },
    values: counts(['a', 'b', 'c', 'd', 'e']),
    metrics: pmids({ a: 1, b: 2, c: 3, d: 4095, e: 4 }),
  },
  clusterShared: {
    why: 'two files in one cluster, with other items and one instance domain: the instances of both',
    files: {
      a: { cluster: 9, indoms: [FRUIT], metrics: [{ name: 'x', item: 1, serial: 1, value: [[0, 1]] }] },
      b: {
        cluster: 9,
        indoms: [{ serial: 1, instances: rows([1, 'other'], [2, 'plum']) }],
        metrics: [{ name: 'y', item: 2, serial: 1, value: [[2, 2]] }],
      },
    },
    values: { 'mmv.a.x': { 0: 1 }, 'mmv.b.y': { 2: 2 } },
    metrics: { 'mmv.a.x': { pmid: '70.9.1' }, 'mmv.b.y': { pmid: '70.9.2' } },
    instances: { '70.18433': rows([0, 'apple'], [1, 'pear'], [2, 'plum']) },
  },
  clusterClash: {
    why: 'two files with the same items in one cluster: the later one gets a cluster that no file asks for',
    files: {
      a: { cluster: 9, metrics: [{ name: 'x', value: 1 }] },
      b: { cluster: 9, metrics: [{ name: 'x', type: MmvType.STRING, value: 'one' }] },
      c: { cluster: 1, metrics: [{ name: 'x', value: 3 }] },
    },
    values: { 'mmv.a.x': { [-1]: 1 }, 'mmv.b.x': { [-1]: 'one' }, 'mmv.c.x': { [-1]: 3 } },
    metrics: { 'mmv.a.x': { pmid: '70.9.1' }, 'mmv.b.x': { pmid: '70.2.1' }, 'mmv.c.x': { pmid: '70.1.1' } },
    pcp: 'dies',
  },
  processAlive: {
    why: 'the flag PROCESS: the process is there, or is none; without it the number means nothing',
    files: {
      self: { ...good, flags: PROCESS, process: process.pid },
      none: { ...good, flags: PROCESS, process: 0 },
      off: { ...good, process: 0x7fffffff },
    },
    values: counts(['self', 'none', 'off']),
  },
  processGone: {
    why: 'the flag PROCESS: the process is gone',
    files: {
      app: { ...good, flags: PROCESS, process: 0x7fffffff },
      minus: { ...good, flags: PROCESS, process: -1 },
      good,
    },
    values: GOOD,
    metrics: { 'mmv.good.count': { pmid: '70.1.1' } },
    fileCount: 1,
  },
  sentinel: {
    why: 'the flag SENTINEL: all bits set, the empty string, NaN',
    files: {
      s: {
        flags: SENTINEL,
        indoms: [FRUIT],
        metrics: [
          { name: 'i32', type: MmvType.I32, value: ONES },
          { name: 'u32', type: MmvType.U32, value: ONES },
          { name: 'i64', type: MmvType.I64, value: ONES },
          { name: 'u64', type: MmvType.U64, value: ONES },
          { name: 'elapsed', type: MmvType.ELAPSED, value: ONES },
          { name: 'string', type: MmvType.STRING, value: '' },
          { name: 'float', type: MmvType.FLOAT, value: NaN },
          { name: 'double', type: MmvType.DOUBLE, value: ONES },
          { name: 'half', type: MmvType.I32, value: HALF },
          { name: 'real', type: MmvType.DOUBLE, value: Infinity },
          { name: 'inst', type: MmvType.I64, serial: 1, value: rows([0, ONES], [1, 7]) },
        ],
      },
    },
    values: {
      ...named('mmv.s', { i32: {}, u32: {}, i64: {}, u64: {}, elapsed: {}, string: {}, float: {}, double: {} }),
      'mmv.s.half': { [-1]: -1 },
      'mmv.s.real': { [-1]: Infinity },
      'mmv.s.inst': { 1: 7n },
    },
    // 6.0.3 serves the NaNs, 7.2.1 does not.
    pcp: ['mmv.s.float', 'mmv.s.double'],
  },
  tableOrder: {
    why: 'sections in another order, and unknown ones',
    files: { app: { ...good, indoms: [FRUIT], order: [4, 3, 2, 1], contents: rows([77, 5, 1n << 60n], [0, 1, 0n]) } },
    values: { 'mmv.app.count': { [-1]: 7 } },
  },
  labels: {
    why: 'labels of cluster, item, instance domain and instances',
    files: {
      app: {
        ...labelled,
        cluster: 321,
        labels: [
          { flags: MmvLabelFlag.CLUSTER, identity: 321, json: '{"app":"acme"}' },
          { flags: MmvLabelFlag.CLUSTER | MmvLabelFlag.OPTIONAL, identity: 321, json: '{"opt":true}' },
          { flags: MmvLabelFlag.CLUSTER, identity: 320, json: '{"other":"cluster"}' },
          { flags: MmvLabelFlag.ITEM, identity: 1, json: '{"unit":"items"}' },
          { flags: MmvLabelFlag.ITEM, identity: 2, json: '{"n":[1,2],"s":"a\\"b, {c}:"}' },
          { flags: MmvLabelFlag.ITEM, identity: 2, json: '{"x":1}' },
          { flags: MmvLabelFlag.ITEM, identity: 2, json: '{"x":2}' },
          { flags: MmvLabelFlag.ITEM, identity: 2, json: '{"z":null}' },
          { flags: MmvLabelFlag.ITEM, identity: 2, json: '["no object"]' },
          { flags: MmvLabelFlag.ITEM, identity: 2, json: '{"broken":' },
          { flags: MmvLabelFlag.INDOM, identity: 7, json: '{"things":"products"}' },
          { flags: MmvLabelFlag.INSTANCES, identity: 7, instance: 1, json: '{"weight":1500.0}' },
          { flags: MmvLabelFlag.INSTANCES, identity: 7, instance: 0, json: '{"colour":"red"}' },
        ],
      },
    },
    values: { 'mmv.app.a': { [-1]: 1 }, 'mmv.app.b': FRUITS },
    metrics: {
      'mmv.app.a': { cluster: { app: '"acme"', 'opt?': 'true' }, item: { unit: '"items"' } },
      'mmv.app.b': { item: { n: '[1,2]', s: '"a\\"b, {c}:"', x: '2', z: 'null' } },
    },
    indomLabels: { '70.657415': { things: '"products"' } },
    instanceLabels: { '70.657415': { 0: { colour: '"red"' }, 1: { weight: '1500.0' } } },
  },
  labelsAnyCluster: {
    why: 'labels of a file that asks for no cluster',
    files: {
      app: {
        ...labelled,
        labels: [
          // PCP misreads labels that have blanks outside of strings.
          { flags: MmvLabelFlag.CLUSTER, identity: 0, json: ' { "app" : "acme" } ' },
          { flags: MmvLabelFlag.ITEM, identity: 1, json: '{"unit":"items"}' },
        ],
      },
    },
    values: { 'mmv.app.a': { [-1]: 1 }, 'mmv.app.b': FRUITS },
    metrics: { 'mmv.app.a': { cluster: { app: '"acme"' }, item: { unit: '"items"' } } },
    pcp: ['cluster labels'],
  },
  labelsReserved: {
    why: 'labels that say who the machine or the agent is',
    files: {
      app: {
        ...labelled,
        cluster: 5,
        labels: ['hostname', 'machineid', 'agent', 'fine'].map((name) => ({
          flags: MmvLabelFlag.CLUSTER,
          identity: 5,
          json: `{"${name}":"evil"}`,
        })),
      },
    },
    values: { 'mmv.app.a': { [-1]: 1 }, 'mmv.app.b': FRUITS },
    metrics: { 'mmv.app.a': { cluster: { fine: '"evil"' } } },
    pcp: ['cluster labels'],
  },
  short: refused('39 bytes', Buffer.alloc(39, 'MMV\0')),
  empty: refused('nothing', Buffer.alloc(0)),
  magic: refused(
    'another magic',
    damaged(good, (bytes) => void bytes.write('MMW', 0)),
  ),
  otherOrder: refused(
    'the other byte order',
    damaged(good, (bytes) => void bytes.writeInt32BE(1, 4)),
  ),
  version4: refused('version 4', { ...good, version: 4 }),
  writing: refused('being written: the generations differ', { ...good, generation2: 0n }),
  never: refused('being written: no generation', { ...good, generation: 0n }),
  fewContents: refused(
    'a table of contents of 1',
    damaged(good, (bytes) => void bytes.writeInt32LE(1, 24)),
  ),
  manyContents: refused(
    'a table of contents beyond the file',
    damaged(good, (bytes) => void bytes.writeInt32LE(100_000, 24)),
  ),
  clusterBeyond: refused('cluster 4096', { ...good, cluster: 4096 }),
  clusterNegative: refused('cluster -1', { ...good, cluster: -1 }),
  metricsBeyond: beside(
    'the metrics lie beyond the file',
    damaged(good, (bytes, { sections }) => void bytes.writeBigUInt64LE(5000n, sections.get(3)!.entry + 8)),
    { metrics: { 'mmv.good.count': { pmid: '70.2.1' } }, fileCount: 2 },
  ),
  metricsMany: beside(
    'more than 1023 metrics',
    { metrics: Array.from({ length: 1024 }, (_, i) => ({ name: `m${i}`, item: i % 1024, value: 1 })) },
    { fileCount: 2 },
  ),
  nameBeyond: beside(
    'the name of one metric lies beyond the file',
    damaged({ ...pair(), version: 2 }, (bytes, { metrics }) => {
      bytes.writeBigUInt64LE(BigInt(bytes.length - 255), metrics.get('a'));
    }),
    { values: { 'mmv.bad.b': { [-1]: 2 } } },
  ),
  valuesMany: beside(
    'more values than there are',
    damaged(good, (bytes, { sections }) => void bytes.writeUInt32LE(4711, sections.get(4)!.entry + 4)),
    { values: { 'mmv.bad.count': INST } },
  ),
  stringBeyond: beside(
    'a string beyond the file',
    damaged(pair({ type: MmvType.STRING, value: 'x' }), (bytes, image) => {
      bytes.writeBigUInt64LE(BigInt(bytes.length - 3), image.values.get('a')![0]! + 8);
    }),
    { values: { 'mmv.bad.a': GENERIC, 'mmv.bad.b': { [-1]: 2 } } },
  ),
  instancesMany: beside(
    'more instances than the file can hold',
    damaged(
      { indoms: [FRUIT], metrics: rows({ name: 'v', serial: 1, value: [[0, 1]] }, { name: 'single', value: 5 }) },
      (bytes, { sections }) => void bytes.writeUInt32LE(1_000_000, sections.get(1)!.offset + 4),
    ),
    { values: { 'mmv.bad.v': {}, 'mmv.bad.single': { [-1]: 5 } }, instances: { '70.2049': null } },
  ),
  labelsMany: {
    why: 'more than 255 labels',
    files: {
      app: {
        ...labelled,
        cluster: 5,
        labels: Array.from({ length: 256 }, () => ({ flags: MmvLabelFlag.CLUSTER, identity: 5, json: '{"a":1}' })),
      },
    },
    values: { 'mmv.app.a': { [-1]: 1 }, 'mmv.app.b': FRUITS },
    metrics: { 'mmv.app.a': { cluster: {} } },
  },
  aggregate: beside('a type that files cannot have', pair({ type: MmvType.AGGREGATE }), {
    values: { 'mmv.bad.b': { [-1]: 2 } },
    pcp: 'dies',
  }),
  valueInstanceBeyond: beside(
    'the instance of a value lies beyond the file',
    damaged(fruits(), (bytes, image) => {
      bytes.writeBigUInt64LE(0x7fffffffn, image.values.get('v')![0]! + 24);
    }),
    { values: { 'mmv.bad.v': { 1: 2 } }, pcp: 'dies' },
  ),
  instanceNameBeyond: beside(
    'the name of an instance lies beyond the file',
    damaged({ ...fruits(), version: 2 }, (bytes, { sections }) => {
      bytes.writeBigUInt64LE(1n << 40n, sections.get(2)!.offset + 16);
    }),
    { values: { 'mmv.bad.v': { 1: 2 } }, instances: { '70.2049': [[1, 'pear']] }, pcp: 'dies' },
  ),
  wrappedOffset: beside(
    'offsets near 2^64, to which a size can be added',
    damaged({ indoms: [FRUIT], metrics: [{ name: 'v', serial: 1, value: [[0, 1]] }] }, (bytes, { sections }) => {
      bytes.writeBigUInt64LE(2n ** 64n - 80n, sections.get(1)!.offset + 8);
    }),
    { values: { 'mmv.bad.v': {} }, instances: { '70.2049': null }, pcp: 'dies' },
  ),
};
