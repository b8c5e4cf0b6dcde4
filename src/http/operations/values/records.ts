import type { Context, PlanEntry } from '../../../context/index.js';
import { eventLoopTurns } from '../../../kit/index.js';
import {
  DIMENSIONLESS,
  formatPmid,
  formatTimestamp,
  INDOM_NULL,
  MetricType,
  onPmError,
  Semantics,
} from '../../../pmapi/index.js';
import type { StreamedAnswer, ContextParameters, OperationRequest } from '../../contracts.js';
import { errorBody, viewError } from '../../response/error-response.js';
import { contextOf } from '../../request/request-context.js';
import { FETCH_FORM, writeFetch, type PlanEntries } from '../../response/writers/fetch-writer.js';

/** Sets of metrics whose names are cached: an archive's records repeat a few of them. */
const LAYOUTS_KEPT = 64;

export const NDJSON_TYPE = 'application/x-ndjson';

/** The raw records of an archive from the current position on, including marks, one JSON text per line. @see pmFetchArchive(3) */
export async function runRecords(
  request: OperationRequest<ContextParameters & { readonly samples?: number }>,
): Promise<StreamedAnswer> {
  const context = await contextOf(request, 'own');
  context.requireArchive();
  context.refuseIfShared();
  return {
    contentType: NDJSON_TYPE,
    pieces: writeRecords(context, request.query.samples ?? Infinity),
    lastWords: (error) => errorBody(viewError(error), { context: context.id }),
  };
}

async function* writeRecords(context: Context, count: number): AsyncGenerator<string, void> {
  const layouts = new Map<string, PlanEntries>();
  const nameOf = (pmid: number): string | undefined => context.names.events.nameOf(pmid);
  let written = 0;
  for await (const { isMark, timestamp, result } of context.fetching.records()) {
    if (isMark) yield `{"timestamp":${formatTimestamp(timestamp)},"mark":true}\n`;
    else {
      const key = result.sets.map(({ pmid }) => pmid).join(',');
      let layout = layouts.get(key);
      if (!layout) {
        if (layouts.size >= LAYOUTS_KEPT) layouts.clear();
        layout = { entries: await Promise.all(result.sets.map(({ pmid }) => entryOf(context, pmid))) };
        layouts.set(key, layout);
      }
      await context.names.events.learn(result);
      yield `${writeFetch('{', layout, result, FETCH_FORM, [], nameOf)}\n`;
    }
    if (++written >= count) return;
    const turn = eventLoopTurns.next();
    if (turn) await turn;
  }
}

/** A metric without metadata in the archive is identified by its PMID. */
async function entryOf(context: Context, pmid: number): Promise<PlanEntry> {
  const noName = onPmError((): readonly string[] => []);
  const [name = formatPmid(pmid)] = await context.requireArchive().namesOf(pmid).catch(noName);
  const descriptor = {
    pmid,
    type: MetricType.U32,
    indom: INDOM_NULL,
    semantics: Semantics.INSTANT,
    units: DIMENSIONLESS,
  };
  return { name, pmid, descriptor };
}
