import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The libraries of the sub-commands: a gateway that starts must not load them. */
const SHELL_LIBRARIES = ['commander', 'cli-progress', 'picocolors'];

/** What a file imports before anything of it runs, and what those import: our files, and packages. */
function staticImports(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  for (const [, kind, target] of text.matchAll(/^(import|export) (?!type )[^;]*?from '([^']+)';/gm)) {
    if (kind === undefined || target === undefined) continue;
    if (target.startsWith('.')) staticImports(path.join(path.dirname(file), target.replace(/\.js$/, '.ts')), seen);
    else seen.add(target);
  }
  return seen;
}

describe('what is loaded when', () => {
  it('a gateway that starts loads nothing of the sub-commands', () => {
    const loaded = [...staticImports('src/main.ts'), ...staticImports('src/cli/serve.ts')];
    expect(loaded).toContain('express');
    expect(loaded.filter((file) => SHELL_LIBRARIES.includes(file) || file.startsWith('src/shell/'))).toEqual([]);
  });

  it('a sub-command loads nothing of the gateway, and bars only when it draws some', () => {
    const loaded = [...staticImports('src/main.ts'), ...staticImports('src/shell/index.ts')];
    expect(loaded).toContain('commander');
    expect(loaded.filter((file) => ['express', 'ajv', 'yaml', 'pino', 'cli-progress'].includes(file))).toEqual([]);
  });
});
