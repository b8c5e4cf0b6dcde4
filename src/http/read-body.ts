import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../pmapi/index.js';
import { parseMediaType } from './media-type.js';
import type { RawParameters } from './validate.js';

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Read a request's body whole, at most `maxBytes` of it. Throws BODY_TOO_LARGE. */
export function readBytes(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = (): GatewayError =>
    new GatewayError('BODY_TOO_LARGE', `the body is larger than ${maxBytes} bytes (limits.bodyBytes)`, {
      expected: `at most ${maxBytes} bytes`,
    });
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) return void chunks.push(chunk);
      req.removeAllListeners('data');
      reject(tooLarge());
    });
    req.once('end', () => resolve(Buffer.concat(chunks)));
    req.once('error', () => reject(new GatewayError('BAD_REQUEST', 'the request ended before its body did')));
  });
}

/** Read a body that holds parameters; undefined for an empty one. Throws UNSUPPORTED_MEDIA_TYPE, BAD_BODY, BODY_TOO_LARGE. */
export async function readParameterBody(req: IncomingMessage, maxBytes: number): Promise<RawParameters['body']> {
  const bytes = await readBytes(req, maxBytes);
  if (bytes.length === 0) return undefined;
  const type = requireReadable(req);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new GatewayError('BAD_BODY', 'the body is not UTF-8', { expected: 'UTF-8' });
  }
  return type === FORM_TYPE ? { form: text } : { json: parseObject(text) };
}

function requireReadable(req: IncomingMessage): typeof JSON_TYPE | typeof FORM_TYPE {
  const encoding = req.headers['content-encoding'];
  const type = parseMediaType(req.headers['content-type'] ?? '');
  const charset = type?.parameters.get('charset')?.toLowerCase() ?? 'utf-8';
  const isReadable = (encoding === undefined || encoding === 'identity') && ['utf-8', 'us-ascii'].includes(charset);
  if (isReadable && (type?.name === JSON_TYPE || type?.name === FORM_TYPE)) return type.name;
  const given = [req.headers['content-type'] ?? 'no Content-Type', ...(encoding === undefined ? [] : [encoding])];
  const expected = `${FORM_TYPE} or ${JSON_TYPE}, in UTF-8 and not compressed`;
  throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', `the body is ${given.join(', ')}; expected ${expected}`, {
    expected,
  });
}

function parseObject(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new GatewayError('BAD_BODY', `the body is not JSON: ${(error as Error).message}`, {
      expected: 'a JSON object',
    });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new GatewayError('BAD_BODY', 'the body is not a JSON object', { expected: 'a JSON object' });
}
