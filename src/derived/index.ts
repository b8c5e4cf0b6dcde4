/** Derived metrics: the language, its meaning, its values, its definitions. No I/O: metrics come through a BindingEnvironment. */
export { EXPRESSION_LIMITS, parseExpression, type ParseResult } from './language/parse.js';
export { compilePattern as compilePosixPattern, PATTERN_SIZE_BYTES } from './language/posix-pattern.js';
export { printExpression } from './language/print.js';
export { bindExpression, operandNames, type BindResult, type OperandNames } from './semantics/bind.js';
export type * from './semantics/bound-expression.js';
export { FUNCTIONS } from './semantics/functions.js';
export { formatSemanticError, type SemanticError, type SemanticErrorCode } from './semantics/semantic-error.js';

export * from './evaluation/index.js';

export { checkExpression, describeMetadata } from './dry-run/check.js';
export { compileParts, explainValues } from './dry-run/explain-values.js';
export type { EvaluableParts, ExplainedNode, InstanceNamer } from './dry-run/explain-values.js';
export type { BoundParts, CheckedNode, CheckProblem, CheckReport } from './dry-run/check.js';
export { helpOf, parseDefinition, treeOf, MemoryQuota, type DerivedDefinition, type HelpTexts } from './definition.js';
export { displayOf, type DisplayHints } from './load-definitions.js';
export { DefinitionStore } from './definition-store.js';
export type {
  DefinitionNotes,
  DefinitionOrigin,
  GlobalDefinition,
  StoredDefinition,
  StoreState,
  WithheldDefinition,
} from './definition-store.js';
export { ShownDefinitions, type GlobalDefinitions } from './derived-scope.js';
export { DerivedScope } from './derived-scope.js';
export type { ContextDefinition, KeptDefinition, ParsedDefinitions } from './derived-scope.js';
export { contextPmids, globalPmids } from './pmid-allocator.js';
