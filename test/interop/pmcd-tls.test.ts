import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PmcdPools } from '../../src/sources/pmcd/index.js';
import { openStream } from '../support/sse-reader.js';
import { PATIENT_HOSTS } from '../support/patience.js';
import { type RunningGateway, startGateway } from '../support/whole-gateway.js';
import { type RunningPmcd, describeWithPcp, startPmcd } from './support/pmcd.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const CERTIFICATES = path.resolve('test/fixtures/pmcd-tls');
const NAMES = 'kernel.all.load,hinv.ncpu,kernel.percpu.cpu.user,pmcd.version';

describeWithPcp('a real pmcd over TLS', () => {
  const dir = temporaryDirectory().path;
  let pmcd: RunningPmcd;
  let gateway: RunningGateway;
  let env: Record<string, string>;

  const get = async (pathAndQuery: string): Promise<{ status: number; text: string }> => {
    const response = await fetch(
      `http://127.0.0.1:${gateway.port}${pathAndQuery}&hostspec=127.0.0.1:${pmcd.port}%3Fsecure=relaxed`,
    );
    return { status: response.status, text: await response.text() };
  };

  beforeAll(async () => {
    const file = path.join(dir, 'tls.conf');
    writeFileSync(
      file,
      `tls-key-file = ${CERTIFICATES}/key.pem\ntls-cert-file = ${CERTIFICATES}/cert.pem\ntls-ca-cert-file = ${CERTIFICATES}/cert.pem\n`,
    );
    env = { PCP_TLSCONF_PATH: file };
    pmcd = await startPmcd({ env });
    gateway = await startGateway({ PMGATE_HOSTS_ALLOW: `127.0.0.1:${pmcd.port}`, ...PATIENT_HOSTS });
  });

  afterAll(async () => {
    await gateway.close();
    await pmcd.stop();
  });

  it('verifies the certificate', async () => {
    const ca = readFileSync(`${CERTIFICATES}/cert.pem`);
    const pools = new PmcdPools({ tls: { ca } });
    const source = await pools.open(`pcps://localhost:${pmcd.port}`);
    expect(await source.lookupNames(['hinv.ncpu', 'no.such'])).toEqual([expect.any(Number), -12357]);
    await pools.close();
    const strangers = new PmcdPools();
    await expect(strangers.open(`pcps://localhost:${pmcd.port}`)).rejects.toMatchObject({ code: 'SOURCE_UNREACHABLE' });
    await strangers.close();
  });

  it('answers fetches, alone and many at once', async () => {
    expect(await get(`/pmapi/fetch?names=${NAMES}`)).toMatchObject({ status: 200 });
    const answers = await Promise.all(NAMES.split(',').map((name) => get(`/pmapi/fetch?names=${name}`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('answers what is asked about metrics, all of them', async () => {
    const { status, text } = await get('/pmapi/metric?prefix=kernel');
    expect(status).toBe(200);
    expect(text.match(/"name":/g)!.length).toBeGreaterThan(50);
    expect((await get('/pmapi/children?prefix=')).text).toContain('"kernel"');
    expect((await get('/pmapi/indom?name=kernel.all.load')).text).toContain('5 minute');
    expect((await get('/metrics?names=kernel.all.load')).text).toContain('kernel_all_load');
  });

  it('streams, and goes on after pmcd was started anew', async () => {
    const hostspec = `127.0.0.1:${pmcd.port}%3Fsecure=relaxed`;
    const url = `http://127.0.0.1:${gateway.port}/pmapi/stream?names=${NAMES}&interval=0.1&hostspec=${hostspec}`;
    // Compiling tests keep the gateway busy at first.
    let stream = await openStream(url);
    while (stream.status === 503) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      stream = await openStream(url);
    }
    await stream.until(3);
    const { port } = pmcd;
    await pmcd.stop();
    pmcd = await startPmcd({ env, port });
    const before = stream.events().length;
    const events = await stream.until(before + 20);
    await stream.close();
    expect(events.at(-1)!.data).toContain('"name":"hinv.ncpu"');
    expect(await get(`/pmapi/fetch?names=${NAMES}`)).toMatchObject({ status: 200 });
  });
});
