import { formatTimestamp } from '../../pmapi/index.js';
import { jsonAnswer } from '../response/answer.js';
import type { Answer, OperationRequest } from '../contracts.js';
import { errorBody, viewError } from '../response/error-response.js';
import type { ListedArchive } from '../options.js';
import { untilGone } from '../request/client-gone.js';

/** What archives there are that the client may see, and which of them cannot be opened. */
export async function runArchives({ options, onClose, principal }: OperationRequest<object>): Promise<Answer> {
  const { archives, broken } = (await options.archives?.list(untilGone({ onClose }))) ?? { archives: [], broken: [] };
  const entries = [
    ...archives.map((archive) => ({ name: archive.name, text: writeArchive(archive) })),
    ...broken.map(({ name, error }) => ({ name, text: writeBroken(name, error) })),
  ];
  const isSeen = ({ name }: { readonly name: string }): boolean =>
    principal?.sees({ kind: 'archive', archive: name }) !== false;
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return jsonAnswer(
    `{"archives":[${entries
      .filter(isSeen)
      .map(({ text }) => text)
      .join(',')}]}`,
  );
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
