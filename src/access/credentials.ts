import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** The cost of new hashes: N = 2^15, r = 8, p = 1, that is 32 MiB and about 50 ms. @see RFC 7914 */
const LOG_N = 15;
const R = 8;
const P = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Limits for hashes in a file: beyond them, one hash could take the machine's memory. */
const MAX_LOG_N = 20;
const MAX_MEMORY_BYTES = 2 ** 28;

const FORM = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{8,})\$([A-Za-z0-9+/]{22,})$/;

export interface PasswordHash {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** Read `$scrypt$ln=15,r=8,p=1$salt$hash` (both base64, without padding); undefined for anything else, and for costs out of bounds. */
export function parsePasswordHash(text: string): PasswordHash | undefined {
  const [, ln, r, p, salt, hash] = FORM.exec(text) ?? [];
  if (salt === undefined || hash === undefined) return undefined;
  const cost = { logN: Number(ln), r: Number(r), p: Number(p) };
  const memoryBytes = 128 * 2 ** cost.logN * cost.r;
  const isBounded =
    cost.logN >= 1 && cost.logN <= MAX_LOG_N && cost.r >= 1 && cost.p >= 1 && memoryBytes <= MAX_MEMORY_BYTES;
  return isBounded ? { ...cost, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') } : undefined;
}

/** Hash a password for the access file, with a fresh salt. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, { logN: LOG_N, r: R, p: P, salt, hash: Buffer.alloc(HASH_BYTES) });
  return `$scrypt$ln=${LOG_N},r=${R},p=${P}$${base64(salt)}$${base64(hash)}`;
}

/** Whether a password is the one that was hashed; compared in constant time. */
export async function isPassword(password: string, expected: PasswordHash): Promise<boolean> {
  return timingSafeEqual(await derive(password, expected), expected.hash);
}

function derive(password: string, { logN, r, p, salt, hash }: PasswordHash): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { N: 2 ** logN, r, p, maxmem: 2 * MAX_MEMORY_BYTES };
    scrypt(password.normalize('NFC'), salt, hash.length, options, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

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
