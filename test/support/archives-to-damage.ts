import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { ArchiveBuilder } from './archive-builder.js';
import type { Files } from './damaged-archives.js';
import { rows } from './rows.js';

const FIXTURES = path.resolve('test/fixtures/archives');

/** Archives built and recorded, of both versions, plain and compressed by whatever program there is. */
export function archivesToDamage(): readonly Files[] {
  return [...builtArchives(), ...recordedArchives()].flatMap((files) => [files, ...compressed(files)]);
}

/** Without what Node adds: pieces of a Buffer are no copies. */
function plain(files: Iterable<readonly [string, Uint8Array]>): Files {
  return new Map([...files].map(([name, bytes]) => [name, Uint8Array.from(bytes)]));
}

/** Archives with values of every type, instances that come and go, marks, labels, texts and two volumes. */
function builtArchives(): readonly Files[] {
  const INDOM = 0x0f000001;
  return ([2, 3] as const).map((version) => {
    const builder = new ArchiveBuilder({ version, start: [1000, 0] });
    for (let type = 0; type <= 6; type++) {
      const semantics = type % 3 === 0 ? 1 : 3;
      builder.metric({ pmid: 0x0f000400 + type, names: [`a.t${type}`, `b.t${type}`], type, semantics, indom: INDOM });
    }
    builder.metric({ pmid: 0x0f000410, names: ['a.single'], type: 1, semantics: 1 });
    const instances = Array.from({ length: 5 }, (_, i) => [i, `i${i}`] as const);
    builder.indom([1000, 0], INDOM, instances);
    builder.labels([1000, 0], 1, 0xffffffff, [[-1, { hostname: 'h' }]]);
    builder.labels([1000, 0], 32, INDOM, rows([0, { a: 1 }], [1, { a: 2 }]));
    builder.text(6, 0x0f000400, 'help').text(9, INDOM, 'one line');
    for (let i = 0; i < 30; i++) {
      if (i === 15) builder.newVolume().mark([1000 + i - 1, 5e8]);
      if (i === 20 && version === 3) builder.indom([1020, 0], INDOM, [[4, null]], true);
      if (i % 10 === 0) builder.indexEntry([1000 + i, 0]);
      const sets = Array.from({ length: 7 }, (_, type) => ({
        pmid: 0x0f000400 + type,
        values: instances
          .slice(0, (i + type) % 6)
          .map(([id]) => [id, type === 6 ? `text ${i}` : 100 * i + id] as const),
      }));
      builder.record([1000 + i, 0], [...sets, { pmid: 0x0f000410, values: i % 7 === 0 ? -11 : [[-1, i]] }]);
    }
    return plain(builder.files());
  });
}

function recordedArchives(): readonly Files[] {
  const bases = [...new Set(readdirSync(FIXTURES).map((name) => name.replace(/\..*$/, '')))];
  return bases.map((base) => {
    const own = readdirSync(FIXTURES).filter((name) => name.startsWith(`${base}.`) && !name.endsWith('.probe'));
    return plain(own.map((name) => [name.slice(base.length + 1), readFileSync(path.join(FIXTURES, name))]));
  });
}

/** The same archive in every form that there is a program for. */
function compressed(files: Files): readonly Files[] {
  const programs: readonly (readonly [string, (bytes: Uint8Array) => Uint8Array | undefined])[] = [
    ['gz', (bytes) => gzipSync(bytes)],
    ['xz', (bytes) => piped(['xz', '--stdout'], bytes)],
    ['bz2', (bytes) => piped(['bzip2', '--stdout'], bytes)],
    ['zst', (bytes) => piped(['zstd', '--stdout'], bytes)],
  ];
  return programs.flatMap(([suffix, compress]) => {
    const packed = new Map<string, Uint8Array>();
    for (const [name, bytes] of files) {
      if (/\.(xz|gz)$/.test(name)) return [];
      const made = compress(bytes);
      if (!made) return [];
      packed.set(`${name}.${suffix}`, made);
    }
    return [plain(packed)];
  });
}

function piped([program, ...args]: readonly string[], input: Uint8Array): Uint8Array | undefined {
  const { status, stdout } = spawnSync(program!, args, { input });
  return status === 0 ? stdout : undefined;
}
