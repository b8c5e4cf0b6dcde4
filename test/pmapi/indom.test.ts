import fc from '../support/properties.js';
import { formatIndom, INDOM_NULL, indomDomain, indomSerial, makeIndom, parseIndom } from '../../src/pmapi/index.js';

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
