import { type LabelTarget, MetricType, PM_ERR, PmError, ValueSet } from '../../../src/pmapi/index.js';
import { InstanceProfile } from '../../../src/sources/index.js';
import {
  chunkNames,
  encodeAttribute,
  encodeChildrenRequest,
  encodeCreds,
  encodeDescriptorRequest,
  encodeDescriptorsRequest,
  encodeFetch,
  encodeIdRequest,
  encodeInstanceRequest,
  encodeLabelRequest,
  encodeNamesRequest,
  encodeProfile,
  encodeStore,
  encodeTextRequest,
  encodeTraverseRequest,
} from '../../../src/sources/pmcd/requests.js';
import { hex } from '../../support/pdu-builder.js';

/** The body, behind a header whose length and type were checked. */
function body(request: Uint8Array, type: number): string {
  const bytes = Buffer.from(request);
  expect(bytes.readInt32BE(0)).toBe(bytes.length);
  expect(bytes.readInt32BE(4)).toBe(type);
  return bytes.subarray(12).toString('hex');
}

const plain = (text: string): string => hex(text).toString('hex');

describe('request builders', () => {
  it.each<[string, Uint8Array, number, string]>([
    ['CREDS', encodeCreds(0), 0x700c, '00000001 01 02 0000'],
    ['CREDS that wants AUTH', encodeCreds(4), 0x700c, '00000001 01 02 0004'],
    ['ATTR', encodeAttribute(15, Buffer.from('web')), 0x7011, '0000000f 776562'],
    ['FETCH', encodeFetch(3, [1, 0xffffffff], false), 0x7003, '00000003 0000000000000000 00000002 00000001 ffffffff'],
    ['HIGHRES_FETCH', encodeFetch(0, [7], true), 0x7014, '00000000 0000000000000000 00000001 00000007'],
    ['DESC_REQ', encodeDescriptorRequest(0x80000001), 0x7004, '80000001'],
    ['DESC_IDS', encodeDescriptorsRequest([1, 2]), 0x7016, 'ffffffff 00000002 00000001 00000002'],
    ['INSTANCE_REQ', encodeInstanceRequest(5), 0x7006, '00000005 0000000000000000 ffffffff 00000000'],
    [
      'TEXT_REQ, one line of a metric',
      encodeTextRequest({ kind: 'metric', pmid: 9 }, 'oneline'),
      0x7008,
      '00000009 00000005',
    ],
    ['TEXT_REQ, help of an indom', encodeTextRequest({ kind: 'indom', indom: 9 }, 'help'), 0x7008, '00000009 0000000a'],
    [
      'PMNS_NAMES',
      encodeNamesRequest(['a', 'bcde']),
      0x700e,
      '00000007 00000000 00000002 00000001 617e7e7e 00000004 62636465',
    ],
    ['PMNS_IDS', encodeIdRequest(9), 0x700d, '00000000 00000001 00000009'],
    ['PMNS_CHILD', encodeChildrenRequest('a.b'), 0x700f, '00000001 00000003 612e627e'],
    ['PMNS_CHILD of the root', encodeChildrenRequest(''), 0x700f, '00000001 00000000'],
    ['PMNS_TRAVERSE', encodeTraverseRequest('abcd'), 0x7010, '00000000 00000004 61626364'],
  ])('lays out %s', (_, bytes, type, expected) => expect(body(bytes, type)).toBe(plain(expected)));

  it.each<[LabelTarget, string]>([
    [{ kind: 'context' }, 'ffffffff 00000001'],
    [{ kind: 'domain', domain: 60 }, '0000003c 00000002'],
    [{ kind: 'indom', indom: 7 }, '00000007 00000004'],
    [{ kind: 'cluster', pmid: 0x408 }, '00000400 00000008'],
    [{ kind: 'item', pmid: 8 }, '00000008 00000010'],
    [{ kind: 'instances', indom: 7 }, '00000007 00000020'],
  ])('asks for the labels of %j', (target, expected) => {
    expect(body(encodeLabelRequest(target), 0x7012)).toBe(plain(expected));
  });

  it('lays out profiles: the default, then rules, then all lists', () => {
    const profile = new InstanceProfile();
    profile.delete();
    profile.add(5, [1, 2]);
    profile.add(6);
    profile.add(7);
    profile.delete(7, [9]);
    expect(body(encodeProfile(4, profile), 0x7002)).toBe(
      plain(
        '00000004 00000001 00000003 00000000' +
          '00000005 00000001 00000002 00000000' +
          '00000006 00000000 00000000 00000000' +
          '00000007 00000000 00000001 00000000' +
          '00000001 00000002 00000009',
      ),
    );
    expect(body(encodeProfile(0, new InstanceProfile()), 0x7002)).toBe(plain('00000000 00000000 00000000 00000000'));
  });

  it('refuses what pmcd would drop the connection for', () => {
    const pmids = Array.from({ length: 16_377 }, (_, i) => i);
    expect(encodeFetch(0, pmids, true).length).toBe(65_536);
    expect(() => encodeFetch(0, [...pmids, 1], true)).toThrow(
      'a HIGHRES_FETCH request of 65540 bytes, pmcd accepts 65536',
    );
  });

  it('cuts lists of names so that each fits', () => {
    const names = Array.from({ length: 5000 }, (_, i) => `some.long.name.of.a.metric.with.number_${i}`);
    const chunks = chunkNames(names);
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.flat()).toEqual(names);
    for (const chunk of chunks) expect(encodeNamesRequest(chunk).length).toBeLessThanOrEqual(65_536);
    expect(chunkNames([])).toEqual([]);
  });
});

