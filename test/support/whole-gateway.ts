import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Config, loadConfig } from '../../src/config/index.js';
import { Gateway } from '../../src/gateway/gateway.js';
import { createLog } from '../../src/log/log.js';
import { FakeClock } from './fake-clock.js';
import { PATIENT } from './patience.js';

/** A whole gateway in this process, on a free port of loopback. */
export interface RunningGateway {
  readonly gateway: Gateway;
  readonly port: number;
  readonly url: string;
  /** The lines of its log, from level info on if `environment` says no other. */
  readonly lines: readonly Readonly<Record<string, unknown> & { msg: string }>[];
  /** Its configuration with some variables more, for a reload. */
  readonly read: (more?: Readonly<Record<string, string>>) => Config;
  /** Ends it, once, and removes its state. */
  readonly close: () => Promise<void>;
}

/**
 * Start a gateway over the embedded collector that turns nobody away for being busy, records nothing, and does not wait for clients at its
 * end; `environment` as PMGATE_… variables.
 */
export async function startGateway(environment: Readonly<Record<string, string>> = {}): Promise<RunningGateway> {
  const state = mkdtempSync(path.join(tmpdir(), 'pmgate-whole-'));
  const usual = {
    PMGATE_LISTEN_PORT: '0',
    PMGATE_LIMITS_DRAIN_SEC: '0',
    PMGATE_LOCAL_SOURCE: 'embedded',
    PMGATE_STATE_DIRECTORY: state,
    ...PATIENT,
  };
  const read = (more = {}): Config => loadConfig({ environment: { ...usual, ...environment, ...more } });
  const lines: { msg: string; [field: string]: unknown }[] = [];
  const config = read();
  const write = (line: string): unknown => lines.push(JSON.parse(line) as never);
  const gateway = await Gateway.create({ config, log: await createLog(config.log.level, new FakeClock(), { write }) });
  const { port } = await gateway.listen();
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closing ??= gateway.close().then(() => rmSync(state, { recursive: true, force: true })));
  return { gateway, port, url: `http://127.0.0.1:${port}`, lines, read, close };
}
