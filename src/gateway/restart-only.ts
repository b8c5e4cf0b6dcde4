import { restartOnlyOptions, type Config } from '../config/index.js';

/** A new certificate is used at once, but a running gateway cannot change from HTTP to HTTPS or back. */
const CERTIFICATE: readonly string[] = ['listen.certificateFile', 'listen.keyFile'];

/** The effect of a new configuration on a running gateway. */
export interface Reloaded {
  /** The configuration in force: the new one, with the old values of options that require a restart. */
  readonly config: Config;
  /** The changed options that require a restart, such as `listen.port`. */
  readonly waiting: readonly string[];
}

/** Keeps the options that a running gateway cannot change: those with `x-restart` in config/pmgate.schema.json. */
export function withRestartOnly(started: Config, wanted: Config): Reloaded {
  const isOfAnotherKind = (started.listen.certificateFile === null) !== (wanted.listen.certificateFile === null);
  const config: Record<string, Record<string, unknown>> = { ...wanted };
  const waiting: string[] = [];
  for (const option of [...restartOnlyOptions(), ...(isOfAnotherKind ? CERTIFICATE : [])]) {
    const [section, name] = option.split('.') as [keyof Config, string];
    const kept = (started[section] as Readonly<Record<string, unknown>>)[name];
    if (JSON.stringify(config[section]![name]) === JSON.stringify(kept)) continue;
    config[section] = { ...config[section], [name]: kept };
    waiting.push(option);
  }
  return { config: config as unknown as Config, waiting };
}
