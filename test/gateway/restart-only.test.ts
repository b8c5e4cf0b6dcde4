import https from 'node:https';
import { loadConfig, type Config } from '../../src/config/index.js';
import { optionsOf, readSchema, type SchemaNode } from '../../src/config/load-config.js';
import { withRestartOnly } from '../../src/gateway/gateway.js';
import { rows } from '../support/rows.js';
import { startGateway } from '../support/whole-gateway.js';

/** In force at once, but for a first certificate, or none any more. */
const CERTIFICATE = ['listen.certificateFile', 'listen.keyFile'];

const OPTIONS = optionsOf(readSchema()).map(({ path: [section, name], node }) => ({
  option: `${section!}.${name!}`,
  section: section as keyof Config,
  name: name!,
  node,
}));

/** The options with `x-restart` in the schema. */
const RESTART_ONLY = OPTIONS.filter(({ node }) => node['x-restart'] === true).map(({ option }) => option);

const DEFAULTS = loadConfig({});

/** Another value than the default. */
function otherValue({ type, enum: values, default: value }: SchemaNode): unknown {
  if (values) return values.find((one) => one !== value);
  if (Array.isArray(value)) return [...(value as unknown[]), 'another'];
  if (typeof value === 'object' && value !== null) return { another: 'pcp://another' };
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  return type === 'string' ? `${String(value)}x` : 'another';
}

function changed(base: Config, section: keyof Config, name: string, value: unknown): Config {
  return { ...base, [section]: { ...base[section], [name]: value } };
}

describe('withRestartOnly', () => {
  it.each(OPTIONS)('says truly of $option whether it waits for a restart', ({ option, section, name, node }) => {
    const wanted = changed(DEFAULTS, section, name, otherValue(node));
    expect(wanted).not.toEqual(DEFAULTS);
    const waits = RESTART_ONLY.includes(option) || option === 'listen.certificateFile';
    const { config, waiting } = withRestartOnly(DEFAULTS, wanted);
    expect(waiting).toEqual(waits ? [option] : []);
    expect(config).toEqual(waits ? DEFAULTS : wanted);
  });

  it('changes nothing of either configuration', () => {
    const wanted = changed(DEFAULTS, 'listen', 'port', 1);
    const before = JSON.stringify([DEFAULTS, wanted]);
    withRestartOnly(DEFAULTS, wanted);
    expect(JSON.stringify([DEFAULTS, wanted])).toBe(before);
  });

  it('lets another certificate in, but makes no HTTPS of HTTP, nor the other way round', () => {
    const withFiles = (name: string | null): Config =>
      changed(changed(DEFAULTS, 'listen', 'certificateFile', name), 'listen', 'keyFile', name);
    expect(withRestartOnly(withFiles('a'), withFiles('b'))).toEqual({ config: withFiles('b'), waiting: [] });
    for (const [from, to] of rows([null, 'b'], ['a', null])) {
      expect(withRestartOnly(withFiles(from), withFiles(to))).toEqual({
        config: withFiles(from),
        waiting: CERTIFICATE,
      });
    }
  });
});

/** A configuration that puts down which of its options are read. */
function watched(config: Config, read: Set<string>): Config {
  const sections = Object.entries<object>({ ...config }).map(([section, options]): [string, object] => [
    section,
    new Proxy(
      { ...options },
      {
        get(target, name) {
          if (typeof name === 'string') read.add(`${section}.${name}`);
          return Reflect.get(target, name) as unknown;
        },
      },
    ),
  ]);
  return Object.fromEntries(sections) as unknown as Config;
}

/** Ask, and go once the answer has begun. */
function askAndGo(port: number, target: string, body?: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const headers = { 'content-type': 'application/json' };
    const to = { host: '127.0.0.1', port, path: target, method, headers, rejectUnauthorized: false, agent: false };
    const asking = https.request(to).end(body);
    asking.on('response', (response) => {
      resolve(response.statusCode);
      response.destroy();
    });
    asking.on('error', reject);
  });
}

describe('a gateway', () => {
  it('reads again everything that it does not keep', async () => {
    const { gateway, port, ...running } = await startGateway({
      PMGATE_STORE_ENABLED: 'true',
      PMGATE_ACCESS_ANONYMOUS_ROLES: 'read,store',
      PMGATE_LISTEN_CERTIFICATE_FILE: 'test/fixtures/tls/one.cert.pem',
      PMGATE_LISTEN_KEY_FILE: 'test/fixtures/tls/one.key.pem',
    });
    const read = new Set<string>();
    expect(gateway.reload(watched(running.read(), read))).toEqual([]);
    // Some are looked at when they are needed.
    const names = 'names=pmgate.version';
    const asked = [`fetch?${names}`, 'context', `stream?${names}`, 'store?name=x&value=1', 'context?hostspec=unix:'];
    for (const target of asked) await askAndGo(port, `/pmapi/${target}`);
    await askAndGo(port, '/mcp', '{}');
    await running.close();
    const isRead = OPTIONS.map(({ option }) => option).filter(
      (option) => read.has(option) || RESTART_ONLY.includes(option),
    );
    expect(isRead).toEqual(OPTIONS.map(({ option }) => option));
  });
});
