import { GatewayError, PM_ERR, SourceTextError } from '../pmapi/index.js';
import type { SyntaxFault } from './language/syntax-diagnostics.js';
import type { SemanticError } from './semantics/semantic-error.js';

/** The scope of a definition: all contexts (pmRegisterDerived) or one (pmAddDerived). */
export type DefinitionScope = 'global' | 'context';

const ROUTINE: Readonly<Record<DefinitionScope, string>> = {
  global: 'pmRegisterDerivedMetric',
  context: 'pmAddDerivedMetric',
};

/** The manual page's message for a rejected definition: heading, expression, caret below the error, and a reason if there is one. */
function formatRegistrationError(
  heading: string,
  expression: string,
  offset: number,
  reason: string | undefined,
): string {
  const caret = `${' '.repeat(Math.abs(offset))}^`;
  return [heading, expression, caret, ...(reason === undefined ? [] : [reason]), ''].join('\n');
}

/** A definition that does not parse; for a context in the wording of pmproxy, which its clients look for. */
export function syntaxError(
  scope: DefinitionScope,
  name: string,
  expression: string,
  fault: SyntaxFault,
): SourceTextError {
  const routine = `${ROUTINE[scope]}("${name}", ...)`;
  const heading = scope === 'global' ? `Error: ${routine} syntax error` : `Syntax Error: ${routine}`;
  const text = formatRegistrationError(heading, expression, fault.offset, fault.reason);
  return new SourceTextError('SYNTAX_ERROR', text.trimEnd(), {
    source: expression,
    offset: fault.offset,
    end: Math.max(fault.range.end, fault.offset),
    pmErr: PM_ERR.BADDERIVE,
    ...(fault.expected.length > 0 && { expected: fault.expected.join(' or ') }),
  });
}

/** A definition that parses but does not bind. The caret stands below the construct at fault; PCP's stands in column 0. */
export function semanticError(
  scope: DefinitionScope,
  name: string,
  expression: string,
  error: SemanticError,
): SourceTextError {
  const heading = `Semantic Error: ${ROUTINE[scope]}("${name}", ...)`;
  const text = formatRegistrationError(heading, expression, error.range.start, error.reason);
  return new SourceTextError('SEMANTIC_ERROR', text.trimEnd(), {
    source: expression,
    offset: error.range.start,
    end: error.range.end,
    pmErr: PM_ERR.BADDERIVE,
    expected: error.explanation,
  });
}

export function fullReason(scope: DefinitionScope): string {
  return `Too many ${scope === 'global' ? 'global' : 'per-context'} derived metrics`;
}

export function duplicateReason(scope: DefinitionScope): string {
  return `Duplicate ${scope === 'global' ? 'global' : 'per-context'} derived metric name`;
}

/** A name that is taken in its scope: globally by another expression, in a context by any. */
export function duplicateName(scope: DefinitionScope, name: string, expression: string): GatewayError {
  const reason = duplicateReason(scope);
  const heading = `Error: ${ROUTINE[scope]}("${name}", ...)`;
  const text =
    scope === 'global'
      ? formatRegistrationError(heading, expression, 0, reason)
      : `${heading}: returns ${PM_ERR.BADDERIVE}\n${reason}`;
  const expected = `a name other than ${name}`;
  const message = text.trimEnd();
  return new GatewayError('DUPLICATE_NAME', message, { pmErr: PM_ERR.BADDERIVE, expected });
}

/** A name that violates the rule of the PMNS. Differs from PCP: the library accepts any text as a name. */
export function badName(name: string): GatewayError {
  const message = `invalid derived metric name "${name}"`;
  const expected = 'components joined by dots, each a letter followed by letters, digits and underscores';
  return new GatewayError('BAD_PARAMETER', message, { parameter: 'name', expected });
}

export function tooManyDefinitions(scope: DefinitionScope, limit: number): GatewayError {
  return new GatewayError('LIMIT_EXCEEDED', `${fullReason(scope)}: the limit is ${limit}`);
}
