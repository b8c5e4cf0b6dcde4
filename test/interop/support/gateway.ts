import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { loadConfig } from '../../../src/config/index.js';
import { Gateway } from '../../../src/gateway/gateway.js';
import { createLog } from '../../../src/log/log.js';
import { systemClock } from '../../../src/pmapi/index.js';

/** A gateway in this process, on a port of its own. */
export interface RunningGateway {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Start a gateway that does not wait for clients at its end, says nothing, and knows nothing of what others of this machine keep;
 * `environment` as PMGATE_… variables.
 */
export async function startGateway(environment: Readonly<Record<string, string>>): Promise<RunningGateway> {
  const state = mkdtempSync(path.join(os.tmpdir(), 'pmgate-interop-'));
  const config = loadConfig({
    environment: {
      PMGATE_LISTEN_PORT: '0',
      PMGATE_LIMITS_DRAIN_SEC: '0',
      PMGATE_STATE_DIRECTORY: state,
      PMGATE_CONTEXTS_REMEMBER: '',
      ...environment,
    },
  });
  const gateway = await Gateway.create({ config, log: await createLog('silent', systemClock) });
  const { port } = await gateway.listen();
  return {
    port,
    close: async () => {
      await gateway.close();
      rmSync(state, { recursive: true });
    },
  };
}
