import { jest } from '@jest/globals';
import type { ListedArchive, OperationRequest } from '../../../src/http/index.js';
import { runArchives } from '../../../src/http/operations/archives.js';
import { eventLoopTurns } from '../../../src/kit/index.js';

describe('a list of archives', () => {
  const time = { sec: 1, nsec: 0 };
  const archives = Array.from({ length: 500 }, (_, i) => {
    return {
      name: `a${i}`,
      hostName: 'h',
      timezone: 'UTC',
      start: time,
      end: time,
      version: 3,
      metrics: 1,
      sizeBytes: 9,
    };
  }) as ListedArchive[];

  it('is written in turns of the event loop, by name, with those that cannot be opened', async () => {
    const broken = [{ name: 'a1b', error: new Error('damaged') }];
    const list = (): Promise<unknown> => Promise.resolve({ archives, broken });
    const request = { options: { directories: { archives: { list } } }, query: {}, onClose: () => undefined };
    const turns = jest.spyOn(eventLoopTurns, 'next');
    const { body } = (await runArchives(request as unknown as OperationRequest<object>)) as { body: string };
    expect(turns.mock.calls.length).toBeGreaterThanOrEqual(499);
    turns.mockRestore();
    const names = (JSON.parse(body) as { archives: { name: string }[] }).archives.map(({ name }) => name);
    expect(names).toEqual([...archives, ...broken].map(({ name }) => name).sort());
  });
});
