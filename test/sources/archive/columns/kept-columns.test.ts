import { Column, MetricType, PM_ERR, ValueSet } from '../../../../src/pmapi/index.js';
import { decodeFixed, keepValues } from '../../../../src/sources/archive/columns/kept-columns.js';
import { ByteReader, decodeValueSet } from '../../../../src/sources/wire/index.js';
import fc from '../../../support/properties.js';
import { rows } from '../../../support/rows.js';

function columnOf(type: MetricType, numbers: readonly number[]): Column {
  const column = new Column();
  column.reset(type);
  for (const number of numbers) column.pushNumber(number);
  return column;
}

describe('keepValues', () => {
  it.each<[string, MetricType, readonly number[], unknown]>([
    ['integers of 32 bits in four bytes', MetricType.U64, [0, 2 ** 31 - 1], Int32Array.of(0, 2 ** 31 - 1)],
    ['negative ones as well', MetricType.I32, [-1, -(2 ** 31)], Int32Array.of(-1, -(2 ** 31))],
    ['larger ones in eight', MetricType.U32, [1, 2 ** 31], Float64Array.of(1, 2 ** 31)],
    ['those of a float in four', MetricType.FLOAT, [0.5, NaN, -0], Float32Array.of(0.5, NaN, -0)],
    ['those of a double in eight, with the sign of zero', MetricType.DOUBLE, [1, -0], Float64Array.of(1, -0)],
  ])('keeps numbers exact: %s', (_, type, numbers, want) => {
    expect(keepValues(columnOf(type, numbers)).numbers).toEqual(want);
  });

  it('keeps no more than there is', () => {
    const kept = keepValues(columnOf(MetricType.DOUBLE, [1, 2, 3]));
    expect(kept.numbers.buffer.byteLength).toBe(3 * 8);
  });

  it('keeps its own copy: the column is scratch', () => {
    const column = columnOf(MetricType.DOUBLE, [1.5]);
    const kept = keepValues(column);
    column.reset(MetricType.STRING);
    column.pushText('later');
    expect(kept).toEqual({ numbers: Float64Array.of(1.5), wide: undefined, texts: [], bytes: [] });
  });

  it('keeps the bits of integers that no number holds', () => {
    const column = columnOf(MetricType.U64, [1]);
    column.pushInteger(2n ** 64n - 1n);
    const kept = keepValues(column);
    expect(kept.wide).toEqual(BigInt64Array.of(1n, -1n));
    expect(kept.numbers).toHaveLength(2);
  });

  it('keeps texts and bytes', () => {
    const texts = new Column();
    texts.reset(MetricType.STRING);
    texts.pushText('a');
    const bytes = new Column();
    bytes.reset(MetricType.AGGREGATE);
    bytes.pushBytes(Uint8Array.of(7));
    const [keptTexts, keptBytes] = [keepValues(texts), keepValues(bytes)];
    texts.reset(MetricType.U32);
    bytes.reset(MetricType.U32);
    expect(keptTexts.texts).toEqual(['a']);
    expect(keptBytes.bytes).toEqual([Uint8Array.of(7)]);
  });
});

const LAYOUT = { pointerBias: 2, mismatchErr: PM_ERR.LOGREC };
const IN_PLACE = [MetricType.U32, MetricType.I32, MetricType.FLOAT] as const;
const IN_BLOCKS = [MetricType.U64, MetricType.I64, MetricType.DOUBLE] as const;

/** A value set at the beginning, and its blocks behind it. */
function setBytes(type: MetricType, values: readonly (readonly [number, Uint8Array])[]): Buffer {
  const isInPlace = (IN_PLACE as readonly number[]).includes(type);
  const blocksAt = 12 + 8 * values.length;
  const bytes = Buffer.alloc(blocksAt + (isInPlace ? 0 : 12 * values.length));
  bytes.writeUInt32BE(7, 0);
  bytes.writeInt32BE(values.length, 4);
  bytes.writeInt32BE(isInPlace ? 0 : 1, 8);
  values.forEach(([instance, data], i) => {
    bytes.writeInt32BE(instance, 12 + 8 * i);
    if (isInPlace) {
      bytes.set(data.subarray(0, 4), 16 + 8 * i);
      return;
    }
    const block = blocksAt + 12 * i;
    bytes.writeUInt32BE(block / 4 + LAYOUT.pointerBias, 16 + 8 * i);
    bytes.writeUInt32BE(type * 0x1000000 + 12, block);
    bytes.set(data, block + 4);
  });
  return bytes;
}

function decode(type: MetricType, bytes: Buffer): { fits: boolean; instances: Int32Array; numbers: Float64Array } {
  const count = bytes.readInt32BE(4);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const instances = new Int32Array(count + 1);
  const numbers = new Float64Array(count + 1);
  const blocks = { view, start: 12 + 8 * count, end: bytes.length, shift: -4 * LAYOUT.pointerBias };
  return { fits: decodeFixed(type, count, { view, at: 0 }, blocks, instances, numbers, 1), instances, numbers };
}

const anyValues = fc.array(fc.tuple(fc.integer(), fc.uint8Array({ minLength: 8, maxLength: 8 })), { minLength: 1 });

describe('decodeFixed', () => {
  it('decodes what it takes as decodeValueSet does, and takes all that fits into numbers', () => {
    fc.assert(
      fc.property(fc.constantFrom(...IN_PLACE, ...IN_BLOCKS), anyValues, (type, values) => {
        const bytes = setBytes(type, values);
        const set = new ValueSet();
        decodeValueSet(new ByteReader(bytes, 'set', PM_ERR.LOGREC), 0, type, set, LAYOUT);
        const { fits, instances, numbers } = decode(type, bytes);
        const isWide = set.column.numbers.subarray(0, set.status).some((value) => !Number.isSafeInteger(value));
        const needsWide = isWide && (type === MetricType.U64 || type === MetricType.I64);
        expect(fits).toBe(!needsWide);
        if (!fits) return;
        expect([...instances.subarray(1)]).toEqual([...set.instances.subarray(0, set.status)]);
        expect([...numbers.subarray(1)]).toEqual([...set.column.numbers.subarray(0, set.status)]);
      }),
    );
  });

  it('takes nothing that was changed at a place that matters', () => {
    const values = rows([1, new Uint8Array(8)], [2, new Uint8Array(8)]);
    const good = setBytes(MetricType.U64, values);
    expect(decode(MetricType.U64, good).fits).toBe(true);
    const changed = (change: (bytes: Buffer) => void): boolean => {
      const bytes = Buffer.from(good);
      change(bytes);
      return decode(MetricType.U64, bytes).fits;
    };
    expect(changed((bytes) => bytes.writeUInt32BE(0xffffffff, 16))).toBe(false); // a pointer far away
    expect(changed((bytes) => bytes.writeUInt32BE(0, 16))).toBe(false); // one before the blocks
    expect(changed((bytes) => bytes.writeUInt32BE(bytes.length / 4 + 1, 24))).toBe(false); // one of which a part is outside
    expect(changed((bytes) => bytes.writeUInt32BE(0x03000000 + 16, 28))).toBe(false); // another length
    expect(changed((bytes) => bytes.writeUInt32BE(0x05000000 + 12, 28))).toBe(false); // another type
    expect(decode(MetricType.U64, good.subarray(0, good.length - 4)).fits).toBe(false); // blocks that overlap
    expect(decode(MetricType.STRING, good).fits).toBe(false);
    expect(decode(MetricType.U32, good).fits).toBe(false);
  });
});
