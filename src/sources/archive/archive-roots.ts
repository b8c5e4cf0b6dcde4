import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { GatewayError } from '../../pmapi/index.js';
import type { Timestamp } from '../../pmapi/index.js';
import { archivesInDirectory, findArchiveFiles, isDirectory, isWithin } from './archive-files.js';
import type { ArchiveFiles } from './archive-files.js';
import type { ArchiveStore } from './archive-store.js';

/** What a root holds under one name. */
export interface ArchiveListing {
  /** The name to open it by: relative to its root. */
  readonly name: string;
  readonly hostName: string;
  readonly timezone: string;
  readonly start: Timestamp;
  readonly end: Timestamp;
  readonly version: number;
  /** How many metrics it describes. */
  readonly metrics: number;
  /** Bytes of all its files, as they lie on disk. */
  readonly sizeBytes: number;
}

/** An archive below a root that cannot be opened, and why. */
export interface BrokenArchive {
  readonly name: string;
  readonly error: Error;
}

const MAX_DEPTH = 8;
const MAX_NAME_BYTES = 4096;

/**
 * The paths that a client's archive name stands for: one or several names separated by commas, each of them an archive's
 * base name, one of its files, or a directory, relative to one of the roots (the first that has it). Whatever would lead
 * out of the roots is refused as if it were not there: absolute paths, `..`, links to the outside. Throws a GatewayError
 * (BAD_PARAMETER for a malformed name, UNKNOWN_ARCHIVE for all else).
 */
export async function resolveArchivePath(roots: readonly string[], name: string): Promise<readonly string[]> {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw badName(`longer than ${MAX_NAME_BYTES} bytes`);
  if (name.includes('\0')) throw badName('it contains a NUL character');
  const elements = name.split(',').map((element) => element.trim());
  if (elements.some((element) => element === '')) throw badName('a name is empty');
  const resolved: string[] = [];
  for (const element of elements) resolved.push(await resolveOne(roots, element));
  return resolved;
}

/**
 * Everything that the roots hold, down to eight levels; archives that cannot be opened are listed as such. Throws the signal's
 * reason once that is aborted: between two archives, or two directories.
 */
export async function listArchives(
  roots: readonly string[],
  store: ArchiveStore,
  signal?: AbortSignal,
): Promise<{ readonly archives: readonly ArchiveListing[]; readonly broken: readonly BrokenArchive[] }> {
  const archives = new Map<string, ArchiveListing>();
  const broken = new Map<string, BrokenArchive>();
  for (const root of roots) {
    const real = await realpath(root).catch(() => undefined);
    if (real === undefined) continue;
    for (const base of await findArchives(real, real, 0, signal)) {
      const name = path.relative(real, base);
      if (archives.has(name) || broken.has(name)) continue;
      signal?.throwIfAborted();
      try {
        archives.set(name, await describeArchive(name, base, store));
      } catch (error) {
        broken.set(name, { name, error: error instanceof Error ? error : new Error(String(error)) });
      }
    }
  }
  return { archives: [...archives.values()], broken: [...broken.values()] };
}

async function describeArchive(name: string, base: string, store: ArchiveStore): Promise<ArchiveListing> {
  const sizeBytes = await sizeOf(await findArchiveFiles(base));
  const source = await store.open([base]);
  try {
    const { label, metadata } = source.archive;
    return {
      name,
      hostName: label.hostName,
      timezone: label.timezone,
      start: label.start,
      end: await source.end(),
      version: label.version,
      metrics: metadata.metricCount,
      sizeBytes,
    };
  } finally {
    await source.close();
  }
}

async function findArchives(
  root: string,
  directory: string,
  depth: number,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  signal?.throwIfAborted();
  const found: string[] = [];
  for (const base of await archivesInDirectory(directory)) {
    if (await filesStayWithin(root, base)) found.push(base);
  }
  if (depth >= MAX_DEPTH) return found;
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    // Links are not followed: they could lead out, or round in circles.
    if (!entry.isDirectory()) continue;
    found.push(...(await findArchives(root, path.join(directory, entry.name), depth + 1, signal)));
  }
  return found;
}

async function resolveOne(roots: readonly string[], element: string): Promise<string> {
  const isOutward = path.isAbsolute(element) || element.split(/[/\\]/).includes('..');
  if (!isOutward) {
    for (const root of roots) {
      const real = await realpath(root).catch(() => undefined);
      const found = real === undefined ? undefined : await resolveBelow(real, element);
      if (found !== undefined) return found;
    }
  }
  throw new GatewayError('UNKNOWN_ARCHIVE', `no archive ${JSON.stringify(element)} below the configured roots`, {
    parameter: 'archive',
  });
}

/** The path of an archive or directory below a root; undefined when it is not there, or leads out by a link. */
async function resolveBelow(root: string, element: string): Promise<string | undefined> {
  const candidate = path.resolve(root, element);
  if (!isWithin(root, candidate)) return undefined;
  if (await isDirectory(candidate)) {
    const real = await realpath(candidate);
    if (!isWithin(root, real)) return undefined;
    for (const base of await archivesInDirectory(real)) if (!(await filesStayWithin(root, base))) return undefined;
    return real;
  }
  const parent = await realpath(path.dirname(candidate)).catch(() => undefined);
  if (parent === undefined || !isWithin(root, parent)) return undefined;
  const base = path.join(parent, path.basename(candidate));
  return (await filesStayWithin(root, base)) ? base : undefined;
}

/** Whether an archive is there and every one of its files, links followed, lies within the root. */
async function filesStayWithin(root: string, base: string): Promise<boolean> {
  const files = await findArchiveFiles(base).catch(() => undefined);
  if (!files) return false;
  for (const { path: file } of piecesOf(files)) {
    const real = await realpath(file).catch(() => undefined);
    if (real === undefined || !isWithin(root, real)) return false;
  }
  return true;
}

function piecesOf(files: ArchiveFiles): readonly { readonly path: string }[] {
  return [files.meta, ...(files.index ? [files.index] : []), ...files.volumes.map(({ file }) => file)];
}

async function sizeOf(files: ArchiveFiles): Promise<number> {
  const sizes = await Promise.all(piecesOf(files).map(async ({ path: file }) => (await stat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function badName(why: string): GatewayError {
  return new GatewayError('BAD_PARAMETER', `archive: ${why}`, {
    parameter: 'archive',
    expected: 'an archive below the configured roots, or several separated by commas',
  });
}
