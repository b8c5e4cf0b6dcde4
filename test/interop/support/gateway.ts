import { loadConfig } from '../../../src/config/index.js';
import { Gateway } from '../../../src/gateway.js';
import { createLog } from '../../../src/log.js';
import { systemClock } from '../../../src/pmapi/index.js';

/** A gateway in this process, on a port of its own. */
export interface RunningGateway {
  readonly port: number;
  close(): Promise<void>;
}

/** Start a gateway that does not wait for clients at its end and says nothing; `environment` as PMGATE_… variables. */
export async function startGateway(environment: Readonly<Record<string, string>>): Promise<RunningGateway> {
  const config = loadConfig({
    environment: { PMGATE_LISTEN_PORT: '0', PMGATE_LIMITS_DRAIN_SEC: '0', ...environment },
  });
  const gateway = await Gateway.create({ config, log: await createLog('silent', systemClock) });
  const { port } = await gateway.listen();
  return { port, close: () => gateway.close() };
}
