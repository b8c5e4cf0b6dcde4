import { GatewayError } from '../../pmapi/index.js';
import type { Answer, OperationRequest } from '../../http/contracts.js';
import { networkOf } from '../../http/guards/client-limits.js';
import type { ArchiveReceiver, PushedPart } from '../../http/options.js';
import { untilGone } from '../../http/request/client-gone.js';
import { jsonAnswer } from '../../http/response/answer.js';

/** pmproxy takes no larger bodies. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;

interface LoggerQuery {
  readonly client?: string;
  readonly polltimeout?: number;
}

type LoggerRequest = OperationRequest<LoggerQuery>;

/** Whether archives can be pushed: pmlogger asks before it begins. */
export function runLoggerPing(request: LoggerRequest): Answer {
  receiverOf(request);
  return done(request);
}

/** Begin an archive: the answer has its number first, because clients scan for it. */
export async function runLoggerLabel(request: LoggerRequest): Promise<Answer> {
  const receiver = receiverOf(request);
  const { principal, query } = request;
  const client = clientOf(request);
  return withBody(request, undefined, async (body) => {
    principal?.requireOn('push', { kind: 'host', hostspec: receiver.readLabel(body).hostName });
    const id = await receiver.open(client, body, query.polltimeout);
    return done(request, `"archive":${id},`);
  });
}

/** Append records to the metadata of an archive. */
export function runLoggerMeta(request: LoggerRequest): Promise<Answer> {
  return append(request, 'meta');
}

/** Append entries to its temporal index. */
export function runLoggerIndex(request: LoggerRequest): Promise<Answer> {
  return append(request, 'index');
}

/** Append records to one of its volumes. */
export function runLoggerVolume(request: LoggerRequest): Promise<Answer> {
  return append(request, request.path.volume!);
}

function append(request: LoggerRequest, part: PushedPart): Promise<Answer> {
  const receiver = receiverOf(request);
  const id = request.path.archive!;
  return withBody(request, { id, part }, async (body) => {
    await receiver.append(clientOf(request), id, part, body, request.call.connection);
    return done(request);
  });
}

/** Read the body once the client may send it, and work on it. */
async function withBody(
  request: LoggerRequest,
  to: { readonly id: number; readonly part: PushedPart } | undefined,
  work: (body: Buffer) => Promise<Answer>,
): Promise<Answer> {
  const gone = untilGone(request);
  await receiverOf(request).admit(clientOf(request), bytesOf(request), to, gone);
  const { body, leave } = await read(request, gone);
  try {
    return await work(Buffer.from(body.buffer, body.byteOffset, body.length));
  } finally {
    leave();
  }
}

/** Reads the body when its turn has come; so few are in memory at once. */
async function read(
  request: LoggerRequest,
  gone: AbortSignal,
): Promise<{ readonly body: Uint8Array; readonly leave: () => void }> {
  const leave = await receiverOf(request).turn(bytesOf(request), gone);
  try {
    return { body: await request.call.readBytes(MAX_BODY_BYTES), leave };
  } catch (error) {
    leave();
    throw error;
  }
}

/** How many bytes a body may have, by its headers. */
function bytesOf({ headers }: LoggerRequest): number {
  const told = Number(headers['content-length'] ?? MAX_BODY_BYTES);
  return told >= 0 && told <= MAX_BODY_BYTES ? told : MAX_BODY_BYTES;
}

function receiverOf({ options }: LoggerRequest): ArchiveReceiver {
  if (options.push) return options.push.receiver;
  throw new GatewayError('NOT_FOUND', 'archives cannot be pushed to this gateway: push.enabled is not set');
}

/** A client is known by its name, or by its address. */
function clientOf({ principal, call }: LoggerRequest): string {
  return principal?.name ?? networkOf(call.remoteAddress ?? '');
}

function done({ query: { client } }: LoggerRequest, members = ''): Answer {
  const echo = client === undefined ? '' : `"client":${JSON.stringify(client)},`;
  return jsonAnswer(`{${members}${echo}"success":true}`);
}
