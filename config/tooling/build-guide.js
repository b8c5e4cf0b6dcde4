/**
 * Writes what the gateway serves under /docs: the guide for users (dist/guide), and compressed (dist/explorer) openapi.yaml as JSON, the page
 * of /docs, and the files of Swagger UI that it needs: its own package would bring a telemetry script.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { parse } from 'yaml';
import { llmsText, markdownPages, renderGuide } from './render-guide.js';

const TARGET = path.resolve(import.meta.dirname, '../../dist/guide');

// As in build-console.js: others may read it meanwhile.
const put = (directory, name, bytes) => {
  const written = path.join(directory, `../.${process.pid}-${name}`);
  writeFileSync(written, bytes);
  renameSync(written, path.join(directory, name));
};
const pages = new Map([
  ...Array.from(renderGuide(), ([name, html]) => [`${name || 'index'}.html`, html]),
  ...Array.from(markdownPages(), ([name, text]) => [`${name || 'index'}.md`, text]),
  ['llms.txt', llmsText()],
  ...['guide.css', 'explorer.css'].map((file) => [file, readFileSync(path.join(import.meta.dirname, file))]),
]);
mkdirSync(TARGET, { recursive: true });
for (const [name, bytes] of pages) put(TARGET, name, bytes);
for (const name of readdirSync(TARGET)) if (!pages.has(name)) rmSync(path.join(TARGET, name), { force: true });

const EXPLORER = path.resolve(TARGET, '../explorer');
const SWAGGER_UI = path.resolve(TARGET, '../../node_modules/swagger-ui-dist');
mkdirSync(EXPLORER, { recursive: true });
const compressed = (name, bytes) => put(EXPLORER, `${name}.br`, brotliCompressSync(bytes));
for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css'])
  compressed(file, readFileSync(path.join(SWAGGER_UI, file)));
compressed('explorer.html', readFileSync(path.join(import.meta.dirname, 'explorer.html')));
compressed('start.js', readFileSync(path.join(import.meta.dirname, 'explorer.js')));
const openapi = readFileSync(path.resolve(TARGET, '../../openapi.yaml'), 'utf8');
compressed('openapi.json', JSON.stringify(parse(openapi)));
