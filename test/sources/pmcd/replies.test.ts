import { MetricType, PM_ERR, PmError, ValueSet } from '../../../src/pmapi/index.js';
import {
  decodeAttribute,
  decodeDescriptorReply,
  decodeDescriptorsReply,
  decodeError,
  decodeIds,
  decodeInstances as instancesInSteps,
  decodeLabelsReply as labelsInSteps,
  decodeNames as namesInSteps,
  decodeResult as resultInSteps,
  decodeText,
} from '../../../src/sources/pmcd/replies.js';
import type { Steps } from '../../../src/sources/pmcd/replies.js';
import {
  attributePdu,
  challengePdu,
  descPdu,
  descsPdu,
  errorPdu,
  hex,
  highresResultPdu,
  idsPdu,
  instancePdu,
  labelPdu,
  long,
  namesPdu,
  pdu,
  resultPdu,
  textPdu,
  withWord,
  words,
} from '../../support/pdu-builder.js';
import { rows } from '../../support/rows.js';

function whole<T>(decode: (frame: Buffer) => Steps<T>): (frame: Buffer) => T {
  return (frame) => {
    const steps = decode(frame);
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
    }
  };
}
/** In answer to requests for domain 9 and the labels of the instances of domain 5. */
const decodeInstances = whole((frame) => instancesInSteps(frame, 9));
const INSTANCES = { kind: 'instances', indom: 5 } as const;
const decodeLabelsReply = whole((frame) => labelsInSteps(frame, INSTANCES));
const decodeNames = whole(namesInSteps);
const decodeResult = whole(resultInSteps);

describe('decodeError', () => {
  it('reads codes, and the capabilities of the first PDU', () => {
    expect(decodeError(errorPdu(-12357))).toEqual({ code: -12357, capabilities: undefined });
    // captured from pmcd 6.0.3
    expect(decodeError(hex('00000014 00007000 00000000 00000000 02010e44'))).toEqual({
      code: 0,
      capabilities: 0x02010e44,
    });
    expect(decodeError(challengePdu(0x0e44)).capabilities).toBe(0x02010e44);
  });
});

describe('decodeResult', () => {
  const sets = [
    {
      pmid: 5,
      values: rows([1, { type: 6, data: Buffer.from('a\0') }], [2, { type: 6, data: Buffer.from('bc\0') }]),
    },
    { pmid: 6, values: -12350 },
    { pmid: 7, values: [[-1, 42]] as const },
  ];

  it.each([
    ['RESULT', resultPdu(100, 250_000, sets), 250_000_000],
    ['HIGHRES_RESULT', highresResultPdu(100n, 250_000_001n, sets), 250_000_001],
  ])('opens a %s', (_, frame, nsec) => {
    const reply = decodeResult(frame);
    expect(reply.timestamp).toEqual({ sec: 100, nsec });
    expect([...reply.pmids]).toEqual([5, 6, 7]);
    expect([0, 1, 2].map((i) => reply.statusOf(i))).toEqual([2, -12350, 1]);
    const set = new ValueSet();
    reply.decode(0, MetricType.STRING, set);
    expect(set.column.texts).toEqual(['a', 'bc']);
    reply.decode(1, undefined, set);
    expect(set.status).toBe(-12350);
    reply.decode(2, MetricType.I32, set);
    expect(set.column.numbers[0]).toBe(42);
  });

  it('unpacks a captured string metric', () => {
    // sample.string.hullo of pmcd 6.0.3 in a RESULT
    const frame = pdu(
      0x7001,
      hex('6b0057ee 0002d38f 00000001 0740001f 00000001 00000001 ffffffff 0000000b'),
      hex('06000011 68756c6c6f20776f726c642100 7e7e7e'),
    );
    const set = new ValueSet();
    decodeResult(frame).decode(0, MetricType.STRING, set);
    expect(set.column.texts).toEqual(['hullo world!']);
  });

  it('follows seconds beyond 2038, and refuses times that no number holds', () => {
    expect(decodeResult(highresResultPdu(1n << 33n, 0n, [])).timestamp.sec).toBe(2 ** 33);
    expect(() => decodeResult(pdu(0x7015, words(0), long((1n << 63n) - 1n), long(0n)))).toThrow(PmError);
  });

  it('refuses more sets than there are, and other PDUs', () => {
    const frame = resultPdu(1, 2, sets);
    expect(() => decodeResult(withWord(frame, 20, 4))).toThrow(PmError);
    expect(() => decodeResult(withWord(frame, 20, -1))).toThrow(PmError);
    expect(() => decodeResult(textPdu(1, 'x'))).toThrow('HIGHRES_RESULT PDU from pmcd: expected, found TEXT');
  });
});

