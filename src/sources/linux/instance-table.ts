import { grown } from '../../kit/index.js';
import type { Instance, ValueSet } from '../../pmapi/index.js';
import type { InstanceProfile } from '../profile.js';

/** The active instances of one instance domain in the latest sample, in the order of the file that lists them. */
export class InstanceTable {
  count = 0;
  /** Instance number of each row; may be longer than {@link count}. */
  ids = new Int32Array(8);

  constructor(readonly indom: number) {}

  clear(): void {
    this.count = 0;
  }

  /** Returns its row. */
  add(id: number): number {
    if (this.count === this.ids.length) this.ids = grown(this.ids, this.ids.length * 2);
    this.ids[this.count] = id;
    return this.count++;
  }

  /** Calls `emit` for each instance of the profile: the inner loop of nearly every metric with instances. */
  fill(set: ValueSet, profile: InstanceProfile, emit: (set: ValueSet, id: number, row: number) => void): void {
    const { ids, count, indom } = this;
    if (profile.includesAll(indom)) {
      for (let row = 0; row < count; row++) emit(set, ids[row]!, row);
      return;
    }
    for (let row = 0; row < count; row++) if (profile.includes(indom, ids[row]!)) emit(set, ids[row]!, row);
  }

  list(nameOf: (id: number) => string | undefined): readonly Instance[] {
    const instances: Instance[] = [];
    for (let row = 0; row < this.count; row++) {
      const id = this.ids[row]!;
      instances.push({ id, name: nameOf(id) ?? String(id) });
    }
    return instances;
  }
}
