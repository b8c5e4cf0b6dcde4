import { ERROR_CATALOGUE } from '../../pmapi/index.js';
import type { AnyAnswer, Call } from '../contracts.js';
import { isStreamed, isSubscribed } from '../response/answer.js';
import { viewError } from '../response/error-response.js';
import type { AuditRecord } from '../options.js';

const SHOWN_LENGTH = 200;

export type AuditOutcome = { readonly answer: AnyAnswer } | { readonly error: unknown };

/** The audit record of a call that changes something, written after its response. */
export function auditRecord(call: Call, operation: string, outcome: AuditOutcome): AuditRecord {
  const { method, remoteAddress, requestId, request } = call;
  const parameters: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...request?.path, ...request?.query })) {
    // Attributes of a hostspec may contain a password.
    const text = /^host(?:spec|name)$/.test(name) ? String(value).replace(/[?&].*$/s, '') : String(value);
    parameters[name] = text.slice(0, SHOWN_LENGTH);
  }
  return {
    operation,
    method,
    who: call.principal?.name ?? 'anonymous',
    remoteAddress,
    requestId,
    parameters,
    ...resultOf(outcome),
  };
}

function resultOf(outcome: AuditOutcome): Pick<AuditRecord, 'status' | 'code'> {
  if ('answer' in outcome) {
    const { answer } = outcome;
    return { status: isStreamed(answer) || isSubscribed(answer) ? 200 : (answer.status ?? 200) };
  }
  const { code } = viewError(outcome.error);
  return { status: ERROR_CATALOGUE[code].status, code };
}
