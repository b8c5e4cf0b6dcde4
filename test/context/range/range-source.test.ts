import type { Program } from '../../../src/derived/index.js';
import { basePmids } from '../../../src/context/range/index.js';
import { fakeMetric } from './support/fake-archive.js';

const [load, reads, sum] = [fakeMetric('load', 1), fakeMetric('reads', 2), fakeMetric('sum', 3)];

describe('basePmids', () => {
  it('takes metrics and, of derived ones, their operands, each once', () => {
    const computed = { ...sum, program: {} as Program, operands: [reads.pmid, load.pmid], bytes: 0 };
    expect(basePmids([load, { ...sum, computed }])).toEqual([load.pmid, reads.pmid]);
    expect(basePmids([reads, reads])).toEqual([reads.pmid]);
  });
});
