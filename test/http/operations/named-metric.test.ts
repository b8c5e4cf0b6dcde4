import type { Context } from '../../../src/context/index.js';
import { describeNamed } from '../../../src/http/operations/metadata/named-metrics.js';
import { INDOM_NULL, MetricType, Semantics, makeUnits } from '../../../src/pmapi/index.js';

describe('describeNamed', () => {
  // libpcp passes any name on, and the MMV agent serves such names.
  it.each(['mmv.app.9digit', 'mmv.app._under'])('leaves it to the source whether %s is a metric', async (name) => {
    const descriptor = {
      pmid: 1,
      type: MetricType.U32,
      indom: INDOM_NULL,
      semantics: Semantics.INSTANT,
      units: makeUnits({}),
    };
    const names = {
      lookupNames: (asked: readonly string[]) => Promise.resolve(asked.map((text) => (text === name ? 1 : -1))),
      describe: () => Promise.resolve([descriptor]),
    };
    expect(await describeNamed({ names } as unknown as Context, name)).toBe(descriptor);
  });
});
