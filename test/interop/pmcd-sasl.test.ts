import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { FetchResult } from '../../src/pmapi/index.js';
import { InstanceProfile } from '../../src/sources/index.js';
import { PmcdPools } from '../../src/sources/pmcd/index.js';
import { type RunningPmcd, describeWithPcp, startPmcd } from './support/pmcd.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** pmcd serves SASL users that are users of the machine, too. */
const USERNAME = 'nobody';
const PASSWORD = 'pencil, =and paper';
const CERTIFICATES = path.resolve('test/fixtures/pmcd-tls');

describeWithPcp('credentials for a real pmcd', () => {
  const dir = temporaryDirectory().path;
  let pmcd: RunningPmcd;
  let pools: PmcdPools;

  beforeAll(async () => {
    const mechanisms = 'mech_list: plain login scram-sha-256\nauxprop_plugin: sasldb\npwcheck_method: auxprop\n';
    writeFileSync(path.join(dir, 'pmcd.conf'), `${mechanisms}sasldb_path: ${path.join(dir, 'passwd.db')}\n`);
    const env = { SASL_CONF_PATH: dir };
    const { status } = spawnSync('/usr/bin/python3', ['test/interop/support/sasl-password.py', USERNAME, PASSWORD], {
      env: { ...process.env, ...env },
    });
    expect(status).toBe(0);
    const tls = path.join(dir, 'tls.conf');
    writeFileSync(
      tls,
      `tls-key-file = ${CERTIFICATES}/key.pem\ntls-cert-file = ${CERTIFICATES}/cert.pem\ntls-ca-cert-file = ${CERTIFICATES}/cert.pem\n`,
    );
    pmcd = await startPmcd({ env: { ...env, PCP_TLSCONF_PATH: tls } });
    pools = new PmcdPools({ connectTimeoutMs: 60_000, replyTimeoutMs: 60_000 });
  });

  afterAll(async () => {
    await pools.close();
    await pmcd.stop();
  });

  it.each(['', '?method=plain', '?method=scram-sha-256', '?secure=relaxed', '?secure=relaxed&method=scram-sha-256'])(
    'are accepted when they are right: %s',
    async (attributes) => {
      const source = await pools.open(`127.0.0.1:${pmcd.port}${attributes}`, {
        username: USERNAME,
        password: PASSWORD,
      });
      const [context] = await source.labels({ kind: 'context' });
      const labels = new Map(
        context!.labels.map(({ name, json, optional }) => [name, `${json}${optional ? ' optional' : ''}`]),
      );
      expect(labels.get('userid')).toMatch(/^\d+ optional$/);
      const [pmid] = await source.lookupNames(['hinv.ncpu']);
      const result = new FetchResult();
      await source.fetch(source.prepare([pmid!]), new InstanceProfile(), result);
      expect(result.sets[0]).toMatchObject({ status: 1 });
      await source.close();
    },
  );

  it.each(['?method=plain', '?method=scram-sha-256', '?secure=relaxed'])(
    'are refused when they are wrong: %s',
    async (attributes) => {
      const opening = pools.open(`127.0.0.1:${pmcd.port}${attributes}`, { username: USERNAME, password: 'pen' });
      await expect(opening).rejects.toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
      const unknown = pools.open(`127.0.0.1:${pmcd.port}${attributes}`, {
        username: 'no such user',
        password: PASSWORD,
      });
      await expect(unknown).rejects.toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
    },
  );
});
