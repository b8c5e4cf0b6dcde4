/**
 * What of a fleet grows with its members and with its sources (src/fleet/SCALE.md): renewals of leases, pings between all members, and finding whom
 * a source belongs to. Starts a redis-server of its own, with the members in this process; without one it measures the rest.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { listenLink, MemberLink } from '../../src/fleet/link/index.js';
import { Placement } from '../../src/fleet/placement.js';
import { ValkeyEngine } from '../../src/fleet/valkey-engine.js';
import { SERVER } from '../fleet/real/real-fleet.js';
import { freePort } from '../support/free-port.js';
import { cpuUs, ownCpuUs } from './support/proc.js';
import { heading, IS_QUICK, median, report } from './support/report.js';

const SIZES = IS_QUICK ? [3] : [1, 2, 4, 8, 10, 30, 100];
const ROUNDS = IS_QUICK ? 3 : 40;
const SOURCES = IS_QUICK ? 100 : 10_000;
/** Links of which the cost of standing idle is measured, and for how long. */
const LINKS = IS_QUICK ? 4 : 100;
const IDLE_MS = IS_QUICK ? 1000 : 20_000;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
/** What a member publishes with its lease. */
const value = JSON.stringify({ digest: 'x'.repeat(16), link: { host: '192.0.2.1', port: 44_323 }, isLeaving: false });

async function renewals(members: number): Promise<void> {
  const port = await freePort();
  const child = spawn(SERVER!, ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', '/tmp'], {
    stdio: 'ignore',
  });
  const engines: ValkeyEngine[] = [];
  try {
    const options = { url: `redis://127.0.0.1:${port}`, sentinels: [], service: '', replicas: 0, prefix: 'scale' };
    for (let i = 0; i < members; i++) engines.push(new ValkeyEngine({ ...options, onReachable: () => undefined }));
    const renewAll = (): Promise<unknown> =>
      Promise.all(engines.map((engine, i) => engine.renew({ name: `gateway-${i}`, value, ttlMs: 60_000 }, '')));
    while (
      !(await renewAll().then(
        () => true,
        () => false,
      ))
    )
      await wait(50);
    for (let round = 0; round < ROUNDS; round++) await renewAll();
    const [own, its] = [ownCpuUs(), cpuUs(child.pid!)];
    const rounds = Math.ceil((ROUNDS * 100) / members);
    for (let round = 0; round < rounds; round++) await renewAll();
    const count = rounds * members;
    const unit = 'µs';
    report(`${members} members: server's CPU`, (cpuUs(child.pid!) - its) / count, unit);
    report(`${members} members: member's CPU`, (ownCpuUs() - own) / count, unit);
  } finally {
    for (const engine of engines) engine.close();
    child.kill();
    await once(child, 'exit');
  }
}

async function links(): Promise<void> {
  const common = { security: { secret: 'bench'.repeat(8) }, warn: () => undefined };
  const answer = () => Promise.resolve({ status: 200, headers: {}, body: Buffer.alloc(0) });
  const listening = await listenLink({ name: 'b', at: { host: '127.0.0.1', port: 0 }, ...common }, answer);
  const callers = Array.from({ length: LINKS }, (_, i) => new MemberLink({ name: `a${i}`, ...common }));
  const idle = async (): Promise<number> => {
    const before = ownCpuUs();
    await wait(IDLE_MS);
    return ownCpuUs() - before;
  };
  const without = await idle();
  const call = { method: 'GET', url: '/', headers: {}, principal: { kind: 'anonymous', roles: [] }, requestId: '1' };
  for (const caller of callers)
    await caller.call({ id: 'b', link: listening.address }, { ...call, client: '192.0.2.1' }, () => undefined);
  const rss = process.memoryUsage().rss;
  const each = ((await idle()) - without) / LINKS / (IDLE_MS / 1000);
  report('CPU of both ends, per second', each, 'µs');
  report(`memory of the process with ${LINKS}`, rss / 1e6, 'Mbyte');
  await Promise.all(callers.map((caller) => caller.close()));
  await listening.close();
}

function placement(members: number): void {
  const peers = Array.from({ length: members - 1 }, (_, i) => ({ id: `gateway-${i}`, link: { host: 'x', port: 1 } }));
  const times = Array.from({ length: IS_QUICK ? 1 : 5 }, () => {
    const placed = new Placement({ id: 'gateway-own', isAlone: false, peers });
    const before = ownCpuUs();
    for (let i = 0; i < SOURCES; i++) placed.owner(`web${i}.example:44321`);
    return (ownCpuUs() - before) / 1000;
  });
  report(`${members} members, ${SOURCES} sources`, median(times), 'ms');
}

heading('one renewal of a lease');
if (SERVER === undefined) process.stdout.write('neither valkey-server nor redis-server is installed: not measured\n');
else for (const members of SIZES) await renewals(members);
heading(`a link on which nothing happens, of ${LINKS}`);
await links();
heading('whom each source belongs to: CPU time of one member for all');
for (const members of SIZES) placement(members);
