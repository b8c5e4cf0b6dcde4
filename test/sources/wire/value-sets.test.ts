import fc from '../../support/properties.js';
import { MetricType, PM_ERR, PmError, ValueSet } from '../../../src/pmapi/index.js';
import { ByteReader, decodeValueSet, indexValueSets, indexValueSetsInSteps } from '../../../src/sources/wire/index.js';
import type { ResultLayout } from '../../../src/sources/wire/index.js';
import { type BuiltSet, long, valueSets, withWord, words } from '../../support/pdu-builder.js';
import { rows } from '../../support/rows.js';

const PDU: ResultLayout = { pointerBias: 0, mismatchErr: PM_ERR.CONV };
const RECORD: ResultLayout = { pointerBias: 2, mismatchErr: PM_ERR.LOGREC };

const block = (type: number, data: Buffer): { type: number; data: Buffer } => ({ type, data });
const double = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes;
};
const float = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatBE(value);
  return bytes;
};
const text = (value: string): Buffer => Buffer.from(`${value}\0`);

function decodeBytes(
  bytes: Buffer,
  count: number,
  types: readonly (MetricType | undefined)[],
  layout = PDU,
): ValueSet[] {
  const reader = new ByteReader(bytes, 'TEST PDU', PM_ERR.IPC);
  const table = indexValueSets(reader, count, layout);
  return [...table.offsets].map((offset, i) => {
    const set = new ValueSet();
    decodeValueSet(reader, offset, types[i], set, layout);
    return set;
  });
}

const decode = (sets: readonly BuiltSet[], ...types: (MetricType | undefined)[]): ValueSet[] =>
  decodeBytes(valueSets(0, sets), sets.length, types);

