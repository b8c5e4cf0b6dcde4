import { formatPmErr, PM_ERR, PmError } from '../../pmapi/index.js';
import type { ErrorCode, GatewayError } from '../../pmapi/index.js';
import type { PlanMissing } from '../../context/index.js';
import { errorCodeOfPmErr } from './pm-error-code.js';

/** A part of a request that failed while the rest succeeded; `Warning` in openapi.yaml. */
export interface Warning {
  /** Which of several hosts it is about. */
  readonly hostspec?: string;
  readonly name?: string;
  readonly pmid?: string;
  readonly instance?: number;
  readonly message: string;
  readonly code: ErrorCode;
  readonly pmErr?: number;
}

/** The subject: a metric by name or PMID, or an instance by name or number. */
type Subject = Pick<Warning, 'name' | 'pmid' | 'instance'>;

/** A warning for a PM_ERR code of a part of the request. */
export function pmErrWarning(subject: Subject, pmErr: number, message = formatPmErr(pmErr)): Warning {
  return { ...subject, message, code: errorCodeOfPmErr(pmErr), pmErr };
}

/** The warning for an archive that is left out because it cannot be read. */
export function leftOutWarning(name: string, error: PmError | GatewayError): Warning {
  const message = `the archive ${name} is left out: ${error.message}`;
  return error instanceof PmError ? pmErrWarning({ name }, error.pmErr, message) : { name, message, code: error.code };
}

/** Warnings for the missing metrics of a plan; `by` says how the request named them. */
export function missingWarnings(missing: readonly PlanMissing[], by: 'name' | 'pmid'): Warning[] {
  return missing.map(({ requested, pmErr, message }) => pmErrWarning({ [by]: requested }, pmErr, message));
}

/** Warnings, with those for unknown instance names. */
export function withUnmatched(warnings: readonly Warning[], names: readonly string[]): readonly Warning[] {
  return names.length === 0 ? warnings : [...warnings, ...names.map((name) => pmErrWarning({ name }, PM_ERR.INST))];
}

/** Warnings, with the one for damage in the data that was read. */
export function withDamage(
  warnings: readonly Warning[],
  damage: { readonly pmErr: number; readonly message: string } | undefined,
): readonly Warning[] {
  return damage ? [...warnings, pmErrWarning({}, damage.pmErr, damage.message)] : warnings;
}

/** `,"warnings":[…]`, or '' without warnings. */
export function warningsMember(warnings: readonly Warning[]): string {
  return warnings.length === 0 ? '' : `,"warnings":${JSON.stringify(warnings)}`;
}

/** The header, or trailer, of {@link warningsHeader}. */
export const WARNINGS_HEADER = 'X-Pmgate-Warnings';

/** Clients limit the size of headers; node's own limit is 16 kbyte for all of them. */
const WARNINGS_HEADER_BYTES = 4096;

/** The header with the warnings of a response that is not JSON: compact JSON in ASCII, as many as there is room for. */
export function warningsHeader(warnings: readonly Warning[]): readonly string[] {
  const written: string[] = [];
  let size = 2;
  for (const warning of warnings) {
    const text = JSON.stringify(warning).replace(/[^\x20-\x7e]/g, escapeUnit);
    size += text.length + 1;
    if (size > WARNINGS_HEADER_BYTES) break;
    written.push(text);
  }
  return warnings.length === 0 ? [] : [WARNINGS_HEADER, `[${written.join(',')}]`];
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
