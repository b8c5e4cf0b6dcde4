import {
  archiveOfFile,
  archivesInTar,
  isTar,
  lastPart,
  tarName,
  UNPACK_LIMITS,
  Unpacked,
  UnpackError,
} from '../sources/archive/index.js';
import { eachOf } from '../kit/index.js';
import type { ByteFile, UnpackLimits } from '../sources/archive/index.js';
import { blobFile } from './given-files.js';
import { chunksOf, inflated, KeptBytes } from './inflate.js';

/** A file that a user opens or drops, with its directories. */
export interface GivenFile {
  readonly path: string;
  readonly blob: Blob;
}

interface OpenGivenOptions {
  readonly signal?: AbortSignal | undefined;
  /** Told bytes that were read of those that are read: of tars only. */
  readonly onProgress?: ((progress: { readonly read: number; readonly total: number }) => void) | undefined;
  readonly limits?: UnpackLimits | undefined;
}

const EXPECTED =
  'expected the files of an archive (NAME.meta, NAME.index, NAME.0 and so on, compressed or not) or a tar of them (.tar, .tar.gz, ' +
  '.tar.xz, .tar.bz2, .tar.zst), as a sos report is';

/**
 * The files of PCP archives among some files and in the tars among them, by name with their directory; tars are read, archives are not. What
 * else there is is left out. Throws an {@link UnpackError} that says which file is damaged or too large, or that there are no archives, and
 * the signal's reason.
 */
export async function openGiven(
  given: readonly GivenFile[],
  { signal, onProgress, limits = UNPACK_LIMITS }: OpenGivenOptions = {},
): Promise<ByteFile[]> {
  const found = new Map<string, ByteFile>();
  const add = (file: ByteFile): void => {
    const { name } = file;
    if (found.has(name)) throw new UnpackError(`${name} is there twice: open the directories that they are in`);
    if (found.size >= limits.files) throw new UnpackError(`more than ${limits.files} files of archives`);
    found.set(name, file);
  };
  for (const { path, blob } of given) if (archiveOfFile(path) !== undefined) add(blobFile(path, blob));
  const tars = given.filter(({ path }) => isTar(path));
  const total = tars.reduce((sum, { blob }) => sum + blob.size, 0);
  const counted = new Unpacked();
  const directories = new Set<string>();
  let read = 0;
  for (const { path, blob } of tars) {
    const { name: directory, compression } = tarName(path);
    let own = directory;
    while (directories.has(own)) own += '-2';
    directories.add(own);
    // A sos report has all of itself in a directory of its name.
    const top = `${lastPart(directory)}/`;
    const named = (name: string): string => `${own}/${name.startsWith(top) ? name.slice(top.length) : name}`;
    const bytes = (async function* told() {
      for await (const chunk of chunksOf(blobFile(path, blob), signal)) {
        read += chunk.length;
        onProgress?.({ read, total });
        yield chunk;
      }
    })();
    try {
      const contents = compression ? inflated(bytes, compression) : bytes;
      for await (const { name, linked, body } of archivesInTar(contents, counted, limits)) {
        const kept = new KeptBytes();
        if (linked === undefined) for await (const chunk of eachOf(body)) kept.add(chunk);
        const original = linked === undefined ? blobFile('', kept.blob()) : found.get(named(linked))!;
        add({ ...original, name: named(name) });
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw new UnpackError(`${path} cannot be unpacked: ${(error as Error).message}`, { cause: error });
    }
  }
  const described = new Set([...found.keys()].filter((name) => META.test(name)).map(archiveOfFile));
  const files = [...found.values()].filter(({ name }) => described.has(archiveOfFile(name)));
  if (files.length === 0) throw new UnpackError(whyNone(given, found));
  return files;
}

const META = /\.meta(?:\.[A-Za-z0-9]+)?$/;

function whyNone(given: readonly GivenFile[], found: ReadonlyMap<string, unknown>): string {
  const [first] = given;
  if (!first) return `no files: ${EXPECTED}`;
  const [piece] = found.keys();
  if (piece !== undefined) return `${piece}: expected ${archiveOfFile(piece)!}.meta beside it`;
  const others = given.length > 1 ? ` and ${given.length - 1} more` : '';
  return `no PCP archive in ${first.path}${others}: ${EXPECTED}`;
}
