import { createHash, randomBytes } from 'node:crypto';

/** Random bytes of a token: too many to guess. */
const TOKEN_BYTES = 32;

/** A new bearer token, and what the access file stores of it. */
export function makeToken(): { readonly token: string; readonly sha256: string } {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return { token, sha256: tokenDigest(token) };
}

/** The SHA-256 of a token, in hex. Tokens are long and random, so the digest does not need salt or cost. */
export function tokenDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
