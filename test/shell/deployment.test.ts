import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { environmentName, optionsOf, readSchema } from '../../src/config/schema.js';
import { parseCommandLine } from '../../src/cli/command-line.js';

const UNIT = 'config/systemd/pmgate.service';
const CONTAINERFILE = 'config/container/Containerfile';

const { bin, files, scripts, engines } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  bin: Record<string, string>;
  files: readonly string[];
  scripts: Record<string, string>;
  engines: { node: string };
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

  it('copies files that are there', () => {
    const copied = of('COPY')
      .filter((text) => !text.startsWith('--from='))
      .flatMap((text) => text.split(/\s+/).slice(0, -1));
    expect(copied.length).toBeGreaterThan(5);
    expect(copied.filter((file) => !existsSync(file))).toEqual([]);
  });

  it('keeps of the build what the package publishes, but what is only for reading', () => {
    const kept = of('COPY').join(' ');
    const published = files.filter((file) => !file.startsWith('!')).map((file) => file.split('/')[0]!);
    const needed = published.filter((file) => !file.endsWith('.md'));
    expect(needed.length).toBeGreaterThan(3);
    expect(needed.filter((file) => !new RegExp(`(^|[ /])${file.replace('.', '\\.')}( |$)`).test(kept))).toEqual([]);
  });

  it('builds with scripts that exist, on a Node that the package takes, and runs as nobody special', () => {
    for (const [, script] of of('RUN')
      .join('\n')
      .matchAll(/npm run (\w+)/g))
      expect(scripts).toHaveProperty(script!);
    const majors = new Set(of('FROM').map((text) => /^docker\.io\/library\/node:(\d+)-slim\b/.exec(text)?.[1]));
    expect([...majors]).toHaveLength(1);
    expect(engines.node).toMatch(new RegExp(`[\\^=]${[...majors][0]}\\b`));
    expect(of('USER')).toEqual(['node']);
    expect(of('EXPOSE')).toEqual(['44322']);
    expect(of('HEALTHCHECK').join(' ')).toContain('/healthz');
  });

  it('lets clients without credentials read, and nothing else', () => {
    expect(of('ENV').join(' ')).toMatch(/PMGATE_ACCESS_ANONYMOUS_FROM=anywhere\b/);
    expect(of('ENV').join(' ')).toMatch(/PMGATE_ACCESS_ANONYMOUS_ROLES=read(\s|$)/);
  });

  it('starts the program, and sets only variables that are options', () => {
    const [command = '[]'] = of('CMD');
    const [node, program = '', ...words] = JSON.parse(command) as string[];
    expect([node, program]).toEqual(['node', `/opt/pmgate/${bin.pmgate!.replace('./', '')}`]);
    expect(parseCommandLine(words).kind).toBe('serve');
    const set = [
      ...of('ENV')
        .join(' ')
        .matchAll(/PMGATE_\w+/g),
    ].map(([name]) => name);
    expect(set.length).toBeGreaterThan(1);
    expect(set.filter((name) => !variables.has(name))).toEqual([]);
  });
});

describe('package.json', () => {
  it('ships both', () => {
    for (const file of [UNIT, CONTAINERFILE]) expect(files).toContain(path.dirname(file));
  });
});
