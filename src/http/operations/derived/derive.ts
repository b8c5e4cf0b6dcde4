import { GatewayError } from '../../../pmapi/index.js';
import type { Answer, OperationRequest, ParametersOf } from '../../contracts.js';
import { contextOf } from '../../request/request-context.js';
import { doneAnswer } from '../../response/answer.js';
import { untilGone } from '../../request/client-gone.js';

/** Defines derived metrics in one context: one metric, or the text of a definition file. @see pmAddDerived(3) */
export async function runDerive(request: OperationRequest<ParametersOf<'DeriveParameters'>>): Promise<Answer> {
  const definition = requireDefinition(request.query, 'invalid derive parameters');
  const context = await contextOf(request, 'own');
  request.principal?.requireOn('derive', context.spec);
  if (definition.name === undefined) await context.addDerivedFile(definition.text, untilGone(request));
  else await context.addDerived(definition.name, definition.text);
  return doneAnswer(context.id, request.query.client);
}

/** What a request defines: one metric, or without a name the lines of `text`. */
export interface RequestedDefinition {
  readonly name?: string;
  readonly text: string;
}

/** Parses `name` and `expr`, or a text of definitions in `expr` alone. Throws BAD_PARAMETER with pmproxy's wording in `lead`. */
export function requireDefinition(
  { name, expr }: { readonly name?: string; readonly expr?: string },
  lead: string,
): RequestedDefinition {
  if (expr === undefined) {
    throw new GatewayError('BAD_PARAMETER', `${lead}: 'expr' is missing`, {
      parameter: 'expr',
      expected: 'an expression and its name in name, or lines of name = expression',
    });
  }
  if (name !== undefined) return { name, text: expr };
  if (isDefinitions(expr)) return { text: expr };
  throw new GatewayError('BAD_PARAMETER', `${lead}: 'name' is missing, and 'expr' has no lines of name = expression`, {
    parameter: 'name',
    expected: 'the name of the derived metric, or lines of name = expression in expr',
  });
}

/** Whether a text can be a definition file: it has a `=` that is not part of a comparison, or only comments. */
function isDefinitions(text: string): boolean {
  if (/(?:^|[^=!<>])=(?!=)/.test(text)) return true;
  return text.includes('#') && text.split('\n').every((line) => /^\s*(?:#|$)/.test(line));
}
