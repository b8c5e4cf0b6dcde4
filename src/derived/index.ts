/**
 * Derived metrics: the language, its meaning, its values, and who has defined what. No I/O: metrics are asked for through a
 * BindingEnvironment, values come in and go out as value sets.
 */
export { parseExpression } from './language/parse.js';
export type { ParseResult } from './language/parse.js';
export type { SyntaxFault } from './language/syntax-diagnostics.js';
export { compilePattern as compilePosixPattern, PATTERN_SIZE_BYTES } from './language/posix-pattern.js';
export { printExpression } from './language/print.js';
export type { AnyExpression, Expression } from './language/ast.js';
export { EXPRESSION_LIMITS } from './language/limits.js';
export { formatFileProblem, parseDefinitionFile } from './language/definition-file.js';
export type { FileItem, FileProblem } from './language/definition-file.js';

export { bindExpression, operandNames } from './semantics/bind.js';
export type { BindOptions, BindResult, OperandNames } from './semantics/bind.js';
export type { BindingEnvironment, OperandLookup } from './semantics/binding-environment.js';
export type * from './semantics/bound-expression.js';
export { FUNCTIONS } from './semantics/functions.js';
export type { FunctionSignature } from './semantics/functions.js';
export { formatSemanticError } from './semantics/semantic-error.js';
export type { SemanticError, SemanticErrorCode } from './semantics/semantic-error.js';

export * from './evaluation/index.js';

export { checkExpression } from './dry-run/check.js';
export type {
  CheckOptions,
  CheckOutcome,
  CheckProblem,
  CheckReport,
  CheckedMetadata,
  CheckedNode,
  CheckedOperand,
} from './dry-run/check.js';
export type { Repair } from './dry-run/repairs.js';

export { parseDefinition, treeOf } from './definition.js';
export type { DerivedDefinition, ParsedDefinition } from './definition.js';
export { MemoryQuota } from './memory-quota.js';
export { DefinitionStore } from './definition-store.js';
export type {
  DefinitionOrigin,
  GlobalDefinition,
  LoadReport,
  StoreLoadOptions,
  StoreOptions,
  StoreSnapshot,
  StoreState,
  StoredDefinition,
  WithheldDefinition,
} from './definition-store.js';
export { ShownDefinitions } from './shown-definitions.js';
export type { GlobalDefinitions } from './shown-definitions.js';
export { DerivedScope } from './derived-scope.js';
export type { ContextDefinition, ParsedDefinitions, ScopeOptions } from './derived-scope.js';
export type { DerivedControls, HelpTexts } from './load-definitions.js';
export { contextPmids, globalPmids, isContextDerivedPmid } from './pmid-allocator.js';
export type { PmidAllocator } from './pmid-allocator.js';
export { semanticError } from './registration-error.js';
export { rateUnits } from './semantics/result-units.js';
export type { DefinitionScope } from './registration-error.js';
