import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { loadConfig } from '../../src/config/index.js';
import { checkCluster, readClusterFiles } from '../../src/gateway/cluster-settings.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const temporary = temporaryDirectory();
const cluster = (environment: Readonly<Record<string, string>>): ReturnType<typeof loadConfig>['cluster'] =>
  loadConfig({ environment }).cluster;
const file = (name: string, text: string): string => {
  const full = path.join(temporary.path, name);
  writeFileSync(full, text);
  return full;
};

/** A link with a certificate; `none` is a file that is something else. */
const linkOf = (key: string, ca: string): Readonly<Record<string, string>> => ({
  LINK_PORT: '0',
  LINK_CERTIFICATE_FILE: 'test/fixtures/tls/one.cert.pem',
  LINK_KEY_FILE: key === 'none' ? 'package.json' : `test/fixtures/tls/${key}.key.pem`,
  LINK_CA_FILE: ca === 'none' ? 'package.json' : `test/fixtures/tls/${ca}.cert.pem`,
});

describe('checkCluster()', () => {
  it('has nothing against no fleet, and against one that is set up well', () => {
    expect(checkCluster(cluster({}))).toEqual([]);
    const environment = {
      PMGATE_CLUSTER_URL: 'valkey://[::1]:6379/1',
      PMGATE_CLUSTER_LINK_PORT: '0',
      PMGATE_CLUSTER_LINK_SECRET_FILE: file('secret', 's'.repeat(32)),
    };
    expect(checkCluster(cluster(environment))).toEqual([]);
  });

  it.each<[string, Readonly<Record<string, string>>, string, RegExp]>([
    ['a Sentinel that is no host', { SENTINELS: 'one:26379,:26379' }, 'cluster.sentinels', /HOST:PORT.*":26379"/],
    ['a Sentinel with a port too high', { SENTINELS: 'one:99999' }, 'cluster.sentinels', /HOST:PORT/],
    ['a server that is no host', { URL: 'valkey://a b' }, 'cluster.url', /HOST:PORT/],
    ['a password that is not there', { PASSWORD_FILE: '/nowhere' }, 'cluster.passwordFile', /ENOENT.*\/nowhere/],
    ['a link without a secret', { LINK_PORT: '0' }, 'cluster.linkPort', /needs cluster.linkSecretFile/],
    ['a user that is no text', { URL: 'valkey://a%zz@one' }, 'cluster.url', /HOST:PORT/],
    ['a CA that is none', { CA_FILE: 'package.json' }, 'cluster.caFile', /package.json is no certificate/],
    ['a link with the key of another certificate', linkOf('two', 'one'), 'cluster.linkKeyFile', /is not the key/],
    ['a link with a key that is none', linkOf('none', 'one'), 'cluster.linkKeyFile', /is not the key/],
    ['a link whose CA is none', linkOf('one', 'none'), 'cluster.linkCaFile', /is no certificate/],
    [
      'a secret that is not there',
      { LINK_PORT: '0', LINK_SECRET_FILE: '/nowhere' },
      'cluster.linkSecretFile',
      /ENOENT/,
    ],
  ])('finds %s', (_, options, option, message) => {
    const usual = 'SENTINELS' in options ? {} : { PMGATE_CLUSTER_URL: 'valkey://one' };
    const named = Object.entries(options).map(([name, value]) => [`PMGATE_CLUSTER_${name}`, value]);
    const settings = cluster({ ...usual, ...(Object.fromEntries(named) as Record<string, string>) });
    expect(checkCluster(settings)).toEqual([{ option, message: expect.stringMatching(message) as string }]);
  });

  it('finds a secret that is too short, and one for another machine', () => {
    const [short, long] = [file('short', 'short'), file('long', 's'.repeat(40))];
    const link = { PMGATE_CLUSTER_URL: 'valkey://one', PMGATE_CLUSTER_LINK_PORT: '1' };
    const problem = (more: Readonly<Record<string, string>>): string =>
      checkCluster(cluster({ ...link, ...more }))[0]!.message;
    expect(problem({ PMGATE_CLUSTER_LINK_SECRET_FILE: short })).toContain('fewer than 32');
    const elsewhere = { PMGATE_CLUSTER_LINK_SECRET_FILE: long, PMGATE_CLUSTER_LINK_HOST: '192.0.2.1' };
    expect(problem(elsewhere)).toContain('needs certificates');
  });
});

describe('readClusterFiles()', () => {
  it('has the logins for servers and Sentinels', () => {
    const { servers, link } = readClusterFiles(
      cluster({
        PMGATE_CLUSTER_SENTINELS: 'one:26379',
        PMGATE_CLUSTER_USER: 'alice',
        PMGATE_CLUSTER_PASSWORD_FILE: file('p', 'secret\n'),
        PMGATE_CLUSTER_SENTINEL_USER: 'watcher',
        PMGATE_CLUSTER_SENTINEL_PASSWORD_FILE: file('q', 'other\n'),
        PMGATE_CLUSTER_TLS: 'true',
      }),
    );
    const logins = {
      user: 'alice',
      password: 'secret',
      sentinelUser: 'watcher',
      sentinelPassword: 'other',
      isTls: true,
    };
    expect([servers, link]).toEqual([expect.objectContaining(logins), undefined]);
  });

  it('says what is wrong', () => {
    expect(() => readClusterFiles(cluster({ PMGATE_CLUSTER_PASSWORD_FILE: '/nowhere' }))).toThrow(
      'cluster.passwordFile',
    );
  });
});
