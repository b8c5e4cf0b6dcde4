import type { MetricDescriptor } from '../../pmapi/index.js';

/** A metric that the context knows, or the PM_ERR code that asking for it gave. */
export type OperandLookup =
  { readonly descriptor: MetricDescriptor } | { readonly descriptor?: never; readonly error: number };

/**
 * What binding needs to know of a context. It is synchronous: whoever binds looks the names up first (see
 * `operandNames`), then binds.
 */
export interface BindingEnvironment {
  /** The metric of a name: PM_ERR_NAME or PM_ERR_NONLEAF when there is none, another code when it has no descriptor. */
  operand(name: string): OperandLookup;
  /** Whether the name is that of a derived metric here: registered, and not masked by a metric of the source. */
  isDerived(name: string): boolean;
  /**
   * OPTION_NOVALUE: bind an unknown metric as novalue() instead of failing.
   * @see pmSetDerivedControl(3)
   */
  readonly unknownIsNovalue?: boolean;
}
