import { formatTimestamp } from '../../pmapi/index.js';
import { jsonAnswer } from '../response/answer.js';
import type { Answer, OperationRequest, QueryOf } from '../contracts.js';
import { errorBody, viewError } from '../response/error-response.js';
import type { ListedArchive } from '../options.js';
import { untilGone } from '../request/client-gone.js';

/** What archives there are that the client may see and that match its filters, and which of them cannot be opened. */
export async function runArchives(request: OperationRequest<QueryOf<'archives'>>): Promise<Answer> {
  const { options, principal, query } = request;
  const { hostspec, start, finish, limit } = query;
  const filter = {
    isSeen: (name: string) => principal?.sees({ kind: 'archive', archive: name }) !== false,
    hostName: hostspec,
    start,
    finish,
    limit,
  };
  const { archives, broken } = (await options.archives?.list(filter, untilGone(request))) ?? {
    archives: [],
    broken: [],
  };
  const isFiltered = [hostspec, start, finish, limit].some((value) => value !== undefined);
  const entries = [
    ...archives.map((archive) => ({ name: archive.name, text: writeArchive(archive) })),
    ...(isFiltered ? [] : broken).map(({ name, error }) => ({ name, text: writeBroken(name, error) })),
  ];
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return jsonAnswer(`{"archives":[${entries.map(({ text }) => text).join(',')}]}`);
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
