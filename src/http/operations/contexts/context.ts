import { holdsCredentials } from '../../../access/index.js';
import type { components } from '../../../client/index.js';
import { isPutTogether, type Context } from '../../../context/index.js';
import { refuseIdle } from '../../../context/selection/index.js';
import {
  badParameter,
  formatTimestamp,
  GatewayError,
  intervalToSeconds,
  parseInterval,
  PM_ERR,
  SourceTextError,
  formatPmErr,
  INDOM_NULL,
  parsePmid,
  PmError,
} from '../../../pmapi/index.js';
import type { MetricDescriptor } from '../../../pmapi/index.js';
import type { SourceInfo } from '../../../sources/index.js';
import type { Answer, AnyRequest, OperationRequest, QueryOf, SourceRequest } from '../../contracts.js';
import { answerOfAll, listSchema, objectSchema } from '../../request/ask-members.js';
import { contextOf, countedContext, hostspecOf, isSeenAlike, untilGone } from '../../request/request-context.js';
import { contextHead, doneAnswer, jsonAnswer, warningsMember, errorCodeOfPmErr } from '../../response/answer.js';
import { writeLabels } from '../../response/writers/metadata-writer.js';
import { sourceId } from '../../series-id.js';
import { momentIn } from '../metadata/metadata-moment.js';
import { chooseInstances, indomOf, instancesOf, refuseIdleMatch } from '../values/instance-selection.js';
import { describeNamed, describeOne, lookupFailure } from '../metadata/named-metrics.js';

/** Make a context, or look at one. @see pmNewContext(3) */
export async function runContext(request: SourceRequest): Promise<Answer> {
  const context = await contextOf(request, 'own');
  if (request.compat) return jsonAnswer(`{"context":${context.id}}`);
  return jsonAnswer(`${await writeContext(context, request.query.client)}}`);
}

/** A context like another one. @see pmDupContext(3) */
export async function runDuplicate(request: SourceRequest): Promise<Answer> {
  const original = await contextOf(request, 'own');
  const copy = await countedContext(request, () =>
    request.options.contexts.duplicate(original.id, request.principal?.name, untilGone(request)),
  );
  request.contextId = copy.id;
  return jsonAnswer(`${await writeContext(copy, request.query.client)}}`);
}

