import { createHash } from 'node:crypto';
import { bindExpression, compileProgram, treeOf } from '../../derived/index.js';
import type { BindingEnvironment, DerivedDefinition, Program, SemanticError } from '../../derived/index.js';
import type { MetricDescriptor } from '../../pmapi/index.js';
import { BudgetedMap } from '../memory-budget.js';
import type { MemoryBudget } from '../memory-budget.js';

/** A definition that binds: immutable, shared by every context where its operands are described alike. */
export interface BoundProgram {
  readonly program: Program;
  /** PMIDs of its operands, by operand index. */
  readonly operands: readonly number[];
  /** Memory that it takes, about. */
  readonly bytes: number;
}

/** What binding gave: a program, or the first thing that is wrong. */
export type Binding = BoundProgram | { readonly program?: never; readonly error: SemanticError };

/**
 * What binding gave, for all sources: it depends on the expression and on what its names stand for, and on nothing else. A thousand hosts
 * that describe their metrics alike share their programs, and a program outlives the contexts that used it.
 */
export class ProgramCache {
  /** What all programs have to fit into, and what sources remember of them. */
  readonly budget: MemoryBudget;
  readonly #bindings: BudgetedMap<string, Binding>;

  constructor(budget: MemoryBudget) {
    this.budget = budget;
    this.#bindings = new BudgetedMap(budget);
  }

  /** What was bound under a key of {@link keyOf}; undefined when it has been forgotten. */
  get(key: string): Binding | undefined {
    return this.#bindings.get(key);
  }

  /** Keep what a definition became. */
  set(key: string, binding: Binding, { bytes }: Pick<DerivedDefinition, 'bytes'>): void {
    this.#bindings.set(key, binding, bytes);
  }
}

/** Equal for definitions that bind alike: a digest, for a definition may have a thousand operands. */
export function keyOf(
  { canonical, operands }: Pick<DerivedDefinition, 'canonical' | 'operands'>,
  environment: BindingEnvironment,
): string {
  const basis = [...operands.metrics, ...operands.like].map((name) => {
    const { descriptor, error } = environment.operand(name) as { descriptor?: MetricDescriptor; error?: number };
    return [environment.isDerived(name), descriptor ?? error ?? null];
  });
  return createHash('sha256')
    .update(JSON.stringify([canonical, environment.unknownIsNovalue === true, basis]))
    .digest('base64');
}

/** Bind a definition and make its program. */
export function bind(definition: DerivedDefinition, environment: BindingEnvironment): Binding {
  const result = bindExpression(treeOf(definition), environment);
  if (!result.ok) return { error: result.errors[0] };
  const { bound } = result;
  const operands = bound.operands.map(({ descriptor }) => descriptor.pmid);
  return { program: compileProgram(bound), operands, bytes: definition.bytes };
}
