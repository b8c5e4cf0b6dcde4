import { PM_ERR } from '../../../src/pmapi/index.js';
import { pmErrWarning, warningsHeader, warningsMember } from '../../../src/http/response/answer.js';

const warning = (name: string) => pmErrWarning({ name }, PM_ERR.NAME);

describe('warningsMember', () => {
  it('is nothing without warnings', () => {
    expect(warningsMember([])).toBe('');
    expect(JSON.parse(`{"a":1${warningsMember([warning('x')])}}`)).toEqual({
      a: 1,
      warnings: [{ name: 'x', message: 'Unknown metric name', code: 'UNKNOWN_METRIC', pmErr: PM_ERR.NAME }],
    });
  });
});

describe('warningsHeader', () => {
  it('is nothing without warnings', () => expect(warningsHeader([])).toEqual([]));

  it('is JSON in ASCII', () => {
    const [name, value] = warningsHeader([warning('nö\n€😀'), warning('b')]);
    expect(name).toBe('X-Pmgate-Warnings');
    expect(value).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(value!)).toEqual([warning('nö\n€😀'), warning('b')]);
  });

  it('holds as many as there is room for', () => {
    const many = Array.from({ length: 1000 }, (_, i) => warning(`metric${i}`));
    const value = warningsHeader(many)[1]!;
    expect(value.length).toBeLessThanOrEqual(4096);
    expect((JSON.parse(value) as unknown[]).length).toBeGreaterThan(30);
    expect(JSON.parse(warningsHeader([warning('€'.repeat(1000))])[1]!)).toEqual([]);
  });
});
