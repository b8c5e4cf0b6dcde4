import { randomBytes } from 'node:crypto';

/**
 * A fresh context identifier: 1..2^53-1, from the system's secure random source, so that nobody guesses another client's
 * context, and still exact as a JSON number. (pmproxy draws 31 bits from random(3).)
 */
export function newContextId(): number {
  const bytes = randomBytes(8);
  const id = (bytes.readUInt32BE(0) & 0x1fffff) * 0x1_0000_0000 + bytes.readUInt32BE(4);
  return id === 0 ? newContextId() : id;
}
