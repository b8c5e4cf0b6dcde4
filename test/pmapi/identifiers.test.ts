import {
  INDOM_NULL,
  PMID_NULL,
  formatIndom,
  formatPmid,
  indomDomain,
  indomSerial,
  isDerivedPmid,
  makeIndom,
  makePmid,
  parseIndom,
  parsePmid,
  pmidCluster,
  pmidDomain,
  pmidItem,
} from '../../src/pmapi/index.js';
import fc from '../support/properties.js';

const parts = fc.tuple(
  fc.integer({ min: 0, max: 511 }),
  fc.integer({ min: 0, max: 4095 }),
  fc.integer({ min: 0, max: 1023 }),
);

describe('PMIDs', () => {
  it('hold domain, cluster and item apart', () => {
    fc.assert(
      fc.property(parts, ([domain, cluster, item]) => {
        const pmid = makePmid(domain, cluster, item);
        expect([pmidDomain(pmid), pmidCluster(pmid), pmidItem(pmid)]).toEqual([domain, cluster, item]);
        expect(parsePmid(`${domain}.${cluster}.${item}`)).toBe(pmid);
        expect(parsePmid(String(pmid))).toBe(pmid);
        expect(parsePmid(`0x${pmid.toString(16)}`)).toBe(pmid);
        if (domain < 511) expect(formatPmid(pmid)).toBe(`${domain}.${cluster}.${item}`);
      }),
    );
  });

  it.each([
    [PMID_NULL, 'PM_ID_NULL'],
    [makePmid(511, 2047, 1023), '511.2047.1023'],
    [makePmid(60, 1, 0), '60.1.0'],
    [makePmid(511, 3, 0), '3.*.*'],
  ])('print %d as %s', (pmid, text) => {
    expect(formatPmid(pmid)).toBe(text);
  });

  it.each([
    '',
    '1.2',
    '1.2.3.4',
    '512.0.0',
    '0.4096.0',
    '0.0.1024',
    '4294967296',
    '-1',
    '0x',
    '0x123456789',
    '1e3',
    ' 1',
  ])('do not come from %j', (text) => {
    expect(parsePmid(text)).toBeUndefined();
  });

  it.each([
    [makePmid(511, 0, 1), true],
    [makePmid(511, 2047, 1023), true],
    [makePmid(511, 2048, 0), false],
    [makePmid(60, 0, 1), false],
    [PMID_NULL, false],
  ])('%d is derived: %s', (pmid, derived) => {
    expect(isDerivedPmid(pmid)).toBe(derived);
  });
});

describe('instance domain identifiers', () => {
  it('hold domain and serial apart', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 511 }), fc.integer({ min: 0, max: 0x3fffff }), (domain, serial) => {
        const indom = makeIndom(domain, serial);
        expect([indomDomain(indom), indomSerial(indom)]).toEqual([domain, serial]);
        expect(formatIndom(indom)).toBe(`${domain}.${serial}`);
        expect([`${domain}.${serial}`, String(indom), `0x${indom.toString(16)}`].map(parseIndom)).toEqual(
          Array(3).fill(indom),
        );
      }),
    );
  });

  it('print the null one by name', () => {
    expect(formatIndom(INDOM_NULL)).toBe('PM_INDOM_NULL');
  });

  it.each(['', '1', '1.2', '60'])('come from %j', (text) => {
    expect(parseIndom(text)).toBe({ '': undefined, '1': 1, '1.2': makeIndom(1, 2), '60': 60 }[text]);
  });

  it.each(['512.0', '0.4194304', '1.2.3', '-1', '4294967296', '0xg', '1.'])('do not come from %j', (text) => {
    expect(parseIndom(text)).toBeUndefined();
  });
});
