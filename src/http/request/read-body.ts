import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { eventLoopTurns } from '../../kit/index.js';
import { GatewayError, nestsDeeper } from '../../pmapi/index.js';
import { parseMediaType } from './media-type.js';
import type { TextParameter } from './openapi.js';
import type { RawParameters } from './validate.js';

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const TEXT_TYPE = 'text/plain';
/** Lists and objects within one another: far more than anything asks for, far fewer than whatever walks them has stack for. */
const MAX_JSON_DEPTH = 64;
/** How much of headers that are refused is shown. */
const SHOWN_LENGTH = 200;

/** A body of more bytes takes milliseconds to parse: each such body is parsed in a turn of the event loop of its own. */
const LARGE_BYTES = 32_768;

/** A body that is being read. */
export interface BodyProgress {
  /** How many bytes of it have arrived. */
  readonly bytes: () => number;
  /** Read no more of it, because of an error. */
  readonly end: (error: Error) => void;
}

/** What happens before a body is read on that has more than so many bytes. */
export interface LargeBody {
  readonly beyondBytes: number;
  readonly wait: (progress: BodyProgress) => Promise<void>;
}

/** Read a request's body whole, at most `maxBytes` of it. Throws BODY_TOO_LARGE, and what waiting throws. */
export function readBytes(req: IncomingMessage, maxBytes: number, large?: LargeBody): Promise<Buffer> {
  const tooLarge = (): GatewayError =>
    new GatewayError('BODY_TOO_LARGE', `the body is larger than ${maxBytes} bytes (limits.bodyBytes)`, {
      expected: `at most ${maxBytes} bytes`,
    });
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let hasWaited = large === undefined;
    const end = (error: Error): void => {
      req.removeAllListeners('data');
      reject(error);
    };
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) return end(tooLarge());
      chunks.push(chunk);
      if (hasWaited || size <= large!.beyondBytes) return;
      hasWaited = true;
      req.pause();
      large!.wait({ bytes: () => size, end }).then(() => req.resume(), end);
    });
    req.once('end', () => {
      const bytes = Buffer.concat(chunks);
      if (size <= LARGE_BYTES) resolve(bytes);
      else void eventLoopTurns.own().then(() => resolve(bytes));
    });
    req.once('error', () => reject(new GatewayError('BAD_REQUEST', 'the request ended before the end of its body')));
  });
}

/** What says how to read a body. */
export type BodyHeaders = Pick<IncomingHttpHeaders, 'content-type' | 'content-encoding'>;

/** How a body that holds parameters is to be read. */
export interface BodyReading {
  readonly textParameter?: TextParameter | undefined;
  /** Whether it is a form whatever its Content-Type says, unless that is JSON: clients of pmproxy's /series send such. */
  readonly takesAnyType?: boolean | undefined;
}

/**
 * Read a body that holds parameters; undefined for an empty one. Where there is a `textParameter`, plain text is its value, and
 * so is a body that says it is a form or nothing, but does not hold that parameter: clients of pmproxy send such. Elsewhere plain text,
 * and what does not say what it is, is JSON when it begins with a brace, else a form: `fetch` calls texts so, and with it generated
 * clients. Throws UNSUPPORTED_MEDIA_TYPE, BAD_BODY, BODY_TOO_LARGE.
 */
export async function readParameterBody(
  req: IncomingMessage,
  maxBytes: number,
  how: BodyReading = {},
): Promise<RawParameters['body']> {
  return parseParameterBody(await readBytes(req, maxBytes), req.headers, how);
}

