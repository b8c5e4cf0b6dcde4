import type { Program } from '../../../src/derived/index.js';
import { basePmids, metricsOfPlan } from '../../../src/context/range/index.js';
import { fakeMetric } from './support/fake-archive.js';

const [load, reads, sum] = [fakeMetric('load', 1), fakeMetric('reads', 2), fakeMetric('sum', 3)];
const program = {} as Program;

describe('metricsOfPlan', () => {
  it('takes over entries, and the programs of derived ones', () => {
    const computed = {
      pmid: sum.pmid,
      descriptor: sum.descriptor,
      program,
      operands: [reads.pmid, load.pmid],
      bytes: 0,
    };
    const computation = { entries: [0, computed], metrics: [computed], positions: new Map([[load.pmid, 0]]) };
    const metrics = metricsOfPlan({ entries: [load, sum], computation });
    expect(metrics).toEqual([load, { ...sum, computed }]);
    expect(basePmids(metrics)).toEqual([load.pmid, reads.pmid]);
  });

  it('needs no computation', () => {
    expect(metricsOfPlan({ entries: [reads, reads] })).toEqual([reads, reads]);
    expect(basePmids([reads, reads])).toEqual([reads.pmid]);
  });
});