export async function runDescribeContext(request: SourceRequest): Promise<Answer> {
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
export async function runReconnect(request: SourceRequest): Promise<Answer> {
  const context = await contextOf(request, 'own');
  await context.reconnect();
  return doneAnswer(context.id, request.query.client);
}

/** Let go of a context. @see pmDestroyContext(3) */
export async function runDestroyContext(request: SourceRequest): Promise<Answer> {
  const context = await contextOf(request, 'own');
  await request.options.contexts.destroy(context.id);
  return doneAnswer(context.id, request.query.client);
}

type ListedContext = components['schemas']['Contexts']['contexts'][number];
/** One in a gateway's part of the list: with its number, and whether the client may know that. */
type OwnContext = ListedContext & { readonly context: number; readonly isTold: boolean };

const CONTEXT = objectSchema({
  context: { type: 'integer' },
  isTold: { type: 'boolean' },
  hostspec: { type: 'string' },
  kind: { $ref: 'openapi.json#/components/schemas/ContextKind' },
  polltimeout: { type: 'number' },
  shared: { type: 'boolean' },
});
const CONTEXTS = objectSchema({ contexts: listSchema({ ...CONTEXT, additionalProperties: false }) });

/** The open contexts of all gateways of the fleet, shared ones once: see {@link openContexts}. */
export function runListContexts(request: AnyRequest): Promise<Answer> {
  return answerOfAll(request, {
    own: () => ({ contexts: openContexts(request) }),
    schema: CONTEXTS,
    answer: (parts, warnings) => {
      const byId = new Map<number, OwnContext>();
      for (const each of parts.flatMap((part) => part.contexts))
        if (!byId.has(each.context)) byId.set(each.context, each);
      // Of one gateway they are in order of their age.
      const listed = parts.length === 1 ? [...byId.values()] : [...byId.values()].sort(bySource);
      const contexts = listed.map(({ isTold, context, ...rest }) => ({ ...(isTold ? { context } : {}), ...rest }));
      return jsonAnswer(`{"contexts":${JSON.stringify(contexts)}${warningsMember(warnings)}}`);
    },
  });
}

function bySource(a: OwnContext, b: OwnContext): number {
  if (a.hostspec === b.hostspec) return a.context - b.context;
  return a.hostspec < b.hostspec ? -1 : 1;
}

/**
 * The open contexts on what a client may see: for an administrator all of them, otherwise the user's own and matching shared
 * ones. Numbers of contexts without an owner are shown to clients on this machine only: elsewhere, knowing the number identifies
 * the client that created it.
 */
function openContexts(request: AnyRequest): readonly OwnContext[] {
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
  return listed.map((context) => ({
    context: context.id,
    isTold: isTold(context),
    hostspec: hostspecOf(context),
    kind: context.kind,
    polltimeout: context.pollTimeoutMs / 1000,
    shared: context.isShared,
  }));
}

/** The members that describe a context, from the opening brace on, without the closing one. */
async function writeContext(context: Context, client: string | undefined): Promise<string> {
  const [source, info, labels] = await Promise.all([
    context.names.identity().then(sourceId),
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

/** Sets the position and the mode of fetches from an archive; absent parameters keep their values. @see pmSetMode(3) */
export async function runMode(request: OperationRequest<QueryOf<'setMode'>>): Promise<Answer> {
  const { query } = request;
  refuseIdle('zone', query.zone !== undefined && query.time === undefined, 'the time zone of time', 'time');
  const context = await contextOf(request, 'own');
  const { position } = context.requireArchive();
  const { mode = position.mode } = query;
  const intervalSec = query.interval === undefined ? undefined : readInterval(query.interval);
  const time = query.time === undefined ? undefined : await momentIn(context, query.time, query.zone, 'time');
  if (mode === 'interp' && (intervalSec ?? position.intervalSec) === 0) {
    const message = 'mode interp requires an interval';
    throw badParameter('interval', message, 'an interval other than 0, for example 10, 500msec or -1min');
  }
  await context.fetching.setMode({ mode, time, intervalSec });
  return jsonAnswer(`${contextHead(context.id, query.client)},${writePosition(context)}}`);
}

/** `10`, `500msec`, `-1min 30sec`: seconds, negative to go back in time. */
function readInterval(text: string): number {
  const sign = /^\s*-/.exec(text);
  const offset = sign?.[0].length ?? 0;
  try {
    return intervalToSeconds(parseInterval(text.slice(offset))) * (sign ? -1 : 1);
  } catch (error) {
    if (!(error instanceof SourceTextError)) throw error;
    const { expected = 'an interval, for example 10, 500msec or -1min' } = error.details;
    const where = { source: text, offset: offset + error.offset, parameter: 'interval', expected };
    throw new SourceTextError(error.code, error.message, where, { cause: error });
  }
}

function writePosition(context: Context): string {
  const { mode, time, intervalSec } = context.requireArchive().position;
  return `"mode":"${mode}","position":${formatTimestamp(time)},"interval":${intervalSec}`;
}

/** Changes which instances a context's fetches return. @see pmAddProfile(3), pmDelProfile(3) */
export async function runProfile(request: OperationRequest<QueryOf<'changeProfile'>>): Promise<Answer> {
  const { query } = request;
  if (query.expr === undefined) {
    throw badParameter('expr', "invalid profile parameters: 'expr' is missing", 'add or del');
  }
  refuseIdleMatch(query);
  const isNarrow = query.iname !== undefined || query.instance !== undefined;
  if (isNarrow && query.name === undefined && query.indom === undefined) {
    const message = 'invalid profile parameters: the instance domain is missing';
    throw badParameter('indom', message, 'a metric in name, or an instance domain in indom');
  }
  const context = await contextOf(request, 'own');
  context.refuseIfShared();
  const indom = await indomOf(context, query);
  if (!isNarrow || indom === undefined) {
    if (query.expr === 'add') context.addProfile(indom);
    else context.deleteProfile(indom);
    return doneAnswer(context.id, query.client);
  }
  // A profile of an archive applies to all of it, wherever the context's position is.
  const { instances, warnings } = await chooseInstances(
    await instancesOf(context, indom, context.archive ? 'archive' : undefined),
    query,
    untilGone(request),
  );
  // An empty list would mean the whole instance domain.
  if (instances.length === 0) {
    throw new GatewayError('UNKNOWN_INSTANCE', 'invalid profile parameters: no such instances', {
      pmErr: PM_ERR.INST,
      parameter: query.iname ? 'iname' : 'instance',
      expected: 'at least one instance of the instance domain',
    });
  }
  const ids = instances.map(({ id }) => id);
  if (query.expr === 'add') context.addProfile(indom, ids);
  else context.deleteProfile(indom, ids);
  return doneAnswer(context.id, query.client, warningsMember(warnings));
}

type StoreQuery = QueryOf<'storeValue'>;

/** Change a metric's value. @see pmStore(3) */
export async function runStore(request: OperationRequest<StoreQuery>): Promise<Answer> {
  const { query, options } = request;
  const isGet = request.call.method === 'GET';
  const alsoForGet = isGet ? ', and store.allowGet for GET' : '';
  if (!options.guards.store.enabled) throw storingOff(`storing is disabled (store.enabled${alsoForGet})`);
  // Any link can trigger it.
  if (isGet && !options.guards.store.allowGet)
    throw storingOff('storing with GET is disabled (store.allowGet); use POST');
  const { value } = query;
  if (value === undefined) {
    const message = "invalid store parameters: 'value' is missing";
    throw badParameter('value', message, 'the new value, in the query or as the body');
  }
  // The context does not change, so a shared one will do.
  const context = await contextOf(request, 'shared');
  const { label, descriptor } = await metricOf(context, query);
  const { principal } = request;
  if (principal)
    principal.requireOn('store', context.spec, query.name ?? (await context.names.namesOf(descriptor.pmid))[0]);
  try {
    const instances = await chosenInstances(context, descriptor, query, untilGone(request));
    // A value from a file or an editor ends in a line break, which is not part of it.
    await context.store(descriptor.pmid, value.replace(/\r?\n$/, ''), instances);
  } catch (error) {
    throw error instanceof PmError ? storeFailure(label, error.pmErr) : error;
  }
  return doneAnswer(context.id, query.client);
}

function storingOff(reason: string): GatewayError {
  return new GatewayError('FORBIDDEN', `${formatPmErr(PM_ERR.PERMISSION)}: ${reason}`, { pmErr: PM_ERR.PERMISSION });
}

function storeFailure(label: string, pmErr: number): GatewayError {
  const message = `failed to store value to metric ${label}: ${formatPmErr(pmErr)}`;
  return new GatewayError(errorCodeOfPmErr(pmErr), message, { pmErr });
}

async function metricOf(
  context: Context,
  { name, pmid: text }: StoreQuery,
): Promise<{ label: string; descriptor: MetricDescriptor }> {
  const label = name ?? text;
  if (label === undefined) {
    const message = 'invalid store parameters: the metric is missing';
    throw badParameter('name', message, 'a metric in name, or a PMID in pmid');
  }
  const descriptor =
    name === undefined
      ? await describeOne(context, parsePmid(label) ?? PM_ERR.PMID)
      : await describeNamed(context, name);
  if (typeof descriptor !== 'number') return { label, descriptor };
  throw name === undefined
    ? lookupFailure(`${label} - failed to lookup PMID`, 'pmid', descriptor)
    : lookupFailure(`${label} - failed to lookup metric`, 'name', descriptor);
}

/** The instances to change. Names are looked up, all of them or none; identifiers are checked by the source. */
async function chosenInstances(
  context: Context,
  { indom }: MetricDescriptor,
  { iname, instance }: StoreQuery,
  gone: AbortSignal,
): Promise<readonly number[] | undefined> {
  if (!iname) return instance;
  if (indom === INDOM_NULL) throw new PmError(PM_ERR.INST);
  const { instances, warnings } = await chooseInstances(await instancesOf(context, indom), { iname }, gone);
  if (warnings.length > 0) throw new PmError(PM_ERR.INST);
  return instances.map(({ id }) => id);
}
