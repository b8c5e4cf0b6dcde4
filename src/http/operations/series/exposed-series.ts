import { INSTANCE_NULL, isArithmeticType } from '../../../pmapi/index.js';
import type { ArchiveSeries, CataloguedMetric } from '../../../series/index.js';
import { labelsOfSample, metricName, UniqueNames } from '../../response/writers/exposition.js';
import type { ExposedIndom } from '../../response/writers/exposition.js';
import { openMetricsNames } from '../../response/writers/open-metrics.js';

/** Whose names metrics have: those of OpenMetrics, or of pmproxy's text. */
export type ExposedNames = 'openmetrics' | 'text';

/** A metric of an archive under the name that a scrape would store. */
export interface ExposedName {
  readonly name: string;
  readonly metric: CataloguedMetric;
}

type Catalogued = NonNullable<CataloguedMetric['indom']>;

const known = {
  openmetrics: new WeakMap<ArchiveSeries, ReadonlyMap<string, ExposedName>>(),
  text: new WeakMap<ArchiveSeries, ReadonlyMap<string, ExposedName>>(),
};
const indoms = new WeakMap<Catalogued, ExposedIndom>();

/** The metrics of an archive that have numbers, by the names that a scrape would store; remembered. */
export function exposedNames(archive: ArchiveSeries, names: ExposedNames): ReadonlyMap<string, ExposedName> {
  let exposed = known[names].get(archive);
  if (!exposed) {
    const unique = new UniqueNames();
    const numeric = archive.metrics.filter(({ descriptor }) => isArithmeticType(descriptor.type));
    exposed = new Map(
      numeric.map((metric) => {
        const { name, descriptor } = metric;
        const { pmid } = descriptor;
        const own =
          names === 'text'
            ? unique.claim(metricName(name, '_'), pmid)
            : openMetricsNames({ name, pmid, descriptor }, unique).name;
        return [own, { name: own, metric }];
      }),
    );
    known[names].set(archive, exposed);
  }
  return exposed;
}

/** The labels of each instance of a metric, as a scrape would store them; of INSTANCE_NULL for a metric without instances. */
export function* exposedLabels({
  labels,
  indom,
}: CataloguedMetric): Generator<readonly [instance: number, labels: ReadonlyMap<string, string>], void> {
  if (!indom) {
    yield [INSTANCE_NULL, labelsOfSample(labels, INSTANCE_NULL, undefined)];
    return;
  }
  const exposed = exposedIndom(indom);
  for (const instance of exposed.names.keys()) yield [instance, labelsOfSample(labels, instance, exposed)];
}

function exposedIndom(indom: Catalogued): ExposedIndom {
  let exposed = indoms.get(indom);
  if (!exposed) {
    const { instances } = indom;
    exposed = {
      names: new Map(instances.map(({ number, name }) => [number, name])),
      labels: new Map(instances.map(({ number, ownLabels }) => [number, ownLabels])),
    };
    indoms.set(indom, exposed);
  }
  return exposed;
}
