import { DIMENSIONLESS, MetricType, PM_ERR, PmError, Semantics } from '../../../src/pmapi/index.js';
import {
  ByteReader,
  ByteWriter,
  decodeDescriptor,
  decodeEventRecords,
  decodeLabels,
  encodeDescriptor,
  EventFlag,
  selectEventParameters,
} from '../../../src/sources/wire/index.js';
import { hex, long, padded, words } from '../../support/pdu-builder.js';

const reader = (bytes: Buffer): ByteReader => new ByteReader(bytes, 'TEST PDU', PM_ERR.IPC);

describe('decodeDescriptor', () => {
  it('gives codes for a null PMID and for a type that is none', () => {
    expect(decodeDescriptor(reader(words(0xffffffff, 0, 0, 0, 0)))).toBe(PM_ERR.PMID);
    expect(decodeDescriptor(reader(words(1, 77, 0, 0, 0)))).toBe(PM_ERR.TYPE);
  });

  it('reads what the encoder writes', () => {
    const descriptor = {
      pmid: 5,
      type: MetricType.NOSUPPORT,
      indom: 0xffffffff,
      semantics: Semantics.DISCRETE,
      units: DIMENSIONLESS,
    };
    const writer = new ByteWriter();
    encodeDescriptor(writer, descriptor);
    expect(decodeDescriptor(reader(Buffer.from(writer.finish())))).toEqual(descriptor);
  });

  it('refuses less than twenty bytes', () => {
    expect(() => decodeDescriptor(reader(words(1, 2, 3, 4)))).toThrow('descriptor at offset 0 needs 20 bytes, 16 left');
  });
});

describe('decodeLabels', () => {
  it('slices names and values out of the JSON', () => {
    const json = Buffer.from('{"cluster":"zero"}');
    expect(decodeLabels(reader(hex('0002 07 08 000b 0006')), 1, json)).toEqual([{ name: 'cluster', json: '"zero"' }]);
  });

  it('marks labels that are no part of the identity', () => {
    const json = Buffer.from('{"userid":0}');
    expect(decodeLabels(reader(hex('0002 06 81 000a 0001')), 1, json)).toEqual([
      { name: 'userid', json: '0', optional: true },
    ]);
  });

  it('takes the blanks out of values, but not out of texts', () => {
    const json = Buffer.from('{"a":[1, "x y"]}');
    expect(decodeLabels(reader(hex('0002 01 01 0005 000a')), 1, json)).toEqual([{ name: 'a', json: '[1,"x y"]' }]);
  });

  it.each([
    ['a name outside of the JSON', '0070 07 08 000b 0006', 1],
    ['a value outside of the JSON', '0002 07 08 000b 0060', 1],
    ['a value that is no JSON', '0002 07 08 000a 0006', 1],
    ['more labels than bytes', '0002 07 08 000b 0006', 2],
    ['slices that overlap many times', '0002 07 08 000b 0006'.repeat(8), 8],
  ])('refuses %s', (_, entries, count) => {
    expect(() => decodeLabels(reader(hex(entries)), count, Buffer.from('{"cluster":"zero"}'))).toThrow(PmError);
  });
});

