import {
  DIMENSIONLESS,
  INDOM_NULL,
  makeLabel,
  MetricType,
  PM_ERR,
  PmError,
  Semantics,
} from '../../../../src/pmapi/index.js';
import type { InstanceDomain, Label, MetricDescriptor } from '../../../../src/pmapi/index.js';
import type {
  SearchableMetric,
  SearchableNames,
  SearchableIndom,
  Searchable,
} from '../../../../src/features/search/searchable.js';

/** A metric of a fake view. */
export interface FakeMetric {
  readonly name: string;
  readonly oneline?: string;
  readonly help?: string;
  readonly indom?: number;
  readonly labels?: readonly Label[];
  /** It has a name and nothing else. */
  readonly isBare?: boolean;
}

/** A view that counts what it is asked, and waits where a test wants it to. */
export class FakeView implements Searchable, SearchableNames {
  readonly names = this;
  viewKey: object | string = this;
  viewVersion = 1;
  generation = 1;
  kind: SearchableNames['kind'] = 'local';
  /** Texts are answered after it. */
  textGate: Promise<void> = Promise.resolve();
  builds = 0;
  held = 0;
  /** Names are answered after it. */
  gate: Promise<void> = Promise.resolve();
  metrics: readonly FakeMetric[];
  instanceNames = new Map<number, readonly string[]>();

  constructor(metrics: readonly FakeMetric[]) {
    this.metrics = metrics;
  }

  async traverse(): Promise<readonly string[]> {
    this.builds++;
    await this.gate;
    return this.metrics.map(({ name }) => name);
  }

  lookupNames(names: readonly string[]): Promise<readonly number[]> {
    return Promise.resolve(names.map((name) => this.metrics.findIndex((metric) => metric.name === name)));
  }

  describe(pmids: readonly number[]): Promise<readonly (MetricDescriptor | number)[]> {
    return Promise.resolve(
      pmids.map((pmid) => {
        const { indom = INDOM_NULL, isBare } = this.metrics[pmid]!;
        if (isBare) return PM_ERR.PMID;
        return { pmid, type: MetricType.U32, indom, semantics: Semantics.INSTANT, units: DIMENSIONLESS };
      }),
    );
  }

  async metadata(pmid: number): Promise<SearchableMetric> {
    await this.textGate;
    const { oneline = '', help = '', labels = [] } = this.metrics[pmid]!;
    const [descriptor] = await this.describe([pmid]);
    if (typeof descriptor !== 'object') throw new PmError(PM_ERR.PMID);
    return { descriptor, labels, oneline, help };
  }

  instances(indom: number): Promise<InstanceDomain> {
    const names = this.instanceNames.get(indom);
    if (!names) return Promise.reject(new PmError(PM_ERR.INDOM));
    return Promise.resolve({ indom, instances: names.map((name, id) => ({ id, name })) });
  }

  indomMetadata(): Promise<SearchableIndom> {
    return Promise.resolve({
      labels: [],
      instanceLabels: new Map([[0, [makeLabel('model', 'Samsung 990')]]]),
      oneline: 'set of disks',
    });
  }

  hold(): () => void {
    this.held++;
    return () => this.held--;
  }
}

/** Turns that are never over. */
export const ENDLESS_TURN = { next: () => undefined };
