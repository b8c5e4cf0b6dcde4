import {
  DIMENSIONLESS,
  INDOM_NULL,
  INSTANCE_NULL,
  isWideType,
  MetricType,
  Semantics,
  ValueSet,
  type InstanceDomain,
} from '../../../../src/pmapi/index.js';
import type {
  BoundConstant,
  BoundExpression,
  BoundNode,
  NodeMetadata,
} from '../../../../src/derived/semantics/bound-expression.js';
import { compileProgram, evaluate, History, type Program } from '../../../../src/derived/evaluation/index.js';

/** A value as tests write it: bigint for 64 and U64, text for STRING, else a number. */
export type TestValue = number | bigint | string;

/** The instance domain that the tests use. */
export const INDOM = 42;

export const ANYWHERE = { start: 0, end: 0 };

/** A value set of instance id and value pairs, in order. */
export function valueSet(type: MetricType, values: readonly (readonly [number, TestValue])[]): ValueSet {
  const set = new ValueSet();
  set.reset(1, type);
  for (const [instance, value] of values) {
    if (typeof value === 'string') set.addText(instance, value);
    else if (typeof value === 'bigint') set.addInteger(instance, value);
    else set.addNumber(instance, value);
  }
  return set;
}

/** A singular value set, or one in error. */
export function singular(type: MetricType, value: TestValue): ValueSet {
  return valueSet(type, [[INSTANCE_NULL, value]]);
}

export function failed(type: MetricType, pmErr: number): ValueSet {
  const set = valueSet(type, []);
  set.fail(pmErr);
  return set;
}

/** Read a value set back: pairs, or the error code. Integers of 64-bit types are always bigints. */
export function read(set: ValueSet): number | [number, TestValue | Uint8Array][] {
  if (set.status < 0) return set.status;
  const { column } = set;
  expect(column.length).toBe(set.status);
  const pairs: [number, TestValue | Uint8Array][] = [];
  for (let i = 0; i < set.status; i++) {
    let value: TestValue | Uint8Array;
    if (isWideType(set.type)) {
      value = column.integerAt(i);
      // The column's invariant: a number that is not exact needs the wide lane beside it.
      expect(column.numbers[i]).toBe(Number(value));
      if (!column.wide) expect(Number.isSafeInteger(column.numbers[i])).toBe(true);
    } else if (set.type <= MetricType.DOUBLE) value = column.numbers[i]!;
    else value = set.type === MetricType.STRING ? column.texts[i]! : column.bytes[i]!;
    pairs.push([set.instances[i]!, value]);
  }
  return pairs;
}

export function metadata(parts: Partial<NodeMetadata>): NodeMetadata {
  return { type: MetricType.DOUBLE, semantics: Semantics.INSTANT, units: DIMENSIONLESS, indom: INDOM_NULL, ...parts };
}

/** The operand of an index; over {@link INDOM} unless told otherwise. */
export function operand(index: number, type: MetricType, indom = INDOM): BoundNode {
  return { kind: 'operand', operand: index, meta: metadata({ type, indom }), range: ANYWHERE };
}

export function constant(value: number | bigint, type: MetricType, indom = INDOM_NULL): BoundConstant {
  return { kind: 'constant', value, meta: metadata({ type, indom }), range: ANYWHERE };
}

/** A bound expression around a node; its operands are found in the tree. */
export function bound(root: BoundNode): BoundExpression {
  const operands: BoundExpression['operands'][number][] = [];
  let slots = 0;
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const candidate = node as Partial<BoundNode & { kind: 'operand' }> & { slot?: number };
    if (candidate.kind === 'operand') {
      operands[candidate.operand!] = {
        name: `m${candidate.operand!}`,
        descriptor: { ...candidate.meta!, pmid: candidate.operand! + 1 },
      };
    }
    if (candidate.slot !== undefined) slots = Math.max(slots, candidate.slot + 1);
    for (const child of Object.values(node)) walk(child);
  };
  walk(root);
  return { root, operands, slots };
}

/** Evaluates a node sample by sample, as one context does. */
export class Bench {
  readonly program: Program;
  readonly history: History;
  readonly into = new ValueSet();
  domain: InstanceDomain = { indom: INDOM, instances: [] };
  #sequence = 0;

  constructor(root: BoundNode) {
    this.program = compileProgram(bound(root));
    this.history = new History(this.program.slots);
  }

  sample(sec: number, ...operands: ValueSet[]): ReturnType<typeof read> {
    const whole = Math.floor(sec);
    evaluate(
      this.program,
      {
        sequence: ++this.#sequence,
        timestamp: { sec: whole, nsec: Math.round((sec - whole) * 1e9) },
        operands,
        instances: (indom) => (indom === this.domain.indom ? this.domain : undefined),
      },
      this.history,
      this.into,
    );
    return read(this.into);
  }
}

/** The values of a node for one sample. */
export function run(root: BoundNode, ...operands: ValueSet[]): ReturnType<typeof read> {
  return new Bench(root).sample(0, ...operands);
}
