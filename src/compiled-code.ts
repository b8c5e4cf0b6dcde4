import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

const DIGEST_BYTES = 32;
const WRITABLE_BY_OTHERS = 0o022;

/** The directory of this user's caches; undefined without a home: below one that all may write to, others could put something there. */
export function cacheDirectory({ XDG_CACHE_HOME: given = '', HOME: home = '' }: NodeJS.ProcessEnv): string | undefined {
  if (path.isAbsolute(given)) return given;
  return path.isAbsolute(home) ? path.join(home, '.cache') : undefined;
}

/** What V8 compiled, kept by {@link keepCompiled}; undefined unless it is undamaged and this user's alone, for V8 runs whatever it holds. */
export function readCompiled(file: string): Buffer | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
    const { uid, mode } = fs.fstatSync(descriptor);
    if (uid !== process.geteuid?.() || (mode & WRITABLE_BY_OTHERS) !== 0) return undefined;
    const bytes = fs.readFileSync(descriptor);
    const data = bytes.subarray(DIGEST_BYTES);
    return digestOf(data).equals(bytes.subarray(0, DIGEST_BYTES)) ? data : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

/** Keeps what V8 compiled, instead of the files beside it with the same `suffix`, which earlier builds kept. Throws an error of the system. */
export function keepCompiled(file: string, suffix: string, data: Buffer): void {
  const [directory, begun] = [path.dirname(file), `${file}.${process.pid}`];
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const name of fs.readdirSync(directory)) if (name.includes(suffix)) fs.rmSync(path.join(directory, name));
  fs.writeFileSync(begun, Buffer.concat([digestOf(data), data]), { mode: 0o600, flag: 'wx' });
  fs.renameSync(begun, file);
}

function digestOf(data: Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}
