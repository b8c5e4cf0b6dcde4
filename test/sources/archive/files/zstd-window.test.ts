import fc from '../../../support/properties.js';
import { ZstdWindowGuard } from '../../../../src/sources/archive/files/zstd-window.js';

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
const RAW_LAST = (data: readonly number[]): number[] => [(data.length << 3) | 1, 0, 0, ...data];
const RLE = [(100 << 3) | 2, 3, 0, 65];
const WINDOW_1K = 0;
const WINDOW_2G = 21 << 3;

/** A frame with a window, a run and a raw block, and a checksum. */
const frame = (window: number): number[] => [...MAGIC, 0x04, window, ...RLE, ...RAW_LAST([1, 2, 3]), 9, 9, 9, 9];
/** A frame of one segment whose content has so many bytes, it says. */
const segment = (size: number): number[] => {
  const field = Buffer.alloc(4);
  field.writeUInt32LE(size);
  return [...MAGIC, 0xa0, ...field, ...RAW_LAST([1])];
};
const skippable = [0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, ...MAGIC.slice(0, 3)];

function check(bytes: readonly number[], pieceBytes: number): void {
  const guard = new ZstdWindowGuard();
  for (let at = 0; at < bytes.length; at += pieceBytes) guard.check(Uint8Array.from(bytes.slice(at, at + pieceBytes)));
}

describe('ZstdWindowGuard', () => {
  const small = [...frame(WINDOW_1K), ...skippable, ...segment(1000), ...frame(WINDOW_1K)];

  it('lets frames with small windows pass, however they are cut', () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: small.length }), (n) => check(small, n)));
  });

  it('finds a window that is too large in any frame, however it is cut', () => {
    for (const large of [frame(WINDOW_2G), segment(0x7fffffff)]) {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: small.length }), (n) => {
          expect(() => check(large, n)).toThrow(/needs a window of \d+ bytes/);
          expect(() => check([...small, ...large], n)).toThrow(/needs a window of \d+ bytes/);
        }),
      );
    }
  });

  it('leaves it to the decoder to say that data make no sense', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => check([1, ...bytes], 7)));
  });
});
