import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { rooms, sourceRooms } from '../config/tooling/rooms.js';

const SRC = path.resolve('src');

/** The files that put the rooms together, and what only they need. */
const COMPOSITION_ROOT: readonly string[] = [
  'index.ts',
  'main.ts',
  'command-line.ts',
  'serve.ts',
  'in-process-gateway.ts',
  'read-config.ts',
  'security.ts',
  'gateway.ts',
  'gateway-counters.ts',
  'gateway-metrics.ts',
  'gateway-metrics.generated.ts',
  'derived-registry.ts',
  'archives.ts',
  'host-policy.ts',
  'kept-options.ts',
  'local-agent.ts',
  'source-opener.ts',
  'state-file.ts',
  'log.ts',
  'non-blocking-stderr.ts',
  'version.ts',
];

interface Import {
  readonly file: string;
  readonly target: string;
}

/** Every relative import in src, as paths below src. */
function importsOfSource(): Import[] {
  const found: Import[] = [];
  for (const entry of readdirSync(SRC, { recursive: true, encoding: 'utf8' })) {
    if (!entry.endsWith('.ts')) continue;
    const text = readFileSync(path.join(SRC, entry), 'utf8');
    for (const match of text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)) {
      found.push({ file: entry, target: path.join(path.dirname(entry), match[1]!) });
    }
  }
  return found;
}

function violations(prefix: string, table: readonly { room: string; mayImport: readonly string[] }[]): string[] {
  const roomOf = (file: string): string | undefined => {
    if (!file.startsWith(prefix)) return undefined;
    const room = file.slice(prefix.length).split('/')[0]!;
    return table.some((r) => r.room === room) ? room : undefined;
  };
  return importsOfSource().flatMap(({ file, target }) => {
    const [from, to] = [roomOf(file), roomOf(target)];
    if (from === undefined || to === undefined || from === to) return [];
    const allowed = table.find((r) => r.room === from)!.mayImport;
    return allowed.includes(to) ? [] : [`${file} imports ${target}`];
  });
}

describe('the import order of the rooms', () => {
  it('sees the imports of the source tree', () => {
    expect(importsOfSource().length).toBeGreaterThan(20);
  });

  it('only points down', () => {
    expect(violations('', rooms)).toEqual([]);
  });

  it('keeps the kinds of source apart from one another', () => {
    expect(violations('sources/', sourceRooms)).toEqual([]);
  });

  it('has the composition root alone outside of the rooms', () => {
    const outside = new Set(importsOfSource().flatMap(({ file }) => (file.includes('/') ? [] : [file])));
    expect([...outside].filter((file) => !COMPOSITION_ROOT.includes(file))).toEqual([]);
  });

  it('enters another room through its index only', () => {
    const sideDoors = importsOfSource().filter(({ file, target }) => {
      const [from, to] = [file.split('/')[0]!, target.split('/')[0]!];
      return file.includes('/') && from !== to && rooms.some((r) => r.room === to) && !target.endsWith('/index.js');
    });
    expect(sideDoors).toEqual([]);
  });
});
