import path from 'node:path';
import { createPmgateClient } from '../../src/client/index.js';
import { serveHost } from '../../src/cli/in-process-gateway.js';
import { benchAgainstPmproxy, compareWithPcp } from '../../src/proofs/index.js';
import { bundledProgram } from '../support/bundled-program.js';
import { type AreaName, area } from './support/conformance.js';
import { type RunningPmcd, describeWithPcp, startPmcd } from './support/pmcd.js';

const { signal } = new AbortController();

describeWithPcp('the proofs of an installed package', () => {
  let pmcd: RunningPmcd;
  let hostspec: string;
  beforeAll(async () => {
    pmcd = await startPmcd();
    hostspec = `127.0.0.1:${pmcd.port}`;
  });
  afterAll(() => pmcd.stop());

  it('find nothing wrong with what pmcd says through pmgate', async () => {
    const gateway = await serveHost(hostspec);
    const client = createPmgateClient('http://localhost', { fetch: gateway.fetch });
    const { areas, differences, metrics } = await compareWithPcp(client, hostspec, signal).finally(gateway.close);
    for (const { area: name, equal } of areas)
      area(name === 'names' ? 'names (PMNS)' : (name satisfies AreaName)).equal(equal);
    for (const difference of differences) area('values').wrong(difference);
    expect(differences).toEqual([]);
    expect(metrics).toBeGreaterThan(1000);
    for (const { equal } of areas) expect(equal).toBeGreaterThan(100);
  });

  it('measure pmgate and pmproxy', async () => {
    const { rows, crashes } = await benchAgainstPmproxy(
      hostspec,
      [process.execPath, path.resolve(bundledProgram())],
      0.2,
      signal,
    );
    expect(crashes.pmgate).toBe(0);
    expect(rows.map(({ connections }) => connections)).toEqual([1, 2, 3]);
    for (const { pmgate, pmproxy, ratio } of rows) {
      expect(pmgate.requestsPerSec).toBeGreaterThan(0);
      expect(ratio).toBeCloseTo(pmgate.requestsPerSec / pmproxy.requestsPerSec);
    }
  });
});
