import { getOrMake } from '../../kit/index.js';
import { INDOM_NULL, type MetricType } from '../../pmapi/index.js';
import type {
  BoundArithmetic,
  BoundBoolean,
  BoundExpression,
  BoundNode,
  BoundRelational,
  NodeMetadata,
} from '../semantics/bound-expression.js';
import { aggregateKernel } from './kernels/aggregate.js';
import { arithmeticKernel, negateKernel, notKernel } from './kernels/arithmetic.js';
import { booleanKernel, relationalKernel } from './kernels/comparison.js';
import { constantKernel, type Kernel, type PairSpec } from './kernels/lane.js';
import { deltaKernel, rateKernel } from './kernels/difference.js';
import { rescaleKernel } from './kernels/rescale.js';
import { matchInstancesKernel, scalarKernel, selectInstanceKernel } from './kernels/selection.js';
import { ternaryKernel } from './kernels/ternary.js';

/** One step: a kernel over up to three cells, or a singular constant. Cells: {@link NO_CELL}, operands, results in order. */
export type Step = KernelStep | ConstantStep;

/** A step that computes: its kernel over the columns of its operands. */
export interface KernelStep {
  readonly kernel: Kernel;
  readonly type: MetricType;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  /** Where the result is kept until it is used: few registers serve many steps. */
  readonly register: number;
  /** The kernel handles operands in error; other steps return the first error among their operands. */
  readonly seesErrors: boolean;
}

/** A singular constant, kept as a number: a value set takes twenty times as much. */
export interface ConstantStep {
  readonly kernel?: undefined;
  readonly type: MetricType;
  /** Absent for novalue(): no values, ever. */
  readonly value: number | bigint | undefined;
  readonly register: number;
}

/** An always empty cell, for steps with fewer than three operands. */
export const NO_CELL = 0;

/** A bound expression as a list of steps. Immutable and shared by contexts; their state is in History objects. */
export interface Program {
  readonly meta: NodeMetadata;
  readonly operandTypes: readonly MetricType[];
  readonly operandIndoms: readonly number[];
  readonly steps: readonly Step[];
  /** The cell that holds the values of the whole. */
  readonly result: number;
  /** How many history slots the nodes use: the argument of `new History`. */
  readonly slots: number;
  /** The domains whose instances (names, or ids for constants) evaluation asks for. */
  readonly indoms: readonly number[];
  /** The domains that constants span: they have values for the listing at each sample. */
  readonly constantIndoms: readonly number[];
}

/** Called with the cell that holds the values of a node. */
export type OnCell = (node: BoundNode, cell: number) => void;