describe('metadata replies', () => {
  it.each([
    ['labels', () => decodeLabelsReply(labelPdu(4, 32, [])), 'it is about 4 of type 32, the request was about 5'],
    ['labels of a domain', () => decodeLabelsReply(labelPdu(5, 4, [])), 'about 5 of type 4, the request'],
    ['a negative instance', () => decodeInstances(instancePdu(9, [[-1, 'x']])), 'instance -1 is negative'],
    ['an instance twice', () => decodeInstances(instancePdu(9, rows([3, 'x'], [3, 'y']))), 'instance 3 twice'],
  ])('refuses %s of another request, or that cannot be', (_, decode, message) => {
    expect(decode).toThrow(message);
  });

  it.each([0, 1, 2, 3])(
    'reads the first 64 KiB of a text, and cuts no character (%i bytes before those of four)',
    (before) => {
      const text = decodeText(textPdu(1, 'x'.repeat(before) + '😀'.repeat(30_000)));
      expect(text).toBe('x'.repeat(before) + '😀'.repeat(16_384 - (before > 0 ? 1 : 0)));
    },
  );

  it('leaves out label sets that hold an error', () => {
    expect(decodeLabelsReply(pdu(0x7013, words(5, 32, 0, 1, 1, -12350, 44, 0)))).toEqual([]);
  });

  it('refuses label sets whose texts overlap many times', () => {
    const json = `{"a":"${'x'.repeat(500)}"}`;
    const set = (at: number): Buffer => Buffer.concat([words(0, 1, at, json.length), hex('0002 01 20 0005 0006')]);
    const frame = pdu(
      0x7013,
      words(5, 32, 0, 50),
      ...Array.from({ length: 50 }, () => set(28 + 50 * 24)),
      Buffer.from(json),
    );
    expect(() => decodeLabelsReply(frame)).toThrow(PmError);
  });
});

describe('long lists', () => {
  const COUNT = 20_000;
  const list = Array.from({ length: COUNT }, (_, i) => `a.long.name.${i}`);
  const json = `{"a":"${'x'.repeat(500)}"}`;
  const LABELS = 1000;

  it.each<[string, (frame: Buffer) => Steps<unknown>, Buffer]>([
    ['names', namesInSteps, namesPdu(list)],
    [
      'instances',
      (frame) => instancesInSteps(frame, 9),
      instancePdu(
        9,
        list.map((name, i) => [i, name]),
      ),
    ],
    [
      'labels',
      (frame) => labelsInSteps(frame, INSTANCES),
      labelPdu(
        5,
        32,
        Array.from({ length: LABELS }, (_, i) => [i, [['a', json.slice(5, -1)]]]),
      ),
    ],
  ])('of %s are decoded in steps of 64 KiB', (_, decode, frame) => {
    expect(frame.length).toBeGreaterThan(5 * 65536);
    let steps = 0;
    for (const decoding = decode(frame); !decoding.next().done;) steps++;
    expect(steps).toBeGreaterThanOrEqual(Math.floor(frame.length / 65536) - 1);
    expect(steps).toBeLessThanOrEqual(Math.ceil(frame.length / 65536));
  });

  it('of value sets are as many as were asked for', () => {
    const frame = resultPdu(0, 0, [{ pmid: 5, values: [] }]);
    expect(() => resultInSteps(frame, 2).next()).toThrow('1 value sets in answer to a fetch of 2 metrics');
  });

  it('of labels hold no texts that PCP could not send', () => {
    const text = Buffer.from(`{"a":"${'x'.repeat(65_536)}"}`);
    const set = Buffer.concat([words(0, 1, 28 + 24, text.length), hex('0002 01 20 0005 0006')]);
    expect(() => decodeLabelsReply(pdu(0x7013, words(5, 32, 0, 1), set, text))).toThrow('bytes of JSON');
  });
});

describe('every decoder', () => {
  const cases: readonly (readonly [string, (frame: Buffer) => unknown, Buffer])[] = [
    ['decodeError', decodeError, challengePdu(1)],
    [
      'decodeResult',
      decodeResult,
      resultPdu(1, 2, [{ pmid: 5, values: [[1, { type: 6, data: Buffer.from('ab\0') }]] }]),
    ],
    [
      'decodeResult, highres',
      decodeResult,
      highresResultPdu(1n, 2n, [{ pmid: 5, values: [[1, { type: 3, data: long(1n) }]] }]),
    ],
    ['decodeDescriptorReply', decodeDescriptorReply, descPdu([1, 3, 2, 1, 0])],
    ['decodeDescriptorsReply', decodeDescriptorsReply, descsPdu(rows([1, 3, 2, 1, 0], [2, 3, 2, 1, 0]))],
    ['decodeInstances', decodeInstances, instancePdu(9, rows([1, 'one'], [2, 'two']))],
    ['decodeText', decodeText, textPdu(1, 'text')],
    ['decodeNames', decodeNames, namesPdu(['a.b', 'c'], [1, 0])],
    ['decodeIds', decodeIds, idsPdu([1, 2])],
    ['decodeLabelsReply', decodeLabelsReply, labelPdu(5, 32, [[1, [['a', '"x"']]]])],
    ['decodeAttribute', decodeAttribute, attributePdu(0, 'PLAIN')],
  ];

  it.each(cases)('%s refuses PDUs that end early, or are of another type', (_, decode, frame) => {
    for (let length = 12; length < frame.length; length++) {
      try {
        decode(frame.subarray(0, length));
      } catch (error) {
        expect(error).toBeInstanceOf(PmError);
        expect((error as PmError).pmErr).toBe(PM_ERR.IPC);
      }
    }
    expect(() => decode(frame.subarray(0, 12))).toThrow(PmError);
    expect(() => decode(withWord(frame, 4, 0x7002))).toThrow('found PROFILE');
    expect(() => decode(withWord(frame, 4, 0x12345))).toThrow('found 0x12345');
  });

  it.each(cases)('%s answers or throws PM_ERR_IPC whatever word lies', (_, decode, frame) => {
    for (let offset = 12; offset + 4 <= frame.length; offset += 4) {
      for (const lie of [0, 1, 3, 0x7f, 0xffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff]) {
        try {
          decode(withWord(frame, offset, lie));
        } catch (error) {
          expect(error).toMatchObject({ pmErr: PM_ERR.IPC });
        }
      }
    }
  });
});
