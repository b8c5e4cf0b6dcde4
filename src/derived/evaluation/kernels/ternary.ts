import { INSTANCE_NULL, MetricType, PM_ERR, isArithmeticType, isWideType } from '../../../pmapi/index.js';
import type { ValueSet } from '../../../pmapi/index.js';
import { positionsById } from '../instance-join.js';
import { sizeInstances, sizeNumbers } from './lane.js';

export interface TernaryArm {
  /** novalue(): instances that select it are left out. */
  readonly isNoValue: boolean;
  readonly singular: boolean;
}

export interface TernarySpec {
  readonly type: MetricType;
  readonly guardSingular: boolean;
  readonly whenTrue: TernaryArm;
  readonly whenFalse: TernaryArm;
}

const picks = {
  count: 0,
  instances: new Int32Array(64),
  /** 1: the true arm, 0: the false arm. */
  arms: new Uint8Array(64),
  positions: new Int32Array(64),
};
const guardPositions = new Map<number, number>();
const truePositions = new Map<number, number>();
const falsePositions = new Map<number, number>();

type TernaryKernel = (out: ValueSet, guard: ValueSet, whenTrue: ValueSet, whenFalse: ValueSet) => void;

/**
 * `guard ? whenTrue : whenFalse`, decided for each instance: guard and arms are paired by instance id, a singular one serves every
 * instance. The instances are those of the arms that have instances, the true arm's first; one whose guard, or whose value in the selected
 * arm, is missing is left out. When the guard or an arm has no values at all, so has the result, whichever arm is selected.
 *
 * Differs from PCP, which pairs by position: wrong as soon as instances come and go. @see pmRegisterDerived(3)
 */
export function ternaryKernel(spec: TernarySpec): TernaryKernel {
  const { type, whenTrue: trueArm, whenFalse: falseArm } = spec;
  return (out, guard, whenTrue, whenFalse) => {
    if (!isArithmeticType(type) && type !== MetricType.STRING) {
      out.fail(PM_ERR.TYPE);
      return;
    }
    if (guard.status === 0) return;
    if (!trueArm.isNoValue && whenTrue.status === 0) return;
    if (!falseArm.isNoValue && whenFalse.status === 0) return;
    pick(spec, guard, whenTrue, whenFalse);
    copyPicked(out, whenTrue, whenFalse);
  };
}

function pick(spec: TernarySpec, guard: ValueSet, whenTrue: ValueSet, whenFalse: ValueSet): void {
  const { guardSingular, whenTrue: trueArm, whenFalse: falseArm } = spec;
  const most = Math.max(1, whenTrue.status + whenFalse.status);
  if (picks.arms.length < most) {
    picks.instances = new Int32Array(most * 2);
    picks.arms = new Uint8Array(most * 2);
    picks.positions = new Int32Array(most * 2);
  }
  picks.count = 0;
  const trueSet = !trueArm.isNoValue && !trueArm.singular;
  const falseSet = !falseArm.isNoValue && !falseArm.singular;
  if (!trueSet && !falseSet) {
    choose(INSTANCE_NULL, isTrue(guard, 0) ? trueArm : falseArm, isTrue(guard, 0), 0);
    return;
  }
  if (!guardSingular) positionsById(guard, guardPositions);
  if (trueSet) positionsById(whenTrue, truePositions);
  if (falseSet) positionsById(whenFalse, falsePositions);
  const visit = (instance: number): void => {
    const guardAt = guardSingular ? 0 : guardPositions.get(instance);
    if (guardAt === undefined) return;
    const selected = isTrue(guard, guardAt);
    const arm = selected ? trueArm : falseArm;
    choose(instance, arm, selected, arm.singular ? 0 : (selected ? truePositions : falsePositions).get(instance));
  };
  if (trueSet) for (let i = 0; i < whenTrue.status; i++) visit(whenTrue.instances[i]!);
  if (falseSet) {
    for (let i = 0; i < whenFalse.status; i++) {
      const instance = whenFalse.instances[i]!;
      if (!trueSet || !truePositions.has(instance)) visit(instance);
    }
  }
}

function isTrue(guard: ValueSet, at: number): boolean {
  return guard.column.numbers[at] !== 0;
}

function choose(instance: number, arm: TernaryArm, selected: boolean, position: number | undefined): void {
  if (arm.isNoValue || position === undefined) return;
  picks.instances[picks.count] = instance;
  picks.arms[picks.count] = selected ? 1 : 0;
  picks.positions[picks.count] = position;
  picks.count++;
}

function copyPicked(out: ValueSet, whenTrue: ValueSet, whenFalse: ValueSet): void {
  const { count, arms, positions } = picks;
  const [trueColumn, falseColumn] = [whenTrue.column, whenFalse.column];
  if (out.type === MetricType.STRING) {
    for (let i = 0; i < count; i++) {
      out.addText(picks.instances[i]!, (arms[i] ? trueColumn : falseColumn).texts[positions[i]!] ?? '');
    }
    return;
  }
  if (isWideType(out.type) && (trueColumn.wide ?? falseColumn.wide)) {
    for (let i = 0; i < count; i++) {
      out.addInteger(picks.instances[i]!, (arms[i] ? trueColumn : falseColumn).integerAt(positions[i]!));
    }
    return;
  }
  const numbers = sizeNumbers(out, count);
  const instances = sizeInstances(out, count);
  for (let i = 0; i < count; i++) {
    numbers[i] = (arms[i] ? trueColumn : falseColumn).numbers[positions[i]!]!;
    instances[i] = picks.instances[i]!;
  }
}
