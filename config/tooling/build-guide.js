/**
 * Writes what the gateway serves under /docs: the guide for users (dist/guide), and compressed (dist/explorer) openapi.yaml as JSON, the page
 * of /docs, and the files of Swagger UI that it needs: its own package would bring a telemetry script.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { parse } from 'yaml';
import { llmsText, markdownPages, renderGuide } from './render-guide.js';

const TARGET = path.resolve(import.meta.dirname, '../../dist/guide');

rmSync(TARGET, { recursive: true, force: true });
mkdirSync(TARGET, { recursive: true });
for (const [name, html] of renderGuide()) writeFileSync(path.join(TARGET, `${name || 'index'}.html`), html);
for (const [name, text] of markdownPages()) writeFileSync(path.join(TARGET, `${name || 'index'}.md`), text);
writeFileSync(path.join(TARGET, 'llms.txt'), llmsText());
for (const file of ['guide.css', 'explorer.css'])
  copyFileSync(path.join(import.meta.dirname, file), path.join(TARGET, file));

const EXPLORER = path.resolve(TARGET, '../explorer');
const SWAGGER_UI = path.resolve(TARGET, '../../node_modules/swagger-ui-dist');
mkdirSync(EXPLORER, { recursive: true });
const compressed = (name, bytes) => writeFileSync(path.join(EXPLORER, `${name}.br`), brotliCompressSync(bytes));
for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css'])
  compressed(file, readFileSync(path.join(SWAGGER_UI, file)));
compressed('explorer.html', readFileSync(path.join(import.meta.dirname, 'explorer.html')));
compressed('start.js', readFileSync(path.join(import.meta.dirname, 'explorer.js')));
const openapi = readFileSync(path.resolve(TARGET, '../../openapi.yaml'), 'utf8');
compressed('openapi.json', JSON.stringify(parse(openapi)));
