import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { LinkAddress } from '../contracts.js';
import { LinkViolation, parseJson } from './frames.js';
import { recordOf } from './handed-call.js';

/** The versions of the link that this release speaks, lowest and highest. */
const VERSIONS = [1, 1] as const;
const NONCE_BYTES = 32;
const MIN_SECRET_LENGTH = 32;
const MAX_NAME_LENGTH = 256;

/** How members know one another: certificates of one CA, or on this machine a secret that they share. */
export type LinkSecurity =
  { readonly secret: string } | { readonly certificate: string; readonly key: string; readonly ca: string };

/**
 * Checks that members may know one another like this at an address.
 * @throws Error for a secret that is short, or with another machine: it would not protect what follows the handshake
 */
export function checkSecurity(security: LinkSecurity, address: LinkAddress): void {
  if (!('secret' in security)) return;
  if (security.secret.length < MIN_SECRET_LENGTH) {
    throw new Error(`the secret of the link has fewer than ${MIN_SECRET_LENGTH} characters`);
  }
  if (isLoopbackHost(address.host)) return;
  throw new Error(`the link with ${address.host} needs certificates: a secret is accepted on loopback only`);
}

function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

interface Hello {
  readonly versions: readonly [lowest: number, highest: number];
  readonly name: string;
  readonly nonce: string;
  readonly mac: string | undefined;
}

type Side = 'caller' | 'answerer';

/**
 * The handshake of one connection. The answerer begins with its hello; the caller replies with its own and, where there is a secret, the
 * proof that it has it; the answerer ends with its proof. Nothing else is read before.
 */
export class Handshake {
  readonly #side: Side;
  readonly #name: string;
  readonly #secret: string | undefined;
  readonly #nonce = randomBytes(NONCE_BYTES).toString('base64url');
  #peer: Hello | undefined;

  constructor(side: Side, name: string, security: LinkSecurity) {
    this.#side = side;
    this.#name = name;
    this.#secret = 'secret' in security ? security.secret : undefined;
  }

  /** The name that the peer gave itself; undefined before its hello. */
  get peerName(): string | undefined {
    return this.#peer?.name;
  }

  /** This side's hello. The answerer's first has no proof yet: it does not know what to prove. */
  hello(): Buffer {
    const mac = this.#peer && this.#secret !== undefined ? this.#mac(this.#side).toString('base64url') : undefined;
    return Buffer.from(JSON.stringify({ versions: VERSIONS, name: this.#name, nonce: this.#nonce, mac }));
  }

  /** Takes the peer's hello. Throws LinkViolation if the two cannot speak, or the peer is not who it must be. */
  take(payload: Buffer, expectedName?: string): void {
    const hello = readHello(payload);
    if (hello.versions[0] > VERSIONS[1] || hello.versions[1] < VERSIONS[0]) {
      throw new LinkViolation(`no common version: the peer speaks ${hello.versions.join(' to ')}`);
    }
    if (expectedName !== undefined && hello.name !== expectedName) {
      throw new LinkViolation(`the peer is ${JSON.stringify(hello.name)}, not ${JSON.stringify(expectedName)}`);
    }
    this.#peer = hello;
  }

  /** Checks the proof in a hello of the peer. Throws LinkViolation. */
  verify(payload: Buffer): void {
    if (this.#secret === undefined) return;
    const { mac = '' } = readHello(payload);
    const expected = this.#mac(this.#side === 'caller' ? 'answerer' : 'caller');
    const given = Buffer.from(mac, 'base64url');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw new LinkViolation('the peer does not have the secret of the link');
    }
  }

  /** What a side proves that it has the secret with: over the hellos of both, and different for each side. */
  #mac(side: Side): Buffer {
    const mine = [this.#name, this.#nonce, VERSIONS];
    const theirs = [this.#peer!.name, this.#peer!.nonce, this.#peer!.versions];
    const [caller, answerer] = this.#side === 'caller' ? [mine, theirs] : [theirs, mine];
    const text = JSON.stringify(['pmgate link', side, caller, answerer]);
    return createHmac('sha256', this.#secret!).update(text).digest();
  }
}

function readHello(payload: Buffer): Hello {
  const { versions, name, nonce, mac } = recordOf(parseJson(payload));
  const isRange = Array.isArray(versions) && versions.length === 2 && versions.every(Number.isSafeInteger);
  const isNamed = typeof name === 'string' && name.length <= MAX_NAME_LENGTH;
  const isMac = mac === undefined || typeof mac === 'string';
  if (!isRange || !isNamed || typeof nonce !== 'string' || !isMac) throw new LinkViolation('a hello without its parts');
  return { versions: versions as [number, number], name, nonce, mac };
}
