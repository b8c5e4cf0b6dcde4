/** The expressions whose values are held against real libpcp, by archive. Debian's 6.0.3 accepts every one of them. */

/** One archive and what is computed over it, all in one context. */
export interface ExpressionGroup {
  /** Below the archives of pcp-testsuite. */
  readonly archive: string;
  readonly samples: number;
  /** Interpolated fetches instead of forward ones. */
  readonly interpolate?: { readonly from: readonly [sec: number, usec: number]; readonly intervalMs: number };
  readonly expressions: readonly string[];
}

/** An expression for which pmgate gives other values than libpcp 6.0.3, deliberately. */
export interface DeliberateDifference {
  readonly archive: string;
  readonly expression: string;
  readonly why: string;
}

const TYPES = ['long', 'ulong', 'longlong', 'ulonglong', 'float', 'double'];
const pairs = TYPES.flatMap((left) => TYPES.map((right) => [left, right] as const));

const arithmetic = pairs.flatMap(([left, right]) => [
  `sample.${left}.bin + sample.${right}.million`,
  `sample.${left}.hundred - sample.${right}.bin`,
  `sample.${left}.bin * sample.${right}.bin`,
  `sample.${left}.million / sample.${right}.bin`,
]);

const relational = pairs.flatMap(([left, right], i) => [
  `sample.${left}.bin ${['<', '<=', '==', '>=', '>', '!='][i % 6]!} sample.${right}.hundred`,
  `sample.${left}.ten ${['!=', '>', '>=', '==', '<=', '<'][(i + 1) % 6]!} sample.${right}.ten`,
]);

const functions = TYPES.flatMap((type) => [
  `avg(sample.${type}.bin)`,
  `sum(sample.${type}.bin)`,
  `min(sample.${type}.bin)`,
  `max(sample.${type}.bin)`,
  `count(sample.${type}.bin)`,
  `-sample.${type}.bin`,
  `-sample.${type}.million - 1`,
  `scalar(sample.${type}.bin)`,
  `instant(sample.${type}.bin)`,
  `sample.${type}.bin[bin-500]`,
  `sample.${type}.bin[bin-500] + sample.${type}.bin`,
  `matchinst(/[13]00$/, sample.${type}.bin)`,
  `matchinst(!/^bin-[1-6]/, sample.${type}.bin) * 2`,
  `sample.${type}.bin > 300 ? sample.${type}.bin : sample.${type}.one`,
  `sample.${type}.one == 1 ? sample.${type}.bin : sample.${type}.ten`,
  `sample.${type}.bin && sample.${type}.one`,
  `sample.${type}.bin > 400 || sample.${type}.ten == 10`,
]);