describe('decodeEventRecords', () => {
  it('unpacks a captured array', () => {
    // sample.event.records of pmcd 6.0.3: one record with one text parameter (behind the block's header 09000028)
    const bytes = hex('00000001 6b0057ee 0002d38f 00000001 00000001 07400086 0600000c 6665746368202331');
    expect(decodeEventRecords(bytes, false)).toEqual([
      {
        timestamp: { sec: 0x6b0057ee, nsec: 0x2d38f * 1000 },
        flags: EventFlag.POINT,
        missed: 0,
        parameters: [{ pmid: 0x07400086, type: MetricType.STRING, value: 'fetch #1' }],
      },
    ]);
  });

  it('unpacks high-resolution records, all types of parameter, and missed records', () => {
    const parameter = (pmid: number, type: number, data: Buffer): Buffer =>
      Buffer.concat([words(pmid, (type << 24) | (data.length + 4)), padded(data)]);
    const [float, double] = [Buffer.alloc(4), Buffer.alloc(8)];
    float.writeFloatBE(0.5);
    double.writeDoubleBE(0.25);
    const bytes = Buffer.concat([
      words(2),
      long(10n),
      long(123456789n),
      words(0x1c, 8),
      parameter(1, 0, words(-1)),
      parameter(2, 1, words(-1)),
      parameter(3, 2, long(-1n)),
      parameter(4, 3, long(-1n)),
      parameter(5, 4, float),
      parameter(6, 5, double),
      parameter(7, 6, Buffer.from('abc\0')),
      parameter(8, 7, Buffer.from([9])),
      long(11n),
      long(0n),
      words(0x80000000, 42),
    ]);
    const [first, second] = decodeEventRecords(bytes, true);
    expect(first!.timestamp).toEqual({ sec: 10, nsec: 123456789 });
    expect(first!.parameters.map(({ value }) => (value instanceof Uint8Array ? [...value] : value))).toEqual([
      -1,
      4294967295,
      -1n,
      0xffffffffffffffffn,
      0.5,
      0.25,
      'abc',
      [9],
    ]);
    expect(second).toEqual({ timestamp: { sec: 11, nsec: 0 }, flags: EventFlag.MISSED, missed: 42, parameters: [] });
  });

  it('takes no bytes for no records', () => expect(decodeEventRecords(Buffer.alloc(0), true)).toEqual([]));

  it.each([
    ['a huge count of records', '7fffffff 00000000 00000000 00000000 00000000'],
    ['a negative count', 'ffffffff 00000000 00000000 00000000 00000000'],
    ['a huge count of parameters', '00000001 00000000 00000000 00000000 7fffffff'],
    ['a parameter shorter than its header', '00000001 00000000 00000000 00000000 00000001 00000001 06000003'],
    ['a parameter beyond the end', '00000001 00000000 00000000 00000000 00000001 00000001 06000010'],
    ['a number of the wrong width', '00000001 00000000 00000000 00000000 00000001 00000001 03000008 00000000'],
    ['a record that is cut', '00000001 00000000 00000000'],
  ])('refuses %s', (_, bytes) => expect(() => decodeEventRecords(hex(bytes), false)).toThrow(PmError));
});

describe('selectEventParameters', () => {
  const number = (pmid: number): Buffer => words(pmid, (1 << 24) | 8, 7);
  const text = (pmid: number): Buffer => Buffer.concat([words(pmid, (6 << 24) | 9), padded(Buffer.from('abcde'))]);
  const missed = Buffer.concat([long(11n), long(0n), words(0x80000000, 42)]);
  const array = (...records: readonly (readonly Buffer[])[]): Buffer =>
    Buffer.concat([
      words(records.length + 1),
      ...records.map((parameters) => Buffer.concat([long(10n), long(5n), words(1, parameters.length), ...parameters])),
      missed,
    ]);

  it('leaves out the others and keeps all records', () => {
    const bytes = array([number(1), text(2), number(3)], [text(2)]);
    expect(selectEventParameters(bytes, true, (pmid) => pmid !== 2)).toEqual(array([number(1), number(3)], []));
    expect(selectEventParameters(bytes, true, (pmid) => pmid === 2)).toEqual(array([text(2)], [text(2)]));
  });

  it('is the array itself where all are selected', () => {
    const bytes = array([number(1)]);
    expect(selectEventParameters(bytes, true, () => true)).toBe(bytes);
  });

  it('refuses what cannot be unpacked', () => {
    const bytes = array([number(1)]);
    expect(() => selectEventParameters(bytes.subarray(0, -1), true, () => true)).toThrow(PmError);
  });
});
