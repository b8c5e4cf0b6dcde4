import { readFileSync } from 'node:fs';
import { OTHER_VARIABLES } from '../src/config/index.js';
import { environmentName, optionsOf, readSchema } from '../src/config/schema.js';
import { ERROR_CATALOGUE } from '../src/pmapi/index.js';

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
});