describe('encodeStore', () => {
  it('puts 32-bit values in place', () => {
    const set = new ValueSet();
    set.reset(7, MetricType.I32);
    set.addNumber(-1, -5);
    expect(body(encodeStore([set]), 0x7001)).toBe(
      plain('00000000 00000000 00000001 00000007 00000001 00000000 ffffffff fffffffb'),
    );
  });

  it('keeps large U32 values', () => {
    const set = new ValueSet();
    set.reset(7, MetricType.U32);
    set.addNumber(1, 0xfffffffe);
    expect(body(encodeStore([set]), 0x7001).slice(-8)).toBe('fffffffe');
  });

  it.each<[string, MetricType, (set: ValueSet) => void, string]>([
    ['64', MetricType.I64, (set) => set.addInteger(-1, -2n), '0200000c fffffffffffffffe'],
    ['U64', MetricType.U64, (set) => set.addInteger(-1, 1n << 63n), '0300000c 8000000000000000'],
    ['FLOAT', MetricType.FLOAT, (set) => set.addNumber(-1, 1.5), '04000008 3fc00000'],
    ['DOUBLE', MetricType.DOUBLE, (set) => set.addNumber(-1, 1.5), '0500000c 3ff8000000000000'],
    ['STRING', MetricType.STRING, (set) => set.addText(-1, 'hi'), '06000007 6869007e'],
    ['AGGREGATE', MetricType.AGGREGATE, (set) => set.addBytes(-1, Buffer.from([1])), '07000005 017e7e7e'],
  ])('puts %s values into blocks', (_, type, fill, block) => {
    const set = new ValueSet();
    set.reset(7, type);
    fill(set);
    expect(body(encodeStore([set]), 0x7001)).toBe(
      plain(`00000000 00000000 00000001 00000007 00000001 00000001 ffffffff 0000000b ${block}`),
    );
  });

  it('refuses types that cannot be stored', () => {
    const set = new ValueSet();
    set.reset(7, MetricType.EVENT);
    set.addBytes(-1, Buffer.alloc(0));
    expect(() => encodeStore([set])).toThrow(new PmError(PM_ERR.BADSTORE, 'values of type 9 cannot be stored'));
  });
});
