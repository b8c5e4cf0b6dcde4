import fc from '../../support/properties.js';
import { PM_ERR, PmError } from '../../../src/pmapi/index.js';
import { ByteReader, ByteWriter } from '../../../src/sources/wire/index.js';
import { hex } from '../../support/pdu-builder.js';

const reader = (text: string): ByteReader => new ByteReader(hex(text), 'TEST PDU', PM_ERR.IPC);

describe('ByteReader', () => {
  it('names the whole, the field, the place, and the bytes wanted and left', () => {
    const r = reader('00000001 0002');
    r.u32('first');
    let caught: unknown;
    try {
      r.u32('second');
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(PmError);
    expect((caught as PmError).pmErr).toBe(PM_ERR.IPC);
    expect((caught as PmError).message).toBe(
      'TEST PDU: second at offset 4 needs 4 bytes, 2 left - IPC protocol failure',
    );
  });

  it('refuses counts that are negative or more than the bytes can hold', () => {
    expect(reader('00000002 0000000000000000').count(4, 'n')).toBe(2);
    expect(() => reader('00000003 0000000000000000').count(4, 'n')).toThrow('n at offset 0 is 3, but 8 bytes are left');
    expect(() => reader('ffffffff 0000000000000000').count(1, 'n')).toThrow('n at offset 0 is -1');
    expect(() => reader('7fffffff 0000000000000000').count(8, 'n')).toThrow('is 2147483647');
  });

  it('replaces what is no UTF-8', () => {
    expect(reader('61ff62').text(3, 'text')).toBe('a\ufffdb');
  });

  it.each([
    ['seek', (r: ByteReader) => r.seek(9, 'pointer')],
    ['seek, negative', (r: ByteReader) => r.seek(-1, 'pointer')],
    ['seek, not whole', (r: ByteReader) => r.seek(1.5, 'pointer')],
    ['skip', (r: ByteReader) => r.skip(9, 'gap')],
    ['bytes', (r: ByteReader) => r.bytes(9, 'bytes')],
    ['bytes, negative', (r: ByteReader) => r.bytes(-1, 'bytes')],
    ['bytesAt', (r: ByteReader) => r.bytesAt(4, 5, 'bytes')],
    ['bytesAt, negative', (r: ByteReader) => r.bytesAt(-4, 4, 'bytes')],
    ['bytesAt, no number', (r: ByteReader) => r.bytesAt(NaN, 4, 'bytes')],
    ['textAt', (r: ByteReader) => r.textAt(8, 1, 'text')],
  ])('does not leave the bytes: %s', (_, read) => {
    expect(() => read(reader('0000000000000000'))).toThrow(PmError);
  });

  it('honours the place of a view in its buffer', () => {
    const view = new Uint8Array(hex('aaaaaaaa 00000007 bbbbbbbb')).subarray(4, 8);
    const r = new ByteReader(view, 'x', PM_ERR.IPC);
    expect(r.u32('a')).toBe(7);
    expect(() => r.u8('b')).toThrow(PmError);
  });
});

describe('ByteWriter', () => {
  it('writes what the reader reads, however often it grows', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer(), fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }), fc.string())),
        (rows) => {
          const writer = new ByteWriter(1);
          for (const [word, long, text] of rows) {
            const bytes = Buffer.from(text, 'utf8');
            writer.i32(word).i64(long).u16(bytes.length).paddedBytes(bytes);
          }
          const r = new ByteReader(writer.finish(), 'x', PM_ERR.IPC);
          for (const [word, long, text] of rows) {
            expect(r.i32('w')).toBe(word);
            expect(r.i64('l')).toBe(long);
            expect(r.paddedText(r.u16('n'), 't')).toBe(Buffer.from(text, 'utf8').toString('utf8'));
          }
          expect(r.remaining).toBe(0);
        },
      ),
    );
  });

  it('patches only what was written', () => {
    const writer = new ByteWriter().i32(1).i32(2).patchI32(4, 3);
    expect(() => writer.patchI32(8, 1)).toThrow(RangeError);
    expect(writer.finish()).toEqual(Uint8Array.of(0, 0, 0, 1, 0, 0, 0, 3));
  });
});
