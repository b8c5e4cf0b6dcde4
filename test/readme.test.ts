import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseCommandLine } from '../src/command-line.js';
import { OTHER_VARIABLES } from '../src/config/index.js';
import { environmentName, optionsOf, readSchema } from '../src/config/schema.js';
import { ERROR_CATALOGUE } from '../src/pmapi/index.js';
import { loadSecurity } from '../src/security.js';
import { systemClock } from '../src/pmapi/index.js';
import { loadConfig } from '../src/config/index.js';

const README = readFileSync('README.md', 'utf8');

describe('README.md', () => {
  it('has a row for every error code with its status, and for no other', () => {
    const rows = [...README.matchAll(/^\| `([A-Z_]+)` \| (\d{3}) \|/gm)].map(([, code, status]) => `${code} ${status}`);
    const codes = Object.entries(ERROR_CATALOGUE).map(([code, { status }]) => `${code} ${status}`);
    expect(rows.sort()).toEqual(codes.sort());
  });

  it('has a row for every option, and for no other', () => {
    const rows = [...README.matchAll(/^\| `([a-z]\w*\.\w+)` \|/gm)].map(([, option]) => option);
    expect(rows.sort()).toEqual(
      optionsOf(readSchema())
        .map(({ path }) => path.join('.'))
        .sort(),
    );
  });

  it('names only environment variables that exist', () => {
    const known = new Set([...optionsOf(readSchema()).map(({ path }) => environmentName(path)), ...OTHER_VARIABLES]);
    for (const [name] of README.matchAll(/PMGATE_[A-Z_]+/g)) expect(known).toContain(name);
  });

  it('names only scripts that package.json has', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    const used = [...README.matchAll(/npm run ([\w:]+)/g)].map(([, script]) => script!);
    expect(used.filter((script) => !(script in scripts))).toEqual([]);
    expect(used.length).toBeGreaterThan(5);
  });

  it('asks only for paths that openapi.yaml has', () => {
    const paths = new Set(
      [...readFileSync('openapi.yaml', 'utf8').matchAll(/^ {2}(\/[^:\s]*):/gm)].map(([, path]) => path),
    );
    const asked = [...README.matchAll(/localhost:44322(\/[^\s'"?]*)/g)].map(([, path]) =>
      path!.replace(/^\/pmapi\/\$context/, '/pmapi/{context}').replace(/^\/derived\/(?!check).+$/, '/derived/{name}'),
    );
    expect(asked.filter((path) => !paths.has(path))).toEqual([]);
    expect(asked.length).toBeGreaterThan(8);
  });

  describe('its ways to start the gateway', () => {
    const blocks = [...README.matchAll(/^```(?:sh|console)\n(.*?)^```$/gms)].map(([, block]) =>
      block!.split('\n').map((line) => line.replace(/^\$ /, '').replace(/ +#.*/, '')),
    );
    const STARTS = /^((?:[A-Z_]+=\S+ )*)npm start(?: -- (.*))?$/;
    const starts = blocks.flatMap((lines) => lines.filter((line) => STARTS.test(line)));
    const directory = mkdtempSync(path.join(os.tmpdir(), 'pmgate-readme-'));
    copyFileSync('config/pmgate.yaml', path.join(directory, 'my.yaml'));
    for (const [file, begin] of [
      ['hosts.yaml', 'hosts:'],
      ['access.yaml', '# access.yaml'],
    ] as const) {
      const shown = [...README.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text]) => text!);
      writeFileSync(
        path.join(directory, file),
        shown.find((text) => text.startsWith(begin))!,
        { mode: 0o600 },
      );
    }
    const here = (text: string): string => text.replace(/\b[a-z]+\.yaml$/, (file) => path.join(directory, file));

    it('are the last lines of their blocks, for they do not end', () => {
      for (const lines of blocks) {
        expect(lines.slice(0, -2).filter((line) => STARTS.test(line))).toEqual([]);
      }
    });

    it('are several', () => expect(starts.length).toBeGreaterThanOrEqual(6));

    it.each(starts)('have a configuration that can be used: %s', (line) => {
      const [, settings = '', words = ''] = STARTS.exec(line)!;
      const command = parseCommandLine(words === '' ? [] : words.split(' ').map(here));
      if (command.kind !== 'serve') throw new Error(JSON.stringify(command));
      const environment = Object.fromEntries(
        settings
          .split(' ')
          .filter(Boolean)
          .map((setting) => setting.split('=').map(here) as [string, string]),
      );
      const config = loadConfig({ file: command.config, environment, flags: command.flags });
      expect(() => loadSecurity(config, systemClock)).not.toThrow();
    });
  });
});
