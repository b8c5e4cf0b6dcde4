/** What screens decide, without a page. */
import { groupArchives } from '../../src/console/data/group-archives.js';

const DAY = 86_400;
const JULY = Date.UTC(2025, 6, 7) / 1000;
const archive = (name: string, hostspec: string, start: number, end = start + 60) => ({
  ...{ name, hostspec, timezone: 'UTC', version: 3, metrics: 1, size: 1 },
  ...{ start, end },
});

describe('archives by host', () => {
  const entries = [
    archive('web1/a', 'web1', JULY),
    archive('db1/a', 'db1', JULY - DAY, JULY + 3 * DAY),
    archive('web1/b', 'web1', JULY + DAY),
    { name: 'old/crash', error: { code: 'BAD_ARCHIVE', message: 'damaged' } },
  ] as never;

  it('have the host with the latest first, and the latest archive of each', () => {
    const { groups, broken } = groupArchives(entries, '');
    expect(groups.map(({ host, archives }) => [host, archives.map(({ name }) => name)])).toEqual([
      ['db1', ['db1/a']],
      ['web1', ['web1/b', 'web1/a']],
    ]);
    expect(groups[1]).toMatchObject({ start: JULY, end: JULY + DAY + 60 });
    expect(broken.map(({ name }) => name)).toEqual(['old/crash']);
  });

  it.each([
    ['WEB1', ['web1/b', 'web1/a']],
    ['web1 /b', ['web1/b']],
    ['2025-07-08', ['db1/a', 'web1/b']],
    ['2025-07', ['db1/a', 'web1/b', 'web1/a']],
    ['2025-06', []],
    ['2024', []],
    ['crash', []],
    ['2025-99', []],
  ])('are found by %j', (words, names) => {
    const { groups } = groupArchives(entries, words);
    expect(groups.flatMap(({ archives }) => archives.map(({ name }) => name))).toEqual(names);
  });
});
