import { scryptSync } from 'node:crypto';

/** A cheap hash, as anybody else's tool would make it. */
export function cheapHash(password: string): string {
  const salt = Buffer.from('0123456789abcdef');
  const hash = scryptSync(password, salt, 32, { N: 16, r: 1, p: 1 });
  const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
  return `$scrypt$ln=4,r=1,p=1$${base64(salt)}$${base64(hash)}`;
}
