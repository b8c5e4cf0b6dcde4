import type { PlanEntry } from '../context/index.js';
import { makeTimestamp } from '../pmapi/index.js';
import type { Timestamp, ValueSet } from '../pmapi/index.js';

export function copyTimestamp({ sec, nsec }: Timestamp): Timestamp {
  return makeTimestamp(sec, nsec);
}

/** The seconds of each scale of time, from nanoseconds to hours. */
const UNIT_SEC = [1e-9, 1e-6, 1e-3, 1, 60, 3600] as const;

/** What a number of a metric is multiplied with to become seconds, bytes or a count. */
export function baseFactor({ descriptor: { units } }: PlanEntry): number {
  const { dimTime, scaleTime, dimSpace, scaleSpace } = units;
  return (UNIT_SEC[scaleTime] ?? 1) ** dimTime * (1024 ** scaleSpace) ** dimSpace;
}

/** The values of some metrics at one moment. */
export interface Sample {
  readonly sec: number;
  /** The value set of a metric; undefined if the sample does not have it, or nothing but an error. */
  set(name: string): ValueSet | undefined;
  /** From a number of a metric to seconds, bytes or a count. */
  factor(name: string): number;
}

/** The sums of metrics by instance, in seconds, bytes or counts. Instances that lack one of them are left out; undefined without any. */
export function sumsOf(sample: Sample, names: readonly string[]): ReadonlyMap<number, number> | undefined {
  let sums: Map<number, number> | undefined;
  for (const name of names) {
    const set = sample.set(name);
    if (!set) return undefined;
    const factor = sample.factor(name);
    const next = new Map<number, number>();
    for (let i = 0; i < set.status; i++) {
      const instance = set.instances[i]!;
      const sum = sums ? sums.get(instance) : 0;
      if (sum !== undefined) next.set(instance, sum + factor * set.column.numbers[i]!);
    }
    sums = next;
  }
  return sums;
}

/** The texts of a metric by instance. */
export function textsOf(sample: Sample, name: string): ReadonlyMap<number, string> {
  const set = sample.set(name);
  const texts = new Map<number, string>();
  for (let i = 0; i < (set?.status ?? 0); i++) texts.set(set!.instances[i]!, set!.column.texts[i] ?? '');
  return texts;
}
