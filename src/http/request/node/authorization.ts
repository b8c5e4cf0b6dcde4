import { createHash, timingSafeEqual } from 'node:crypto';
import { GatewayError } from '../../../pmapi/index.js';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Compares secrets in constant time. */
export function isEqual(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/** Reads `Basic base64(user:password)`; ignores other schemes. @see RFC 7617 */
export function readAuthorization(header: string): Credentials | undefined {
  if (!/^basic(?:\s|$)/i.test(header)) return undefined;
  const encoded = /^basic\s+([A-Za-z0-9+/]+={0,2})\s*$/i.exec(header);
  const decoded = encoded ? Buffer.from(encoded[1]!, 'base64').toString('utf8') : '';
  const colon = decoded.indexOf(':');
  if (colon < 1) {
    const message = 'authentication required: the Authorization header is malformed';
    throw new GatewayError('AUTHENTICATION_REQUIRED', message, { expected: 'Basic and the base64 of user:password' });
  }
  return { username: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}
