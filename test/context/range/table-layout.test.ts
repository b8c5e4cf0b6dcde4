import { MetricType } from '../../../src/pmapi/index.js';
import { InstanceProfile, recordsOf } from '../../../src/sources/index.js';
import { layOutTable } from '../../../src/context/range/index.js';
import { DISKS, FakeArchive, fakeMetric } from './support/fake-archive.js';
import { rangeOf } from './support/read-all.js';
import { rows } from '../../support/rows.js';

const load = fakeMetric('load', 1, { type: MetricType.DOUBLE });
const disks = fakeMetric('disks', 2, { indom: DISKS });
const unknown = fakeMetric('unknown', 3, { indom: 999 });
const METRICS = [disks, load, unknown];

describe('TableLayout', () => {
  it('has a column for each metric and instance, and says where the values of a sample are', async () => {
    const archive = new FakeArchive(METRICS, [
      [1, { load: 7, disks: new Map([[9, 1], [2, 2]]) }],
      [2, { disks: new Map([[0, 3], [5, 4]]) }],
      [3, 'mark'],
    ]); // prettier-ignore
    archive.instanceNames = rows([0, 'sda'], [2, 'sdc'], [9, 'sdj']);
    const list = (indom: number): ReturnType<FakeArchive['instances']> => archive.instances(indom);
    const layout = await layOutTable(METRICS, new InstanceProfile(), list);
    expect(layout.columns.map(({ heading }) => heading)).toEqual(['disks[sda]', 'disks[sdc]', 'disks[sdj]', 'load']);
    const placed: number[][] = [];
    for await (const sample of recordsOf(rangeOf(archive, METRICS).batches())) placed.push([...layout.place(sample)]);
    expect(placed).toEqual(rows([-1, 1, 0, 0], [0, -1, -1, -1], [-1, -1, -1, -1]));
  });
});
