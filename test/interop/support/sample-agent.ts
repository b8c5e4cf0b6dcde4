import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { PmcdSetup } from './pmcd.js';

const PMDAS = '/var/lib/pcp/pmdas';
const NEWHELP = '/usr/lib/pcp/bin/newhelp';

/** A configuration of pmcd with the sample agents (as a process, domain 29, and as a library, domain 30), in a folder of its own. */
export interface SampleSetup {
  readonly setup: PmcdSetup;
  remove(): void;
}

/** Write the configuration, the name space and the help texts that the sample agents need; the installation stays as it is. */
export function makeSampleSetup(): SampleSetup {
  const dir = mkdtempSync(path.join(tmpdir(), 'pmgate-sample-'));
  const pmdas = path.join(dir, 'pmdas');
  mkdirSync(path.join(pmdas, 'sample'), { recursive: true });
  for (const name of readdirSync(PMDAS)) {
    if (name !== 'sample') symlinkSync(path.join(PMDAS, name), path.join(pmdas, name));
  }
  const agents = readFileSync('/etc/pcp/pmcd/pmcd.conf', 'utf8').replace(/^\[access\][^]*/m, '');
  writeFileSync(
    path.join(dir, 'pmcd.conf'),
    `${agents}
sample\t29\tpipe\tbinary\t\t${PMDAS}/sample/pmdasample -d 29
sampledso\t30\tdso\tsample_init\t${PMDAS}/sample/pmda_sample.so
`,
  );
  const root = readFileSync('/var/lib/pcp/pmns/root', 'utf8').replace(/^root \{/m, 'root {\n\tsample\n\tsampledso');
  const sample = readFileSync(`${PMDAS}/sample/pmns`, 'utf8');
  const process = sample.replace(/\bSAMPLE\b/g, '29');
  const library = sample.replace(/\bSAMPLE\b/g, '30').replace(/^sample\b/gm, 'sampledso');
  const pmns = path.join(dir, 'pmns');
  writeFileSync(pmns, `${root}\n${process}\n${library}`);
  const help = path.join(pmdas, 'sample', 'help');
  spawnSync(NEWHELP, ['-n', pmns, '-o', help, `${PMDAS}/sample/help`], { stdio: 'ignore' });
  return {
    setup: { args: ['-c', path.join(dir, 'pmcd.conf'), '-n', pmns], env: { PCP_PMDAS_DIR: pmdas } },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}