/** Flattens a bound expression. @param beside nodes over the same operands that are evaluated with it */
export function compileProgram(
  expression: BoundExpression,
  onCell?: OnCell,
  beside: readonly BoundNode[] = [],
): Program {
  const steps: Step[] = [];
  const indoms = new Set<number>();
  const constantIndoms = new Set<number>();
  /** Registers of the cells with unused results. */
  const registers = new Map<number, number>();
  const freeRegisters: number[] = [];
  let registerCount = 0;
  const { root, operands, slots } = expression;
  for (const node of beside) cellOf(node);
  const result = cellOf(root);
  return Object.freeze({
    meta: root.meta,
    operandTypes: operands.map(({ descriptor }) => descriptor.type),
    operandIndoms: operands.map(({ descriptor }) => descriptor.indom),
    steps,
    result,
    slots,
    indoms: [...indoms],
    constantIndoms: [...constantIndoms],
  });

  /** Appends the steps of a node, operands first, left to right; returns the cell of its values. */
  function cellOf(node: BoundNode): number {
    const cell = stepsOf(node);
    onCell?.(node, cell);
    return cell;
  }

  function stepsOf(node: BoundNode): number {
    switch (node.kind) {
      case 'operand':
        return NO_CELL + 1 + node.operand;
      case 'constant':
        if (isSingular(node)) return constantCell(node, node.value);
        indoms.add(node.meta.indom);
        constantIndoms.add(node.meta.indom);
        return addStep(node, constantKernel(node));
      case 'novalue':
        return constantCell(node, undefined);
      case 'instant':
        return cellOf(node.operand); // other metadata, the same values
      case 'arithmetic':
        return addStep(node, binaryKernel(node, arithmeticKernel), node.left, node.right);
      case 'relational':
        return addStep(node, binaryKernel(node, relationalKernel), node.left, node.right);
      case 'boolean':
        return addStep(node, binaryKernel(node, booleanKernel), node.left, node.right);
      case 'negate': {
        const { type } = node.operand.meta;
        const kernel = getOrMake(sharedKernels, `negate ${type}`, () => negateKernel(type));
        return addStep(node, kernel, node.operand);
      }
      case 'not':
        return addStep(node, notKernel, node.operand);
      case 'scalar':
        return addStep(node, scalarKernel, node.operand);
      case 'rescale':
        return addStep(node, rescaleKernel(node.operand.meta.type, node.from, node.to), node.operand);
      case 'aggregate': {
        const kernel = aggregateKernel(node.function, node.operand.meta.type);
        return addStep(node, kernel, node.operand, undefined, undefined, node.function === 'count');
      }
      case 'delta': {
        const kernel = deltaKernel(node.operand.meta.type, isSingular(node.operand), node.slot);
        return addStep(node, kernel, node.operand, undefined, undefined, true);
      }
      case 'rate': {
        const { slot, counter, timeFactor, operand } = node;
        const { type } = operand.meta;
        const kernel = rateKernel({ type, singular: isSingular(operand), slot, counter, timeFactor });
        return addStep(node, kernel, operand, undefined, undefined, true);
      }
      case 'select-instance': {
        const { indom } = node.operand.meta;
        indoms.add(indom);
        return addStep(node, selectInstanceKernel(indom, node.instance, node.slot), node.operand);
      }
      case 'match-instances': {
        const { indom } = node.operand.meta;
        indoms.add(indom);
        const kernel = matchInstancesKernel(indom, node.pattern, node.negated, node.slot);
        return addStep(node, kernel, node.operand);
      }
      case 'ternary': {
        const { guard, whenTrue, whenFalse } = node;
        const kernel = ternaryKernel({
          type: node.meta.type,
          guardSingular: isSingular(guard),
          whenTrue: { isNoValue: whenTrue.kind === 'novalue', singular: isSingular(whenTrue) },
          whenFalse: { isNoValue: whenFalse.kind === 'novalue', singular: isSingular(whenFalse) },
        });
        return addStep(node, kernel, guard, whenTrue, whenFalse);
      }
    }
  }

  function addStep(
    node: BoundNode,
    kernel: Kernel,
    a?: BoundNode,
    b?: BoundNode,
    c?: BoundNode,
    seesErrors = false,
  ): number {
    // As few frames for each level as possible: expressions may be a thousand levels deep.
    const cellA = a ? cellOf(a) : NO_CELL;
    const cellB = b ? cellOf(b) : NO_CELL;
    const cellC = c ? cellOf(c) : NO_CELL;
    // Not one of its operands': a kernel reads them while it writes.
    const register = takeRegister();
    release(cellA);
    release(cellB);
    release(cellC);
    return append({ kernel, type: node.meta.type, a: cellA, b: cellB, c: cellC, register, seesErrors });
  }

  function constantCell({ meta }: BoundNode, value: number | bigint | undefined): number {
    return append({ type: meta.type, value, register: takeRegister() });
  }

  function takeRegister(): number {
    return freeRegisters.pop() ?? registerCount++;
  }

  function release(cell: number): void {
    const register = registers.get(cell);
    if (register === undefined) return;
    registers.delete(cell);
    freeRegisters.push(register);
  }

  function append(step: Step): number {
    steps.push(step);
    const cell = NO_CELL + expression.operands.length + steps.length;
    registers.set(cell, step.register);
    return cell;
  }
}

function isSingular(node: BoundNode): boolean {
  return node.meta.indom === INDOM_NULL;
}

type BoundBinary = BoundArithmetic | BoundRelational | BoundBoolean;

type BinarySpec<N extends BoundBinary> = PairSpec & Pick<N, 'operator'>;

/** The kernel of a binary operator; one that scales operands has its own factors. */
function binaryKernel<N extends BoundBinary>(node: N, make: (spec: BinarySpec<N>) => Kernel): Kernel {
  const { operator, computeType, leftScale, rightScale } = node;
  const [leftSingular, rightSingular] = [isSingular(node.left), isSingular(node.right)];
  const makeKernel = (): Kernel => make({ operator, computeType, leftScale, rightScale, leftSingular, rightSingular });
  if (leftScale ?? rightScale) return makeKernel();
  return getOrMake(sharedKernels, `${operator} ${computeType} ${leftSingular} ${rightSingular}`, makeKernel);
}

/** Kernels without state of one expression, by key: a few hundred, where a program has up to a thousand steps. */
const sharedKernels = new Map<string, Kernel>();
