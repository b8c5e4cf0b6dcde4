/**
 * How a metric's values relate over time: a counter only grows, an instantaneous value stands for a moment,
 * a discrete value stays until it is replaced.
 * @see pmLookupDesc(3)
 */
export const Semantics = { COUNTER: 1, INSTANT: 3, DISCRETE: 4 } as const;
export type Semantics = (typeof Semantics)[keyof typeof Semantics];

/** The printable name, `???` for an unknown number. @see pmSemStr(3) */
export function formatSemantics(semantics: number): string {
  switch (semantics) {
    case Semantics.COUNTER:
      return 'counter';
    case Semantics.INSTANT:
      return 'instant';
    case Semantics.DISCRETE:
      return 'discrete';
    default:
      return '???';
  }
}
