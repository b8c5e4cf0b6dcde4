import { formatPmErr, GatewayError, PM_ERR, PmError } from '../../pmapi/index.js';
import type { ErrorCode, ErrorDetails } from '../../pmapi/index.js';

/** What an error says of a host; `reason` is why, as far as it may be told. */
type Wording = (target: string, reason: string) => string;

/** After how many seconds asking again makes sense, where what is wrong passes: the next request connects again. */
const RETRY_SEC = 1;

/**
 * An error that names a host. It is made where only the address is known, for the log; clients are told {@link named}, in which
 * stands what they call the host, and no address.
 */
export class HostError extends GatewayError {
  readonly #wording: Wording;

  constructor(code: ErrorCode, target: string, wording: Wording, details: ErrorDetails, cause?: Error) {
    super(code, wording(target, cause?.message ?? ''), details, { cause });
    this.#wording = wording;
  }

  /** The same for who calls the host so. */
  named(name: string): GatewayError {
    const { cause } = this;
    const told = cause instanceof Error ? tellable(cause) : '';
    return new GatewayError(this.code, this.#wording(name, told), this.details, { cause: this });
  }
}

/** An error for who calls the host so: errors that name no host are what they were. */
export function namedError(error: unknown, name: string): unknown {
  return error instanceof HostError ? error.named(name) : error;
}

/**
 * The connection broke while something was asked over it, and nothing says that the next one will: asking again is sane.
 */
export class ConnectionLostError extends HostError {
  constructor(target: string, cause?: Error) {
    super(
      'SOURCE_UNREACHABLE',
      target,
      (host, reason) => `the connection to pmcd at ${host} was lost${reason === '' ? '' : `: ${reason}`}`,
      { pmErr: errnoOf(cause) ?? PM_ERR.EOF, retryAfterSec: RETRY_SEC },
      cause,
    );
  }
}

/** Connecting failed: refused, no such host, closed in the middle of the handshake. */
export function unreachable(target: string, cause: Error): HostError {
  return new HostError(
    'SOURCE_UNREACHABLE',
    target,
    (host, reason) => `pmcd at ${host} cannot be reached: ${reason}`,
    { pmErr: errnoOf(cause) ?? PM_ERR.NOTCONN },
    cause,
  );
}

/** Something took longer than it may; `waiting` names it ("to connect", "for a reply"). */
export function timedOut(target: string, waiting: string, limitMs: number): HostError {
  const wording = (host: string): string => `pmcd at ${host} did not respond: waited ${limitMs} ms ${waiting}`;
  return new HostError('SOURCE_TIMEOUT', target, wording, { pmErr: PM_ERR.TIMEOUT });
}

/** The peer said something that pmcd does not say. */
export function protocolBroken(target: string, cause: Error): HostError {
  return new HostError(
    'SOURCE_FAILED',
    target,
    (host, reason) => `${host} does not speak pmcd's protocol: ${reason}`,
    { pmErr: PM_ERR.IPC },
    cause,
  );
}

/** pmcd does not let us in: no or wrong credentials, or no certificate. */
export function notAuthenticated(target: string, pmErr: number): HostError {
  return new HostError(
    'AUTHENTICATION_REQUIRED',
    target,
    (host, reason) => `pmcd at ${host} rejected the credentials: ${reason}`,
    { pmErr },
    new PmError(pmErr),
  );
}

/** So many requests are waiting for their answers that no more are taken. */
export function tooBusy(target: string, pending: number): HostError {
  const wording = (host: string): string => `pmcd at ${host} has ${pending} pending requests`;
  return new HostError('UNAVAILABLE', target, wording, { retryAfterSec: RETRY_SEC });
}

/** The connections are being closed with the gateway. */
export function closing(target: string): HostError {
  return new HostError('UNAVAILABLE', target, (host) => `the connections to ${host} are closed`, {});
}

/** Why, without what Node.js says of addresses and certificates. */
function tellable(cause: Error): string {
  if (cause instanceof PmError) return cause.message;
  const { syscall, code } = cause as NodeJS.ErrnoException;
  if (syscall === 'getaddrinfo') return `its name cannot be resolved (${code})`;
  const errno = errnoOf(cause);
  return errno === undefined ? formatPmErr(PM_ERR.NOTCONN) : formatPmErr(errno);
}

/** The PM_ERR code behind an error: its own, or the negated errno of a system call. */
function errnoOf(error: Error | undefined): number | undefined {
  if (error instanceof PmError) return error.pmErr;
  const errno = (error as NodeJS.ErrnoException | undefined)?.errno;
  return typeof errno === 'number' && errno < 0 && errno > -1000 ? errno : undefined;
}
