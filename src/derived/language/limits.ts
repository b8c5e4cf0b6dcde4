/**
 * Limits of an expression. PCP has none; a gateway needs them: parsing takes memory in proportion to the tokens, and every walk
 * over the tree recurses as deep as the tree.
 */
export const EXPRESSION_LIMITS = {
  /** UTF-16 units of text. */
  length: 16_384,
  /** Tokens; a sum of 1,000 terms has 1,999. */
  tokens: 2_000,
  /** Parentheses, calls, prefix operators and ternaries open at the same time. */
  nesting: 100,
} as const;
