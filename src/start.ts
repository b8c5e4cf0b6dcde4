#!/usr/bin/env node
/**
 * The program's beginning in the package: runs dist/pmgate-all.cjs, with what V8 compiled of it at an earlier start. That is kept in this user's cache
 * directory, for each build and release of Node; without it everything works, and takes longer.
 */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import v8 from 'node:v8';
import { Script } from 'node:vm';
import { cacheDirectory, keepCompiled, readCompiled } from './compiled-code.js';

/** A digest of the script, which the build puts here. */
declare const BUILD: string;

/**
 * The space that new objects may take. V8 lets it grow to 32 MB, whatever it holds, and a gateway that does nothing fills all of that with
 * garbage; a quarter is as fast, an eighth is not.
 */
const NEW_SPACE_BYTES = 8 * 1024 * 1024;
const HEAP_CHECK_MS = 1000;
/**
 * By how much a small heap grows before V8 collects what is in it, in per cent, as a flag of V8. By itself V8 lets it become four times as large, which the
 * garbage of an open console does. 20 had no less memory and took a sixth more CPU time for a first range.
 */
const [GROWTH, GROWTH_OF_LARGE] = ['--heap-growing-percent=60', '--heap-growing-percent=0'];
const SMALL_HEAP_BYTES = 64 * 1024 * 1024;
/** When what was compiled is kept, after the start: the functions that a start needs are compiled by then. */
const KEEP_AFTER_MS = 2000;

const filename = fileURLToPath(new URL('pmgate-all.cjs', import.meta.url));
const cache = cacheDirectory(process.env);
/** Of this release of Node and this processor. */
const suffix = `-${process.version}-${process.arch}.bin`;
const kept = cache && path.join(cache, 'pmgate', BUILD + suffix);

function keep(file: string, script: Script): void {
  // V8 takes what was compiled with the same flags only.
  v8.setFlagsFromString(GROWTH);
  try {
    keepCompiled(file, suffix, script.createCachedData());
  } catch {
    // A disk that is full or read-only: the next start takes as long as this one.
  }
}

/** Lets the space of new objects grow to its limit in one step, and no further. V8 may have shrunk it since. Returns its size. */
function limitNewSpace(): number {
  const bytes =
    v8.getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? NEW_SPACE_BYTES;
  v8.setFlagsFromString(`--semi-space-growth-factor=${Math.min(4, Math.max(1, Math.floor(NEW_SPACE_BYTES / bytes)))}`);
  return bytes;
}

function limitHeap(): void {
  limitNewSpace();
  v8.setFlagsFromString(v8.getHeapStatistics().used_heap_size < SMALL_HEAP_BYTES ? GROWTH : GROWTH_OF_LARGE);
}

// V8 grows the space when a collection leaves much in it. Objects that are kept for this loop make it do so before the program is loaded, which
// would make it grow beyond the limit.
for (const kept: unknown[] = []; limitNewSpace() < NEW_SPACE_BYTES && kept.length < 128;)
  kept.push(new Array(8192).fill(0));
limitHeap();
setInterval(limitHeap, HEAP_CHECK_MS).unref();
const cachedData = kept === undefined ? undefined : readCompiled(kept);
// The build leaves nothing but ASCII in it.
const text = `(function(exports,require,module,__filename){${fs.readFileSync(filename, 'latin1')}\n})`;
const script = new Script(text, { filename, ...(cachedData && { cachedData }) });
const isNew = !cachedData || script.cachedDataRejected === true;
if (isNew && kept !== undefined) setTimeout(() => keep(kept, script), KEEP_AFTER_MS).unref();
const module = { exports: {} as { program(): void } };
const run = script.runInThisContext() as (...of: unknown[]) => void;
run(module.exports, createRequire(import.meta.url), module, filename);
module.exports.program();