const PYAPI: readonly string[] = [
  ...arithmetic,
  ...relational,
  ...functions,
  // Constants, precedence, wrapping
  'sample.long.one - 10',
  '-1 - sample.long.one',
  '-3 * sample.long.bin',
  '-mkconst(4294967295, type=u32)',
  'sample.long.bin * 30000000',
  'sample.ulong.bin * 30000000',
  'sample.longlong.million * sample.longlong.million * sample.longlong.million * 100',
  'sample.ulonglong.million * sample.ulonglong.million * sample.ulonglong.million * 100',
  'sample.longlong.one - sample.ulonglong.million',
  '1 / 3',
  '1 / 0',
  '-1 / 0',
  '0 / 0',
  'sample.long.bin / 0',
  '1.5 + sample.float.one',
  '0.1 * sample.float.bin',
  'mkconst(3, type=float) / 7',
  'mkconst(16777217, type=float) + sample.float.one',
  'mkconst(4294967295, type=32) + sample.long.one',
  'mkconst(4294967295, type=64) * mkconst(4294967295, type=64)',
  'mkconst(4294967295, type=u64) * mkconst(4294967295, type=u64)',
  '1 + 2 * 3 - 4 / 2',
  '(1 + 2) * (3 - 4) / 2',
  '2 > 1 != 0',
  '1 && 0 || 1',
  '!sample.long.one',
  '!sample.ulong.bin',
  '!(sample.long.bin > 300)',
  '!sample.long.one || sample.long.one',
  '0 ? 1 : 0 ? 3 : 4',
  'sample.long.one ? 1 : 2 ? 3 : 4',
  'defined(sample.bin) + defined(no.such.metric)',
  // Scales
  'sample.byte_ctr + sample.kbyte_ctr',
  'sample.kbyte_ctr - sample.byte_ctr',
  'sample.byte_rate + sample.kbyte_rate',
  'sample.kbyte_rate - sample.byte_rate_perhour',
  'sample.byte_rate + sample.byte_rate_perhour',
  'sample.ulong.count.base + sample.ulong.count.kilo',
  'sample.ulong.count.deca - sample.ulong.count.mega',
  'sample.scale_step.time_up_secs + sample.scale_step.time_up_secs',
  'rescale(sample.byte_ctr, "Kbyte")',
  'rescale(sample.kbyte_ctr, "byte")',
  'rescale(sample.kbyte_rate, "Mbyte/hour")',
  'rescale(sample.byte_rate, "Kbyte/hour")',
  'rescale(sample.byte_rate * 1.0, "Kbyte/hour")',
  'rescale(sample.datasize, "byte")',
  'rescale(sample.seconds, "millisec")',
  'rescale(sample.milliseconds, "sec")',
  'rescale(sample.milliseconds, "hour")',
  'rescale(sample.float.bin_ctr, "Mbyte")',
  'rescale(sample.double.bin_ctr, "byte")',
  'rescale(sample.longlong.bin_ctr, "byte")',
  'rescale(sample.ulonglong.bin_ctr, "Mbyte")',
  'sample.byte_ctr > sample.kbyte_ctr',
  'sample.ulong.count.base > sample.ulong.count.deca',
  'sample.byte_rate * sample.byte_rate + sample.kbyte_rate * sample.kbyte_rate',
  // Missing values and errors
  'avg(sample.noinst)',
  'sample.noinst',
  'sample.noinst + 1',
  '-sample.noinst',
  'sum(sample.noinst)',
  'count(sample.noinst)',
  'sample.long.one ? sample.noinst : sample.long.ten',
  'sample.dodgey.value + 1',
  'sample.part_bin + sample.bin',
  'sample.bin - sample.part_bin',
  'sample.part_bin * sample.part_bin',
  'count(sample.part_bin)',
  // Strings and aggregates as they are
  'sample.string.hullo',
  'scalar(sample.string.hullo)',
  'count(sample.string.hullo)',
  'sample.aggregate.hullo',
  'count(sample.aggregate.hullo)',
  // Counters
  'sample.byte_ctr * 2',
  'sample.seconds / 60',
  'delta(sample.byte_ctr)',
  'rate(sample.byte_ctr)',
  'rate(sample.seconds)',
  'rate(sample.milliseconds)',
  'delta(sample.milliseconds)',
  'delta(sample.drift)',
  'rate(sample.drift)',
  'rate(sample.pdu)',
  'rate(sample.kbyte_ctr) / rate(sample.byte_ctr)',
  'delta(sample.step)',
  '100 * delta(sample.recv_pdu) / delta(sample.pdu)',
];

const COUNTERS = TYPES.flatMap((type) => [
  `delta(sample.${type}.bin_ctr)`,
  `rate(sample.${type}.bin_ctr)`,
  `rate(sample.${type}.bin_ctr) + delta(sample.${type}.million)`,
  `instant(sample.${type}.bin_ctr)`,
  `sum(sample.${type}.bin_ctr)`,
  `sample.${type}.bin_ctr * 3`,
]);

const DISKS: readonly string[] = [
  'disk.dev.read + disk.dev.write',
  'disk.dev.write + disk.dev.read',
  'disk.dev.read - disk.dev.write',
  'delta(disk.dev.read)',
  'delta(disk.dev.write)',
  'rate(disk.dev.read)',
  'rate(disk.dev.write)',
  'delta(disk.dev.read) + delta(disk.dev.write)',
  'rate(disk.dev.read) / rate(disk.dev.write)',
  'disk.dev.read[sdb]',
  'disk.dev.read[sdc] + disk.dev.write[sdc]',
  'disk.dev.read[nosuch]',
  'scalar(disk.dev.read[sda]) + disk.dev.write',
  'matchinst(/^sd[ab]$/, disk.dev.read)',
  'matchinst(!/a/, disk.dev.write)',
  'matchinst(/[cd]/, disk.dev.read + disk.dev.write)',
  'count(disk.dev.read)',
  'count(disk.dev.write)',
  'sum(disk.dev.read)',
  'avg(disk.dev.read)',
  'max(disk.dev.read)',
  'count(disk.dev.read) > 1 ? disk.dev.read : disk.dev.read',
  'disk.dev.read == disk.dev.write',
  'instant(disk.dev.read) * 1.5',
];

