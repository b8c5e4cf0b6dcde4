/**
 * Proves that the gateway works without a feature: `npm run without -- push [PATH…]`. Copies the tree, deletes the feature's directory, its
 * line in src/features/index.ts, its page of the guide, the lines that link to it and the tests that import it, and then generates, type-checks, lints the import
 * order and runs the tests below the given paths (all of them, if none is given) in the copy.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const [name, ...tests] = process.argv.slice(2);
const directory = `src/features/${name}`;
if (!name || !existsSync(path.join(ROOT, directory, 'feature.ts'))) {
  throw new Error(`usage: npm run without -- FEATURE [PATH…]; a feature is a directory of src/features, not '${name}'`);
}

const run = (command, ...args) => execFileSync(command, args, { cwd: copy, stdio: 'inherit' });
const list = (...patterns) =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...patterns], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && existsSync(path.join(ROOT, file)));

const copy = mkdtempSync(path.join(os.tmpdir(), `pmgate-without-${name}-`));
try {
  for (const file of list()) cpSync(path.join(ROOT, file), path.join(copy, file), { recursive: true });
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
  run('git', 'init', '--quiet');

  const edit = (file, change) =>
    writeFileSync(path.join(copy, file), change(readFileSync(path.join(copy, file), 'utf8')));
  const remove = (file) => rmSync(path.join(copy, file), { recursive: true, force: true });
  remove(directory);
  // What is about the feature, and what is about all features together.
  remove(`test/features/${name}`);
  remove('test/features/features.test.ts');
  const about = new RegExp(`features/${name}/|src/${name}/`);
  const isLost = (file) => {
    const text = readFileSync(path.join(copy, file), 'utf8');
    const imported = [...text.matchAll(/ from '(\.[^']*)\.js'/g)].map(([, to]) => path.join(path.dirname(file), to));
    return about.test(text) || imported.some((to) => lost.has(`${to}.ts`));
  };
  // A file that imports a lost one is lost as well.
  const lost = new Set();
  for (let before = -1; before < lost.size;) {
    before = lost.size;
    for (const file of list('test/*.ts', 'test/*.js')) {
      if (!lost.has(file) && existsSync(path.join(copy, file)) && isLost(file)) lost.add(file);
    }
  }
  lost.forEach(remove);
  edit('src/features/index.ts', (text) => {
    const [line, exported] = new RegExp(`^import \\{ (\\w+) \\} from './${name}/feature.js';\\n`, 'm').exec(text);
    return text.replace(line, '').replaceAll(new RegExp(`\\b${exported}, |, ${exported}\\b`, 'g'), '');
  });
  edit('config/tooling/guide.js', (text) => text.replaceAll(new RegExp(`.*'src/features/${name}/.*\\n`, 'g'), ''));
  // Lines that link to its pages.
  const linking = new RegExp(`^.*\\]\\([^)]*\\b${name}/[\\w-]+\\.md.*\\n`, 'gm');
  for (const file of list('*.md')) {
    if (existsSync(path.join(copy, file))) edit(file, (text) => text.replaceAll(linking, ''));
  }

  run('node', 'config/tooling/check-generated.js', '--write');
  run('npx', 'tsc', '--noEmit');
  run('npm', 'test', '--', '--forceExit', ...tests);
  console.log(`a gateway without ${name} builds and passes`);
} finally {
  rmSync(copy, { recursive: true, force: true });
}
