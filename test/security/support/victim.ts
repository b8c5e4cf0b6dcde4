import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cheapHash } from '../../access/support/cheap-hash.js';
import { buildArchive } from '../../support/archive-gateway.js';
import { startGateway } from '../../support/whole-gateway.js';
import { Target } from '../target.js';

/** A whole gateway to attack, with all that may be attacked switched on. */
export interface Victim {
  readonly target: Target;
  readonly port: number;
  /** Where archives are served from; beside it lies `outside`, an archive that is not. */
  readonly root: string;
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
  const { url, port, lines, close } = await startGateway({
    PMGATE_STATE_DIRECTORY: directory,
    PMGATE_LOCAL_PROCESSES: 'false',
    PMGATE_ARCHIVES_ROOTS: root,
    PMGATE_HOSTS_CONNECT_TIMEOUT_SEC: '0.05',
    PMGATE_DERIVED_ALLOW_MUTATION: 'true',
    PMGATE_STORE_ENABLED: 'true',
    PMGATE_STORE_ALLOW_GET: 'true',
    PMGATE_ACCESS_FILE: access,
    PMGATE_ACCESS_ANONYMOUS_ROLES: 'read,derive,store',
    PMGATE_LIMITS_DRAIN_SEC: '1',
    PMGATE_CLIENTS_CONNECTIONS: '20',
    PMGATE_CLIENTS_EXEMPT: '127.0.0.1',
    ...environment,
  });
  return {
    target: new Target(url),
    port,
    root,
    lines,
    stop: async () => {
      await close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
