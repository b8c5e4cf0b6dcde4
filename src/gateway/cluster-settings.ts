import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Config, OptionFault } from '../config/index.js';
import { checkSecurity, type LinkSecurity } from '../fleet/link/index.js';
import type { ValkeyAddress } from '../fleet/index.js';
import { attempt } from '../kit/index.js';

type Cluster = Config['cluster'];

const CERTIFICATES: ReadonlySet<keyof Cluster> = new Set(['caFile', 'linkCertificateFile', 'linkCaFile']);

/** How a gateway reaches the servers of its fleet, and how gateways know one another; from the files that the options name. */
export interface ClusterFiles {
  readonly servers: ValkeyAddress;
  /** Undefined without cluster.linkPort. */
  readonly link: LinkSecurity | undefined;
}

/** Reads the files. Throws an Error for what {@link checkCluster} finds. */
export function readClusterFiles(cluster: Cluster): ClusterFiles {
  const faults: OptionFault[] = [];
  const files = read(cluster, faults);
  if (faults.length === 0) return files;
  throw new Error(faults.map(({ option, message }) => `${option}: ${message}`).join('; '));
}

/** What is wrong with the options of a fleet, and the files that they name. */
export function checkCluster(cluster: Cluster): readonly OptionFault[] {
  if (cluster.url === null && cluster.sentinels.length === 0) return [];
  const faults: OptionFault[] = [];
  if (cluster.url !== null) checkAddress('cluster.url', cluster.url, faults);
  for (const sentinel of cluster.sentinels) checkAddress('cluster.sentinels', `tcp://${sentinel}`, faults);
  read(cluster, faults);
  return faults;
}

function checkAddress(option: string, url: string, faults: OptionFault[]): void {
  const { hostname = '', username = '' } = URL.canParse(url) ? new URL(url) : {};
  const isUser = attempt(() => decodeURIComponent(username)) !== undefined;
  if (isUser && /^(?:\[[\da-f:.]+\]|[\w.-]+)$/i.test(hostname)) return;
  const [, address = url] = url.split('://');
  faults.push({ option, message: `expected HOST:PORT, and found ${JSON.stringify(address)}` });
}

function read(cluster: Cluster, faults: OptionFault[]): ClusterFiles {
  const { url, sentinels, service, user, sentinelUser, tls } = cluster;
  const text = (option: keyof Cluster): string | undefined => textOf(cluster, option, faults);
  const servers: ValkeyAddress = {
    url: url ?? undefined,
    sentinels,
    service,
    user: user ?? undefined,
    password: text('passwordFile')?.trim(),
    sentinelUser: sentinelUser ?? undefined,
    sentinelPassword: text('sentinelPasswordFile')?.trim(),
    isTls: tls,
    ca: text('caFile'),
  };
  return { servers, link: cluster.linkPort === null ? undefined : readLink(cluster, text, faults) };
}

function readLink(
  { linkHost: host, linkPort }: Cluster,
  text: (option: keyof Cluster) => string | undefined,
  faults: OptionFault[],
): LinkSecurity | undefined {
  const before = faults.length;
  const [certificate, key, ca] = [text('linkCertificateFile'), text('linkKeyFile'), text('linkCaFile')];
  const secret = text('linkSecretFile')?.trim();
  if (faults.length > before) return undefined;
  const isCertified = certificate !== undefined && key !== undefined && ca !== undefined;
  const security = isCertified ? { certificate, key, ca } : secret === undefined ? undefined : { secret };
  const option = isCertified ? 'cluster.linkKeyFile' : 'cluster.linkPort';
  noting(option, faults, () => {
    if (!security) throw new Error('needs cluster.linkSecretFile, or linkCertificateFile, linkKeyFile and linkCaFile');
    checkSecurity(security, { host, port: linkPort! });
    if (isCertified && attempt(() => new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) !== true)
      throw new Error('is not the key of cluster.linkCertificateFile');
  });
  return security;
}

function textOf(cluster: Cluster, option: keyof Cluster, faults: OptionFault[]): string | undefined {
  const file = cluster[option];
  if (typeof file !== 'string') return undefined;
  return noting(`cluster.${option}`, faults, () => {
    const text = readFileSync(file, 'utf8');
    if (CERTIFICATES.has(option) && !attempt(() => new X509Certificate(text)))
      throw new Error(`${file} is no certificate in PEM`);
    return text;
  });
}

function noting<T>(option: string, faults: OptionFault[], make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    faults.push({ option, message: (error as Error).message });
    return undefined;
  }
}
