import { type Clock, FetchResult, type Instance, isWideType, parseIndom, systemClock } from '../../src/pmapi/index.js';
import { InstanceProfile } from '../../src/sources/profile.js';
import type { ClusterFactory } from '../../src/sources/linux/cluster.js';
import { LinuxCollector, type LinuxCollectorOptions } from '../../src/sources/linux/linux-collector.js';
import type { LinuxSource } from '../../src/sources/linux/index.js';

/** Values by instance number (-1 for a singular metric), or the PM_ERR code. 64-bit integers are bigints. */
export type LocalValues = Readonly<Record<number, number | bigint | string>> | number;

/** A collector of a few clusters over a folder of recorded files. */
export class LocalMetrics {
  readonly collector: LinuxCollector;
  readonly source: LinuxSource;
  /** What the collector complained about. */
  readonly complaints: string[] = [];

  constructor(root: string, clusters: readonly ClusterFactory[], options: Partial<LinuxCollectorOptions> = {}) {
    const clock: Clock = options.clock ?? systemClock;
    this.collector = new LinuxCollector({
      platform: 'linux',
      snapshotMs: 0,
      log: (message) => this.complaints.push(message),
      ...options,
      clock,
      root,
      clusters,
    });
    this.source = this.collector.open();
  }

  /** Fetch metrics by name, under a profile if need be. */
  async fetch(
    names: readonly string[],
    profile: InstanceProfile = new InstanceProfile(),
  ): Promise<Readonly<Record<string, LocalValues>>> {
    const result = new FetchResult();
    const pmids = await this.source.lookupNames(names);
    await this.source.fetch(this.source.prepare(pmids), profile, result);
    return Object.fromEntries<LocalValues>(
      result.sets.map((set, i): [string, LocalValues] => {
        if (set.status < 0) return [names[i]!, set.status];
        const values: Record<number, number | bigint | string> = {};
        for (let v = 0; v < set.status; v++) {
          values[set.instances[v]!] =
            set.column.texts[v] ?? (isWideType(set.type) ? set.column.integerAt(v) : set.column.numbers[v]!);
        }
        return [names[i]!, values];
      }),
    );
  }

  async value(name: string, profile?: InstanceProfile): Promise<LocalValues> {
    return (await this.fetch([name], profile))[name]!;
  }

  async all(): Promise<Readonly<Record<string, LocalValues>>> {
    return this.fetch(await this.source.traverse(''));
  }

  async instances(indom: string): Promise<readonly Instance[]> {
    return (await this.source.instances(parseIndom(indom)!)).instances;
  }

  close(): Promise<void> {
    return this.collector.close();
  }
}
