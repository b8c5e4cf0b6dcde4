/** What a client of a stream received: a sample, or a gap between two ids. */
export type ReceivedEvent =
  | { readonly kind: 'sample'; readonly id: number; readonly number: number }
  | { readonly kind: 'gap'; readonly from: number; readonly to: number };

/** A sample that a group took. Ids are the time of the sampled host, in nanoseconds. */
export interface TakenSample {
  readonly source: string;
  /** The group, which is at one member. */
  readonly group: number;
  readonly id: number;
  /** No other sample has it. */
  readonly number: number;
}

/** A client's events in order, over all its connections. */
export interface StreamHistory {
  readonly name: string;
  readonly events: readonly ReceivedEvent[];
}

/** Samples of different groups further apart than so many intervals have a hole between them. */
const HOLE_INTERVALS = 1.5;

/**
 * What is wrong with the streams of clients; empty if ids grow, no sample comes twice, and every hole is told: between samples of one
 * group none that it took is missing, and samples of different groups are close together.
 * @param lastMs from here on each source has one sampler
 */
export function sampleProblems(
  histories: readonly StreamHistory[],
  taken: readonly TakenSample[],
  { intervalMs, lastMs }: { readonly intervalMs: number; readonly lastMs: number },
): string[] {
  const byNumber = new Map(taken.map((sample) => [sample.number, sample]));
  const groups = groupsOf(taken, ({ group }) => group);
  const placeOf = (number: number): number =>
    groups.get(byNumber.get(number)!.group)!.findIndex((sample) => sample.number === number);
  const isAdjacent = (one: number, other: number): boolean => placeOf(other) === placeOf(one) + 1;
  const problems: string[] = [];
  for (const { name, events } of histories) {
    const seen = new Set<number>();
    let last: ReceivedEvent & { kind: 'sample' } = { kind: 'sample', id: -Infinity, number: -1 };
    let gap: (ReceivedEvent & { kind: 'gap' }) | undefined;
    for (const event of events) {
      if (event.kind === 'gap') {
        gap = event;
        continue;
      }
      const { id, number } = event;
      if (seen.has(number)) problems.push(`${name}: sample ${number} comes twice`);
      else if (id <= last.id) problems.push(`${name}: id ${id} comes after ${last.id}`);
      else if (last.number !== -1 && !(gap && gap.from <= last.id && gap.to >= id)) {
        const isSameGroup = byNumber.get(number)!.group === byNumber.get(last.number)!.group;
        const isClose = id - last.id <= HOLE_INTERVALS * intervalMs * 1e6;
        if (isSameGroup ? !isAdjacent(last.number, number) : !isClose) {
          problems.push(`${name}: a hole between ${last.id} and ${id} is not told`);
        }
      }
      seen.add(number);
      last = event;
      gap = undefined;
    }
  }
  const late = groupsOf(
    taken.filter(({ id }) => id >= lastMs * 1e6),
    ({ source }) => source,
  ); // prettier-ignore
  for (const [source, samples] of late) {
    // Groups may follow one another, but not take turns.
    const turns = samples.map(({ group }) => group).filter((group, i, all) => group !== all[i - 1]);
    if (new Set(turns).size < turns.length) problems.push(`${source}: has two samplers in the end`);
  }
  return problems;
}

function groupsOf<K>(samples: readonly TakenSample[], keyOf: (sample: TakenSample) => K): Map<K, TakenSample[]> {
  const groups = new Map<K, TakenSample[]>();
  for (const sample of samples) {
    const key = keyOf(sample);
    const group = groups.get(key);
    if (group) group.push(sample);
    else groups.set(key, [sample]);
  }
  return groups;
}
