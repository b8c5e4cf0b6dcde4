import { createHash, randomBytes } from 'node:crypto';

/** Random bytes of a token: more than anybody can guess. */
const TOKEN_BYTES = 32;

/** A fresh bearer token, and what the access file keeps of it. */
export function makeToken(): { readonly token: string; readonly sha256: string } {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return { token, sha256: tokenDigest(token) };
}

/** The SHA-256 of a token, in hex. Tokens are random and long: nobody gets one back out of it by trying. */
export function tokenDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
