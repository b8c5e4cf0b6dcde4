import { isPutTogether } from '../../../context/index.js';
import type { Context } from '../../../context/index.js';
import { formatTimestamp } from '../../../pmapi/index.js';
import { holdsCredentials } from '../../../access/index.js';
import type { SourceInfo } from '../../../sources/index.js';
import { contextHead, doneAnswer, jsonAnswer } from '../../response/answer.js';
import type { Answer, ContextParameters, OperationRequest } from '../../contracts.js';
import { contextOf, countedContext, hostspecOf, isSeenAlike } from '../../request/request-context.js';
import { untilGone } from '../../request/client-gone.js';
import { writeLabels } from '../../response/writers/metadata-writer.js';

/** Make a context, or look at one. @see pmNewContext(3) */
export async function runContext(request: OperationRequest<ContextParameters>): Promise<Answer> {
  const context = await contextOf(request, 'own');
  if (request.compat) return jsonAnswer(`{"context":${context.id}}`);
  return jsonAnswer(`${await writeContext(context, request.query.client)}}`);
}

/** A context like another one. @see pmDupContext(3) */
export async function runDuplicate(request: OperationRequest<ContextParameters>): Promise<Answer> {
  const original = await contextOf(request, 'own');
  const copy = await countedContext(request, () =>
    request.options.contexts.duplicate(original.id, request.principal?.name, untilGone(request)),
  );
  request.contextId = copy.id;
  return jsonAnswer(`${await writeContext(copy, request.query.client)}}`);
}

/** Everything that there is to say of a context. */
export async function runDescribeContext(request: OperationRequest<ContextParameters>): Promise<Answer> {
  const context = await contextOf(request, 'own');
  const [text, info] = await Promise.all([writeContext(context, request.query.client), context.info()]);
  // An archive tells its time zone with its label.
  const timezone = context.archive ? undefined : info.timezone;
  return jsonAnswer(
    `${text},"polltimeout":${context.pollTimeoutMs / 1000},"shared":${context.isShared}` +
      (timezone === undefined ? '' : `,"timezone":${JSON.stringify(timezone)}`) +
      '}',
  );
}

/** Connect to the host again now. @see pmReconnectContext(3) */
export async function runReconnect(request: OperationRequest<ContextParameters>): Promise<Answer> {
  const context = await contextOf(request, 'own');
  await context.reconnect();
  return doneAnswer(context.id, request.query.client);
}

/** Let go of a context. @see pmDestroyContext(3) */
export async function runDestroyContext(request: OperationRequest<ContextParameters>): Promise<Answer> {
  const context = await contextOf(request, 'own');
  await request.options.contexts.destroy(context.id);
  return doneAnswer(context.id, request.query.client);
}

/**
 * The open contexts on what a client may see: for an administrator all of them, otherwise the user's own and matching shared
 * ones. Numbers of contexts without an owner are shown to clients on this machine only: elsewhere, knowing the number identifies
 * the client that created it.
 */
export function runListContexts(request: OperationRequest<object>): Answer {
  const { principal } = request;
  const isAdmin = principal?.may('admin') === true;
  // Contexts without an owner are visible to all on this machine, except those opened with a password.
  const isTold = ({ owner, spec }: Context): boolean =>
    isAdmin || owner !== undefined || (request.isLoopback() && !holdsCredentials(spec));
  const isListed = ({ owner, isShared, spec }: Context): boolean => {
    if (isPutTogether(spec) || principal?.sees(spec) === false) return false;
    if (isAdmin) return true;
    return isShared ? !principal || isSeenAlike(spec, principal) : owner === principal?.name;
  };
  const listed = request.options.contexts.list().filter(isListed);
  const contexts = listed.map((context) => ({
    ...(isTold(context) ? { context: context.id } : {}),
    hostspec: hostspecOf(context),
    kind: context.kind,
    polltimeout: context.pollTimeoutMs / 1000,
    shared: context.isShared,
  }));
  return jsonAnswer(JSON.stringify({ contexts }));
}

/** The members that describe a context, from the opening brace on, without the closing one. */
async function writeContext(context: Context, client: string | undefined): Promise<string> {
  const [source, info, labels] = await Promise.all([
    context.names.sourceHash(),
    context.info(),
    context.names.contextLabels(),
  ]);
  return (
    `${contextHead(context.id, client)},"source":"${source}","hostspec":${JSON.stringify(info.hostName)},` +
    `"labels":${writeLabels(labels)},"kind":"${context.kind}"${writeArchiveLabel(context, info)}`
  );
}

/** What an archive's label says, as further members; nothing for a live source. */
function writeArchiveLabel({ archive, spec }: Context, { timezone, start, end }: SourceInfo): string {
  if (!archive || spec.kind !== 'archive' || !start || !end) return '';
  const { version } = archive.label();
  const { mode, time } = archive.position;
  return (
    `,"archive":${JSON.stringify(spec.archive)},"version":${version},"timezone":${JSON.stringify(timezone)},` +
    `"start":${formatTimestamp(start)},"end":${formatTimestamp(end)},"mode":"${mode}","position":${formatTimestamp(time)}`
  );
}
