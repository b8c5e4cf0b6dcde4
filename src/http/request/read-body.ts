import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { attempt, eventLoopTurns } from '../../kit/index.js';
import { GatewayError, nestsDeeper } from '../../pmapi/index.js';
import { parseMediaType } from './media-type.js';
import type { TextParameter } from './openapi.js';
import type { RawParameters } from './validate.js';

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const TEXT_TYPE = 'text/plain';
/** Nesting of lists and objects: far more than needed, far less than the stack holds. */
const MAX_JSON_DEPTH = 64;
const SHOWN_LENGTH = 200;

/** Larger bodies take milliseconds to parse: each in its own turn of the event loop. */
const LARGE_BYTES = 32_768;

export interface BodyProgress {
  readonly bytes: () => number;
  readonly end: (error: Error) => void;
}

/** Called before more than so many bytes are read. */
export interface LargeBody {
  readonly beyondBytes: number;
  readonly wait: (progress: BodyProgress) => Promise<void>;
}

/** Reads a body of at most `maxBytes`. Throws BODY_TOO_LARGE, and errors of waiting. */
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
      if (size > maxBytes) {
        end(tooLarge());
        return;
      }
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

export type BodyHeaders = Pick<IncomingHttpHeaders, 'content-type' | 'content-encoding'>;

export interface BodyReading {
  readonly textParameter?: TextParameter | undefined;
  /** A form whatever its Content-Type, unless that is JSON, for clients of pmproxy's /series. */
  readonly takesAnyType?: boolean | undefined;
}

/**
 * Parses a body with parameters; undefined for an empty one. Plain text is the `textParameter`, as is a body called a form (or nothing)
 * without that parameter, as from pmproxy's clients. Otherwise untyped or plain text is JSON if it begins with a brace, else a form, as
 * from `fetch`. Throws UNSUPPORTED_MEDIA_TYPE, BAD_BODY.
 */
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

/** Reads a body that is a JSON document. Throws UNSUPPORTED_MEDIA_TYPE, BAD_BODY, BODY_TOO_LARGE. */
export async function readJsonDocument(req: IncomingMessage, maxBytes: number): Promise<unknown> {
  const bytes = await readBytes(req, maxBytes);
  requireReadable(req.headers, [JSON_TYPE]);
  return parseJson(decodeUtf8(bytes), 'JSON');
}

function isBraced(text: string): boolean {
  return /^\s*\{/.test(text);
}

function objectWith(name: string, text: string): object | undefined {
  if (!isBraced(text)) return undefined;
  const json = attempt(() => parseObject(text));
  return json && Object.hasOwn(json, name) ? json : undefined;
}

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

/** The body's type, one of `types`; a missing one is plain text, if that is read. */
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
  const message = `the body ${`${given}${encoded}`.slice(0, SHOWN_LENGTH)}; expected ${expected}`;
  throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', message, { expected });
}

function parseObject(text: string): object {
  const value = parseJson(text, 'a JSON object');
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new GatewayError('BAD_BODY', 'the body is not a JSON object', { expected: 'a JSON object' });
}

function parseJson(text: string, expected: string): unknown {
  if (nestsDeeper(text, MAX_JSON_DEPTH)) {
    const message = `the body is nested more than ${MAX_JSON_DEPTH} levels deep`;
    throw new GatewayError('BAD_BODY', message, { expected: `at most ${MAX_JSON_DEPTH} levels` });
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new GatewayError('BAD_BODY', `the body is not valid JSON: ${(error as Error).message}`, { expected });
  }
}
