import { MetricType } from '../../../../src/pmapi/index.js';
import { writeEventRecords } from '../../../../src/http/response/writers/event-writer.js';

function words(...values: readonly (number | string)[]): Uint8Array {
  return Buffer.concat(
    values.map((value) => {
      if (typeof value === 'string') return Buffer.from(value);
      const word = Buffer.alloc(4);
      word.writeUInt32BE(value >>> 0);
      return word;
    }),
  );
}

describe('writeEventRecords', () => {
  it('writes 64-bit times, integers with all digits, and numbers that JSON has no form for as null', () => {
    const bytes = words(
      ...[1, 0, 1795191848, 0, 7, 0x16, 3],
      ...[0x07400001, 0x0300000c, 0xffffffff, 0xffffffff],
      ...[0x07400002, 0x0500000c, 0x7ff80000, 0],
      ...[0x07400003, 0x07000006, '\x01\x02  '],
    );
    expect(writeEventRecords(bytes, MetricType.HIGHRES_EVENT)).toBe(
      '[{"timestamp":1795191848.000000007,"flags":["start","end","parent"],"parameters":[' +
        '{"pmid":"29.0.1","value":18446744073709551615},{"pmid":"29.0.2","value":null},{"pmid":"29.0.3","value":"\\u0001\\u0002"}]}]',
    );
  });

  it('takes the bytes of an aggregate for text, as a fetch does', () => {
    const bytes = words(
      ...[1, 10, 0, 1, 2],
      ...[0x07400003, 0x07000006, 'ab\0\0'],
      ...[0x07400004, 0x08000008, 'abcd'],
    );
    expect(writeEventRecords(bytes, MetricType.EVENT)).toContain(
      '[{"pmid":"29.0.3","value":"ab"},{"pmid":"29.0.4","value":"abcd"}]',
    );
  });

  it('has no text for an event within an event', () => {
    const bytes = words(...[1, 10, 0, 1, 1], ...[0x07400003, 0x09000008, 0]);
    expect(writeEventRecords(bytes, MetricType.EVENT)).toContain('[{"pmid":"29.0.3","value":null}]');
  });

  it('says how many records were missed', () => {
    expect(writeEventRecords(words(1, 10, 0, 0x80000000, 42), MetricType.EVENT)).toBe(
      '[{"timestamp":10.000000000,"flags":["missed"],"missed":42,"parameters":[]}]',
    );
  });

  it('writes an empty array, and null for bytes that are none', () => {
    expect(writeEventRecords(words(0), MetricType.EVENT)).toBe('[]');
    expect(writeEventRecords(words(5, 1), MetricType.EVENT)).toBe('null');
  });
});
