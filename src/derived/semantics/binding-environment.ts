import type { MetricDescriptor } from '../../pmapi/index.js';

/** A metric of the context, or the PM_ERR code of its look-up. */
export type OperandLookup =
  { readonly descriptor: MetricDescriptor } | { readonly descriptor?: never; readonly error: number };

/** What binding needs to know about a context. It is synchronous: the caller looks the names up first (see `operandNames`), then binds. */
export interface BindingEnvironment {
  /** The metric of a name: PM_ERR_NAME or PM_ERR_NONLEAF if there is none, another code if it has no descriptor. */
  operand(name: string): OperandLookup;
  /** Whether the name is that of a derived metric here: registered, and not masked by a metric of the source. */
  isDerived(name: string): boolean;
  /**
   * OPTION_NOVALUE: bind an unknown metric as novalue() instead of failing.
   * @see pmSetDerivedControl(3)
   */
  readonly unknownIsNovalue?: boolean;
}
