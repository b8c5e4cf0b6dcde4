/**
 * What the single file gets as `node:fs` and `node:fs/promises`: Node's own, except that paths below the root of the package are read from the
 * executable (Node's SEA assets). PACKAGE_ROOT and FILES are replaced when it is built.
 */
/* global PACKAGE_ROOT, FILES */
const real = process.getBuiltinModule('node:fs');
const sea = process.getBuiltinModule('node:sea');
const { fileURLToPath } = process.getBuiltinModule('node:url');

/** The name of a file of the package; undefined for a path anywhere else. */
function nameOf(file) {
  const path = file instanceof URL || String(file).startsWith('file:') ? fileURLToPath(file) : String(file);
  return path.startsWith(`${PACKAGE_ROOT}/`) ? path.slice(PACKAGE_ROOT.length + 1) : undefined;
}

function missing(name) {
  return Object.assign(new Error(`ENOENT: no such file or directory, open '${name}'`), { code: 'ENOENT', errno: -2 });
}

function read(name, options) {
  if (!FILES.includes(name)) throw missing(name);
  const bytes = Buffer.from(sea.getRawAsset(name));
  const encoding = typeof options === 'string' ? options : options?.encoding;
  // A copy: the bytes of the executable are read-only, and writing to them would crash.
  return encoding ? bytes.toString(encoding) : Buffer.from(bytes);
}

function list(name) {
  const names = FILES.filter((file) => file.startsWith(`${name}/`)).map(
    (file) => file.slice(name.length + 1).split('/')[0],
  );
  if (names.length === 0) throw missing(name);
  return [...new Set(names)];
}

/** A function of the file system that answers `instead` for the package's own files. */
const or = (own, instead) =>
  Object.assign((file, ...rest) => {
    const name = typeof file === 'string' || file instanceof URL ? nameOf(file) : undefined;
    return name === undefined ? own(file, ...rest) : instead(name, ...rest);
  }, own);

const files = {
  ...real,
  readFileSync: or(real.readFileSync, read),
  readdirSync: or(real.readdirSync, list),
  existsSync: or(real.existsSync, (name) => FILES.includes(name)),
  promises: {
    ...real.promises,
    readFile: or(real.promises.readFile, async (name, options) => read(name, options)),
    readdir: or(real.promises.readdir, async (name) => list(name)),
  },
};
const modules = { fs: files, 'fs/promises': files.promises };

/** By name. */
export const embedded = {
  'node:fs': files,
  'node:module': {
    createRequire: () => (name) => modules[name.replace(/^node:/, '')] ?? process.getBuiltinModule(name),
  },
};
