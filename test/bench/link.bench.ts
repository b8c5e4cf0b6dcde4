/**
 * A small answer that another member gives: CPU time of both ends of the link, beyond what making the answer takes. Both ends are in this process,
 * so that its CPU time is that of both.
 */
import { type HandedCall, type LinkAnswer, MemberLink, listenLink } from '../../src/fleet/link/index.js';
import { BUDGETS } from './budgets.js';
import { cpuMs, heading, IS_QUICK, median, report } from './support/report.js';

const ANSWER_BYTES = 442;
const AT_ONCE = 32;
const CALLS = IS_QUICK ? 2000 : 40_000;
const ROUNDS = IS_QUICK ? 3 : 15;

const CALL: HandedCall = {
  method: 'GET',
  url: '/pmapi/1234567890/fetch?names=kernel.all.load,kernel.all.nprocs,mem.util.free',
  headers: { host: 'localhost:44322', connection: 'keep-alive', accept: '*/*', 'user-agent': 'bench' },
  principal: { kind: 'user', name: 'alice', roles: ['read'] },
  client: '192.0.2.1',
  requestId: '0123456789ab-1',
};
const body = Buffer.alloc(ANSWER_BYTES, 'x');
const answer = (): Promise<LinkAnswer> =>
  Promise.resolve({ status: 200, headers: { 'content-type': 'application/json' }, body });

const common = { security: { secret: 'bench'.repeat(8) }, warn: () => undefined };
const listening = await listenLink({ name: 'b', at: { host: '127.0.0.1', port: 0 }, ...common }, answer);
const link = new MemberLink({ name: 'a', ...common });
const staying = (): void => undefined;
const handed = (): Promise<LinkAnswer> => link.call({ id: 'b', link: listening.address }, CALL, staying);

/** CPU time of one call, in microseconds, with so many under way. */
async function cpuUs(call: () => Promise<LinkAnswer>): Promise<number> {
  const beforeMs = cpuMs();
  let left = CALLS;
  const one = async (): Promise<void> => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return (cpuMs(beforeMs) * 1000) / CALLS;
}

const { figure, unit, limit } = BUDGETS.linkCpu;
heading(`a call that is handed over: ${ANSWER_BYTES} bytes, ${AT_ONCE} calls at once`);
const extra: number[] = [];
for (let round = 0; round <= ROUNDS; round++) {
  const more = (await cpuUs(handed)) - (await cpuUs(answer));
  if (round > 0) extra.push(more);
}
const waits: number[] = [];
for (let i = 0; i < CALLS / 10; i++) {
  const startMs = performance.now();
  await link.call({ id: 'b', link: listening.address }, CALL, staying);
  waits.push((performance.now() - startMs) * 1000);
}
report(figure, extra, unit, limit);
report('one call alone, p50', median(waits), 'µs');
await link.close();
await listening.close();
