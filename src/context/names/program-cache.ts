import { createHash } from 'node:crypto';
import { bindExpression, compileProgram, treeOf } from '../../derived/index.js';
import type { BindingEnvironment, DerivedDefinition, Program, SemanticError } from '../../derived/index.js';
import type { MetricDescriptor } from '../../pmapi/index.js';
import { BudgetedMap } from '../memory-budget.js';
import type { MemoryBudget } from '../memory-budget.js';

/** A definition that binds: immutable, shared by every context with the same descriptions of its operands. */
export interface BoundProgram {
  readonly program: Program;
  /** PMIDs of its operands, by operand index. */
  readonly operands: readonly number[];
  /** Its approximate memory. */
  readonly bytes: number;
}

/** The result of binding: a program, or the first error. */
export type Binding = BoundProgram | { readonly program?: never; readonly error: SemanticError };

/**
 * The results of binding for all sources: they depend only on the expression and on the descriptions of its names. A thousand
 * hosts with the same metadata share their programs, and a program outlives the contexts that used it.
 */
export class ProgramCache {
  /** The budget of all programs, and of what sources cache of them. */
  readonly budget: MemoryBudget;
  readonly #bindings: BudgetedMap<string, Binding>;

  constructor(budget: MemoryBudget) {
    this.budget = budget;
    this.#bindings = new BudgetedMap(budget);
  }

  /** The result for a key of {@link keyOf}; undefined if it is not cached. */
  get(key: string): Binding | undefined {
    return this.#bindings.get(key);
  }

  /** Stores the result of binding a definition. */
  set(key: string, binding: Binding, { bytes }: Pick<DerivedDefinition, 'bytes'>): void {
    this.#bindings.set(key, binding, bytes);
  }
}

/** Equal for definitions that bind alike: a digest, because a definition may have a thousand operands. */
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

/** Binds a definition and compiles its program. */
export function bind(definition: DerivedDefinition, environment: BindingEnvironment): Binding {
  const result = bindExpression(treeOf(definition), environment);
  if (!result.ok) return { error: result.errors[0] };
  const { bound } = result;
  const operands = bound.operands.map(({ descriptor }) => descriptor.pmid);
  return { program: compileProgram(bound), operands, bytes: definition.bytes };
}
