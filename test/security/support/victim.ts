import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadConfig } from '../../../src/config/index.js';
import { Gateway } from '../../../src/gateway/gateway.js';
import { createLog } from '../../../src/log/log.js';
import { systemClock } from '../../../src/pmapi/index.js';
import { cheapHash } from '../../access/support/cheap-hash.js';
import { buildArchive } from '../../support/archive-gateway.js';
import { PATIENT } from '../../support/patience.js';
import { Target } from '../target.js';

/** A whole gateway to attack, with all that may be attacked switched on. */
export interface Victim {
  readonly target: Target;
  readonly port: number;
  /** Where archives are served from; beside it lies `outside`, an archive that is not. */
  readonly root: string;
  /** The lines of its log. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  stop(): Promise<void>;
}

/** Start one; `environment` adds to what it is configured by. */
export async function startVictim(environment: Readonly<Record<string, string>> = {}): Promise<Victim> {
  const directory = mkdtempSync(path.join(tmpdir(), 'pmgate-attacked-'));
  const root = path.join(directory, 'root');
  mkdirSync(root);
  buildArchive().write(root, 'built');
  buildArchive().write(directory, 'outside');
  const access = path.join(directory, 'access.yaml');
  writeFileSync(access, `users: { alice: { password: '${cheapHash('secret')}', roles: [admin] } }\n`, { mode: 0o600 });
  const lines: Record<string, unknown>[] = [];
  const log = await createLog('info', systemClock, { write: (line) => void lines.push(JSON.parse(line) as never) });
  const config = loadConfig({
    environment: {
      PMGATE_LISTEN_PORT: '0',
      PMGATE_STATE_DIRECTORY: directory,
      PMGATE_LOCAL_SOURCE: 'embedded',
      PMGATE_LOCAL_PROCESSES: 'false',
      PMGATE_ARCHIVES_ROOTS: root,
      PMGATE_HOSTS_CONNECT_TIMEOUT_SEC: '0.05',
      PMGATE_DERIVED_ALLOW_MUTATION: 'true',
      PMGATE_STORE_ENABLED: 'true',
      PMGATE_STORE_ALLOW_GET: 'true',
      PMGATE_ACCESS_FILE: access,
      PMGATE_ACCESS_ANONYMOUS_ROLES: 'read,derive,store',
      PMGATE_LIMITS_DRAIN_SEC: '1',
      ...PATIENT,
      PMGATE_CLIENTS_CONNECTIONS: '20',
      PMGATE_CLIENTS_EXEMPT: '127.0.0.1',
      ...environment,
    },
  });
  const gateway = await Gateway.create({ config, log });
  const { port } = await gateway.listen();
  return {
    target: new Target(`http://127.0.0.1:${port}`),
    port,
    root,
    lines,
    stop: async () => {
      await gateway.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
