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
  return new Compiler(expression, onCell).compile(beside);
}

class Compiler {
  readonly #expression: BoundExpression;
  readonly #onCell: OnCell | undefined;
  readonly #steps: Step[] = [];
  readonly #indoms = new Set<number>();
  readonly #constantIndoms = new Set<number>();
  /** Registers of the cells with unused results. */
  readonly #registers = new Map<number, number>();
  readonly #freeRegisters: number[] = [];
  #registerCount = 0;

  constructor(expression: BoundExpression, onCell: OnCell | undefined) {
    this.#expression = expression;
    this.#onCell = onCell;
  }

  compile(beside: readonly BoundNode[]): Program {
    const { root, operands, slots } = this.#expression;
    for (const node of beside) this.#node(node);
    const result = this.#node(root);
    return Object.freeze({
      meta: root.meta,
      operandTypes: operands.map(({ descriptor }) => descriptor.type),
      operandIndoms: operands.map(({ descriptor }) => descriptor.indom),
      steps: this.#steps,
      result,
      slots,
      indoms: [...this.#indoms],
      constantIndoms: [...this.#constantIndoms],
    });
  }

  /** Appends the steps of a node, operands first, left to right; returns the cell of its values. */
  #node(node: BoundNode): number {
    const cell = this.#stepsOf(node);
    this.#onCell?.(node, cell);
    return cell;
  }

  #stepsOf(node: BoundNode): number {
    switch (node.kind) {
      case 'operand':
        return NO_CELL + 1 + node.operand;
      case 'constant':
        if (isSingular(node)) return this.#constant(node, node.value);
        this.#indoms.add(node.meta.indom);
        this.#constantIndoms.add(node.meta.indom);
        return this.#step(node, constantKernel(node));
      case 'novalue':
        return this.#constant(node, undefined);
      case 'instant':
        return this.#node(node.operand); // other metadata, the same values
      case 'arithmetic':
        return this.#step(node, binaryKernel(node, arithmeticKernel), node.left, node.right);
      case 'relational':
        return this.#step(node, binaryKernel(node, relationalKernel), node.left, node.right);
      case 'boolean':
        return this.#step(node, binaryKernel(node, booleanKernel), node.left, node.right);
      case 'negate': {
        const { type } = node.operand.meta;
        const kernel = getOrMake(sharedKernels, `negate ${type}`, () => negateKernel(type));
        return this.#step(node, kernel, node.operand);
      }
      case 'not':
        return this.#step(node, notKernel, node.operand);
      case 'scalar':
        return this.#step(node, scalarKernel, node.operand);
      case 'rescale':
        return this.#step(node, rescaleKernel(node.operand.meta.type, node.from, node.to), node.operand);
      case 'aggregate': {
        const kernel = aggregateKernel(node.function, node.operand.meta.type);
        return this.#step(node, kernel, node.operand, undefined, undefined, node.function === 'count');
      }
      case 'delta': {
        const kernel = deltaKernel(node.operand.meta.type, isSingular(node.operand), node.slot);
        return this.#step(node, kernel, node.operand, undefined, undefined, true);
      }
      case 'rate': {
        const { slot, counter, timeFactor, operand } = node;
        const { type } = operand.meta;
        const kernel = rateKernel({ type, singular: isSingular(operand), slot, counter, timeFactor });
        return this.#step(node, kernel, operand, undefined, undefined, true);
      }
      case 'select-instance': {
        const { indom } = node.operand.meta;
        this.#indoms.add(indom);
        return this.#step(node, selectInstanceKernel(indom, node.instance, node.slot), node.operand);
      }
      case 'match-instances': {
        const { indom } = node.operand.meta;
        this.#indoms.add(indom);
        const kernel = matchInstancesKernel(indom, node.pattern, node.negated, node.slot);
        return this.#step(node, kernel, node.operand);
      }
      case 'ternary': {
        const { guard, whenTrue, whenFalse } = node;
        const kernel = ternaryKernel({
          type: node.meta.type,
          guardSingular: isSingular(guard),
          whenTrue: { isNoValue: whenTrue.kind === 'novalue', singular: isSingular(whenTrue) },
          whenFalse: { isNoValue: whenFalse.kind === 'novalue', singular: isSingular(whenFalse) },
        });
        return this.#step(node, kernel, guard, whenTrue, whenFalse);
      }
    }
  }

  #step(node: BoundNode, kernel: Kernel, a?: BoundNode, b?: BoundNode, c?: BoundNode, seesErrors = false): number {
    // As few frames for each level as possible: expressions may be a thousand levels deep.
    const cellA = a ? this.#node(a) : NO_CELL;
    const cellB = b ? this.#node(b) : NO_CELL;
    const cellC = c ? this.#node(c) : NO_CELL;
    // Not one of its operands': a kernel reads them while it writes.
    const register = this.#takeRegister();
    this.#release(cellA);
    this.#release(cellB);
    this.#release(cellC);
    return this.#append({ kernel, type: node.meta.type, a: cellA, b: cellB, c: cellC, register, seesErrors });
  }

  #constant({ meta }: BoundNode, value: number | bigint | undefined): number {
    return this.#append({ type: meta.type, value, register: this.#takeRegister() });
  }

  #takeRegister(): number {
    return this.#freeRegisters.pop() ?? this.#registerCount++;
  }

  #release(cell: number): void {
    const register = this.#registers.get(cell);
    if (register === undefined) return;
    this.#registers.delete(cell);
    this.#freeRegisters.push(register);
  }

  #append(step: Step): number {
    this.#steps.push(step);
    const cell = NO_CELL + this.#expression.operands.length + this.#steps.length;
    this.#registers.set(cell, step.register);
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
