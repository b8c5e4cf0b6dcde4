import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

const ROOT = path.resolve(import.meta.dirname, '../..');
const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' };

/**
 * Makes a Debian package of the single file: a service with a system user, /etc/pmgate.yaml, and its state in /var/lib/pmgate.
 * @returns {string} the package
 */
export function makeDebianPackage(out, singleFile, version, processor) {
  const stage = mkdtempSync(path.join(os.tmpdir(), 'pmgate-deb-'));
  try {
    const put = (name, bytes, mode = 0o644) => {
      const file = path.join(stage, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, bytes, { mode });
    };
    const source = (file) => readFileSync(path.join(ROOT, file));
    put('etc/pmgate.yaml', source('config/pmgate.yaml'));
    put('usr/lib/systemd/system/pmgate.service', unit(source('config/systemd/pmgate.service').toString()));
    put(
      'usr/share/doc/pmgate/copyright',
      Buffer.concat([source('LICENSE'), Buffer.from('\n'), source('dist/LICENCES.txt')]),
    );
    put('usr/share/doc/pmgate/changelog.gz', gzipSync(source('CHANGELOG.md'), { level: 9 }));
    put('usr/share/doc/pmgate/sbom.cdx.json', source('dist/sbom.cdx.json'));
    mkdirSync(path.join(stage, 'usr/bin'));
    cpSync(singleFile, path.join(stage, 'usr/bin/pmgate'));
    put('DEBIAN/control', control(version, ARCHITECTURES[processor], kibibytes(stage)));
    put('DEBIAN/conffiles', '/etc/pmgate.yaml\n');
    for (const script of ['postinst', 'prerm', 'postrm'])
      put(`DEBIAN/${script}`, readFileSync(path.join(import.meta.dirname, 'debian', script)), 0o755);
    withTimes(stage, Number(process.env.SOURCE_DATE_EPOCH));
    const file = path.join(out, `pmgate_${version}_${ARCHITECTURES[processor]}.deb`);
    // With several threads, what xz makes depends on how many there are.
    const how = ['--root-owner-group', '-Zxz', '-z2', '--threads-max=1'];
    execFileSync('dpkg-deb', ['--build', ...how, stage, file], { stdio: ['ignore', 'ignore', 'inherit'] });
    return file;
  } finally {
    rmSync(stage, { recursive: true });
  }
}

/** Sets the time and the mode of everything in a directory: `umask` and the clock leave no trace. */
export function withTimes(directory, seconds) {
  execFileSync('find', [directory, '-exec', 'chmod', 'u=rwX,go=rX', '{}', '+']);
  execFileSync('find', [directory, '-exec', 'touch', '--no-dereference', `--date=@${seconds}`, '{}', '+']);
}

/** The unit of the package for npm, with a user that stays, for recordings stay, and the paths of Debian. */
function unit(text) {
  return text
    .replace(/^(#.*\n)+\n/, '')
    .replace(/^# A user of its own that exists while.*\nDynamicUser=yes\n/m, 'User=pmgate\nGroup=pmgate\n')
    .replace('ConfigurationDirectory=pmgate\n', '')
    .replaceAll('/usr/bin/env pmgate', '/usr/bin/pmgate')
    .replaceAll('/etc/pmgate/pmgate.yaml', '/etc/pmgate.yaml');
}

function kibibytes(directory) {
  const files = readdirSync(directory, { recursive: true }).map((name) => statSync(path.join(directory, name)));
  return Math.ceil(files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0) / 1024);
}

function control(version, architecture, size) {
  return `Package: pmgate
Version: ${version}
Architecture: ${architecture}
Maintainer: The authors of pmgate <pmgate@localhost>
Installed-Size: ${size}
Depends: libc6 (>= 2.28), libstdc++6, passwd
Recommends: xz-utils, zstd, bzip2
Suggests: pcp
Section: net
Priority: optional
Description: gateway to performance metrics, as a web page and as JSON over HTTP
 Serves the metrics of this machine, of other hosts and of PCP archives in the
 data model of Performance Co-Pilot, and records those of this machine. It needs
 neither PCP nor Node.js.
`;
}
