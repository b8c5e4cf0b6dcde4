import { once } from 'node:events';
import { chmodSync, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import net from 'node:net';
import tls from 'node:tls';
import { type Config, ConfigError, loadConfig } from '../../src/config/index.js';
import { checkConfig } from '../../src/cli/read-config.js';
import { loadSecurity } from '../../src/gateway/security.js';
import { cheapHash } from '../access/support/cheap-hash.js';
import { FakeClock } from '../support/fake-clock.js';
import { PATIENT } from '../support/patience.js';
import { rows } from '../support/rows.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { type RunningGateway, startGateway } from '../support/whole-gateway.js';

const TLS = path.resolve('test/fixtures/tls');
const directory = temporaryDirectory().path;
// One that may not be written is not written over.
afterEach(() => rmSync(path.join(directory, 'access.yaml'), { force: true }));

const certificate = (name: string, key = name): Record<string, string> => ({
  PMGATE_LISTEN_CERTIFICATE_FILE: path.join(TLS, `${name}.cert.pem`),
  PMGATE_LISTEN_KEY_FILE: path.join(TLS, `${key}.key.pem`),
});

function read(environment: Record<string, string>): Config {
  return loadConfig({
    environment: { PMGATE_LISTEN_PORT: '0', PMGATE_STATE_DIRECTORY: directory, ...PATIENT, ...environment },
  });
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
      `listen.host: ${host} is beyond loopback and there is no access control: set access.file, ` +
        'or access.anonymousFrom: anywhere',
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
    const glob = accessFile('roles:\n  guest: { metrics: [*.load] }\n');
    expect(problems({ PMGATE_ACCESS_FILE: glob })).toEqual([expect.stringMatching(/^: \*\.load is an alias /)]);
  });

  test('is not believed when everybody may write it, nor is the key of the certificate', () => {
    const file = accessFile('tokens: {}');
    chmodSync(file, 0o646);
    expect(problems({ PMGATE_ACCESS_FILE: file })).toEqual([': writable by all users (chmod o-w)']);
    const key = path.join(directory, 'key.pem');
    copyFileSync(path.join(TLS, 'one.key.pem'), key);
    chmodSync(key, 0o666);
    expect(problems({ ...certificate('one'), PMGATE_LISTEN_KEY_FILE: key })).toEqual([
      'listen.certificateFile: writable by all users (chmod o-w)',
    ]);
  });

  test('roles of anonymous clients may be its own', () => {
    const file = accessFile('roles: { guest: { permissions: [read], metrics: [kernel.*] } }');
    expect(problems({ PMGATE_ACCESS_FILE: file, PMGATE_ACCESS_ANONYMOUS_ROLES: 'guest' })).toEqual([]);
    expect(problems({ PMGATE_ACCESS_ANONYMOUS_ROLES: 'guest' })).toEqual([
      'access.anonymousRoles: unknown role guest (known: read, derive, store, push, admin)',
    ]);
  });
});

describe('warnings', () => {
  const warnings = (environment: Record<string, string>): readonly string[] =>
    loadSecurity(read(environment), new FakeClock()).warnings;
  const users = `users: { alice: { password: '${cheapHash('secret')}', roles: [read] } }`;

  test('of secrets that everybody on the machine may read', () => {
    const file = accessFile(users);
    chmodSync(file, 0o644);
    const key = path.join(directory, 'key.pem');
    copyFileSync(path.join(TLS, 'one.key.pem'), key);
    chmodSync(key, 0o604);
    const environment = { ...certificate('one'), PMGATE_LISTEN_KEY_FILE: key, PMGATE_ACCESS_FILE: file };
    expect(warnings(environment)).toEqual([
      `${file} with password hashes is readable by all users of this machine (chmod o-r)`,
      `the private key ${key} is readable by all users of this machine (chmod o-r)`,
    ]);
    chmodSync(file, 0o640);
    chmodSync(key, 0o400);
    expect(warnings(environment)).toEqual([]);
  });

  test('of credentials that cross the network as they are', () => {
    const environment = { PMGATE_LISTEN_HOST: '0.0.0.0', PMGATE_ACCESS_FILE: accessFile(users) };
    chmodSync(environment.PMGATE_ACCESS_FILE, 0o600);
    expect(warnings(environment)).toEqual([
      '0.0.0.0 is beyond loopback, so passwords and tokens are sent unencrypted unless a proxy terminates HTTPS: ' +
        'set listen.certificateFile',
    ]);
    expect(warnings({ ...environment, ...certificate('one') })).not.toContainEqual(expect.stringContaining('loopback'));
    expect(warnings({ ...environment, PMGATE_LISTEN_HOST: '127.0.0.1' })).toEqual([]);
  });
});

