import { unanswered } from '../features/search/support/everyday-questions.js';
import { PATIENT_HOSTS } from '../support/patience.js';
import { type RunningGateway, startGateway } from '../support/whole-gateway.js';
import { type RunningPmcd, describeWithPcp, startPmcd } from './support/pmcd.js';

describeWithPcp('searching a real pmcd', () => {
  let pmcd: RunningPmcd;
  let gateway: RunningGateway;

  beforeAll(async () => {
    pmcd = await startPmcd();
    gateway = await startGateway({ PMGATE_HOSTS_ALLOW: `127.0.0.1:${pmcd.port}`, ...PATIENT_HOSTS });
  });
  afterAll(async () => {
    await gateway.close();
    await pmcd.stop();
  });

  it('answers at once by names, and by help texts as soon as those are read', async () => {
    const ask = async (): Promise<{ results: readonly { name: string }[]; warnings?: readonly { code: string }[] }> => {
      const query = new URLSearchParams({ q: 'kernel all load', hostspec: `127.0.0.1:${pmcd.port}`, limit: '1' });
      const response = await fetch(`http://127.0.0.1:${gateway.port}/search?${query.toString()}`);
      return (await response.json()) as never;
    };
    const first = await ask();
    expect(first.results[0]?.name).toBe('kernel.all.load');
    expect(first.warnings).toMatchObject([{ code: 'UNAVAILABLE' }]);
    let last = first;
    while (last.warnings) last = await ask();
    expect(last.results[0]).toMatchObject({ name: 'kernel.all.load', oneline: '1, 5 and 15 minute load average' });
  });

  it('finds what everyday questions mean among the first three results', async () => {
    expect(await unanswered(gateway.port, `127.0.0.1:${pmcd.port}`)).toEqual([]);
  });
});
