import fc from '../../support/properties.js';
import {
  decodeJson,
  encodeJson,
  FRAME,
  FrameReader,
  LinkViolation,
  writeHead,
} from '../../../src/fleet/link/frames.js';

interface Frame {
  readonly kind: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** The bytes of a frame, put together independently of the codec. */
function bytesOf({ kind, stream, payload }: Frame): Buffer {
  const { length } = payload;
  const head = [length >> 16, (length >> 8) & 0xff, length & 0xff, kind];
  const number = Buffer.alloc(4);
  number.writeUInt32BE(stream);
  return Buffer.concat([Buffer.from(head), number, payload]);
}

function readerOf(read: Frame[], isTrusted = true): FrameReader {
  const reader = new FrameReader((kind, stream, payload) => read.push({ kind, stream, payload: Buffer.from(payload) }));
  reader.isTrusted = isTrusted;
  return reader;
}

const frame = fc.record({
  kind: fc.constantFrom(FRAME.call, FRAME.answer, FRAME.piece, FRAME.hello, FRAME.error),
  stream: fc.nat(0xffffffff),
  payload: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
});

test('frames are read as they were written, wherever their bytes are cut', () => {
  const cuts = fc.array(fc.nat(40), { maxLength: 200 });
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 8 }), cuts, (frames, sizes) => {
      const bytes = Buffer.concat(frames.map(bytesOf));
      const read: Frame[] = [];
      const reader = readerOf(read);
      let at = 0;
      for (const size of sizes) {
        reader.read(bytes.subarray(at, at + size));
        at += size;
      }
      reader.read(bytes.subarray(at));
      expect(read).toEqual(frames);
    }),
  );
});

test('the head of a frame is 3 bytes of length, 1 of kind and 4 of stream', () => {
  const head = Buffer.alloc(10);
  writeHead(head, 2, FRAME.piece, 0x01020304, 0xabcdef);
  expect(head.toString('hex')).toBe('0000abcdef0401020304');
});

describe('refuses', () => {
  test.each([
    ['an unknown kind', '00000063' + '00000001', 'unknown kind of frame 99'],
    ['kind 0', '00000000' + '00000001', 'unknown kind of frame 0'],
    ['a piece that is too long', '01000104' + '00000001', 'frame of kind 4 with 65537 bytes; at most 65536'],
    ['credit that is too long', '00000507' + '00000001', 'frame of kind 7 with 5 bytes; at most 4'],
    ['a cancel with a payload', '00000108' + '00000001', 'frame of kind 8 with 1 bytes; at most 0'],
    ['a long hello', '00100101' + '00000000', 'frame of kind 1 with 4097 bytes; at most 4096'],
  ])('%s, by its head alone', (_what, head, message) => {
    const reader = readerOf([]);
    expect(() => reader.read(Buffer.from(head, 'hex'))).toThrow(new LinkViolation(message));
  });

  test('everything but a hello before the handshake, by its head alone', () => {
    const read: Frame[] = [];
    const reader = readerOf(read, false);
    reader.read(bytesOf({ kind: FRAME.hello, stream: 0, payload: Buffer.from('{}') }));
    expect(read).toHaveLength(1);
    expect(() => reader.read(Buffer.from('ffffff0200000001', 'hex'))).toThrow('a frame before the handshake');
  });

  test.each([
    ['no head', ''],
    ['JSON longer than itself', '0000000009' + '7b7d'],
    ['a flag that is none', '0200000002' + '7b7d'],
    ['no JSON', '0000000002' + '7b7b'],
  ])('a payload with %s', (_what, hex) => {
    expect(() => decodeJson(Buffer.from(hex, 'hex'))).toThrow(LinkViolation);
  });
});

test('a payload of JSON and bytes is read as it was written', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.json(), fc.uint8Array({ maxLength: 50 }), (flag, json, bytes) => {
      const value: unknown = JSON.parse(json);
      const payload = Buffer.concat([encodeJson(flag, value), bytes]);
      expect(decodeJson(payload)).toEqual({ flag, json: value, bytes: Buffer.from(bytes) });
    }),
  );
});
