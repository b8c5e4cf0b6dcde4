import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { ConfigError, loadConfig, type ConfigInputs, type OptionFault } from '../../src/config/index.js';
import { environmentName, optionsOf, readSchema } from '../../src/config/load-config.js';

function fileWith(text: string): string {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'pmgate-config-')), 'my.yaml');
  writeFileSync(file, text);
  return file;
}

function problemsOf(inputs: Parameters<typeof loadConfig>[0]): string[] {
  try {
    loadConfig(inputs);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map((p) => `${p.option}: ${p.message}`);
    throw error;
  }
  return [];
}

/** The options that are wrong, each with one more fact of its problem. */
function problemFacts(
  inputs: ConfigInputs,
  fact: 'line' | 'source' = 'line',
): readonly (readonly [option: string, fact: number | string | undefined])[] {
  try {
    loadConfig(inputs);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems
      .map((problem) => [problem.option, problem[fact]] as const)
      .sort(([a], [b]) => a.localeCompare(b));
  }
  throw new Error('nothing is wrong');
}

describe('loadConfig', () => {
  it('needs no file: every option has a default', () => {
    expect(loadConfig({})).toMatchObject({ listen: { host: '127.0.0.1', port: 44322 }, limits: { contexts: 10000 } });
  });

  it('ships a file that holds every option with its default', () => {
    const text = readFileSync('config/pmgate.yaml', 'utf8');
    // The first is known, and not parsed.
    for (const file of ['config/pmgate.yaml', fileWith(`${text}# Mine.\n`)])
      expect(loadConfig({ file })).toEqual(loadConfig({}));
    expect(loadConfig({ file: fileWith(text.replace('port: 44322', 'port: 1')) }).listen.port).toBe(1);
    const written = parse(text) as Record<string, Record<string, unknown>>;
    for (const {
      path: [section, name],
    } of optionsOf(readSchema())) {
      expect(written[section!]).toHaveProperty(name!);
    }
  });

  it('lets flags win over the environment, and the environment over the file', () => {
    const file = fileWith('listen: { port: 1, host: a }\nlog: { level: warn }\n');
    const environment = { PMGATE_LISTEN_PORT: '2', PMGATE_LISTEN_HOST: 'b', HOME: '/x' };
    expect(loadConfig({ file, environment, flags: { 'listen.port': '3' } })).toMatchObject({
      listen: { port: 3, host: 'b' },
      log: { level: 'warn' },
    });
  });

  it('reads lists, booleans, numbers and null from the environment', () => {
    const environment = {
      PMGATE_CORS_ORIGINS: 'https://a.example, https://b.example',
      PMGATE_LOCAL_COLLECTOR: 'false',
      PMGATE_CONTEXTS_POLL_TIMEOUT_SEC: '2.5',
      PMGATE_STATE_DIRECTORY: '',
    };
    expect(loadConfig({ environment })).toMatchObject({
      cors: { origins: ['https://a.example', 'https://b.example'] },
      local: { collector: false },
      contexts: { pollTimeoutSec: 2.5 },
      state: { directory: null },
    });
  });

  it('reads a map from the environment as JSON', () => {
    const environment = { PMGATE_HOSTS_NAMED: '{"web1":"pcp://10.0.0.7"}' };
    expect(loadConfig({ environment }).hosts.named).toEqual({ web1: 'pcp://10.0.0.7' });
    expect(problemsOf({ environment: { PMGATE_HOSTS_NAMED: 'web1' } })).toEqual(['hosts.named: must be object']);
  });

  it('reports every problem at once, each with its option', () => {
    const file = fileWith('listen: { port: 99999, colour: red }\nlog: { level: loud }\nlimitz: {}\n');
    const environment = { PMGATE_LIMITS_CONTEXTS: 'many', PMGATE_NO_SUCH: '1' };
    expect(problemsOf({ file, environment }).sort()).toEqual([
      expect.stringMatching(/^: unknown option \(known: PMGATE_LISTEN_HOST, /),
      'limits.contexts: must be integer',
      'limitz: unknown option (known: listen, access, local, hosts, archives, push, record, diagnosis, derived, store, console, mcp, state, contexts, streams, cors, limits, clients, cluster, log)',
      'listen.colour: unknown option (known: host, port, names, certificateFile, keyFile, strictTransportSec, basePath)',
      'listen.port: must be <= 65535',
      'log.level: must be one of trace, debug, info, warn, error, fatal, silent',
    ]);
  });

  it('names the source of a problem: file, variable or flag', () => {
    const file = fileWith('log: { level: loud }\n');
    try {
      loadConfig({ file, environment: { PMGATE_LISTEN_PORT: 'x' }, flags: { 'listen.host': '' } });
      throw new Error('accepted');
    } catch (error) {
      expect((error as ConfigError).problems.map((p) => p.source).sort()).toEqual(
        [file, 'PMGATE_LISTEN_PORT', '--host'].sort(),
      );
    }
  });

  it('names the source of what is wrong with an element of a list, and with options that must agree', () => {
    const environment = { PMGATE_CORS_ORIGINS: 'nonsense', PMGATE_CONTEXTS_POLL_TIMEOUT_SEC: '90000' };
    expect(problemFacts({ environment, flags: { 'log.level': 'loud' } }, 'source')).toEqual([
      ['contexts.pollTimeoutSec', 'PMGATE_CONTEXTS_POLL_TIMEOUT_SEC'],
      ['cors.origins.0', 'PMGATE_CORS_ORIGINS'],
      ['log.level', '--log-level'],
    ]);
    const tooLong = { PMGATE_CONTEXTS_POLL_TIMEOUT_SEC: '100', PMGATE_CONTEXTS_MAX_POLL_TIMEOUT_SEC: '50' };
    expect(problemFacts({ environment: tooLong }, 'source')).toEqual([
      ['contexts.pollTimeoutSec', 'PMGATE_CONTEXTS_POLL_TIMEOUT_SEC'],
    ]);
  });

  it('says which name of a map is none', () => {
    expect(problemsOf({ environment: { PMGATE_HOSTS_NAMED: '{"1 b":"pcp://x"}' } })).toEqual([
      `hosts.named: the name '1 b' must match pattern "^[A-Za-z][A-Za-z0-9_-]*$"`,
    ]);
  });

  it('asks who uses the options once they are as the schema wants them, and knows where they come from', () => {
    const file = fileWith('log: { level: warn }\nhosts:\n  allow: [a, b]\n');
    const check = (): readonly OptionFault[] => [
      { option: 'hosts.allow.1', message: 'is no host' },
      { option: 'clients.exempt', message: 'is no address' },
      { source: 'access.yaml', option: 'users', message: 'are none' },
    ];
    const environment = { PMGATE_CLIENTS_EXEMPT: 'xx' };
    expect(problemFacts({ file, environment, check }, 'source')).toEqual([
      ['clients.exempt', 'PMGATE_CLIENTS_EXEMPT'],
      ['hosts.allow.1', file],
      ['users', 'access.yaml'],
    ]);
    expect(problemFacts({ file, check })).toContainEqual(['hosts.allow.1', 3]);
    expect(problemsOf({ environment: { PMGATE_LISTEN_PORT: 'x' }, check })).toEqual(['listen.port: must be integer']);
  });

  it.each([
    ['a: [', 'Flow sequence'],
    ['- 1\n- 2\n', 'must contain options'],
    ['listen: 5\n', 'listen: must be object'],
    ['listen: { port: 1, port: 2 }', 'Map keys must be unique'],
  ])('refuses the file %j', (text, message) => {
    expect(problemsOf({ file: fileWith(text) }).join('\n')).toContain(message);
  });

  it('tells the line of each option that stands in the file, or of what should hold it', () => {
    const file = fileWith(
      '# a comment\nlisten:\n  host: localhost\n  port: -1\nlog: { level: loud }\nnonsense: 1\nlimits:\n',
    );
    const problems = problemFacts({ file, environment: { PMGATE_STORE_ENABLED: 'maybe' } });
    expect(problems).toEqual([
      ['limits', 7],
      ['listen.port', 4],
      ['log.level', 5],
      ['nonsense', 6],
      ['store.enabled', undefined],
    ]);
  });

  it('tells the line of what is no YAML, once', () => {
    const file = fileWith('listen:\n  port: 1\n bad: 2\n');
    expect(problemFacts({ file })).toEqual([['', 3]]);
    expect(problemsOf({ file })).toEqual([': All mapping items must start at the same column']);
  });

  it('tells a glob without quotes from an alias', () => {
    const file = fileWith('hosts:\n  allow: [web1, *.example.com]\ncors:\n  origins: *\n');
    expect(problemFacts({ file })).toEqual([['', 4]]);
    const glob = fileWith('hosts:\n  allow: [web1, *.example.com]\n');
    expect(problemFacts({ file: glob })).toEqual([['', 2]]);
    expect(problemsOf({ file: glob })[0]).toContain('*.example.com is an alias of the undefined anchor &.example.com');
    expect(problemsOf({ file: glob })[0]).toContain('quote strings');
    expect(
      loadConfig({ file: fileWith('hosts:\n  allow: &own [web1]\naccess:\n  anonymousRoles: *own\n') }),
    ).toMatchObject({ access: { anonymousRoles: ['web1'] } });
  });

  it('says that aliases stand for too much', () => {
    const tens = (name: string, of: string): string => `${name}: &${name} [${Array(10).fill(of).join(', ')}]\n`;
    const file = fileWith(tens('a', '1') + tens('b', '*a') + tens('c', '*b') + tens('d', '*c'));
    expect(problemsOf({ file })).toEqual([expect.stringContaining('alias')]);
  });

  it('says that a file cannot be read', () => {
    expect(problemsOf({ file: '/no/such/file.yaml' })[0]).toContain('cannot be read');
  });

  it('refuses options that contradict one another', () => {
    const environment = { PMGATE_CONTEXTS_POLL_TIMEOUT_SEC: '100', PMGATE_CONTEXTS_MAX_POLL_TIMEOUT_SEC: '50' };
    expect(problemsOf({ environment })).toEqual([
      'contexts.pollTimeoutSec: must be at most contexts.maxPollTimeoutSec, which is 50',
    ]);
  });

  it('takes a server or Sentinels for a fleet, and no password in the URL of the server', () => {
    const problems = (url: string, sentinels = ''): string[] =>
      problemsOf({ environment: { PMGATE_CLUSTER_URL: url, PMGATE_CLUSTER_SENTINELS: sentinels } });
    for (const url of ['valkey://db:6379', 'rediss://pmgate@[::1]:6380/2', 'valkeys://db'])
      expect(problems(url)).toEqual([]);
    const wrong = ['valkey://:secret@db', 'redis://pmgate:secret@db:6379', 'http://db', 'valkey://db?password=secret'];
    for (const url of wrong) {
      expect(problems(url)).toEqual([expect.stringMatching(/^cluster\.url: must match pattern/)]);
      expect(problems(url).join()).not.toContain('secret');
    }
    expect(problems('', 'one:26379,two:26379')).toEqual([]);
    expect(problems('valkey://db', 'one:26379')).toEqual([expect.stringMatching(/^cluster\.sentinels: must be empty/)]);
  });

  it('freezes the result all the way down', () => {
    const config = loadConfig({});
    expect(Object.isFrozen(config) && Object.isFrozen(config.cors.origins)).toBe(true);
  });
});

describe('config/pmgate.schema.json', () => {
  it('is a JSON Schema, in the strictest reading', () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictTypes: false });
    ajv.addKeyword({ keyword: 'x-restart', schemaType: 'boolean' });
    expect(ajv.validateSchema(readSchema())).toBe(true);
    expect(() => ajv.compile(readSchema())).not.toThrow();
  });

  it('describes every option and gives it a default', () => {
    for (const { path: option, node } of optionsOf(readSchema())) {
      expect({ option, described: Boolean(node.description), hasDefault: 'default' in node }).toEqual({
        option,
        described: true,
        hasDefault: true,
      });
    }
  });
});

describe('environmentName', () => {
  it('splits camel case', () => {
    expect(environmentName(['limits', 'urlBytes'])).toBe('PMGATE_LIMITS_URL_BYTES');
  });
});
