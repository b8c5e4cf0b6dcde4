import { MetricType, type ValueSet } from '../../../pmapi/index.js';
import { Lane } from './lane.js';
import { copyInstances, settleIntegers, sizeNumbers } from './value-room.js';

const lane = new Lane();
let patternRoom = new BigInt64Array(64);

type UnaryKernel = (out: ValueSet, operand: ValueSet) => void;

/** Unary minus for an operand of `type`: an unsigned operand is reinterpreted as signed first, and the result wraps. */
export function negateKernel(type: MetricType): UnaryKernel {
  switch (type) {
    case MetricType.I32:
    case MetricType.U32:
      return (out, operand) => {
        const numbers = sized(out, operand);
        const from = operand.column.numbers;
        for (let i = 0; i < operand.status; i++) numbers[i] = (0 - (from[i]! | 0)) | 0;
      };
    case MetricType.I64:
    case MetricType.U64:
      return negateIntegers;
    default:
      return (out, operand) => {
        const numbers = sized(out, operand);
        const from = operand.column.numbers;
        for (let i = 0; i < operand.status; i++) numbers[i] = -from[i]!;
      };
  }
}

function negateIntegers(out: ValueSet, operand: ValueSet): void {
  const count = operand.status;
  const numbers = sized(out, operand);
  lane.load(operand.column, undefined, count, operand.type);
  if (!lane.wide) {
    for (let i = 0; i < count; i++) numbers[i] = 0 - lane.numbers[i]!;
    return;
  }
  if (patternRoom.length < count) patternRoom = new BigInt64Array(count * 2);
  for (let i = 0; i < count; i++) patternRoom[i] = -lane.wide[i]!;
  settleIntegers(out.column, patternRoom, count);
}

/** `!`: U32 1 where the operand is 0, else 0. */
export function notKernel(out: ValueSet, operand: ValueSet): void {
  const numbers = sized(out, operand);
  const from = operand.column.numbers;
  for (let i = 0; i < operand.status; i++) numbers[i] = from[i] === 0 ? 1 : 0;
}

function sized(out: ValueSet, operand: ValueSet): Float64Array {
  const numbers = sizeNumbers(out, operand.status);
  copyInstances(operand.instances, undefined, operand.status, out.instances);
  return numbers;
}
