import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { withTimes } from './debian.js';

/** Who runs it: no user of the host. */
const USER = '65532';

/**
 * Makes an image of the single file and the libraries that it is linked to, nothing else: an archive of OCI that podman and docker load.
 * Without buildah it stops after the file system of the image, beside which the Containerfile builds it.
 * @returns {string} the archive, or the directory
 */
export function makeImage(out, singleFile, version, processor) {
  const context = path.join(out, `image-${processor}`);
  rmSync(context, { recursive: true, force: true });
  makeRoot(path.join(context, 'rootfs'), singleFile);
  cpSync(path.join(import.meta.dirname, 'Containerfile'), path.join(context, 'Containerfile'));
  const seconds = process.env.SOURCE_DATE_EPOCH;
  withTimes(context, seconds);
  if (!hasBuildah()) return context;
  const file = path.join(out, `pmgate-${version}-${processor}.oci.tar`);
  const name = `localhost/pmgate:${version}`;
  const isolated = ['--isolation', 'chroot', '--platform', `linux/${processor === 'x64' ? 'amd64' : processor}`];
  buildah('build', ...isolated, '--no-cache', '--timestamp', seconds, '--tag', name, context);
  rmSync(file, { force: true });
  buildah('push', '--quiet', name, `oci-archive:${file}:${name}`);
  return file;
}

/** The file system of the image. Its libraries are those that the executable has here, so it is made on the processor that it is for. */
function makeRoot(root, singleFile) {
  mkdirSync(path.join(root, 'usr/bin'), { recursive: true });
  cpSync(singleFile, path.join(root, 'usr/bin/pmgate'));
  const linked = execFileSync('ldd', [singleFile], { encoding: 'utf8' });
  for (const [library] of linked.matchAll(/\/\S+\.so\S*/g)) {
    mkdirSync(path.join(root, path.dirname(library)), { recursive: true });
    cpSync(realpathSync(library), path.join(root, library));
  }
  for (const directory of ['etc', 'tmp', 'var/lib/pmgate']) mkdirSync(path.join(root, directory), { recursive: true });
  writeFileSync(path.join(root, 'etc/passwd'), `pmgate:x:${USER}:${USER}::/var/lib/pmgate:/\n`);
  writeFileSync(path.join(root, 'etc/group'), `pmgate:x:${USER}:\n`);
}

function hasBuildah() {
  try {
    buildah('--version');
    return true;
  } catch {
    return false;
  }
}

function buildah(...words) {
  execFileSync('buildah', ['--storage-driver', 'vfs', ...words], { stdio: ['ignore', 'ignore', 'inherit'] });
}
