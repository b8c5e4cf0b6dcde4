import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { withTimes } from './debian.js';

/** Who runs it: no user of the host. */
const USER = '65532';
const SECOND_NS = 1e9;

/**
 * Makes an image of the single file and the libraries that it is linked to, nothing else: an archive that `podman load` and `docker load`
 * read. It is written here, for what buildah makes has another host name each time; Containerfile says what is in its configuration, and
 * builds the same image in the directory `image-PROCESSOR` beside it.
 * @returns {string} the archive
 */
export function makeImage(out, singleFile, version, processor) {
  const seconds = Number(process.env.SOURCE_DATE_EPOCH);
  const directory = path.join(out, `image-${processor}`);
  rmSync(directory, { recursive: true, force: true });
  const root = path.join(directory, 'rootfs');
  makeRoot(root, singleFile);
  withTimes(root, seconds);
  const layer = path.join(directory, 'rootfs.tar');
  tar('--create', layer, seconds, [
    '--exclude=tmp',
    '--exclude=var/lib/pmgate',
    '-C',
    root,
    ...readdirSync(root).sort(),
  ]);
  tar('--append', layer, seconds, ['--mode=1777', '-C', root, 'tmp']);
  tar('--append', layer, seconds, [`--owner=${USER}`, `--group=${USER}`, '--mode=0750', '-C', root, 'var/lib/pmgate']);

  const containerfile = path.join(import.meta.dirname, 'Containerfile');
  cpSync(containerfile, path.join(directory, 'Containerfile'));
  const created = new Date(seconds * 1000).toISOString();
  const settings = JSON.stringify({
    architecture: processor === 'x64' ? 'amd64' : processor,
    os: 'linux',
    created,
    config: configurationOf(readFileSync(containerfile, 'utf8')),
    rootfs: { type: 'layers', diff_ids: [`sha256:${digest(readFileSync(layer))}`] },
    history: [{ created, created_by: 'npm run package -- image' }],
  });
  const names = {
    Config: `${digest(settings)}.json`,
    RepoTags: [`localhost/pmgate:${version}`],
    Layers: ['rootfs.tar'],
  };
  writeFileSync(path.join(directory, names.Config), settings);
  writeFileSync(path.join(directory, 'manifest.json'), JSON.stringify([names]));
  const file = path.join(out, `pmgate-${version}-${processor}.image.tar`);
  tar('--create', file, seconds, ['--mode=0644', '-C', directory, 'manifest.json', names.Config, 'rootfs.tar']);
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
  // Where the root may not be written to, what is mounted needs its directory.
  for (const directory of ['etc', 'tmp', 'proc', 'sys', 'dev', 'host', 'var/lib/pmgate'])
    mkdirSync(path.join(root, directory), { recursive: true });
  writeFileSync(path.join(root, 'etc/passwd'), `pmgate:x:${USER}:${USER}::/var/lib/pmgate:/\n`);
  writeFileSync(path.join(root, 'etc/group'), `pmgate:x:${USER}:\n`);
}

/** The configuration of an image, of the instructions of our Containerfile. */
function configurationOf(text) {
  const lines = text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line));
  const of = (name) => lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  const [health] = of('HEALTHCHECK');
  const seconds = (name) => Number(new RegExp(`--${name}=(\\d+)s`).exec(health)[1]) * SECOND_NS;
  return {
    User: of('USER')[0],
    ExposedPorts: Object.fromEntries(of('EXPOSE').map((port) => [`${port}/tcp`, {}])),
    Env: of('ENV').flatMap((variables) => variables.split(/\s+/)),
    Cmd: JSON.parse(of('CMD')[0]),
    Healthcheck: {
      Test: ['CMD', ...JSON.parse(/CMD (.*)$/.exec(health)[1])],
      Interval: seconds('interval'),
      Timeout: seconds('timeout'),
      StartPeriod: seconds('start-period'),
    },
    Volumes: Object.fromEntries(of('VOLUME').map((volume) => [volume, {}])),
  };
}

function tar(mode, file, seconds, words) {
  const same = ['--format=ustar', '--sort=name', '--numeric-owner', '--owner=0', '--group=0', `--mtime=@${seconds}`];
  execFileSync('tar', [mode, '--file', file, ...same, ...words]);
}

function digest(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