const PERCPU: readonly string[] = [
  'rate(kernel.percpu.cpu.user)',
  'rate(kernel.percpu.cpu.idle)',
  'kernel.percpu.cpu.user + kernel.percpu.cpu.sys',
  'delta(kernel.percpu.cpu.user) / delta(kernel.percpu.cpu.idle)',
  '100 * rate(kernel.percpu.cpu.user) / (rate(kernel.percpu.cpu.user) + rate(kernel.percpu.cpu.idle))',
  'rate(kernel.all.cpu.user) + rate(kernel.all.cpu.sys)',
  'rate(kernel.all.cpu.user) > 0.5',
  'sum(kernel.percpu.cpu.user) - kernel.all.cpu.user',
  'avg(kernel.percpu.cpu.user)',
  'max(kernel.all.load)',
  'kernel.all.load[1 minute]',
  'kernel.all.load[5]',
  'matchinst(/^1/, kernel.all.load)',
  'rescale(kernel.percpu.cpu.user, "sec")',
  'rate(kernel.percpu.cpu.user) < 0.5 ? rate(kernel.percpu.cpu.sys) : rate(kernel.percpu.cpu.idle)',
];

const wraps = (name: string): string[] => [
  `delta(${name})`,
  `rate(${name})`,
  `${name} + ${name}`,
  `${name} * 2`,
  `-${name}`,
  `instant(${name})`,
  `instant(${name}) * instant(${name})`,
  `${name} > 0`,
];

const MARKS = ['read', 'write', 'total'].flatMap((what) => [
  `delta(disk.dev.${what})`,
  `rate(disk.dev.${what})`,
  `rate(disk.all.${what})`,
]);

export const GROUPS: readonly ExpressionGroup[] = [
  { archive: 'pyapi', samples: 2, expressions: PYAPI },
  { archive: 'omnibus_v3', samples: 4, expressions: COUNTERS },
  { archive: 'dyninsts2', samples: 12, expressions: DISKS },
  { archive: 'babylon.percpu_v2', samples: 6, expressions: PERCPU },
  { archive: 'wrap', samples: 8, expressions: wraps('sample.wrap.long') },
  { archive: 'uwrap', samples: 8, expressions: wraps('sample.wrap.ulong') },
  {
    archive: 'interpmark',
    samples: 10,
    interpolate: { from: [1323894707, 500_000], intervalMs: 10_000 },
    expressions: MARKS,
  },
];

const FALLING = 'a counter that went down has no rate, whatever its type (7.2.1, but for type 32, and the manual)';
const ONE_SCALE = 'relational operands are brought to one scale, as the manual has it; libpcp compares raw numbers';

export const DIFFERENCES: readonly DeliberateDifference[] = [
  { archive: 'wrap', expression: 'rate(sample.wrap.long)', why: FALLING },
  { archive: 'uwrap', expression: 'rate(sample.wrap.ulong)', why: FALLING },
  { archive: 'pyapi', expression: 'sample.byte_ctr > sample.kbyte_ctr', why: ONE_SCALE },
  { archive: 'pyapi', expression: 'sample.ulong.count.base > sample.ulong.count.deca', why: ONE_SCALE },
  {
    archive: 'pyapi',
    expression: 'sample.byte_rate * sample.byte_rate + sample.kbyte_rate * sample.kbyte_rate',
    why: 'the scale factor counts once per power of the dimension; libpcp applies it once',
  },
  { archive: 'pyapi', expression: 'avg(sample.noinst)', why: 'the average of nothing is no value; libpcp gives 0' },
];
