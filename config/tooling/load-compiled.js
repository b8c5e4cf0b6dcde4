/**
 * What stands in the bundle for the modules that serve: it runs their code, which is one file, from what V8 made of that file when it was
 * built. Code that another version of Node made, or none, is no harm: V8 refuses it and reads the file itself.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, Script } from 'node:vm';

/* global CODE_FILE, CACHE_FILE -- put in by bundle.js */
const filename = fileURLToPath(new URL(CODE_FILE, import.meta.url));
const script = new Script(readFileSync(filename, 'utf8'), {
  filename,
  cachedData: cachedCode(),
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
const module = { exports: {} };
script.runInThisContext()(module.exports, createRequire(filename), module, filename, dirname(filename));

export const { serve, checkConfig, configFile, placeOf } = module.exports;

function cachedCode() {
  try {
    return readFileSync(new URL(CACHE_FILE, import.meta.url));
  } catch {
    return undefined;
  }
}
