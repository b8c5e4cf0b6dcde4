import { culpritMetrics, findCulprits, takeTwoSamples } from '../../src/culprits/index.js';
import type { Culprits } from '../../src/culprits/index.js';
import { LiveMemory } from '../../src/context/range/index.js';
import { FakeClock } from '../support/fake-clock.js';
import { memoryGateway } from '../support/memory-gateway.js';
import { processorHost } from './processor-host.js';
import type { HostState } from './processor-host.js';

const { signal } = new AbortController();

/** Who uses the processor between states of a host, which are ten seconds apart from one another. */
async function who(states: readonly HostState[], parts?: Parameters<typeof processorHost>[1]): Promise<Culprits> {
  const clock = new FakeClock();
  let at = 0;
  const content = processorHost(() => states[at]!, parts);
  const { contexts } = memoryGateway({ clock, content, memory: new LiveMemory(clock) });
  const context = await contexts.shared({ kind: 'host', hostspec: 'web1' });
  const after = (_: number, then: () => void): (() => void) => {
    at++;
    clock.advance(10_000);
    queueMicrotask(then);
    return () => undefined;
  };
  const names = culpritMetrics('processor');
  let { window } = await takeTwoSamples(context, names, { timers: { after }, clock });
  const { start } = window;
  while (at < states.length - 1) ({ window } = await takeTwoSamples(context, names, { timers: { after }, clock }));
  const found = await findCulprits(context, { resource: 'processor', window: { ...window, start } }, { signal });
  await contexts.close();
  const sum = found.who.reduce((shares, { share }) => shares + share, 0);
  expect(found.who.length === 0 ? 1 : sum).toBeCloseTo(1, 9);
  return found;
}

const host = (
  sec: number,
  busyMs: number,
  processes: HostState['processes'],
  groups?: HostState['groups'],
): HostState => ({
  uptimeSec: 1000 + sec,
  busyMs,
  idleMs: 20_000 * sec - busyMs,
  processes,
  ...(groups ? { groups } : {}),
});

describe('who uses the processor', () => {
  it('is told by the growth of times, with others', async () => {
    const hog = { pid: 15158, startMs: 5000, name: 'node' };
    const idle = { pid: 7, startMs: 10, name: 'idle', cpuMs: 3000 };
    const found = await who([
      host(0, 0, [{ ...hog, cpuMs: 1000 }, idle]),
      host(10, 10_000, [{ ...hog, cpuMs: 9000 }, idle]),
    ]);
    expect(found).toMatchObject({ unit: '%', shareOf: 'whole' });
    expect(found.who).toMatchObject([
      { kind: 'process', pid: 15158, name: 'node', use: 80, share: 0.8, instance: 15158 },
      { kind: 'others', use: expect.closeTo(20, 6) as number, share: expect.closeTo(0.2, 9) as number },
    ]);
  });

  it('does not join two processes that had one pid', async () => {
    const found = await who([
      host(0, 0, [{ pid: 9, startMs: 5000, name: 'old', cpuMs: 900_000 }]),
      host(10, 10_000, [{ pid: 9, startMs: 1_005_000, name: 'new', cpuMs: 5000 }]),
    ]);
    expect(found.who[0]).toMatchObject({ name: 'new', use: expect.closeTo(50, 6) as number });
    expect(found.who).toHaveLength(2);
  });

  it('charges children that ended to their parents, once', async () => {
    const make = { pid: 20, startMs: 5000, name: 'make', cpuMs: 0 };
    const child = { pid: 21, startMs: 6000, name: 'cc', parent: 20, cpuMs: 2000 };
    const found = await who([host(0, 0, [make, child]), host(10, 10_000, [{ ...make, childrenMs: 7000 }])]);
    expect(found.who[0]).toMatchObject({ name: 'make', ofChildren: 50, use: 50 });
  });

  it('is a group where processes explain less than half', async () => {
    const shell = { pid: 1, startMs: 0, name: 'sh', cpuMs: 0 };
    const found = await who(
      [
        host(0, 0, [shell], { '/': 0, '/build.service': 0 }),
        host(10, 10_000, [shell], { '/': 10_000_000, '/build.service': 9_000_000 }),
      ],
      ['proc', 'cgroup'],
    );
    expect(found.who).toMatchObject([
      { kind: 'group', name: '/build.service', use: 90 },
      { kind: 'group', name: '/', use: expect.closeTo(10, 6) as number },
      { kind: 'others' },
    ]);
  });

  it('is not guessed without such metrics', async () => {
    const found = await who([host(0, 0, []), host(10, 9000, [])], []);
    expect(found.who).toEqual([]);
    expect(found.unknown).toMatch(
      /^Who it is is not known: metrics of processes and control groups .* missing or hidden/,
    );
  });

  it('has names without control characters, of 256 characters at most', async () => {
    const evil = { pid: 5, startMs: 10, name: `\u001B[31m\n\u202Eevil${'x'.repeat(1000)}` };
    const found = await who([host(0, 0, [{ ...evil, cpuMs: 0 }]), host(10, 9000, [{ ...evil, cpuMs: 9000 }])]);
    const { name } = found.who[0]!;
    expect(name).toHaveLength(256);
    expect(name.slice(0, 11)).toBe('\uFFFD[31m\uFFFD\uFFFDevil'.slice(0, 11));
  });

  it('nobody uses what is not used', async () => {
    const idle = { pid: 7, startMs: 10, name: 'idle', cpuMs: 3000 };
    expect((await who([host(0, 0, [idle]), host(10, 0, [idle])])).who).toEqual([]);
  });
});
