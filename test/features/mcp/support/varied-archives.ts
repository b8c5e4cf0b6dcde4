import { ArchiveBuilder } from '../../../support/archive-builder.js';

/** An archive among many that differ: what assistants can ask of it. */
export interface Varied {
  readonly host: string;
  readonly names: readonly string[];
  readonly instances: number;
  readonly start: number;
  readonly finish: number;
  readonly builder: ArchiveBuilder;
}

const BASE = 3_000_000;
const COUNTER = 1;
const INSTANT = 3;
const DISCRETE = 4;
const [U64, DOUBLE, STRING] = [3, 5, 6];
/** Units of bytes, milliseconds and nothing. */
const UNITS = [0x10000000, 0x01002000, 0];

/** Thirty archives: few and many metrics, instances and samples; both versions, counters, texts, long names, gaps, hosts with two of them. */
export function variedArchives(): readonly Varied[] {
  return Array.from({ length: 30 }, (_, i) => variedArchive(i));
}

function variedArchive(i: number): Varied {
  const version = i % 3 === 0 ? 2 : 3;
  const host = i % 10 === 9 ? `host${i - 1}` : i === 4 ? `${'ä-long.'.repeat(8)}${i}` : `host${i}`;
  const metrics = [1, 2, 5, 12, 40][i % 5]!;
  const instances = [0, 1, 3, 17, 60, 150][i % 6]!;
  const samples = [1, 2, 7, 30, 90][Math.floor(i / 6)]!;
  const step = [1, 10, 60, 600][i % 4]!;
  const start = BASE + i * 100_000;
  const builder = new ArchiveBuilder({ version, start: [start, 0], hostName: host });
  const domain = 50 * 2 ** 22 + 1;
  const id = (m: number): number => 50 * 2 ** 22 + m + 1;
  const names = Array.from({ length: metrics }, (_, m) => nameOf(i, m));
  const typeOf = (m: number): number => (m % 9 === 8 ? STRING : m % 2 === 1 ? U64 : DOUBLE);
  for (const [m, name] of names.entries()) {
    const type = typeOf(m);
    const semantics = type === STRING ? DISCRETE : type === U64 ? COUNTER : INSTANT;
    const isSingular = instances === 0 || type === STRING;
    const units = type === STRING ? 0 : UNITS[m % 3]!;
    builder.metric({ pmid: id(m), names: [name], type, semantics, units, ...(isSingular ? {} : { indom: domain }) });
    builder.text(5, id(m), m % 4 === 3 ? 'a long line of help '.repeat(20) : `what metric ${m} counts`);
  }
  if (instances > 0) {
    const of = (n: number): string =>
      n % 5 === 4 ? `/a/long/path/of/an/instance/${'x'.repeat(90)}/${n}` : `instance ${n}`;
    builder.indom(
      [start, 0],
      domain,
      Array.from({ length: instances }, (_, n) => [n, of(n)] as const),
    );
  }
  builder.indexEntry([start, 0]);
  for (let k = 0; k < samples; k++) {
    const at: [number, number] = [start + k * step, 0];
    if (k === 12 && i % 2 === 0) {
      builder.mark(at);
      continue;
    }
    const isLate = k > samples * 0.8;
    const sets = names.map((_, m) => {
      const type = typeOf(m);
      const valueOf = (n: number): number | bigint | string => {
        if (type === STRING) return isLate ? `text ${'of some length '.repeat(9)}` : 'fine';
        if (type === U64) return BigInt(k * (n + 1) * 1000 * (isLate ? 5 : 1));
        return (n + 1) * (isLate ? -12_345.678 : 1.25) + (k % 3) / 10;
      };
      const isSingular = instances === 0 || type === STRING;
      const values = isSingular
        ? [[-1, valueOf(0)] as const]
        : Array.from({ length: instances }, (_, n) => [n, valueOf(n)] as const);
      return { pmid: id(m), values };
    });
    builder.record(at, sets);
  }
  const finish = start + Math.max(1, samples - 1) * step;
  return { host, names, instances, start, finish, builder: builder.indexEntry([finish, 0]) };
}

function nameOf(i: number, m: number): string {
  const long = m % 7 === 6 ? `.with_a_rather_long_name_of_many_words_that_nobody_would_type` : '';
  return `app${i % 3}.group${m % 4}.metric${m}${long}`;
}
