import { createHash } from 'node:crypto';
import type { StreamedAnswer } from '../contracts.js';
import type { Coding } from './content-coding.js';

const kept = new WeakMap<Uint8Array, string>();

/** The hash of a body's bytes. Hashes of binary bodies, which do not change, are cached. */
export function contentHash(body: string | Uint8Array): string {
  if (typeof body === 'string') return hash(body);
  let known = kept.get(body);
  if (known === undefined) {
    known = hash(body);
    kept.set(body, known);
  }
  return known;
}

function hash(body: string | Uint8Array): string {
  return createHash('sha1').update(body).digest('base64url');
}

/** What must be known of a body in pieces before it is sent. */
export interface Digest {
  /** As {@link contentHash} of the whole. */
  readonly hash: string;
  readonly sizeBytes: number;
}

/** Goes through a body in pieces; undefined if the client leaves meanwhile. */
export async function digestOf(
  pieces: StreamedAnswer['pieces'],
  isUnwanted: () => boolean,
): Promise<Digest | undefined> {
  const sha = createHash('sha1');
  let sizeBytes = 0;
  for await (const piece of pieces) {
    if (isUnwanted()) return undefined;
    sha.update(piece);
    sizeBytes += Buffer.byteLength(piece);
  }
  return { hash: sha.digest('base64url'), sizeBytes };
}

/** A strong entity tag: different bytes, even by another coding, have different tags. @see RFC 9110, 8.8.3 */
export function entityTag(hash: string, coding: Coding | undefined): string {
  return coding === undefined ? `"${hash}"` : `"${hash}-${coding}"`;
}

/**
 * The tag in an `If-None-Match` header for a body with this hash, in any coding; undefined without one. `*` matches any. @see RFC
 * 9110, 13.1.2
 */
export function matchingTag(ifNoneMatch: string, hash: string): string | undefined {
  if (ifNoneMatch.trim() === '*') return entityTag(hash, undefined);
  for (const [, tag] of ifNoneMatch.matchAll(/(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g)) {
    if (tag === `"${hash}"` || tag === `"${hash}-gzip"` || tag === `"${hash}-br"`) return tag;
  }
  return undefined;
}
