import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { ConfigError, loadConfig } from '../src/config/index.js';
import type { Config } from '../src/config/index.js';
import { Gateway } from '../src/gateway.js';
import { createLog } from '../src/log.js';
import { loadSecurity } from '../src/security.js';
import { FakeClock } from './support/fake-clock.js';

const TLS = path.resolve('test/fixtures/tls');
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(os.tmpdir(), 'pmgate-security-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const certificate = (name: string, key = name): Record<string, string> => ({
  PMGATE_LISTEN_CERTIFICATE_FILE: path.join(TLS, `${name}.cert.pem`),
  PMGATE_LISTEN_KEY_FILE: path.join(TLS, `${key}.key.pem`),
});

function read(environment: Record<string, string>): Config {
  return loadConfig({ environment: { PMGATE_LISTEN_PORT: '0', PMGATE_STATE_DIRECTORY: directory, ...environment } });
}

function accessFile(text: string): string {
  const file = path.join(directory, 'access.yaml');
  writeFileSync(file, text);
  return file;
}

function problems(environment: Record<string, string>): readonly string[] {
  try {
    loadSecurity(read(environment), new FakeClock());
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ option, message }) => `${option}: ${message}`);
    throw error;
  }
  return [];
}

describe('listening', () => {
  test.each(['127.0.0.1', '127.8.8.8', '::1', 'localhost'])('on %s wants no access control', (host) => {
    expect(problems({ PMGATE_LISTEN_HOST: host })).toEqual([]);
  });

  test.each(['0.0.0.0', '::', '10.0.0.1', 'example.com', 'localhost.example.com'])('on %s does', (host) => {
    expect(problems({ PMGATE_LISTEN_HOST: host })).toEqual([
      `listen.host: ${host} is beyond loopback, and there is no access control: name users and tokens in access.file, ` +
        'or say access.anonymousFrom: anywhere',
    ]);
    expect(problems({ PMGATE_LISTEN_HOST: host, PMGATE_ACCESS_ANONYMOUS_FROM: 'anywhere' })).toEqual([]);
    const file = accessFile('tokens: {}');
    expect(problems({ PMGATE_LISTEN_HOST: host, PMGATE_ACCESS_FILE: file })).toEqual([]);
  });
});

describe('the access file', () => {
  test('that is not there', () => {
    expect(problems({ PMGATE_ACCESS_FILE: '/nonexistent/access.yaml' })).toEqual([
      expect.stringContaining('no such file'),
    ]);
  });

  test('that is no YAML', () => {
    expect(problems({ PMGATE_ACCESS_FILE: accessFile('users: {') })).toHaveLength(1);
  });

  test('with mistakes: all of them', () => {
    const file = accessFile(
      'users: { bob: { password: plain, roles: [read] } }\ntokens: { t: { sha256: x, roles: [] } }',
    );
    expect(problems({ PMGATE_ACCESS_FILE: file })).toEqual([
      expect.stringMatching(/^users\.bob\.password: is not a hash/),
      expect.stringMatching(/^tokens\.t\.sha256: is not a SHA-256/),
    ]);
  });

  test('roles of anonymous clients may be its own', () => {
    const file = accessFile('roles: { guest: { permissions: [read], metrics: [kernel.*] } }');
    expect(problems({ PMGATE_ACCESS_FILE: file, PMGATE_ACCESS_ANONYMOUS_ROLES: 'guest' })).toEqual([]);
    expect(problems({ PMGATE_ACCESS_ANONYMOUS_ROLES: 'guest' })).toEqual([
      'access.anonymousRoles: guest is no role; there are read, derive, store, admin',
    ]);
  });
});

describe('the certificate', () => {
  test('wants its key, and no other', () => {
    expect(problems(certificate('one'))).toEqual([]);
    expect(problems(certificate('one', 'two'))).toEqual([
      expect.stringMatching(/two.key.pem is not that of the certificate/),
    ]);
    expect(problems({ PMGATE_LISTEN_KEY_FILE: path.join(TLS, 'one.key.pem') })).toEqual([
      expect.stringContaining('stand together'),
    ]);
    expect(problems(certificate('none'))).toEqual([expect.stringContaining('no such file')]);
  });

  /** Who answers on a port, by the name in its certificate, and how. */
  function ask({ port }: AddressInfo): Promise<readonly [name: string, answer: string]> {
    return new Promise((resolve, reject) => {
      const socket = tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
      let text = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      socket.once('secureConnect', () => {
        const name = String(socket.getPeerCertificate().subject.CN);
        socket.once('end', () => resolve([name, text.slice(0, text.indexOf('\r'))]));
        socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
      });
      socket.once('error', reject);
    });
  }

  test('is served, and another one after a reload; a bad one changes nothing', async () => {
    const log = await createLog('silent', new FakeClock());
    const gateway = await Gateway.create({ config: read(certificate('one')), log });
    try {
      const address = await gateway.listen();
      expect(await ask(address)).toEqual(['one.test', 'HTTP/1.1 200 OK']);
      gateway.reload(read(certificate('two')));
      expect(await ask(address)).toEqual(['two.test', 'HTTP/1.1 200 OK']);
      expect(() => gateway.reload(read(certificate('one', 'two')))).toThrow(ConfigError);
      expect(await ask(address)).toEqual(['two.test', 'HTTP/1.1 200 OK']);
    } finally {
      await gateway.close();
    }
  });
});

test('users that a reload takes away are not let in any more', async () => {
  const log = await createLog('silent', new FakeClock());
  const token = 'a'.repeat(32);
  const sha256 = '3ba3f5f43b92602683c19aee62a20342b084dd5971ddd33808d81a328879a547';
  const file = accessFile(`tokens: { grafana: { sha256: ${sha256}, roles: [read] } }`);
  const environment = {
    PMGATE_ACCESS_FILE: file,
    PMGATE_ACCESS_ANONYMOUS_FROM: 'nowhere',
    PMGATE_LOCAL_SOURCE: 'embedded',
  };
  const gateway = await Gateway.create({ config: read(environment), log });
  try {
    const { port } = await gateway.listen();
    const ask = async (): Promise<number> => {
      const url = `http://127.0.0.1:${port}/pmapi/fetch?names=pmgate.uptime`;
      return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status;
    };
    expect(await ask()).toBe(200);
    writeFileSync(file, 'tokens: {}');
    gateway.reload(read(environment));
    expect(await ask()).toBe(401);
  } finally {
    await gateway.close();
  }
});
