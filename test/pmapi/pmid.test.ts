import fc from '../support/properties.js';
import {
  formatPmid,
  isDerivedPmid,
  makePmid,
  parsePmid,
  PMID_NULL,
  pmidCluster,
  pmidDomain,
  pmidItem,
} from '../../src/pmapi/index.js';

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