describe('decodeValueSet', () => {
  it.each<[string, MetricType, BuiltSet['values'], number[]]>([
    ['32', MetricType.I32, [[-1, 0xffffffff]], [-1]],
    ['U32', MetricType.U32, [[-1, 0xffffffff]], [4294967295]],
    ['64', MetricType.I64, [[-1, block(2, long(-7n))]], [-7]],
    ['U64', MetricType.U64, [[-1, block(3, long(7n))]], [7]],
    ['FLOAT', MetricType.FLOAT, [[-1, block(4, float(1.5))]], [1.5]],
    ['FLOAT in place, as old agents send it', MetricType.FLOAT, [[-1, 0x3fc00000]], [1.5]],
    ['DOUBLE', MetricType.DOUBLE, [[-1, block(5, double(0.1))]], [0.1]],
    ['U64 in a block that says 64', MetricType.U64, [[-1, block(2, long(7n))]], [7]],
    ['64 in a block of unknown type', MetricType.I64, [[-1, block(255, long(-7n))]], [-7]],
  ])('takes numbers of type %s', (_, type, values, expected) => {
    const [set] = decode([{ pmid: 1, values }], type);
    expect(set!.status).toBe(1);
    expect(set!.instances[0]).toBe(-1);
    expect([...set!.column.numbers.subarray(0, set!.status)]).toEqual(expected);
    expect(set!.column.wide).toBeUndefined();
  });

  it('keeps every digit of 64-bit values', () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }), { minLength: 1 }),
        fc.boolean(),
        (values, unsigned) => {
          const type = unsigned ? MetricType.U64 : MetricType.I64;
          const sent = values.map((value) => (unsigned ? BigInt.asUintN(64, value) : value));
          const [set] = decode([{ pmid: 1, values: sent.map((value, i) => [i, block(type, long(value))]) }], type);
          expect(sent.map((_, i) => set!.column.integerAt(i))).toEqual(sent);
          const needsWide = sent.some(
            (value) => value > BigInt(Number.MAX_SAFE_INTEGER) || value < -BigInt(Number.MAX_SAFE_INTEGER),
          );
          if (!needsWide) expect(set!.column.wide).toBeUndefined();
        },
      ),
    );
  });

  it.each([
    0n,
    (1n << 53n) - 1n,
    1n << 53n,
    -((1n << 53n) - 1n),
    -(1n << 53n),
    -(1n << 53n) - 1n,
    (1n << 63n) - 1n,
    -(1n << 63n),
  ])('is exact at the edge %s', (value) => {
    const [set] = decode([{ pmid: 1, values: [[0, block(2, long(value))]] }], MetricType.I64);
    expect(set!.column.integerAt(0)).toBe(value);
    expect(set!.column.wide !== undefined).toBe(!Number.isSafeInteger(Number(value)));
  });

  it('takes texts up to their NUL, and bytes as they are', () => {
    const [string, aggregate, empty] = decode(
      [
        { pmid: 1, values: [[-1, block(6, text('hullo world!'))]] },
        { pmid: 2, values: [[-1, block(7, Buffer.from([1, 0, 2]))]], format: 2 },
        { pmid: 3, values: [[-1, block(6, Buffer.alloc(0))]] },
      ],
      MetricType.STRING,
      MetricType.AGGREGATE,
      MetricType.STRING,
    );
    expect(string!.column.texts).toEqual(['hullo world!']);
    expect(aggregate!.column.bytes.map((bytes) => [...bytes])).toEqual([[1, 0, 2]]);
    expect(empty!.column.texts).toEqual(['']);
  });

  it('passes on error codes and the absence of values', () => {
    const [failed, none] = decode(
      rows({ pmid: 1, values: PM_ERR.NOAGENT }, { pmid: 2, values: 0 }),
      MetricType.U32,
      undefined,
    );
    expect(failed!.status).toBe(PM_ERR.NOAGENT);
    expect(none!.status).toBe(0);
    expect(none!.pmid).toBe(2);
  });

  it('takes the type from the values when no descriptor is known', () => {
    const [inPlace, wide, odd] = decode(
      [
        { pmid: 1, values: [[-1, 0xffffffff]] },
        { pmid: 2, values: [[-1, block(2, long(-1n))]] },
        { pmid: 3, values: [[-1, block(77, Buffer.from('abc'))]] },
      ],
      undefined,
      undefined,
      undefined,
    );
    expect([inPlace!.type, wide!.type]).toEqual([MetricType.U32, MetricType.I64]);
    expect(odd!.type).toBe(MetricType.AGGREGATE);
  });

  it.each<[string, MetricType, BuiltSet['values']]>([
    ['a value in place for a 64', MetricType.I64, [[-1, 5]]],
    ['a block for a 32', MetricType.I32, [[-1, block(2, long(5n))]]],
    ['four bytes for a DOUBLE', MetricType.DOUBLE, [[-1, block(5, float(1))]]],
    ['twelve bytes for a U64', MetricType.U64, [[-1, block(3, Buffer.alloc(12))]]],
    ['a text for a U64', MetricType.U64, [[-1, block(6, Buffer.alloc(8))]]],
    ['a double for a U64', MetricType.U64, [[-1, block(5, double(1))]]],
    ['a number for a text', MetricType.STRING, [[-1, 5]]],
    ['a 64 for a text', MetricType.STRING, [[-1, block(2, long(5n))]]],
    ['any value for an unsupported metric', MetricType.NOSUPPORT, [[-1, block(2, long(5n))]]],
  ])('answers a conversion error for %s', (_, type, values) => {
    const [set] = decode([{ pmid: 1, values }], type);
    expect(set!.status).toBe(PM_ERR.CONV);
    expect(set!.column.length).toBe(0);
  });

  it('finds the blocks of an archive record, whose words count from two before it', () => {
    const bytes = valueSets(0, [{ pmid: 1, values: [[3, block(6, text('x'))]] }], 2);
    const [set] = decodeBytes(bytes, 1, [MetricType.STRING], RECORD);
    expect(set!.column.texts).toEqual(['x']);
    expect(decodeBytes(valueSets(0, [{ pmid: 1, values: [[3, 1]] }]), 1, [MetricType.U64], RECORD)[0]!.status).toBe(
      PM_ERR.LOGREC,
    );
  });

  it('leaves out the instances that do not pass', () => {
    const bytes = valueSets(0, [
      {
        pmid: 1,
        values: rows([1, 10], [2, 20], [3, 30]),
      },
    ]);
    const set = new ValueSet();
    decodeValueSet(new ByteReader(bytes, 'x', PM_ERR.IPC), 0, MetricType.U32, set, PDU, (instance) => instance !== 2);
    expect(set.status).toBe(2);
    expect([...set.instances.subarray(0, 2)]).toEqual([1, 3]);
    expect([...set.column.numbers.subarray(0, 2)]).toEqual([10, 30]);
  });

  it('starts a used value set over', () => {
    const set = new ValueSet();
    set.reset(9, MetricType.STRING);
    set.addText(1, 'old');
    decodeValueSet(
      new ByteReader(valueSets(0, [{ pmid: 1, values: [[-1, 7]] }]), 'x', PM_ERR.IPC),
      0,
      MetricType.U32,
      set,
      PDU,
    );
    expect([set.pmid, set.status, set.column.numbers[0], set.column.texts.length]).toEqual([1, 1, 7, 0]);
  });
});

