import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { badParameter, GatewayError, PmError } from '../../../pmapi/index.js';
import { filesOf, type ArchiveFiles } from '../files/archive-files.js';
import {
  archivesInDirectory,
  Directories,
  findArchiveFiles,
  isBelowRoot,
  isDirectory,
  isWithin,
  realRoot,
  throwErrno,
} from './open-files.js';

export interface FoundArchive {
  /** The name to open it by: relative to its root. */
  readonly name: string;
  readonly files: ArchiveFiles;
}

const MAX_DEPTH = 8;
const MAX_NAME_BYTES = 4096;

/** The negated errnos of what is not there, or not for us. */
const MISSING: ReadonlySet<number> = new Set([-1, -2, -13, -20, -36, -40]);

/**
 * The paths that a client's archive name stands for: one or several names separated by commas, each of them an archive's
 * base name, one of its files, or a directory, relative to one of the roots (the first that has it). Whatever would lead
 * out of the roots is refused as if it were not there: absolute paths, `..`, links to the outside. Throws a GatewayError
 * (BAD_PARAMETER for a malformed name, UNKNOWN_ARCHIVE for all else), and a PmError when the disk cannot be asked.
 */
export async function resolveArchivePath(
  roots: readonly string[],
  name: string,
  directories = new Directories(),
): Promise<readonly string[]> {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw badName(`longer than ${MAX_NAME_BYTES} bytes`);
  if (name.includes('\0')) throw badName('it contains a NUL character');
  const elements = name.split(',').map((element) => element.trim());
  if (elements.some((element) => element === '')) throw badName('a name is empty');
  const resolved: string[] = [];
  for (const element of elements) resolved.push(await resolveOne(roots, element, directories));
  return resolved;
}

/** All archives below the roots, down to eight levels, and those that are roots; of equal names, that of the earlier root. Throws the signal's reason. */
export async function findArchives(
  roots: readonly string[],
  directories = new Directories(),
  signal?: AbortSignal,
): Promise<readonly FoundArchive[]> {
  const found = new Map<string, FoundArchive>();
  for (const root of roots) {
    const real = await realpathOf(root, realRoot);
    if (real === undefined) continue;
    const isArchive = !(await isDirectory(real));
    const one = isArchive && (await filesWithin(real, real, directories));
    if (one) found.set(path.basename(real), { name: path.basename(real), files: one });
    if (isArchive) continue;
    for await (const files of archivesBelow(real, real, 0, directories, signal)) {
      const name = path.relative(real, files.base);
      if (!found.has(name)) found.set(name, { name, files });
    }
  }
  return [...found.values()];
}

async function* archivesBelow(
  root: string,
  directory: string,
  depth: number,
  directories: Directories,
  signal: AbortSignal | undefined,
): AsyncGenerator<ArchiveFiles, void> {
  // One that went, or may not be read, holds nothing for us.
  const contents = await directories.read(directory).catch(refuseTrouble);
  if (!contents) return;
  for (const base of await archivesInDirectory(directory, directories)) {
    signal?.throwIfAborted();
    const files = await filesWithin(root, base, directories);
    if (files) yield files;
  }
  if (depth >= MAX_DEPTH) return;
  // Links are not followed: they could lead out, or round in circles.
  for (const name of contents.directories) {
    signal?.throwIfAborted();
    yield* archivesBelow(root, path.join(directory, name), depth + 1, directories, signal);
  }
}

async function resolveOne(roots: readonly string[], element: string, directories: Directories): Promise<string> {
  const isOutward = path.isAbsolute(element) || element.split(/[/\\]/).includes('..');
  if (!isOutward) {
    for (const root of roots) {
      const real = await realpathOf(root, realRoot);
      const found = real === undefined ? undefined : await resolveBelow(real, element, directories);
      if (found !== undefined) return found;
    }
  }
  const message = `no archive ${JSON.stringify(element)} below the configured roots`;
  throw new GatewayError('UNKNOWN_ARCHIVE', message, { parameter: 'archive' });
}

/** The path of an archive or directory below a root, or of the root itself; undefined when it is not there, or leads out by a link. */
async function resolveBelow(root: string, element: string, directories: Directories): Promise<string | undefined> {
  if (!(await isDirectory(root))) {
    const files = await filesWithin(root, path.join(path.dirname(root), element), directories);
    return files?.base === root ? root : undefined;
  }
  const candidate = path.resolve(root, element);
  if (!isWithin(root, candidate)) return undefined;
  if (await isDirectory(candidate)) {
    const real = await realpathOf(candidate);
    if (real === undefined || !isWithin(root, real)) return undefined;
    for (const base of await archivesInDirectory(real, directories)) {
      if (!(await filesWithin(root, base, directories))) return undefined;
    }
    return real;
  }
  const parent = await realpathOf(path.dirname(candidate));
  if (parent === undefined || !isWithin(root, parent)) return undefined;
  const base = path.join(parent, path.basename(candidate));
  return (await filesWithin(root, base, directories)) ? base : undefined;
}

/** The files of an archive in a directory below a root; undefined if absent, or if a link among them leads out of the root. */
async function filesWithin(root: string, base: string, directories: Directories): Promise<ArchiveFiles | undefined> {
  const files = await findArchiveFiles(base, directories).catch(refuseTrouble);
  if (!files) return undefined;
  const { links } = await directories.read(path.dirname(base));
  for (const { path: file } of filesOf(files)) {
    if (!links.has(path.basename(file))) continue;
    const real = await realpathOf(file);
    if (real === undefined || !(await isBelowRoot(root, real))) return undefined;
  }
  return files;
}

/** A path without links; undefined for a broken one. Throws a PmError when the system cannot tell. */
async function realpathOf(name: string, resolve = (path: string) => realpath(path)): Promise<string | undefined> {
  return resolve(name).catch(throwErrno(name)).catch(refuseTrouble);
}

/** Undefined if it does not exist; throws other failures, such as a lack of descriptors. */
function refuseTrouble(error: unknown): undefined {
  if (error instanceof PmError && (error.pmErr < -4096 || MISSING.has(error.pmErr))) return undefined;
  throw error;
}

function badName(why: string): GatewayError {
  const message = `archive: ${why}`;
  return badParameter('archive', message, 'an archive below the configured roots, or several separated by commas');
}
