import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { promisify } from 'node:util';
import { PM_ERR, PmError } from '../../pmapi/index.js';
import type { Hostspec } from './hostspec.js';
import type { PduStream } from './pdu-stream.js';
import { Attribute, Feature, PduType } from './pdu-types.js';
import { decodeAttribute, decodeError, decodeNames, pduTypeOf } from './replies.js';
import { encodeAttribute, encodeChildrenRequest, encodeCreds } from './requests.js';

/** The identity of the client: sent to pmcd by SASL. */
export interface Identity {
  readonly username: string;
  readonly password: string;
}

interface HandshakeOptions {
  /** By default those in the hostspec. */
  readonly identity?: Identity | undefined;
  /** The name that the peer's certificate must have. */
  readonly serverName: string;
  readonly tls?: ConnectionOptions | undefined;
  /** New printable text for each call; tests use a fixed one. */
  readonly makeNonce?: (() => string) | undefined;
}

const EOPNOTSUPP = -95;
const OLD_CODES_FROM = -1000;
const OLD_CODES_TO = -2000;
const OLD_CODES_OFFSET = 11345;
const PROTOCOL_VERSION = 2;

/**
 * The start of a connection: pmcd's challenge, our CREDS, then TLS, SASL and the container's name as far as the hostspec and the
 * identity require them. Returns the features that pmcd announced. Rejects with a PmError: PM_ERR_PERMISSION for missing or wrong
 * credentials, PM_ERR_CONNLIMIT, EOPNOTSUPP for what pmcd does not offer, PM_ERR_IPC for a peer that is not a pmcd.
 */
export async function shakeHands(stream: PduStream, spec: Hostspec, options: HandshakeOptions): Promise<number> {
  const features = readChallenge(await stream.read());
  const identity = options.identity ?? identityOf(spec);
  let wanted = 0;
  if (spec.security === 'enforce' && (features & Feature.SECURE) === 0) {
    throw new PmError(EOPNOTSUPP, 'pmcd does not offer TLS');
  }
  const secure = spec.security !== 'none' && (features & Feature.SECURE) !== 0;
  if (secure) wanted |= Feature.SECURE | (features & Feature.SECURE_ACK);
  if (identity) {
    if ((features & Feature.AUTH) === 0) throw new PmError(EOPNOTSUPP, 'pmcd does not offer authentication');
    wanted |= Feature.AUTH;
  } else if ((features & Feature.CREDS_REQD) !== 0) {
    throw new PmError(PM_ERR.PERMISSION, 'pmcd requires credentials');
  }
  if ((features & Feature.CERT_REQD) !== 0 && !secure) throw new PmError(PM_ERR.NEEDCLIENTCERT);
  if (spec.container !== undefined) {
    if ((features & Feature.CONTAINER) === 0) throw new PmError(EOPNOTSUPP, 'pmcd does not offer containers');
    wanted |= Feature.CONTAINER;
  }
  stream.write(encodeCreds(wanted));
  if (secure) {
    if ((features & Feature.SECURE_ACK) !== 0) requireSuccess(await stream.read());
    await stream.replaceSocket((socket) => startTls(socket, spec, options));
  }
  if (identity) await authenticate(stream, identity, spec.method, options.makeNonce ?? makeNonce);
  if (spec.container !== undefined) {
    stream.write(encodeAttribute(Attribute.CONTAINER, Buffer.from(spec.container, 'utf8')));
  }
  return features;
}

function readChallenge(frame: Buffer): number {
  const { code, capabilities } = decodeError(frame);
  if (code < 0) {
    const old = code <= OLD_CODES_FROM && code >= OLD_CODES_TO;
    throw new PmError(old ? code - OLD_CODES_OFFSET : code, 'pmcd refused the connection');
  }
  if (capabilities === undefined) throw new PmError(PM_ERR.IPC, 'the first PDU has no capabilities');
  const version = (capabilities >>> 24) & 0x7f;
  if (version !== PROTOCOL_VERSION) throw new PmError(PM_ERR.IPC, `pmcd speaks version ${version}, expected 2`);
  return capabilities & 0xffff;
}

function identityOf(spec: Hostspec): Identity | undefined {
  if (spec.username === undefined) return undefined;
  return { username: spec.username, password: spec.password ?? '' };
}

function requireSuccess(frame: Buffer): void {
  const { code } = decodeError(frame);
  if (code < 0) throw new PmError(code);
}

function startTls(socket: Duplex, spec: Hostspec, options: HandshakeOptions): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const secured = connectTls({
      ...options.tls,
      socket,
      host: options.serverName,
      rejectUnauthorized: spec.security === 'enforce',
    });
    const failed = (error: Error): void => reject(new PmError(PM_ERR.TLS, error.message, { cause: error }));
    const closed = (): void => failed(new Error('the connection was closed'));
    secured.once('error', failed).once('close', closed);
    secured.once('secureConnect', () => {
      secured.off('error', failed).off('close', closed);
      resolve(secured);
    });
  });
}

function makeNonce(): string {
  return randomBytes(18).toString('base64');
}

/** SASL: pmcd lists its mechanisms, and we choose the best one that both support. */
async function authenticate(
  stream: PduStream,
  identity: Identity,
  method: string | undefined,
  nonce: () => string,
): Promise<void> {
  const offered = (await readStep(stream)).split(/[\s,]+/);
  if (chooseMechanism(offered, method) === 'PLAIN') {
    send(stream, `PLAIN\0\0${identity.username}\0${identity.password}`);
  } else {
    const scram = new ScramClient(identity.username, identity.password, nonce());
    send(stream, `SCRAM-SHA-256\0${scram.first()}`);
    send(stream, await scram.final(await readStep(stream)));
    scram.verify(await readStep(stream));
    send(stream, '');
  }
  await confirm(stream);
}

/** pmcd sends nothing when it accepts (6.0.3): so we send a request that it always answers with another PDU than ERROR. */
async function confirm(stream: PduStream): Promise<void> {
  stream.write(encodeChildrenRequest(''));
  for (;;) {
    const reply = await stream.read();
    if (pduTypeOf(reply) !== PduType.ERROR) {
      // Its beginning identifies it.
      decodeNames(reply).next();
      return;
    }
    const { code } = decodeError(reply);
    if (code < 0) throw permissionError(code);
  }
}

function send(stream: PduStream, payload: string): void {
  stream.write(encodeAttribute(Attribute.SASL, Buffer.from(payload, 'utf8')));
}

async function readStep(stream: PduStream): Promise<string> {
  const frame = await stream.read();
  if (pduTypeOf(frame) === PduType.ERROR) throw permissionError(decodeError(frame).code);
  return decodeAttribute(frame).value.toString('utf8').replace(/\0+$/, '');
}

function chooseMechanism(offered: readonly string[], method: string | undefined): 'PLAIN' | 'SCRAM-SHA-256' {
  const known = ['SCRAM-SHA-256', 'PLAIN'] as const;
  const chosen = known.find(
    (name) => offered.includes(name) && (method === undefined || method.toUpperCase() === name),
  );
  if (chosen === undefined) {
    const message = `no common SASL mechanism: offered ${offered.join(' ')}, known ${known.join(' ')}`;
    throw new PmError(PM_ERR.PERMISSION, message);
  }
  return chosen;
}

/** Whatever pmcd's code is (it passes on those of SASL, -21344 and below): the credentials were rejected. */
function permissionError(code: number): PmError {
  return new PmError(
    PM_ERR.PERMISSION,
    code === PM_ERR.PERMISSION ? undefined : `authentication failed with code ${code}`,
  );
}

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

  /** Checks the server's last message: it proves that the server knows the password too. */
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
