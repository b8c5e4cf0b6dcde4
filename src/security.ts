import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import os from 'node:os';
import { parseDocument } from 'yaml';
import { AccessControl, AccessFileError, readAccessFile } from './access/index.js';
import type { AccessFile } from './access/index.js';
import { ConfigError } from './config/index.js';
import type { Config, ConfigProblem } from './config/index.js';
import { isLoopback } from './http/index.js';
import type { TlsMaterial } from './http/index.js';
import type { Clock } from './pmapi/index.js';

/** What keeps strangers out, made from the configuration and the files that it names. */
export interface Security {
  readonly access: AccessControl;
  readonly tls: TlsMaterial | undefined;
  /** Names that the gateway may be called by. */
  readonly hostNames: readonly string[];
}

/**
 * Read the access file and the certificate. Throws ConfigError with everything that is wrong with them, and when the gateway would
 * listen beyond loopback for whoever comes without the configuration saying so.
 */
export function loadSecurity(config: Config, clock: Clock): Security {
  const problems: ConfigProblem[] = [];
  const attempt = <T>(option: string, source: string | null, make: () => T): T | undefined => {
    try {
      return make();
    } catch (error) {
      if (error instanceof AccessFileError) {
        problems.push(...error.problems.map((problem) => ({ source: source ?? 'configuration', ...problem })));
      } else {
        problems.push({ source: source ?? 'configuration', option, message: (error as Error).message });
      }
      return undefined;
    }
  };
  const { listen, access: settings } = config;
  refuseOpen(config, problems);
  const file = attempt('', settings.file, () => readFile(settings.file));
  const anonymous = { from: settings.anonymousFrom, roles: settings.anonymousRoles };
  // Roles of a file that cannot be read are unknown, which says nothing of them.
  const access =
    settings.file !== null && !file
      ? undefined
      : attempt('access.anonymousRoles', null, () => new AccessControl({ file, anonymous, clock }));
  const tls = attempt('listen.certificateFile', listen.certificateFile, () => readTls(config));
  if (problems.length > 0 || !access) throw new ConfigError(problems);
  return { access, tls, hostNames: [...listen.names, os.hostname().toLowerCase(), listen.host.toLowerCase()] };
}

function refuseOpen({ listen, access }: Config, problems: ConfigProblem[]): void {
  const isLocal = listen.host === 'localhost' || (isIP(listen.host) !== 0 && isLoopback(listen.host));
  if (isLocal || access.file !== null || access.anonymousFrom === 'anywhere') return;
  problems.push({
    source: 'configuration',
    option: 'listen.host',
    message:
      `${listen.host} is beyond loopback, and there is no access control: name users and tokens in access.file, ` +
      'or say access.anonymousFrom: anywhere',
  });
}

function readFile(file: string | null): AccessFile | undefined {
  if (file === null) return undefined;
  const document = parseDocument(readFileSync(file, 'utf8'), { uniqueKeys: true });
  const [error] = document.errors;
  if (error) throw new Error(error.message.split('\n')[0]);
  return readAccessFile(document.toJS({ maxAliasCount: 100 }));
}

function readTls({ listen }: Config): TlsMaterial | undefined {
  const { certificateFile, keyFile } = listen;
  if (certificateFile === null && keyFile === null) return undefined;
  if (certificateFile === null || keyFile === null) {
    throw new Error('a certificate wants its key: listen.certificateFile and listen.keyFile stand together');
  }
  const [cert, key] = [readFileSync(certificateFile), readFileSync(keyFile)];
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
    throw new Error(`the key in ${keyFile} is not that of the certificate`);
  }
  return { cert, key };
}