/** What a body that has been read holds, as {@link readParameterBody} says. Throws UNSUPPORTED_MEDIA_TYPE, BAD_BODY. */
export function parseParameterBody(
  bytes: Uint8Array,
  headers: BodyHeaders,
  { textParameter, takesAnyType = false }: BodyReading = {},
): RawParameters['body'] {
  if (bytes.length === 0) return undefined;
  if (takesAnyType && parseMediaType(headers['content-type'] ?? '')?.name !== JSON_TYPE) {
    requireReadable({ ...headers, 'content-type': FORM_TYPE }, [FORM_TYPE]);
    return { form: decodeUtf8(bytes) };
  }
  const type = requireReadable(headers, [JSON_TYPE, FORM_TYPE, TEXT_TYPE]);
  const text = decodeUtf8(bytes);
  if (type === JSON_TYPE) return { json: parseObject(text) };
  if (textParameter === undefined) {
    return type === TEXT_TYPE && isBraced(text) ? { json: parseObject(text) } : { form: text };
  }
  if (type === FORM_TYPE) return holdsParameter(text, textParameter.name) ? { form: text } : { text };
  const json = textParameter.orJson ? objectWith(textParameter.name, text) : undefined;
  return json ? { json } : { text };
}

/** Read a body that is one JSON document, whatever it holds. Throws UNSUPPORTED_MEDIA_TYPE, BAD_BODY, BODY_TOO_LARGE. */
export async function readJsonDocument(req: IncomingMessage, maxBytes: number): Promise<unknown> {
  const bytes = await readBytes(req, maxBytes);
  requireReadable(req.headers, [JSON_TYPE]);
  return parseJson(decodeUtf8(bytes), 'JSON');
}

function isBraced(text: string): boolean {
  return /^\s*\{/.test(text);
}

/** The JSON object that a text is, if it has a member of this name. */
function objectWith(name: string, text: string): object | undefined {
  if (!isBraced(text)) return undefined;
  try {
    const json = parseObject(text);
    return Object.hasOwn(json, name) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a form has a member of this name. */
function holdsParameter(form: string, name: string): boolean {
  return form.startsWith(`${name}=`) || form.includes(`&${name}=`);
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new GatewayError('BAD_BODY', 'the body is not UTF-8', { expected: 'UTF-8' });
  }
}

/** The type of a body, one of `types`; plain text, where that is read, needs not be called so. */
function requireReadable(headers: BodyHeaders, types: readonly string[]): string {
  const encoding = headers['content-encoding'];
  const { 'content-type': contentType = types.includes(TEXT_TYPE) ? TEXT_TYPE : '' } = headers;
  const type = parseMediaType(contentType);
  const charset = type?.parameters.get('charset')?.toLowerCase() ?? 'utf-8';
  const isReadable = (encoding === undefined || encoding === 'identity') && ['utf-8', 'us-ascii'].includes(charset);
  if (isReadable && type && types.includes(type.name)) return type.name;
  const given = headers['content-type'] === undefined ? 'has no Content-Type' : `is ${headers['content-type']}`;
  const encoded = encoding === undefined ? '' : `, ${encoding}`;
  const expected = `${types.join(' or ')}, in UTF-8 and not compressed`;
  throw new GatewayError(
    'UNSUPPORTED_MEDIA_TYPE',
    `the body ${`${given}${encoded}`.slice(0, SHOWN_LENGTH)}; expected ${expected}`,
    { expected },
  );
}

function parseObject(text: string): object {
  const value = parseJson(text, 'a JSON object');
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new GatewayError('BAD_BODY', 'the body is not a JSON object', { expected: 'a JSON object' });
}

function parseJson(text: string, expected: string): unknown {
  refuseDeep(text);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new GatewayError('BAD_BODY', `the body is not valid JSON: ${(error as Error).message}`, { expected });
  }
}

/** Throw BAD_BODY for JSON that nests too deeply, before anything is made of it. */
function refuseDeep(text: string): void {
  if (!nestsDeeper(text, MAX_JSON_DEPTH)) return;
  throw new GatewayError('BAD_BODY', `the body is nested more than ${MAX_JSON_DEPTH} levels deep`, {
    expected: `at most ${MAX_JSON_DEPTH} levels`,
  });
}
