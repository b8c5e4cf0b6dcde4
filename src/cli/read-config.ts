import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ConfigError, loadConfig } from '../config/index.js';
import type { Config, ConfigInputs, ConfigProblem, OptionFault } from '../config/index.js';
import { DefinitionStore } from '../derived/index.js';
import { addressMatcher, ClientLimits } from '../http/index.js';
import { systemClock } from '../pmapi/index.js';
import { checkFeatures } from '../gateway/check-features.js';
import { checkCluster } from '../gateway/cluster-settings.js';
import { checkAccessFile, loadSecurity } from '../gateway/security.js';
import { checkHosts, checkLocal } from '../gateway/targets/source-resolver.js';

const SHIPPED_CONFIG = fileURLToPath(new URL('../../config/pmgate.yaml', import.meta.url));

export { placeOf } from '../config/index.js';

/** The configuration file to use: the given one, else that of PMGATE_CONFIG, else the shipped one. */
export function configFile(named: string | undefined): string {
  return named ?? process.env.PMGATE_CONFIG ?? SHIPPED_CONFIG;
}

/** The configuration of a file, the environment and flags, with hosts, fleet and access checked. Throws {@link ConfigError} with all problems. */
export function readConfig(file: string, flags: ConfigInputs['flags'] = {}): Config {
  const check = (config: Config): readonly OptionFault[] => [
    ...checkHosts(config.hosts),
    ...checkLocal(config.cluster),
    ...checkCluster(config.cluster),
    ...checkAddresses(config),
    ...checkSecurity(config),
  ];
  return loadConfig({ file, environment: process.env, flags, check });
}

function checkAddresses({ clients, push }: Config): readonly OptionFault[] {
  const faultsOf = (option: string, use: () => unknown): readonly OptionFault[] => {
    try {
      use();
      return [];
    } catch (error) {
      return [{ option, message: (error as Error).message }];
    }
  };
  return [
    ...faultsOf('clients.exempt', () => new ClientLimits(clients, systemClock)),
    ...faultsOf('push.from', () => addressMatcher(push.from)),
  ];
}

/** Problems of the access file and the certificate name those files; all others are of the configuration. */
function checkSecurity(config: Config): readonly OptionFault[] {
  try {
    loadSecurity(config, systemClock);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ source, ...fault }) => (source === 'configuration' ? fault : { source, ...fault }));
  }
}

/** All problems of a configuration or an access file, and of definition files, whose problems the gateway only logs. */
export function checkConfig(file: string): readonly ConfigProblem[] {
  const access = checkAccessFile(file);
  if (access) return access;
  try {
    const config = readConfig(file);
    // One store for all of them: they may not contradict one another.
    const store = new DefinitionStore();
    const ofDefinitions = config.derived.files.flatMap((definitions) => checkDefinitions(store, definitions));
    return [...ofDefinitions, ...checkFeatures(config)];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

function checkDefinitions(store: DefinitionStore, file: string): ConfigProblem[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return [{ source: file, option: '', message: `cannot be read: ${(error as Error).message}` }];
  }
  return store
    .load(text, { file, origin: 'file', lenient: true })
    .problems.filter(({ severity }) => severity === 'error')
    .map(({ line, message }) => ({ source: file, line, option: '', message }));
}
