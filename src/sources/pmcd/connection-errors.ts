import { formatPmErr, GatewayError, PM_ERR, PmError, type ErrorCode, type ErrorDetails } from '../../pmapi/index.js';

/** An error message about a host; `reason` is the part that clients may see. */
type Wording = (target: string, reason: string) => string;

/** Seconds until a retry makes sense, for temporary problems: the next request reconnects. */
const RETRY_SEC = 1;

/** Names the host's address, for the log; clients get {@link named}, with their own name of the host. */
export class HostError extends GatewayError {
  readonly #wording: Wording;

  constructor(code: ErrorCode, target: string, wording: Wording, details: ErrorDetails, cause?: Error) {
    super(code, wording(target, cause?.message ?? ''), details, { cause });
    this.#wording = wording;
  }

  named(name: string): GatewayError {
    const { cause } = this;
    const told = cause instanceof Error ? tellable(cause) : '';
    return new GatewayError(this.code, this.#wording(name, told), this.details, { cause: this });
  }
}

/** An error with the client's name of the host; errors that name no host are unchanged. */
export function namedError(error: unknown, name: string): unknown {
  return error instanceof HostError ? error.named(name) : error;
}

/** The connection broke during a request. The next one may succeed, so a retry makes sense. */
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

/** Connecting failed: refused, unknown host, or closed during the handshake. */
export function unreachable(target: string, cause: Error): HostError {
  return new HostError(
    'SOURCE_UNREACHABLE',
    target,
    (host, reason) => `pmcd at ${host} cannot be reached: ${reason}`,
    { pmErr: errnoOf(cause) ?? PM_ERR.NOTCONN },
    cause,
  );
}

/** A timeout; `waiting` names what timed out ("to connect", "for a reply"). */
export function timedOut(target: string, waiting: string, limitMs: number): HostError {
  const wording = (host: string): string => `pmcd at ${host} did not respond: waited ${limitMs} ms ${waiting}`;
  return new HostError('SOURCE_TIMEOUT', target, wording, { pmErr: PM_ERR.TIMEOUT });
}

/** The peer does not follow pmcd's protocol. */
export function protocolBroken(target: string, cause: Error): HostError {
  return new HostError(
    'SOURCE_FAILED',
    target,
    (host, reason) => `${host} does not speak pmcd's protocol: ${reason}`,
    { pmErr: PM_ERR.IPC },
    cause,
  );
}

/** pmcd rejected the connection: missing or wrong credentials, or no certificate. */
export function notAuthenticated(target: string, pmErr: number): HostError {
  return new HostError(
    'AUTHENTICATION_REQUIRED',
    target,
    (host, reason) => `pmcd at ${host} rejected the credentials: ${reason}`,
    { pmErr },
    new PmError(pmErr),
  );
}

/** Too many requests are waiting, so no more are accepted. */
export function tooBusy(target: string, pending: number): HostError {
  const wording = (host: string): string => `pmcd at ${host} has ${pending} pending requests`;
  return new HostError('UNAVAILABLE', target, wording, { retryAfterSec: RETRY_SEC });
}

/** The connections are being closed with the gateway. */
export function closing(target: string): HostError {
  return new HostError('UNAVAILABLE', target, (host) => `the connections to ${host} are closed`, {});
}

/** The reason, without the addresses and certificates in Node's messages. */
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
