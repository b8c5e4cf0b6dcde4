import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import zlib from 'node:zlib';
import { build } from 'esbuild';
import { bundleWorker } from './bundle-viewer.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PAGE = path.join(ROOT, 'src/features/console/page');

/**
 * Bundle src/features/console/page for browsers: index.html, and scripts and a style sheet whose names hold a hash of their content. Screens other than
 * the first are scripts of their own, and the worker for local archives is taken out of viewer.html, which is all of it in one file. Each file is there
 * compressed as well (.br, .gz), as the gateway sends it.
 * @param {(inputs: string[]) => void} [tellInputs] told which files are in them
 * @returns {Promise<Map<string, Uint8Array>>} the files by name
 */
export async function bundleConsole(tellInputs) {
  const inputsOfWorker = [];
  const worker = Buffer.from(await bundleWorker((inputs) => inputsOfWorker.push(...inputs)));
  const address = `worker.js?${createHash('sha256').update(worker).digest('hex').slice(0, 8)}`;
  const define = { IS_VIEWER: 'false', WORKER: JSON.stringify(address) };
  const { outputFiles, metafile } = await build({ ...OPTIONS, define });
  tellInputs?.([...new Set([...Object.keys(metafile.inputs), ...inputsOfWorker])]);
  const files = new Map(outputFiles.map(({ path: file, contents }) => [path.basename(file), contents]));
  const outputs = new Map(Object.entries(metafile.outputs).map(([file, output]) => [path.basename(file), output]));
  const [script, style] = ['main.tsx', 'style.css'].map((source) =>
    [...outputs.keys()].find((name) => outputs.get(name).entryPoint?.endsWith(`console/page/${source}`)),
  );
  const parts = outputs.get(script).imports.filter(({ kind }) => kind === 'import-statement');
  const page = pageWith(script, [...new Set(parts.map(({ path: file }) => path.basename(file)))], style);
  files.set('index.html', Buffer.from(page));
  files.set('viewer.html', Buffer.from(await viewerWith(worker)));
  for (const [name, bytes] of [...files]) {
    const quality = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 11 } };
    files.set(`${name}.br`, zlib.brotliCompressSync(bytes, quality));
    files.set(`${name}.gz`, zlib.gzipSync(bytes, { level: 9 }));
  }
  return files;
}

/** Parts of pmapi that the page does not use import modules of Node: they are dropped, and with them what stands for these. */
export const withoutNode = {
  name: 'without-node',
  setup(bundler) {
    bundler.onResolve({ filter: /^node:/ }, ({ path: name }) => ({
      path: name,
      namespace: 'node',
      sideEffects: false,
    }));
    bundler.onLoad({ filter: /.*/, namespace: 'node' }, () => ({ contents: 'module.exports = {}' }));
  },
};

