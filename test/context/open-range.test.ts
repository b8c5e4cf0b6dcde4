import { DamageLog } from '../../src/context/open-range.js';
import { PM_ERR, PmError } from '../../src/pmapi/index.js';

describe('what was found damaged', () => {
  it('is nothing at first', () => {
    expect(new DamageLog().summary).toBeUndefined();
  });

  it('is told in one text, each place once', () => {
    const log = new DamageLog();
    const at = (offset: number): PmError => new PmError(PM_ERR.LOGREC, `a.0 at offset ${offset}: x`);
    log.add(at(1));
    log.add(at(1));
    expect(log.summary).toEqual({ pmErr: PM_ERR.LOGREC, message: at(1).message });
    log.add(at(2));
    expect(log.summary?.message).toBe(`${at(1).message}; and 1 more damaged place`);
    log.add(at(3));
    expect(log.summary?.message).toBe(`${at(1).message}; and 2 more damaged places`);
    for (let offset = 4; offset < 5000; offset++) log.add(at(offset));
    expect(log.summary?.message).toBe(`${at(1).message}; and at least 999 more damaged places`);
  });
});
