import { GatewayError, PM_ERR, PmError } from '../../pmapi/index.js';

/**
 * The connection broke while something was asked over it, and nothing says that the next one will: asking again is sane.
 */
export class ConnectionLostError extends GatewayError {
  constructor(target: string, cause?: Error) {
    super(
      'SOURCE_UNREACHABLE',
      `The connection to pmcd at ${target} was lost${cause ? `: ${cause.message}` : ''}`,
      { pmErr: errnoOf(cause) ?? PM_ERR.EOF },
      { cause },
    );
  }
}

/** Connecting failed: refused, no such host, closed in the middle of the handshake. */
export function unreachable(target: string, cause: Error): GatewayError {
  return new GatewayError(
    'SOURCE_UNREACHABLE',
    `pmcd at ${target} cannot be reached: ${cause.message}`,
    { pmErr: errnoOf(cause) ?? PM_ERR.NOTCONN },
    { cause },
  );
}

/** Something took longer than it may; `waiting` names it ("to connect", "for a reply"). */
export function timedOut(target: string, waiting: string, limitMs: number): GatewayError {
  return new GatewayError('SOURCE_TIMEOUT', `pmcd at ${target} did not answer: waited ${limitMs} ms ${waiting}`, {
    pmErr: PM_ERR.TIMEOUT,
  });
}

/** The peer said something that pmcd does not say. */
export function protocolBroken(target: string, cause: Error): GatewayError {
  return new GatewayError(
    'SOURCE_FAILED',
    `What ${target} sends is not pmcd's protocol: ${cause.message}`,
    { pmErr: PM_ERR.IPC },
    { cause },
  );
}

/** pmcd does not let us in: no or wrong credentials, or no certificate. */
export function notAuthenticated(target: string, pmErr: number): GatewayError {
  const reason = new PmError(pmErr);
  return new GatewayError(
    'AUTHENTICATION_REQUIRED',
    `pmcd at ${target} refuses the credentials: ${reason.message}`,
    { pmErr },
    { cause: reason },
  );
}

/** The PM_ERR code behind an error: its own, or the negated errno of a system call. */
function errnoOf(error: Error | undefined): number | undefined {
  if (error instanceof PmError) return error.pmErr;
  const errno = (error as NodeJS.ErrnoException | undefined)?.errno;
  return typeof errno === 'number' && errno < 0 && errno > -1000 ? errno : undefined;
}
