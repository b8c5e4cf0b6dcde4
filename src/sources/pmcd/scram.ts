import { createHash, createHmac, pbkdf2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { PM_ERR, PmError } from '../../pmapi/index.js';

const deriveKey = promisify(pbkdf2);
const HASH = 'sha256';
const KEY_BYTES = 32;
const MAX_ITERATIONS = 1_000_000;

/** The client's side of SCRAM-SHA-256 without channel binding. @see RFC 5802, RFC 7677 */
export class ScramClient {
  readonly #password: string;
  readonly #firstBare: string;
  readonly #nonce: string;
  #serverSignature: Buffer | undefined;

  /** @param nonce printable ASCII without commas, new for every exchange */
  constructor(username: string, password: string, nonce: string) {
    this.#password = password;
    this.#nonce = nonce;
    this.#firstBare = `n=${username.replaceAll('=', '=3D').replaceAll(',', '=2C')},r=${nonce}`;
  }

  /** The message that begins the exchange. */
  first(): string {
    return `n,,${this.#firstBare}`;
  }

  /** The answer to the server's first message, with the proof of knowing the password. */
  async final(serverFirst: string): Promise<string> {
    const fields = parseFields(serverFirst);
    const nonce = fields.get('r') ?? '';
    const salt = Buffer.from(fields.get('s') ?? '', 'base64');
    const iterations = Number(fields.get('i'));
    if (!nonce.startsWith(this.#nonce) || nonce.length === this.#nonce.length) fail('its nonce does not extend ours');
    if (salt.length === 0) fail('it has no salt');
    if (!Number.isInteger(iterations) || iterations < 1 || iterations > MAX_ITERATIONS) fail('its iteration count');
    const salted = await deriveKey(this.#password.normalize('NFKC'), salt, iterations, KEY_BYTES, HASH);
    const clientKey = hmac(salted, 'Client Key');
    const withoutProof = `c=biws,r=${nonce}`;
    const signed = `${this.#firstBare},${serverFirst},${withoutProof}`;
    const signature = hmac(createHash(HASH).update(clientKey).digest(), signed);
    const proof = Buffer.from(clientKey.map((byte, i) => byte ^ signature[i]!));
    this.#serverSignature = hmac(hmac(salted, 'Server Key'), signed);
    return `${withoutProof},p=${proof.toString('base64')}`;
  }

  /** Check the server's last message: it proves that the server knows the password too. */
  verify(serverFinal: string): void {
    const signature = Buffer.from(parseFields(serverFinal).get('v') ?? '', 'base64');
    const expected = this.#serverSignature;
    if (!expected || signature.length !== expected.length || !timingSafeEqual(signature, expected)) {
      fail('its signature is wrong');
    }
  }
}

function fail(reason: string): never {
  throw new PmError(PM_ERR.PERMISSION, `invalid SCRAM message of the server: ${reason}`);
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac(HASH, key).update(text).digest();
}

function parseFields(message: string): Map<string, string> {
  return new Map(message.split(',').map((field) => [field.slice(0, 1), field.slice(2)]));
}
