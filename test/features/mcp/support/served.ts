import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { archiveRoot, archivesOnly, type InProcessGateway, serveHere } from '../../../../src/cli/in-process-gateway.js';
import { loadConfig } from '../../../../src/config/index.js';
import { Archives } from '../../../../src/gateway/targets/archives.js';
import { GatewayError, systemClock } from '../../../../src/pmapi/index.js';
import { Api, type FlatOptions } from '../../../support/api.js';
import { memoryGateway } from '../../../support/memory-gateway.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';
import { Assistant } from './assistant.js';

type MemoryGatewayOptions = NonNullable<Parameters<typeof memoryGateway>[0]>;

/** A gateway over HTTP with archives below a temporary root: `localhost` answers, other hosts cannot be reached. */
export interface Served {
  readonly api: Api;
  readonly root: string;
  stop(): Promise<void>;
}

/**
 * @param write puts archives below the root
 * @param live what `localhost` is
 */
export async function serve(
  write: (root: string) => unknown,
  options: FlatOptions = {},
  live: Pick<MemoryGatewayOptions, 'content' | 'definitions'> = {},
): Promise<Served> {
  const directory = mkdtempSync(path.join(tmpdir(), 'pmgate-mcp-'));
  const root = path.join(directory, 'archives');
  mkdirSync(root);
  write(root);
  const archives = new Archives(systemClock, { ...loadConfig({}).archives, roots: [root] });
  const gateway = memoryGateway({
    ...live,
    openArchive: (archive) => archives.open({ archive }),
    refuse: (spec) =>
      spec.kind === 'host' && spec.hostspec !== 'localhost'
        ? new GatewayError('SOURCE_UNREACHABLE', `${spec.hostspec} cannot be reached`)
        : undefined,
  });
  const api = await Api.start(gateway, { archives, ...options });
  return {
    api,
    root,
    stop: async () => {
      await api.stop();
      await archives.close();
      rmSync(directory, { recursive: true });
    },
  };
}

/** A gateway in this process of a directory of archives, or of one by its path; other hosts, of which none is there, are refused at once. */
export async function serveOffline(archive: string): Promise<InProcessGateway> {
  const isDirectory = statSync(archive, { throwIfNoEntry: false })?.isDirectory() === true;
  const root = isDirectory ? archive : await archiveRoot(archive);
  const flags = { 'console.enabled': 'false', 'hosts.connectTimeoutSec': '0.01', 'limits.loopDelayMs': '60000' };
  return serveHere(archivesOnly([root], flags));
}

/** An assistant on the archives that `write` puts into an empty directory, for all tests of a file. */
export function assistantOn(write: (archives: string) => void): { readonly assistant: Assistant } {
  const made = {} as { assistant: Assistant };
  let gateway: InProcessGateway;
  afterAll(async () => {
    await made.assistant.client.close();
    await gateway.close();
  });
  const archives = temporaryDirectory().fresh();
  beforeAll(async () => {
    write(archives);
    gateway = await serveOffline(archives);
    made.assistant = await Assistant.connect('http://localhost', { fetch: gateway.fetch });
  });
  return made;
}
