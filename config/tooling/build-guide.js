/** Writes the guide for users into dist/guide: what the gateway serves under /docs/guide. */
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { llmsText, markdownPages, renderGuide } from './render-guide.js';

const TARGET = path.resolve(import.meta.dirname, '../../dist/guide');

rmSync(TARGET, { recursive: true, force: true });
mkdirSync(TARGET, { recursive: true });
for (const [name, html] of renderGuide()) writeFileSync(path.join(TARGET, `${name || 'index'}.html`), html);
for (const [name, text] of markdownPages()) writeFileSync(path.join(TARGET, `${name || 'index'}.md`), text);
writeFileSync(path.join(TARGET, 'llms.txt'), llmsText());
for (const file of ['guide.css', 'explorer.css'])
  copyFileSync(path.join(import.meta.dirname, file), path.join(TARGET, file));
