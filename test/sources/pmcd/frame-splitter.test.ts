import { jest } from '@jest/globals';
import fc from '../../support/properties.js';
import { PmError } from '../../../src/pmapi/index.js';
import { FrameSplitter } from '../../../src/sources/pmcd/pdu-stream.js';
import { maxReplyBytes } from '../../../src/sources/pmcd/pdu-types.js';
import { errorPdu, pdu, words } from '../../support/pdu-builder.js';

const MAX = 4096;
const MIB = 1024 * 1024;

function split(chunks: readonly Buffer[]): string[] {
  const frames: string[] = [];
  const splitter = new FrameSplitter(() => MAX);
  for (const chunk of chunks) splitter.push(chunk, (frame) => frames.push(frame.toString('hex')));
  expect(splitter.pendingBytes).toBe(0);
  return frames;
}

const pdus = [
  errorPdu(0),
  pdu(0x7011, words(0), Buffer.from('odd')),
  errorPdu(-12357),
  pdu(0x7009, Buffer.alloc(300, 7)),
];
const stream = Buffer.concat(pdus);
const expected = pdus.map((frame) => frame.toString('hex'));

describe('FrameSplitter', () => {
  it('puts PDUs together from pieces of any sizes', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 40 })), (sizes) => {
        const chunks: Buffer[] = [];
        let at = 0;
        for (const size of sizes) chunks.push(stream.subarray(at, (at += size)));
        expect(split([...chunks, stream.subarray(at)])).toEqual(expected);
      }),
    );
  });

  it.each([-1, 0, 11, MAX + 1, 0x7fffffff, 0x80000000])('refuses a length of %d, whole or in pieces', (length) => {
    const bytes = Buffer.concat([words(length, 0x7000, 0), Buffer.alloc(20)]);
    const push = (chunks: readonly Buffer[]) => (): void => {
      const splitter = new FrameSplitter(() => MAX);
      for (const chunk of chunks) splitter.push(chunk, () => undefined);
    };
    expect(push([bytes])).toThrow(PmError);
    expect(push([...bytes].map((byte) => Buffer.from([byte])))).toThrow('expected 12 to 4096');
  });

  it.each([
    ['TEXT', 0x7009, MIB],
    ['INSTANCE', 0x7007, 8 * MIB],
    ['PMNS_NAMES', 0x700e, 8 * MIB],
    ['LABEL', 0x7013, 8 * MIB],
    ['DESC', 0x7005, 65536],
    ['a type that there is not', 0x7abc, 65536],
  ])('refuses a longer PDU of %s than pmcd sends as soon as its header is there', (_, type, most) => {
    const push = (length: number): number => {
      const splitter = new FrameSplitter(maxReplyBytes);
      splitter.push(words(length, type), () => undefined);
      return splitter.pendingBytes;
    };
    expect(push(most)).toBe(8);
    expect(() => push(most + 1)).toThrow(`expected 12 to ${most}`);
  });

  it('does not take the memory that a header promises', () => {
    const splitter = new FrameSplitter(() => 0x7fffffff);
    const allocate = jest.spyOn(Buffer, 'allocUnsafe');
    splitter.push(words(0x7ffffff0, 0x7001, 0), () => undefined);
    expect(splitter.pendingBytes).toBe(12);
    expect(allocate.mock.calls).toEqual([[1024]]);
    allocate.mockRestore();
  });
});
