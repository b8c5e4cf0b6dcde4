#!/usr/bin/env node
/**
 * The program's beginning in the package: runs dist/pmgate-all.cjs, with what V8 compiled of it at an earlier start. That is kept in this user's cache
 * directory, for each build and release of Node; without it everything works, and takes longer.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

/** A digest of the script, which the build puts here. */
declare const BUILD: string;

/** When what was compiled is kept, after the start: the functions that a start needs are compiled by then. */
const KEEP_AFTER_MS = 2000;
const DIGEST_BYTES = 32;

const filename = fileURLToPath(new URL('pmgate-all.cjs', import.meta.url));
/** A user without a home has none: below a directory that all may write to, others could put something there. */
const cache = path.join(process.env.XDG_CACHE_HOME ?? path.join(process.env.HOME ?? '/dev/null', '.cache'), 'pmgate');
/** Of this release of Node and this processor. */
const suffix = `-${process.version}-${process.arch}.bin`;
const kept = path.join(cache, BUILD + suffix);

/** What was kept: by this user, and undamaged, for V8 would run whatever it holds. */
function compiledBefore(): Buffer | undefined {
  try {
    if (fs.statSync(kept).uid !== process.geteuid?.()) return undefined;
    const bytes = fs.readFileSync(kept);
    const data = bytes.subarray(DIGEST_BYTES);
    return digestOf(data).equals(bytes.subarray(0, DIGEST_BYTES)) ? data : undefined;
  } catch {
    return undefined;
  }
}

function digestOf(data: Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}

/** Keeps what is compiled by now, instead of what earlier builds kept. */
function keep(script: Script): void {
  try {
    const data = script.createCachedData();
    const begun = `${kept}.${process.pid}`;
    fs.mkdirSync(cache, { recursive: true, mode: 0o700 });
    for (const name of fs.readdirSync(cache)) if (name.includes(suffix)) fs.rmSync(path.join(cache, name));
    fs.writeFileSync(begun, Buffer.concat([digestOf(data), data]), { mode: 0o600, flag: 'wx' });
    fs.renameSync(begun, kept);
  } catch {
    // A disk that is full or read-only: the next start takes as long as this one.
  }
}

const cachedData = compiledBefore();
// The build leaves nothing but ASCII in it.
const text = `(function(exports,require,module,__filename){${fs.readFileSync(filename, 'latin1')}\n})`;
const script = new Script(text, { filename, ...(cachedData && { cachedData }) });
if (!cachedData || script.cachedDataRejected === true) setTimeout(() => keep(script), KEEP_AFTER_MS).unref();
const module = { exports: {} as { program(): void } };
const run = script.runInThisContext() as (...of: unknown[]) => void;
run(module.exports, createRequire(import.meta.url), module, filename);
module.exports.program();
