import type { ValueSet } from '../../pmapi/index.js';

const NO_INDEX = new Int32Array(0);

/** Pairs of two operands: value `i` comes from `left[i]` and `right[i]` (absent: `i`), for `instances[i]`. Valid until the next join. */
export interface InstanceJoin {
  readonly count: number;
  readonly left: Int32Array | undefined;
  readonly right: Int32Array | undefined;
  /** May be longer than `count`. */
  readonly instances: Int32Array;
}

const join: { -readonly [Member in keyof InstanceJoin]: InstanceJoin[Member] } = {
  count: 0,
  left: undefined,
  right: undefined,
  instances: NO_INDEX,
};
let zeros = new Int32Array(64);
let leftIndex = new Int32Array(64);
let rightIndex = new Int32Array(64);
let joinedInstances = new Int32Array(64);
const positions = new Map<number, number>();

/** Pairs values by instance id, in the left order; a singular operand meets every value of the other. Unmatched ones are left out. */
export function joinInstances(
  left: ValueSet,
  leftSingular: boolean,
  right: ValueSet,
  rightSingular: boolean,
): InstanceJoin {
  if (leftSingular || rightSingular) joinSingular(left, leftSingular, right, rightSingular);
  else if (sameInstances(left, right)) keep(left.status, undefined, undefined, left.instances);
  else joinSets(left, right);
  return join;
}

/** An index of `count` zeros: the first value, for every instance. Read only. */
function firstValueIndex(count: number): Int32Array {
  if (zeros.length < count) zeros = new Int32Array(count * 2);
  return zeros;
}

/** Fills `into` with the position of each instance id in a set; of equal ids the first. */
export function positionsById(set: ValueSet, into: Map<number, number>): ReadonlyMap<number, number> {
  into.clear();
  for (let i = set.status - 1; i >= 0; i--) into.set(set.instances[i]!, i);
  return into;
}

function keep(count: number, left: Int32Array | undefined, right: Int32Array | undefined, instances: Int32Array): void {
  join.count = count;
  join.left = left;
  join.right = right;
  join.instances = instances;
}

function joinSingular(left: ValueSet, leftSingular: boolean, right: ValueSet, rightSingular: boolean): void {
  if (left.status < 1 || right.status < 1) keep(0, undefined, undefined, NO_INDEX);
  // PCP: some archives have an instance id for a singular metric; 6.0.3 keeps the right operand's.
  else if (leftSingular && rightSingular) keep(1, undefined, undefined, right.instances);
  else if (leftSingular) keep(right.status, firstValueIndex(right.status), undefined, right.instances);
  else keep(left.status, undefined, firstValueIndex(left.status), left.instances);
}

function sameInstances(left: ValueSet, right: ValueSet): boolean {
  const count = left.status;
  if (right.status !== count) return false;
  const [a, b] = [left.instances, right.instances];
  for (let i = 0; i < count; i++) if (a[i] !== b[i]) return false;
  return true;
}

function joinSets(left: ValueSet, right: ValueSet): void {
  const leftCount = left.status;
  if (leftIndex.length < leftCount) {
    leftIndex = new Int32Array(leftCount * 2);
    rightIndex = new Int32Array(leftCount * 2);
    joinedInstances = new Int32Array(leftCount * 2);
  }
  // Two samples of one domain usually have the same order: the next right value is tried first, and the map only if it differs.
  let byId: ReadonlyMap<number, number> | undefined;
  let next = 0;
  let count = 0;
  for (let i = 0; i < leftCount; i++) {
    const id = left.instances[i]!;
    let at: number | undefined = next;
    if (at >= right.status || right.instances[at] !== id) {
      byId ??= positionsById(right, positions);
      at = byId.get(id);
      if (at === undefined) continue;
    }
    leftIndex[count] = i;
    rightIndex[count] = at;
    joinedInstances[count] = id;
    count++;
    next = at + 1;
  }
  keep(count, leftIndex, rightIndex, joinedInstances);
}
