import { Column, MetricType } from '../../../../src/pmapi/index.js';
import { keepValues } from '../../../../src/sources/archive/columns/kept-values.js';

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
