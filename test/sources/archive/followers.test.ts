import { Followers } from '../../../src/sources/archive/followers.js';

describe('Followers', () => {
  it('names the metrics that were missing here or a little further back, but not those that are asked for', () => {
    const followers = new Followers();
    expect(followers.at(10, [1, 2])).toEqual([]);
    expect(followers.at(10, [3])).toEqual([1, 2]);
    expect(followers.at(12, [1])).toEqual([2, 3]);
    expect(followers.at(18, [9])).toEqual([2, 3, 1]);
  });

  it('forgets readers that are far behind or ahead', () => {
    const followers = new Followers();
    followers.at(10, [1]);
    expect(followers.at(19, [2])).toEqual([]);
    expect(followers.at(9, [3])).toEqual([]);
  });

  it('is bounded', () => {
    const followers = new Followers();
    for (let pmid = 0; pmid < 1000; pmid++) expect(followers.at(5, [pmid]).length).toBeLessThanOrEqual(32);
  });
});