describe('indexValueSets', () => {
  const twoTexts = valueSets(0, [
    {
      pmid: 1,
      values: rows([1, block(6, text('one'))], [2, block(6, text('two'))]),
    },
  ]);
  const index = (bytes: Buffer, count: number): unknown =>
    indexValueSets(new ByteReader(bytes, 'TEST PDU', PM_ERR.IPC), count, PDU);

  it('finds sets with and without values', () => {
    const bytes = valueSets(0, [
      { pmid: 1, values: [[1, 5]] },
      { pmid: 2, values: -12358 },
      { pmid: 3, values: [[1, 5]] },
    ]);
    const table = indexValueSets(new ByteReader(bytes, 'x', PM_ERR.IPC), 3, PDU);
    expect([...table.pmids]).toEqual([1, 2, 3]);
    expect([...table.offsets]).toEqual([0, 20, 28]);
    expect(table.endOffset).toBe(48);
  });

  it.each<[string, Buffer, number]>([
    ['more sets than there are', twoTexts, 3],
    ['a negative count of sets', twoTexts, -1],
    ['a huge count of sets', twoTexts, 0x7fffffff],
    ['a huge numval', withWord(twoTexts, 4, 0x7fffffff), 1],
    ['a numval beyond the end', withWord(twoTexts, 4, 6), 1],
    ['a pointer beyond the end', withWord(twoTexts, 16, 0x7fffffff), 1],
    ['a pointer with the top bit set', withWord(twoTexts, 16, 0xffffffff), 1],
    ['a pointer into the sets', withWord(twoTexts, 16, 2), 1],
    ['a block length beyond the end', withWord(twoTexts, 28, 0x06ffffff), 1],
    ['a block length that leaves out its header', withWord(twoTexts, 28, 0x06000003), 1],
    ['cut bytes', twoTexts.subarray(0, twoTexts.length - 5), 1],
  ])('refuses %s', (_, bytes, count) => {
    expect(() => index(bytes, count)).toThrow(PmError);
  });

  it.each([3, 7, 255, 256, -1, -2])('refuses the value format %i, which does not exist', (format) => {
    for (const bytes of [twoTexts, valueSets(0, [{ pmid: 1, values: [[-1, 5]] }])]) {
      const odd = withWord(bytes, 8, format);
      expect(() => index(odd, 1)).toThrow(`value format ${format} at offset 8, expected 0, 1 or 2`);
      const set = new ValueSet();
      const reader = new ByteReader(odd, 'TEST PDU', PM_ERR.IPC);
      expect(() => {
        decodeValueSet(reader, 0, MetricType.STRING, set, PDU);
      }).toThrow(PmError);
    }
  });

  it('checks the pointers of a long result in steps', () => {
    const count = 200_000;
    const blocks = 3 + 2 * count;
    const result = Int32Array.from({ length: blocks + count }, (_, i) => {
      if (i < 3) return [1, count, 1][i]!;
      if (i >= blocks) return 0x06000004;
      return i % 2 === 1 ? i : blocks + (i - 4) / 2;
    });
    const reader = new ByteReader(Buffer.from(result.buffer).swap32(), 'TEST PDU', PM_ERR.IPC);
    const { view } = reader;
    const getUint32 = view.getUint32.bind(view);
    let reads = 0;
    view.getUint32 = (at) => {
      reads++;
      return getUint32(at);
    };
    const readsOfSteps: number[] = [];
    for (const steps = indexValueSetsInSteps(reader, 1, PDU); !steps.next().done; reads = 0) readsOfSteps.push(reads);
    readsOfSteps.push(reads);
    expect(readsOfSteps).toHaveLength(4);
    // The pointer and the block's header of each value, and the set's own header.
    expect(Math.max(...readsOfSteps)).toBeLessThanOrEqual(2 * 65_536 + 1);
  });

  it('refuses blocks that overlap, before they unfold', () => {
    const shared = Buffer.concat([
      words(1, 1000, 1),
      ...Array.from({ length: 1000 }, (_, i) => words(i, (12 + 8000) / 4)),
      words(0x06000404),
      Buffer.alloc(1024),
    ]);
    expect(() => index(shared, 1)).toThrow('value blocks overlap');
  });

  it('never reads outside, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: -2, max: 8 }), (bytes, count) => {
        try {
          decodeBytes(Buffer.from(bytes), count, []);
        } catch (error) {
          expect(error).toBeInstanceOf(PmError);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('survives any word of a good result being replaced', () => {
    const good = valueSets(0, [
      {
        pmid: 1,
        values: rows([1, block(6, text('one'))], [2, block(6, text('two'))]),
      },
      { pmid: 2, values: [[-1, block(3, long(5n))]] },
      { pmid: 3, values: [[-1, 5]] },
    ]);
    for (let offset = 0; offset < good.length; offset += 4) {
      for (const value of [0, 1, 2, 4, 7, 0x7fffffff, 0x80000000, 0xffffffff, 0x06000000, 0x06ffffff]) {
        try {
          decodeBytes(withWord(good, offset, value), 3, [MetricType.STRING, MetricType.U64, MetricType.U32]);
        } catch (error) {
          expect(error).toBeInstanceOf(PmError);
        }
      }
    }
  });
});
