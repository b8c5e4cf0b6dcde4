import { compareTimestamps, formatTimestamp, timestampToSeconds } from '../../pmapi/index.js';
import { jsonAnswer } from '../response/answer.js';
import type { Answer, OperationRequest, QueryOf } from '../contracts.js';
import { errorBody, viewError } from '../response/error-response.js';
import type { ListedArchive } from '../options.js';
import { untilGone } from '../request/client-gone.js';

/** What archives there are that the client may see and that match its filters, and which of them cannot be opened. */
export async function runArchives(request: OperationRequest<QueryOf<'archives'>>): Promise<Answer> {
  const { options, principal, query } = request;
  const { archives, broken } = (await options.archives?.list(untilGone(request))) ?? { archives: [], broken: [] };
  const isSeen = ({ name }: { readonly name: string }): boolean =>
    principal?.sees({ kind: 'archive', archive: name }) !== false;
  const { hostspec, start, finish, limit } = query;
  const isFiltered = hostspec !== undefined || start !== undefined || finish !== undefined;
  const seen = archives.filter((archive) => isSeen(archive) && (!isFiltered || matches(archive, query)));
  const entries = [
    ...latest(seen, limit).map((archive) => ({ name: archive.name, text: writeArchive(archive) })),
    ...(isFiltered || limit !== undefined ? [] : broken.filter(isSeen)).map(({ name, error }) => ({
      name,
      text: writeBroken(name, error),
    })),
  ];
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return jsonAnswer(`{"archives":[${entries.map(({ text }) => text).join(',')}]}`);
}

function matches(archive: ListedArchive, { hostspec, start, finish }: QueryOf<'archives'>): boolean {
  return (
    (hostspec === undefined || archive.hostName === hostspec) &&
    (start === undefined || timestampToSeconds(archive.end) >= start) &&
    (finish === undefined || timestampToSeconds(archive.start) <= finish)
  );
}

/** Those that end last, as many as `limit` says. */
function latest(archives: readonly ListedArchive[], limit = archives.length): readonly ListedArchive[] {
  if (archives.length <= limit) return archives;
  return archives.toSorted((a, b) => compareTimestamps(b.end, a.end)).slice(0, limit);
}

function writeArchive({ name, hostName, timezone, start, end, version, metrics, sizeBytes }: ListedArchive): string {
  return (
    `{"name":${JSON.stringify(name)},"hostspec":${JSON.stringify(hostName)},"timezone":${JSON.stringify(timezone)},` +
    `"start":${formatTimestamp(start)},"end":${formatTimestamp(end)},"version":${version},"metrics":${metrics},"size":${sizeBytes}}`
  );
}

function writeBroken(name: string, error: Error): string {
  return `{"name":${JSON.stringify(name)},"error":${errorBody(viewError(error)).trimEnd()}}`;
}