/** The page shows what the gateway says of errors: it does without the lists of their codes, numbers and meanings. */
const withoutCatalogues = {
  name: 'without-catalogues',
  setup(bundler) {
    bundler.onLoad({ filter: /pmapi[\\/](?:errors|pm-error)\.ts$/ }, async ({ path: file }) => {
      const source = await readFile(file, 'utf8');
      return { contents: source.replaceAll(/^ {2}[A-Z_]+: \[\s*-?\d{3,5},\s*'[^'\\]*',?\s*\],$/gm, ''), loader: 'ts' };
    });
  },
};

/** Nor have they methods of the client's classes that neither the page nor the client itself calls. */
const withoutUncalled = {
  name: 'without-uncalled',
  setup(bundler) {
    const sources = [PAGE, path.join(ROOT, 'src/client')].flatMap((directory) =>
      readdirSync(directory, { recursive: true }).map((name) => path.join(directory, name)),
    );
    const all = sources.map((file) => (/\.tsx?$/.test(file) ? readFileSync(file, 'utf8') : '')).join('\n');
    const without = (source, where) =>
      source.replaceAll(/^ {2}(?:async )?\*?(#?\w+)(?:<.*>)?\((?:.*\n)+? {2}\}$/gm, (method, name) =>
        name === 'constructor' || new RegExp(`[^.]\\.${name}[(<]`).test(where) ? method : '',
      );
    bundler.onLoad({ filter: /[\\/]src[\\/]client[\\/][\w-]+\.ts$/ }, async ({ path: file }) => {
      const called = without(await readFile(file, 'utf8'), all);
      // Private ones that only the others called.
      return { contents: without(called, called + all.replaceAll('#', '')), loader: 'ts' };
    });
  },
};

const RESOLVED = Symbol('resolved');
/** The data model, the client and the kit only define things: a script has no more of them than it uses. */
const withoutUnused = {
  name: 'without-unused',
  setup(bundler) {
    bundler.onResolve({ filter: /^\.\.?\// }, async ({ path: name, pluginData, ...from }) => {
      if (pluginData === RESOLVED) return undefined;
      const { path: file, errors } = await bundler.resolve(name, { ...from, pluginData: RESOLVED });
      return /[\\/]src[\\/](?:pmapi|client|kit)[\\/]/.test(file)
        ? { path: file, errors, sideEffects: false }
        : undefined;
    });
  },
};

/** What the page begins with is one script, whatever of it the scripts that are loaded later use: they import all of it. Elements are made by `h`, which is the shortest. */
const oneFirstScript = {
  name: 'one-first-script',
  setup(bundler) {
    const lazy = /[\\/]page[\\/](?:screens[\\/]others|state[\\/]parse-time-choice|local[\\/]open-files)\.tsx?$/;
    bundler.onLoad({ filter: /[\\/]console[\\/]page[\\/].*\.tsx?$/ }, async ({ path: file }) => {
      const isMarkup = file.endsWith('x');
      const imports = [
        ...(lazy.test(file) ? [`import ${JSON.stringify(path.join(PAGE, 'main.tsx'))};`] : []),
        ...(isMarkup ? ["import { Fragment, h } from 'preact';"] : []),
      ];
      const source = await readFile(file, 'utf8');
      return { contents: [...imports, source].join('\n'), loader: isMarkup ? 'tsx' : 'ts' };
    });
  },
};

const OPTIONS = {
  write: false,
  bundle: true,
  splitting: true,
  metafile: true,
  minify: true,
  platform: 'browser',
  target: ['chrome120', 'firefox120', 'safari17'],
  format: 'esm',
  tsconfigRaw: { compilerOptions: { jsx: 'react', jsxFactory: 'h', jsxFragmentFactory: 'Fragment' } },
  entryPoints: {
    main: path.join(ROOT, 'src/features/console/page/main.tsx'),
    style: path.join(ROOT, 'src/features/console/page/style.css'),
  },
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  outdir: path.join(ROOT, 'dist/console'),
  absWorkingDir: ROOT,
  plugins: [withoutNode, withoutCatalogues, withoutUncalled, withoutUnused, oneFirstScript],
  logLevel: 'warning',
};

/** The page as one file, which sends nothing: its policy forbids every request. */
async function viewerWith(worker) {
  const { outputFiles } = await build({
    ...OPTIONS,
    ...{ splitting: false, metafile: false, entryNames: '[name]' },
    define: { IS_VIEWER: 'true', WORKER: 'undefined' },
  });
  const [script, style] = ['main.js', 'style.css'].map((name) => {
    const { text } = outputFiles.find(({ path: file }) => path.basename(file) === name);
    return text.replaceAll('</', '<\\/').trim();
  });
  const digest = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const policy = [
    "default-src 'none'",
    `script-src ${digest(script)} blob: 'wasm-unsafe-eval'`,
    `style-src ${digest(style)}`,
    'img-src data:',
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types pmgate-worker',
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>pmgate</title>
    <link rel="icon" href="data:,">
    <style>${style}</style>
  </head>
  <body>
    <noscript>This page needs JavaScript.</noscript>
    <script type="text/plain" id="worker">${zlib.gzipSync(worker, { level: 9 }).toString('base64')}</script>
    <!-- archives -->
    <script type="module">${script}</script>
  </body>
</html>
`;
}

/** The page. Relative addresses hold at /console/, at /console/chart and behind a path prefix. */
function pageWith(script, parts, style) {
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>pmgate</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="./${style}">
${parts.map((part) => `    <link rel="modulepreload" href="./${part}">\n`).join('')}    <script type="module" src="./${script}"></script>
  </head>
  <body>
    <header class="frame"><strong>pmgate</strong></header>
    <noscript>This page needs JavaScript. <a href="../docs">The documentation of pmgate</a> does not.</noscript>
  </body>
</html>
`;
}
