import type { HandedCall, LinkAnswer } from '../../src/fleet/link/index.js';
import { loadConfig, type Config } from '../../src/config/index.js';
import { FleetLink } from '../../src/gateway/fleet.js';
import { createLog } from '../../src/log/log.js';
import { FakeClock } from '../support/fake-clock.js';
import { until } from '../support/until.js';

const SECRET = { secret: 's'.repeat(32) };
const CALL: HandedCall = { method: 'GET', url: '/', headers: {}, client: '', requestId: '1' };
const answer = (text: string): LinkAnswer => ({ status: 200, headers: {}, body: Buffer.from(text) });

it('a gateway that ends finishes the calls under way, and refers others elsewhere', async () => {
  const log = await createLog('silent', new FakeClock());
  const { cluster } = loadConfig({ environment: { PMGATE_CLUSTER_LINK_PORT: '0' } });
  const listen = async (name: string): Promise<FleetLink> => (await FleetLink.open(cluster, name, SECRET, log))!;
  const [one, two] = [await listen('one'), await listen('two')];
  const asked: ((answer: LinkAnswer) => void)[] = [];
  two.answerWith(() => new Promise((resolve) => asked.push(resolve)));
  const hand = async (): Promise<string> => {
    const got = await one.hand(CALL, { id: 'two', link: two.address! }, () => undefined);
    return Buffer.from(got!.body as Uint8Array).toString();
  };
  const first = hand();
  await until(() => asked.length === 1);
  let isFinished = false;
  const finishing = two.finish(() => Promise.resolve(answer('elsewhere')), 1e9).then(() => (isFinished = true));
  expect(await hand()).toBe('elsewhere');
  expect(isFinished).toBe(false);
  asked[0]!(answer('here'));
  expect(await first).toBe('here');
  await finishing;
  await one.close();
  await two.close();
});

it('a link whose port is in use is a mistake in the configuration', async () => {
  const log = await createLog('silent', new FakeClock());
  const at = (port: number): Config['cluster'] =>
    loadConfig({ environment: { PMGATE_CLUSTER_LINK_PORT: String(port) } }).cluster;
  const one = (await FleetLink.open(at(0), 'one', SECRET, log))!;
  await expect(FleetLink.open(at(one.address!.port), 'two', SECRET, log)).rejects.toMatchObject({
    problems: [{ option: 'cluster.linkPort', message: expect.stringContaining('EADDRINUSE') as string }],
  });
  await one.close();
});
