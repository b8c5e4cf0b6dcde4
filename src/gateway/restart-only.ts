import type { Config } from '../config/index.js';

/** `listen.port` and so on. */
type OptionName = { [Section in keyof Config]: `${Section}.${keyof Config[Section] & string}` }[keyof Config];

/** Options that a gateway has for as long as it runs; every other one is in force once it is read again. */
const KEPT: readonly OptionName[] = [
  'listen.host',
  'listen.port',
  'local.collector',
  'local.processes',
  'local.snapshotMs',
  'local.mmvDirectory',
  'hosts.connections',
  'hosts.max',
  'hosts.replyTimeoutSec',
  'archives.max',
  'archives.cacheBytes',
  'archives.inflatedBytes',
  'archives.idleSec',
  'archives.tempDirectory',
  'record.enabled',
  'record.host',
  'record.groups',
  'record.keepDays',
  'record.keepBytes',
  'record.volumeBytes',
  'derived.stateFile',
  'state.directory',
  'contexts.historyBytes',
  'contexts.historySec',
  'limits.memoryBytes',
];

/** Another certificate is served at once; but what serves HTTP does so for good, and so does what serves HTTPS. */
const CERTIFICATE: readonly OptionName[] = ['listen.certificateFile', 'listen.keyFile'];

/** What becomes of a configuration that a running gateway is given. */
export interface Reloaded {
  /** What is in force: as it was wanted, but for what waits. */
  readonly config: Config;
  /** The options that wait for a restart, such as `listen.port`. */
  readonly waiting: readonly string[];
}

/** Keep what a gateway cannot change while it runs: `started` is the configuration that it was made with, `wanted` another one. */
export function withRestartOnly(started: Config, wanted: Config): Reloaded {
  const isOfAnotherKind = (started.listen.certificateFile === null) !== (wanted.listen.certificateFile === null);
  const config: Record<string, Record<string, unknown>> = { ...wanted };
  const waiting: string[] = [];
  for (const option of isOfAnotherKind ? [...KEPT, ...CERTIFICATE] : KEPT) {
    const [section, name] = option.split('.') as [keyof Config, string];
    const kept = (started[section] as Readonly<Record<string, unknown>>)[name];
    if (JSON.stringify(config[section]![name]) === JSON.stringify(kept)) continue;
    config[section] = { ...config[section], [name]: kept };
    waiting.push(option);
  }
  return { config: config as unknown as Config, waiting };
}
