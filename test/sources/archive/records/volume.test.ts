import { ReadAhead } from '../../../../src/sources/archive/records/volume.js';

describe('ReadAhead', () => {
  it('names the metrics that were missing here or a little further back, but not those that are asked for', () => {
    const readAhead = new ReadAhead();
    expect(readAhead.at(10, [1, 2])).toEqual([]);
    expect(readAhead.at(10, [3])).toEqual([1, 2]);
    expect(readAhead.at(12, [1])).toEqual([2, 3]);
    expect(readAhead.at(18, [9])).toEqual([2, 3, 1]);
  });

  it('forgets readers that are far behind or ahead', () => {
    const readAhead = new ReadAhead();
    readAhead.at(10, [1]);
    expect(readAhead.at(19, [2])).toEqual([]);
    expect(readAhead.at(9, [3])).toEqual([]);
  });

  it('is bounded', () => {
    const readAhead = new ReadAhead();
    for (let pmid = 0; pmid < 1000; pmid++) expect(readAhead.at(5, [pmid]).length).toBeLessThanOrEqual(32);
  });
});
