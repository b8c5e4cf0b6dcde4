import { posixTimeZone, zoneText } from '../../../../src/sources/linux/clusters/time-zone.js';

describe('posixTimeZone', () => {
  it('is $TZ as it stands', () => {
    expect(posixTimeZone({ TZ: 'Europe/Berlin' })).toBe('Europe/Berlin');
  });

  it('is made from the zone without $TZ; tests run in UTC', () => {
    expect(posixTimeZone({})).toBe('UTC');
    expect(posixTimeZone({ TZ: '' })).toBe('UTC');
  });
});

describe('zoneText', () => {
  it.each([
    ['UTC', 'UTC'],
    ['Europe/Berlin', 'CET-1CEST'],
    ['Asia/Kolkata', '<+0530>-5:30'],
    ['America/Caracas', '<-04>4'],
    ['Europe/London', 'GMT0BST'],
    ['Australia/Lord_Howe', '<+1030>-10:30<+11>'],
  ])('%s: %s', (zone, expected) => {
    expect(zoneText(zone, 2026)).toBe(expected);
  });
});
