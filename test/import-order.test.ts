import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { budgets, featureRooms, outsideRooms, rooms, sourceRooms } from '../config/tooling/rooms.js';

const SRC = path.resolve('src');

interface Import {
  readonly file: string;
  readonly target: string;
}

function importsOfSource(): Import[] {
  const found: Import[] = [];
  for (const entry of readdirSync(SRC, { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(entry)) continue;
    const text = readFileSync(path.join(SRC, entry), 'utf8');
    for (const match of text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)) {
      found.push({ file: entry, target: path.join(path.dirname(entry), match[1]!) });
    }
  }
  return found;
}

function violations(prefix: string, table: readonly { room: string; mayImport: readonly string[] }[]): string[] {
  const roomOf = (file: string): string | undefined => {
    const within = table.filter(({ room }) => file.startsWith(`${prefix}${room}/`));
    return within.sort((a, b) => b.room.length - a.room.length)[0]?.room;
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

  it('keeps features apart from one another', () => {
    expect(violations('features/', featureRooms)).toEqual([]);
  });

  it('leaves only the program, the library and their version outside of the rooms', () => {
    const files = readdirSync(SRC).filter((file) => file.endsWith('.ts'));
    expect(files.sort()).toEqual([...outsideRooms].sort());
  });

  it('enters another room through its index only', () => {
    const sideDoors = importsOfSource().filter(({ file, target }) => {
      const [from, to] = [file.split('/')[0]!, target.split('/')[0]!];
      // Together these two are what puts the rooms together, and cli loads no more of a gateway than it needs.
      if (from === 'cli' && to === 'gateway') return false;
      return file.includes('/') && from !== to && rooms.some((r) => r.room === to) && !target.endsWith('/index.js');
    });
    expect(sideDoors).toEqual([]);
  });

  it('has no circles, imports of types included', () => {
    expect(circles(importsOfSource())).toEqual([]);
  });

  it('finds a circle', () => {
    const imports = [
      { file: 'a.ts', target: 'b.js' },
      { file: 'b.ts', target: 'c.js' },
      { file: 'c.ts', target: 'b.js' },
    ];
    expect(circles(imports)).toEqual([['b', 'c']]);
  });
});

describe('the size of the rooms', () => {
  const lines = new Map<string, number>();
  for (const entry of readdirSync(SRC, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(?:tsx?|ne)$/.test(entry) || entry.includes('generated') || !entry.includes('/')) continue;
    const isNested = /^(?:features|sources)\/[^/]+\//.test(entry);
    const room = entry.split('/', isNested ? 2 : 1).join('/');
    const count = readFileSync(path.join(SRC, entry), 'utf8').split('\n').length - 1;
    lines.set(room, (lines.get(room) ?? 0) + count);
  }

  it('each have a budget', () => {
    expect(Object.keys(budgets)).toEqual(expect.arrayContaining([...lines.keys()]));
  });

  it('are at most a tenth above it', () => {
    const above = [...lines].filter(([room, count]) => count > budgets[room]! * 1.1);
    expect(above).toEqual([]);
  });
});

/** Groups of files, without their endings, each of which imports every other, directly or through others of the group (strongly connected components). */
function circles(imports: readonly Import[]): string[][] {
  const targets = new Map<string, Set<string>>();
  for (const { file, target } of imports) {
    const importer = file.replace(/\.tsx?$/, '');
    const known = targets.get(importer) ?? new Set();
    targets.set(importer, known.add(target.replace(/\.js$/, '')));
  }
  const reach = new Map<string, ReadonlySet<string>>();
  const reachOf = (file: string): ReadonlySet<string> => {
    const known = reach.get(file);
    if (known) return known;
    const seen = new Set<string>();
    const waiting = [file];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      for (const target of targets.get(next) ?? []) {
        if (seen.has(target)) continue;
        seen.add(target);
        waiting.push(target);
      }
    }
    reach.set(file, seen);
    return seen;
  };
  const inCircle = [...targets.keys()].filter((file) => reachOf(file).has(file)).sort();
  const groups = new Map<string, string[]>();
  for (const file of inCircle) {
    const first = inCircle.find((other) => reachOf(file).has(other) && reachOf(other).has(file))!;
    groups.set(first, [...(groups.get(first) ?? []), file]);
  }
  return [...groups.values()];
}
