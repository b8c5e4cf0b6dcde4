import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import os from 'node:os';
import { AccessControl, AccessFileError, readAccessFile, type AccessFile } from '../access/index.js';
import { ConfigError, lineOfOption, parseYaml, type Config, type ConfigProblem } from '../config/index.js';
import { isLoopback, type TlsMaterial } from '../http/index.js';
import { attempt } from '../kit/index.js';
import type { Clock } from '../pmapi/index.js';

/** The members of an access file, which no configuration has. */
const ACCESS_MEMBERS: readonly string[] = ['users', 'tokens', 'roles'];

/** Access control and TLS, from the configuration and the files that it names. */
export interface Security {
  readonly access: AccessControl;
  /** Equal as long as all principals may do the same. */
  readonly accessKey: string;
  readonly tls: TlsMaterial | undefined;
  readonly hostNames: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Reads the access file and the certificate. Throws ConfigError with all problems, among them listening beyond loopback without
 * access control and without `access.anonymousFrom: anywhere`.
 */
export function loadSecurity(config: Config, clock: Clock, onGuessing?: (client: string) => void): Security {
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
  const text = attempt('', settings.file, () => (settings.file === null ? undefined : readSecret(settings.file)));
  const file = text === undefined ? undefined : attempt('', settings.file, () => readAccess(text));
  const anonymous = { from: settings.anonymousFrom, roles: settings.anonymousRoles };
  // The roles of an unreadable file are unknown, which does not make their names invalid.
  const access =
    settings.file !== null && !file
      ? undefined
      : attempt(
          'access.anonymousRoles',
          null,
          () => new AccessControl({ file, anonymous, failedLogins: settings.failedLogins, onGuessing, clock }),
        );
  const isPair = listen.certificateFile !== null && listen.keyFile !== null;
  const tls = attempt('listen.certificateFile', isPair ? listen.certificateFile : null, () => readTls(config));
  if (problems.length > 0 || !access) throw new ConfigError(problems);
  return {
    access,
    accessKey: createHash('sha256')
      .update(JSON.stringify([text, anonymous]))
      .digest('base64'),
    tls,
    hostNames: [...listen.names, os.hostname().toLowerCase(), listen.host.toLowerCase()],
    warnings: warningsOf(config, file),
  };
}

function warningsOf({ listen, access }: Config, file: AccessFile | undefined): readonly string[] {
  const isReadable = (name: string | null): boolean => name !== null && (statSync(name).mode & 0o004) !== 0;
  const { users, tokens } = file ?? { users: new Map(), tokens: new Map() };
  const warnings: string[] = [];
  if (users.size > 0 && isReadable(access.file)) {
    warnings.push(`${access.file} with password hashes is readable by all users of this machine (chmod o-r)`);
  }
  if (isReadable(listen.keyFile)) {
    warnings.push(`the private key ${listen.keyFile} is readable by all users of this machine (chmod o-r)`);
  }
  if (users.size + tokens.size > 0 && listen.certificateFile === null && !isLocal(listen.host)) {
    warnings.push(
      `${listen.host} is beyond loopback, so passwords and tokens are sent unencrypted unless a proxy terminates HTTPS: ` +
        'set listen.certificateFile',
    );
  }
  return warnings;
}

export function isLocal(host: string): boolean {
  return host === 'localhost' || (isIP(host) !== 0 && isLoopback(host));
}

function refuseOpen({ listen, access }: Config, problems: ConfigProblem[]): void {
  if (isLocal(listen.host) || access.file !== null || access.anonymousFrom === 'anywhere') return;
  problems.push({
    source: 'configuration',
    option: 'listen.host',
    message:
      `${listen.host} is beyond loopback and there is no access control: set access.file, ` +
      'or access.anonymousFrom: anywhere',
  });
}

/** Reads a file that only its owner may write: anyone else who may could grant themselves access. */
function readSecret(file: string): string {
  if ((statSync(file).mode & 0o002) !== 0) throw new Error('writable by all users (chmod o-w)');
  return readFileSync(file, 'utf8');
}

/** Parses the text of an access file. Throws AccessFileError with all problems and their lines. */
function readAccess(text: string): AccessFile {
  const yaml = parseYaml(text);
  if (yaml.faults.length > 0) throw new AccessFileError(yaml.faults.map((fault) => ({ option: '', ...fault })));
  try {
    return readAccessFile(yaml.content);
  } catch (error) {
    if (!(error instanceof AccessFileError)) throw error;
    throw new AccessFileError(
      error.problems.map((problem) => {
        const line = lineOfOption(yaml, problem.option);
        return line === undefined ? problem : { ...problem, line };
      }),
    );
  }
}

/** All problems of an access file; undefined if the content is not that of an access file. */
export function checkAccessFile(file: string): readonly ConfigProblem[] | undefined {
  const text = attempt(() => readFileSync(file, 'utf8'));
  if (text === undefined) return undefined;
  const { content } = parseYaml(text);
  const names = typeof content === 'object' && content !== null ? Object.keys(content) : [];
  if (!names.some((name) => ACCESS_MEMBERS.includes(name))) return undefined;
  try {
    readAccess(text);
    return [];
  } catch (error) {
    if (!(error instanceof AccessFileError)) throw error;
    return error.problems.map((problem) => ({ source: file, ...problem }));
  }
}

function readTls({ listen }: Config): TlsMaterial | undefined {
  const { certificateFile, keyFile } = listen;
  if (certificateFile === null && keyFile === null) return undefined;
  if (certificateFile === null || keyFile === null) {
    throw new Error('must be set together with listen.keyFile');
  }
  const [cert, key] = [readFileSync(certificateFile), Buffer.from(readSecret(keyFile))];
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
    throw new Error(`the key in ${keyFile} does not match the certificate`);
  }
  return { cert, key };
}