describe('the certificate', () => {
  test('wants its key, and no other', () => {
    expect(problems(certificate('one'))).toEqual([]);
    expect(problems(certificate('one', 'two'))).toEqual([
      expect.stringMatching(/two.key.pem does not match the certificate/),
    ]);
    expect(problems({ PMGATE_LISTEN_KEY_FILE: path.join(TLS, 'one.key.pem') })).toEqual([
      expect.stringContaining('together with listen.keyFile'),
    ]);
    expect(problems(certificate('none'))).toEqual([expect.stringContaining('no such file')]);
  });

  test('without its key is a problem of the configuration, not of its file', () => {
    const config = read({ PMGATE_LISTEN_CERTIFICATE_FILE: '/nonexistent/cert.pem' });
    expect(() => loadSecurity(config, new FakeClock())).toThrow(/^configuration: listen\.certificateFile: /);
  });

  /** Who answers on a port, by the name in its certificate, and how: the lines of the head. */
  function askHead(port: number, method = 'GET'): Promise<readonly [name: string, ...head: string[]]> {
    return new Promise((resolve, reject) => {
      const socket = tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
      let text = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      socket.once('secureConnect', () => {
        const name = String(socket.getPeerCertificate().subject.CN);
        socket.once('end', () => resolve([name, ...text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n')]));
        socket.write(`${method} /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      });
      socket.once('error', reject);
    });
  }

  const ask = async (port: number): Promise<readonly string[]> => (await askHead(port)).slice(0, 2);

  async function serving(
    environment: Record<string, string>,
    deed: (running: RunningGateway) => Promise<void>,
  ): Promise<void> {
    const running = await startGateway({ PMGATE_LIMITS_DRAIN_SEC: '1', ...environment });
    try {
      await deed(running);
    } finally {
      await running.close();
    }
  }

  test('is served, and another one after a reload; a bad one changes nothing', () =>
    serving(certificate('one'), async ({ gateway, port, read }) => {
      expect(await ask(port)).toEqual(['one.test', 'HTTP/1.1 200 OK']);
      gateway.reload(read(certificate('two')));
      expect(await ask(port)).toEqual(['two.test', 'HTTP/1.1 200 OK']);
      expect(() => gateway.reload(read(certificate('one', 'two')))).toThrow(ConfigError);
      expect(await ask(port)).toEqual(['two.test', 'HTTP/1.1 200 OK']);
    }));

  test.each([
    ['nothing', ''],
    ['half a handshake', '\x16\x03\x01\x02\x00\x01'],
    ['HTTP', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ])('clients that say %s are let go', (_, bytes) =>
    serving({ ...certificate('one'), PMGATE_LIMITS_HEADERS_TIMEOUT_SEC: '0.1' }, async ({ port }) => {
      const socket = net.connect({ host: '127.0.0.1', port });
      socket.resume().on('error', () => undefined);
      socket.write(Buffer.from(bytes, 'latin1'));
      await once(socket, 'close');
    }),
  );

  test('makes HTTPS a habit of browsers where that is said, and with every answer', async () => {
    const field = (head: readonly string[]): string | undefined =>
      head.find((line) => line.startsWith('Strict-Transport-Security'));
    await serving(certificate('one'), async ({ port }) => expect(field(await askHead(port))).toBeUndefined());
    // Nothing that came by HTTP counts.
    const year = { PMGATE_LISTEN_STRICT_TRANSPORT_SEC: '31536000' };
    await serving(year, async ({ port }) => {
      const { headers } = await fetch(`http://127.0.0.1:${port}/healthz`);
      expect(headers.get('strict-transport-security')).toBeNull();
    });
    await serving({ ...certificate('one'), ...year }, async ({ port }) => {
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'DELETE']) {
        expect(field(await askHead(port, method))).toBe('Strict-Transport-Security: max-age=31536000');
      }
    });
  });
});

const token = 'a'.repeat(32);
const sha256 = '3ba3f5f43b92602683c19aee62a20342b084dd5971ddd33808d81a328879a547';

/** A gateway that lets nobody in but `grafana` with its token, until a reload says otherwise. */
async function servingGrafana(
  work: (around: { ask(pathAndQuery: string): Promise<Response>; reload(text?: string): void }) => Promise<void>,
  environment: Record<string, string> = {},
): Promise<void> {
  const file = accessFile(`tokens: { grafana: { sha256: ${sha256}, roles: [read] } }`);
  const settings = {
    PMGATE_ACCESS_FILE: file,
    PMGATE_ACCESS_ANONYMOUS_FROM: 'nowhere',
    ...environment,
  };
  const { gateway, url, ...running } = await startGateway(settings);
  try {
    await work({
      ask: (pathAndQuery) => fetch(`${url}${pathAndQuery}`, { headers: { authorization: `Bearer ${token}` } }),
      reload: (text) => {
        if (text !== undefined) writeFileSync(file, text);
        gateway.reload(running.read());
      },
    });
  } finally {
    await running.close();
  }
}

test('users that a reload takes away are not let in any more', () =>
  servingGrafana(async ({ ask, reload }) => {
    const url = '/pmapi/fetch?names=pmgate.uptime';
    expect((await ask(url)).status).toBe(200);
    reload('tokens: {}');
    expect((await ask(url)).status).toBe(401);
  }));

test('a context shows no more than a reload leaves to its owner', () =>
  servingGrafana(async ({ ask, reload }) => {
    const told = async (url: string): Promise<readonly [number, { context: number }]> => {
      const answer = await ask(url);
      return [answer.status, (await answer.json()) as { context: number }];
    };
    const [, { context }] = await told('/pmapi/context?polltimeout=60');
    const url = `/pmapi/${context}/fetch?name=pmgate.uptime`;
    expect((await ask(url)).status).toBe(200);
    reload(
      `tokens: { grafana: { sha256: ${sha256}, roles: [some] } }\n` +
        'roles: { some: { permissions: [read], metrics: [kernel.*] } }',
    );
    expect(await told(url)).toMatchObject([404, { code: 'UNKNOWN_CONTEXT' }]);
    expect(await told('/pmapi/fetch?name=pmgate.uptime')).toMatchObject([404, { code: 'UNKNOWN_METRIC' }]);
  }));

test('a stream outlives a reload, but not one that changes who may do what: its client comes back and is asked anew', () =>
  servingGrafana(
    async ({ ask, reload }) => {
      const open = (): Promise<Response> => ask('/pmapi/stream?names=pmgate.uptime&interval=20msec');
      const reader = (await open()).body!.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      const readUntil = async (isEnough: () => boolean): Promise<boolean> => {
        while (!isEnough()) {
          const { done, value } = await reader.read();
          if (done) return false;
          text += value;
        }
        return true;
      };
      const samples = (): number => text.split('\nid: ').length - 1;
      reload();
      expect(await readUntil(() => samples() >= 3)).toBe(true);
      reload('tokens: {}');
      expect(await readUntil(() => false)).toBe(false);
      // No last event: who comes back goes on where it was, if it may.
      expect(text).not.toContain('event: end');
      expect((await open()).status).toBe(401);
    },
    { PMGATE_STREAMS_MIN_INTERVAL_MSEC: '10', PMGATE_LIMITS_DRAIN_SEC: '1' },
  ));

describe('an access file with mistakes', () => {
  const TEXT = 'users:\n  a.b:\n    password: x\n    roles: [read]\nroles:\n  web:\n    permissions: [read, fly]\n';
  const LINES = rows([7, 'roles.web.permissions'], [3, 'users.a.b.password']);

  it('tells the line of each', () => {
    const file = accessFile(TEXT);
    const found = (): unknown[] => {
      try {
        return [loadSecurity(read({ PMGATE_ACCESS_FILE: file }), new FakeClock())];
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        return error.problems.map(({ line, option }) => [line, option]);
      }
    };
    expect(found()).toEqual(LINES);
    writeFileSync(file, 'users: {\n');
    expect(found()).toEqual([[expect.any(Number), '']]);
  });

  it('is checked by check-config', () => {
    const file = accessFile(TEXT);
    expect(checkConfig(file).map(({ source, line, option }) => [source, line, option])).toEqual(
      LINES.map((place) => [file, ...place]),
    );
    expect(checkConfig(accessFile('roles:\n  web:\n    permissions: [read]\n'))).toEqual([]);
  });
});
