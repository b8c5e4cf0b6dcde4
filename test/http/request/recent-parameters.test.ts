import { RecentParameters } from '../../../src/http/pipeline.js';

/** Recent parameters that say how often a URL was read. */
function setUp() {
  const recent = new RecentParameters();
  const read: string[] = [];
  const ask = (url: string) =>
    recent.of(url, () => {
      read.push(url);
      return { query: { names: [url] }, path: {} };
    });
  return { recent, read, ask };
}

describe('RecentParameters', () => {
  it('reads a URL once', () => {
    const { ask, read } = setUp();
    expect(ask('/fetch?names=a')).toBe(ask('/fetch?names=a'));
    expect(ask('/fetch?names=b').query).toEqual({ names: ['/fetch?names=b'] });
    expect(read).toEqual(['/fetch?names=a', '/fetch?names=b']);
  });

  it('keeps requests from changing what they share', () => {
    const { query, path } = setUp().ask('/fetch?names=a');
    expect([query, query['names'], path].every(Object.isFrozen)).toBe(true);
  });

  it('reads a URL again that was refused', () => {
    const { recent, ask } = setUp();
    const refuse = (): never => {
      throw new RangeError('no');
    };
    expect(() => recent.of('/fetch', refuse)).toThrow(RangeError);
    expect(ask('/fetch').query).toEqual({ names: ['/fetch'] });
  });

  it('keeps few URLs, and no long ones', () => {
    const { ask, read } = setUp();
    const long = `/fetch?names=${'a'.repeat(256)}`;
    ask(long);
    ask(long);
    expect(read.splice(0)).toEqual([long, long]);
    for (let i = 0; i <= 16; i++) ask(`/fetch?names=${i}`);
    read.length = 0;
    ask('/fetch?names=0');
    ask('/fetch?names=16');
    expect(read).toEqual(['/fetch?names=0']);
  });
});
