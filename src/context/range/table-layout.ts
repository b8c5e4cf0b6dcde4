import { eventLoopTurns } from '../../kit/index.js';
import { INDOM_NULL, INSTANCE_NULL, onPmError, type Instance, type InstanceDomain } from '../../pmapi/index.js';
import type { InstanceProfile, RecordedSample } from '../../sources/index.js';
import type { RangeMetric } from './metric-pipeline.js';

type List = (indom: number) => Promise<InstanceDomain>;

/** The instances of a domain; none where the source does not know it. */
export async function instancesOf(indom: number, list: List): Promise<readonly Instance[]> {
  const domain = await list(indom).catch(onPmError(() => undefined));
  return domain?.instances ?? [];
}

/** The names of the instances of some domains. */
export async function instanceNames(
  indoms: Iterable<number>,
  list: List,
): Promise<(indom: number, instance: number) => string | undefined> {
  const names = new Map<number, ReadonlyMap<number, string>>();
  const learn = async (indom: number): Promise<void> => {
    names.set(indom, new Map((await instancesOf(indom, list)).map(({ id, name }) => [id, name])));
  };
  await Promise.all([...new Set(indoms)].filter((indom) => indom !== INDOM_NULL).map(learn));
  return (indom, instance) => names.get(indom)?.get(instance);
}

export interface TableColumn {
  readonly metric: number;
  /** INSTANCE_NULL for a singular metric. */
  readonly instance: number;
  /** `metric` or `metric[instance name]`, for a heading. @see pmrep(1), CSV output */
  readonly heading: string;
}

export interface TableSelection {
  readonly includes?: ((metric: number, instance: number) => boolean) | undefined;
  /** For each metric its only instances, in order; undefined: all. */
  readonly ranked?: readonly (readonly number[] | undefined)[] | undefined;
}

/** The columns of a table with a row per sample, fixed before the first row. Unknown instances have no column. */
export class TableLayout {
  readonly #columns: TableColumn[] = [];
  readonly #byMetric: ReadonlyMap<number, number>[] = [];
  #places = new Int32Array(0);

  get columns(): readonly TableColumn[] {
    return this.#columns;
  }

  /** Adds the columns of the next metric: one for each instance, or a single one. */
  add(name: string, instances: readonly Instance[] | undefined): void {
    const metric = this.#byMetric.length;
    const places = new Map<number, number>();
    const add = (instance: number, heading: string): void => {
      places.set(instance, this.#columns.length);
      this.#columns.push({ metric, instance, heading });
    };
    if (!instances) add(INSTANCE_NULL, name);
    else for (const { id, name: instance } of instances) add(id, `${name}[${instance}]`);
    this.#byMetric.push(places);
  }

  /** Each column's index in the metric's value set, -1 if missing. Valid until the next call. */
  place({ isMark, result }: RecordedSample): Int32Array {
    if (this.#places.length !== this.#columns.length) this.#places = new Int32Array(this.#columns.length);
    this.#places.fill(-1);
    for (let metric = 0; metric < this.#byMetric.length && !isMark; metric++) {
      const set = result.sets[metric]!;
      const places = this.#byMetric[metric]!;
      for (let i = 0; i < set.status; i++) {
        const column = places.get(set.instances[i]!);
        if (column !== undefined) this.#places[column] = i;
      }
    }
    return this.#places;
  }
}

/** Lays out a table. @param list the instances of a domain: of an archive, all ever */
export async function layOutTable(
  metrics: readonly RangeMetric[],
  profile: InstanceProfile,
  list: (indom: number) => Promise<InstanceDomain>,
  { includes, ranked }: TableSelection = {},
): Promise<TableLayout> {
  const domains = new Map<number, readonly Instance[]>();
  const layout = new TableLayout();
  for (const [metric, { name, descriptor }] of metrics.entries()) {
    const { indom } = descriptor;
    if (indom === INDOM_NULL) {
      layout.add(name, undefined);
      continue;
    }
    const instances = domains.get(indom) ?? (await instancesOf(indom, list));
    domains.set(indom, instances);
    const wanted = instances.filter(({ id }) => profile.includes(indom, id) && includes?.(metric, id) !== false);
    layout.add(name, inRank(wanted, ranked?.[metric]));
    const turn = eventLoopTurns.next();
    if (turn) await turn;
  }
  return layout;
}

function inRank(instances: readonly Instance[], ranked: readonly number[] | undefined): readonly Instance[] {
  if (!ranked) return instances;
  const byId = new Map(instances.map((instance) => [instance.id, instance]));
  return ranked.flatMap((id) => byId.get(id) ?? []);
}
