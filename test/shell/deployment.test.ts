import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { environmentName, optionsOf, readSchema } from '../../src/config/load-config.js';
import { parseCommandLine } from '../../src/cli/command-line.js';

const UNIT = 'config/systemd/pmgate.service';
const CONTAINERFILE = 'config/packaging/Containerfile';

const { bin, files } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  bin: Record<string, string>;
  files: readonly string[];
};
const variables = new Set(optionsOf(readSchema()).map(({ path: option }) => environmentName(option)));

/** The settings of a unit file, as `Section.Name`, with all the values that each has. */
function settingsOf(file: string): ReadonlyMap<string, readonly string[]> {
  const settings = new Map<string, string[]>();
  let section = '';
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (/^\s*([#;].*)?$/.test(line)) continue;
    const [, title] = /^\[(\w+)\]$/.exec(line) ?? [];
    const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (title !== undefined) section = title;
    else if (name === undefined || value === undefined) throw new Error(`${file}: ${line}`);
    else settings.set(`${section}.${name}`, [...(settings.get(`${section}.${name}`) ?? []), value]);
  }
  return settings;
}

describe(UNIT, () => {
  const settings = settingsOf(UNIT);

  it('runs the program that the package installs, with a command line that it understands', () => {
    const [start = ''] = settings.get('Service.ExecStart') ?? [];
    const [env, program = '', ...words] = start.split(' ');
    expect(env).toBe('/usr/bin/env');
    expect(bin).toHaveProperty(program);
    expect(parseCommandLine(words)).toMatchObject({ kind: 'serve', config: '/etc/pmgate/pmgate.yaml' });
    const [check = ''] = settings.get('Service.ExecStartPre') ?? [];
    expect(parseCommandLine(check.split(' ').slice(2))).toMatchObject({ kind: 'shell' });
    expect(settings.get('Service.ExecReload')).toEqual(['/bin/kill -HUP $MAINPID']);
  });

  it('sets only variables that are options, and the state where systemd makes room for it', () => {
    const set = (settings.get('Service.Environment') ?? []).filter((text) => text.startsWith('PMGATE_'));
    expect(set.map((text) => text.replace(/=.*/, '')).filter((name) => !variables.has(name))).toEqual([]);
    expect(settings.get('Service.StateDirectory')).toEqual(['pmgate']);
    expect(set).toContain('PMGATE_STATE_DIRECTORY=/var/lib/pmgate');
  });

  it('gives the gateway nothing that it does not need, and leaves /proc to read', () => {
    const value = (name: string): string | undefined => settings.get(`Service.${name}`)?.[0];
    expect(value('DynamicUser')).toBe('yes');
    expect(value('NoNewPrivileges')).toBe('yes');
    expect(value('CapabilityBoundingSet')).toBe('');
    expect(value('ProtectSystem')).toBe('strict');
    expect(value('ProtectProc')).toBe('default');
    // The compiler of Node writes code.
    expect(settings.has('Service.MemoryDenyWriteExecute')).toBe(false);
  });

  it('bounds its memory, and gives a gateway up that dies at each start', () => {
    const [value = '', unit = ''] = /^(\d+)([MG])$/.exec(settings.get('Service.MemoryMax')?.[0] ?? '')?.slice(1) ?? [];
    expect(Number(value) * (unit === 'G' ? 1024 : 1)).toBeGreaterThanOrEqual(1024);
    const seconds = Number(settings.get('Unit.StartLimitIntervalSec')?.[0]);
    const burst = Number(settings.get('Unit.StartLimitBurst')?.[0]);
    const restartSec = Number(settings.get('Service.RestartSec')?.[0]);
    // As many starts fit into the interval, with a few seconds for each until it dies; or it would never be given up.
    expect(burst * (restartSec + 5)).toBeLessThanOrEqual(seconds);
    expect(settings.get('Service.Restart')).toEqual(['on-failure']);
  });

  const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0;
  (hasAnalyze ? it : it.skip)('passes systemd-analyze verify', () => {
    const copy = path.join(mkdtempSync(path.join(os.tmpdir(), 'pmgate-unit-')), 'pmgate.service');
    copyFileSync(UNIT, copy);
    const { stderr } = spawnSync('systemd-analyze', ['verify', copy], { encoding: 'utf8' });
    expect(stderr.split('\n').filter((line) => line.includes('pmgate.service'))).toEqual([]);
  });
});

describe(CONTAINERFILE, () => {
  // Lines that end in a backslash go on.
  const instructions = readFileSync(CONTAINERFILE, 'utf8')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.trim());
  const of = (name: string): readonly string[] =>
    instructions.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));

  it('has nothing but what the build of packages made, and runs as nobody special', () => {
    expect(of('FROM')).toEqual(['scratch']);
    expect(of('ADD')).toEqual(['rootfs.tar /']);
    expect(of('RUN')).toEqual([]);
    expect(of('USER')).toEqual(['65532:65532']);
    expect(of('VOLUME')).toEqual(['/var/lib/pmgate']);
    expect(of('EXPOSE')).toEqual(['44322']);
    expect(of('HEALTHCHECK').join(' ')).toContain('"health"');
  });

  it('lets clients without credentials read, and nothing else', () => {
    expect(of('ENV').join(' ')).toMatch(/PMGATE_ACCESS_ANONYMOUS_FROM=anywhere\b/);
    expect(of('ENV').join(' ')).toMatch(/PMGATE_ACCESS_ANONYMOUS_ROLES=read(\s|$)/);
  });

  it('starts the program', () => {
    const [program, ...words] = JSON.parse(of('CMD')[0]!) as string[];
    expect(program).toBe('/usr/bin/pmgate');
    expect(parseCommandLine(words).kind).toBe('serve');
  });
});

describe.each([CONTAINERFILE, 'config/packaging/pmgate.container', 'config/packaging/daemonset.yaml'])('%s', (file) => {
  it('sets only variables that are options', () => {
    const text = readFileSync(file, 'utf8').replaceAll(/^#.*$/gm, '');
    const set = [...text.matchAll(/PMGATE_\w+/g)].map(([name]) => name);
    expect(set.length).toBeGreaterThan(1);
    expect(set.filter((name) => !variables.has(name))).toEqual([]);
  });
});

describe('config/packaging/daemonset.yaml', () => {
  it('is YAML, and takes all privileges away', () => {
    const { kind, spec } = parse(readFileSync('config/packaging/daemonset.yaml', 'utf8')) as {
      kind: string;
      spec: { template: { spec: { containers: readonly { securityContext: object }[] } } };
    };
    expect(kind).toBe('DaemonSet');
    expect(spec.template.spec.containers[0]!.securityContext).toMatchObject({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
    });
  });
});

describe('package.json', () => {
  it('ships the unit', () => expect(files).toContain(path.dirname(UNIT)));
});
