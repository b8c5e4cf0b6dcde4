import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseCommandLine } from '../src/cli/command-line.js';
import { OTHER_VARIABLES, loadConfig } from '../src/config/index.js';
import { environmentName, optionsOf, readSchema } from '../src/config/load-config.js';
import { ERROR_CATALOGUE, systemClock } from '../src/pmapi/index.js';
import { loadSecurity } from '../src/gateway/security.js';
import { anchorsOf, fencesOf, GUIDE, linksOf } from './support/guide.js';

const TEXT = GUIDE.map(({ text }) => text).join('\n');
const page = (file: string): string => readFileSync(file, 'utf8');

/** Variables of programs in test/, which the gateway does not know. */
const TEST_VARIABLES = ['PMGATE_CONFORMANCE', 'PMGATE_FUZZ_RUNS'];

/** Whether a link of a page leads to a file or heading that does not exist. */
function isBroken(file: string, target: string): boolean {
  if (/^https?:/.test(target)) return false;
  const [name = '', anchor] = target.split('#');
  const aim = name === '' ? file : path.join(path.dirname(file), name);
  return !existsSync(aim) || (anchor !== undefined && !anchorsOf(page(aim)).has(anchor));
}

describe('README.md', () => {
  it('is a front door, not a manual', () => {
    expect(page('README.md').split('\n').length).toBeLessThanOrEqual(200);
  });

  it('links to every page of the guide', () => {
    const linked = new Set(linksOf(page('README.md')));
    const pages = GUIDE.map(({ file }) => file).filter((file) => file !== 'README.md');
    expect(pages.filter((file) => !linked.has(file))).toEqual([]);
  });
});

describe('test/TESTED.md', () => {
  it('counts what npm run counts does', () => {
    expect(() => execFileSync(process.execPath, ['config/tooling/counts.js', '--check'])).not.toThrow();
  });
});

describe('the pages in Markdown', () => {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .filter((file) => existsSync(file));

  it('link to files and headings that exist', () => {
    const broken = files.flatMap((file) =>
      linksOf(page(file)).flatMap((target) => (isBroken(file, target) ? [`${file}: ${target}`] : [])),
    );
    expect(broken).toEqual([]);
  });

  it('have links, which the test finds', () => {
    expect(linksOf('[a](b.md#c), `[x](y)` and\n```\n[p](q)\n```\n')).toEqual(['b.md#c']);
    expect([...anchorsOf('# A `b`, c/d\n```sh\n# no heading\n```\n## Each-one\n')]).toEqual(['a-b-cd', 'each-one']);
    expect(files.flatMap((file) => linksOf(page(file))).length).toBeGreaterThan(40);
  });
});

describe('the guide', () => {
  it('has a row for every error code with its status, and for no other', () => {
    const rows = [...page('src/pmapi/ERRORS.md').matchAll(/^\| `([A-Z_]+)` \| (\d{3}) \|/gm)].map(
      ([, code, status]) => `${code} ${status}`,
    );
    const codes = Object.entries(ERROR_CATALOGUE).map(([code, { status }]) => `${code} ${status}`);
    expect(rows.sort()).toEqual(codes.sort());
  });

  it('has a row for every option, and for no other', () => {
    const rows = [...page('src/config/OPTIONS.md').matchAll(/^\| `([a-z]\w*\.\w+)` \|/gm)].map(([, option]) => option);
    expect(rows.sort()).toEqual(
      optionsOf(readSchema())
        .map(({ path }) => path.join('.'))
        .sort(),
    );
  });

  it('names only environment variables that exist', () => {
    const known = new Set([
      ...optionsOf(readSchema()).map(({ path }) => environmentName(path)),
      ...OTHER_VARIABLES,
      ...TEST_VARIABLES,
    ]);
    for (const [name] of TEXT.matchAll(/PMGATE_[A-Z_]+/g)) expect(known).toContain(name);
  });

  it('names only scripts that package.json has', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    const used = [...TEXT.matchAll(/npm run ([\w:]+)/g)].map(([, script]) => script!);
    expect(used.filter((script) => !(script in scripts))).toEqual([]);
    expect(used.length).toBeGreaterThan(5);
  });

  it('asks only for paths that openapi.compat.yaml has', () => {
    const paths = new Set(
      [...readFileSync('config/openapi.compat.yaml', 'utf8').matchAll(/^ {2}(\/[^:\s]*):/gm)].map(([, path]) => path),
    );
    const asked = [...TEXT.matchAll(/localhost:44322(\/[^\s'"?>)]*)/g)].map(([, path]) =>
      path!.replace(/^\/pmapi\/\$context/, '/pmapi/{context}').replace(/^\/derived\/(?!check).+$/, '/derived/{name}'),
    );
    expect(asked.filter((path) => !paths.has(path))).toEqual([]);
    expect(asked.length).toBeGreaterThan(8);
  });

  describe('its ways to start the gateway', () => {
    const fences = GUIDE.flatMap(({ text }) => fencesOf(text));
    const blocks = fences
      .filter(({ language }) => language === 'sh' || language === 'console')
      .map(({ text }) => text.split('\n').map((line) => line.replace(/^\$ /, '').replace(/ +#.*/, '')));
    const STARTS = /^((?:[A-Z_]+=\S+ )*)npm start(?: -- (.*))?$/;
    const starts = blocks.flatMap((lines) => lines.filter((line) => STARTS.test(line)));
    const directory = mkdtempSync(path.join(os.tmpdir(), 'pmgate-readme-'));
    copyFileSync('config/pmgate.yaml', path.join(directory, 'my.yaml'));
    for (const [file, begin] of [
      ['hosts.yaml', 'hosts:'],
      ['access.yaml', '# access.yaml'],
    ] as const) {
      const shown = fences.find(({ language, text }) => language === 'yaml' && text.startsWith(begin))!;
      writeFileSync(path.join(directory, file), shown.text, { mode: 0o600 });
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
