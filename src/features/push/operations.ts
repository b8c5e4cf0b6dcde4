import { unlessAborted } from '../../kit/index.js';
import { isOnThisMachine, jsonAnswer, networkOf, untilGone } from '../../http/index.js';
import type { Answer, BodyProgress, OperationRequest, Route, Routes } from '../../http/index.js';
import { GatewayError } from '../../pmapi/index.js';
import type { PushedPart } from './pushed-archive.js';
import type { PushReceiver } from './push-receiver.js';

/** pmproxy takes no larger bodies. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** Bodies of so many bytes are read at once. */
const SMALL_BODY_BYTES = 65_536;

type LoggerRequest = OperationRequest<{ readonly client?: string; readonly polltimeout?: number }>;

/** pmlogger exits on any error status, so the receiver delays requests instead of rejecting them. */
const PUSH = {
  effect: 'changes',
  permission: 'push',
  cost: 'none',
  readsDocument: 'itself',
  standsAlone: true,
} as const;

/**
 * The operations below /logger. @see pmproxy(1)
 * @param receiver undefined if nothing can be pushed
 * @param isOpenTo whether clients of an address need no credentials
 * @param isOurs whether a host's name in a label means this machine, or a host of the configuration
 */
export function pushRoutes(
  receiver: PushReceiver | undefined,
  isOpenTo?: Route['isOpenTo'],
  isOurs: (host: string) => boolean = () => false,
) {
  const off = receiver ? undefined : 'archives cannot be pushed to this gateway: push.enabled is not set';
  const route = (run: (request: LoggerRequest, receiver: PushReceiver) => Promise<Answer>) => ({
    ...PUSH,
    off,
    ...(isOpenTo ? { isOpenTo } : {}),
    run: (request: LoggerRequest) => run(request, receiver!),
  });
  return {
    // pmlogger asks before it begins.
    pushPing: { ...route((request) => Promise.resolve(done(request))), effect: 'reads', readsDocument: false },
    pushLabel: { ...route((request, to) => begin(request, to, isOurs)), isAudited: true },
    pushMeta: route((request, to) => append(request, to, 'meta')),
    pushIndex: route((request, to) => append(request, to, 'index')),
    pushVolume: route((request, to) => append(request, to, request.path.volume!)),
  } satisfies Routes;
}

/** Begin an archive: the answer has its number first, because clients scan for it. */
async function begin(
  request: LoggerRequest,
  receiver: PushReceiver,
  isOurs: (host: string) => boolean,
): Promise<Answer> {
  const { principal, query } = request;
  const client = clientOf(request);
  return withBody(request, receiver, undefined, async (body) => {
    const { hostName } = receiver.readLabel(body);
    principal?.requireOn('push', { kind: 'host', hostspec: hostName });
    if (principal?.name === undefined && isOurs(hostName) && !isOnThisMachine(request)) throw notYours(hostName);
    const id = await receiver.open(client, body, query.polltimeout);
    return done(request, `"archive":${id},`);
  });
}

function notYours(host: string): GatewayError {
  const problem = `${host} is this gateway's machine or a host of its configuration: archives of it are not taken from other machines`;
  return new GatewayError('FORBIDDEN', `${problem} without credentials`, {
    expected: 'the name of your own host in the label, or a token of a role with the permission push',
  });
}

function append(request: LoggerRequest, receiver: PushReceiver, part: PushedPart): Promise<Answer> {
  const id = request.path.archive!;
  return withBody(request, receiver, { id, part }, async (body) => {
    await receiver.append(clientOf(request), id, part, body, request.call.connection);
    return done(request);
  });
}

/** Reads the body once the client may send it, and processes it. */
async function withBody(
  request: LoggerRequest,
  receiver: PushReceiver,
  to: { readonly id: number; readonly part: PushedPart } | undefined,
  work: (body: Buffer) => Promise<Answer>,
): Promise<Answer> {
  const gone = untilGone(request);
  await receiver.admit(clientOf(request), bytesOf(request), to, gone);
  const { body, leave } = await read(request, receiver, gone);
  try {
    return await work(Buffer.from(body.buffer, body.byteOffset, body.length));
  } finally {
    leave();
  }
}

/** Reads a body; large ones in turn, so that few are in memory at once. */
async function read(request: LoggerRequest, receiver: PushReceiver, gone: AbortSignal) {
  let leave = (): void => undefined;
  const wait = async (progress: BodyProgress): Promise<void> => {
    leave = await receiver.turn(clientOf(request), progress, gone);
  };
  try {
    const reading = request.call.readBytes(MAX_BODY_BYTES, { beyondBytes: SMALL_BODY_BYTES, wait });
    return { body: await unlessAborted(gone, reading), leave: () => leave() };
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

/** A client is known by its name, or by its address. */
function clientOf({ principal, call }: LoggerRequest): string {
  return principal?.name ?? networkOf(call.remoteAddress ?? '');
}

function done({ query: { client } }: LoggerRequest, members = ''): Answer {
  const echo = client === undefined ? '' : `"client":${JSON.stringify(client)},`;
  return jsonAnswer(`{${members}${echo}"success":true}`);
}
