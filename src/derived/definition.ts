import { isMetricName } from '../pmapi/index.js';
import type { Expression } from './language/ast.js';
import { parseExpression } from './language/parse.js';
import { printExpression } from './language/print.js';
import { badName, syntaxError } from './registration-error.js';
import type { DefinitionScope } from './registration-error.js';

/** A name and the expression that it stands for, parsed. Immutable. */
export interface DerivedDefinition {
  readonly name: string;
  /** As it was given. */
  readonly expression: string;
  /** The same in canonical form. */
  readonly canonical: string;
  readonly ast: Expression;
  readonly pmid: number;
  readonly scope: DefinitionScope;
  /** Help texts, where a file gave some. */
  readonly oneline?: string;
  readonly helptext?: string;
}

/** A definition before it has a PMID. */
export type ParsedDefinition = Pick<DerivedDefinition, 'name' | 'expression' | 'canonical' | 'ast'>;

/**
 * Parse one definition.
 * @throws GatewayError BAD_PARAMETER for a name that is none
 * @throws SourceTextError SYNTAX_ERROR with the manual's text
 */
export function parseDefinition(scope: DefinitionScope, name: string, expression: string): ParsedDefinition {
  if (!isMetricName(name)) throw badName(name);
  const parsed = parseExpression(expression);
  if (!parsed.ok) throw syntaxError(scope, name, expression, parsed.fault);
  return { name, expression, canonical: printExpression(parsed.expression), ast: parsed.expression };
}
