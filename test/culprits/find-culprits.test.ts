import { type Culprits, culpritMetrics, findCulprits, takeTwoSamples } from '../../src/culprits/index.js';
import type { CulpritQuery } from '../../src/culprits/find-culprits.js';
import { LiveMemory } from '../../src/context/range/index.js';
import fc, { tries } from '../support/properties.js';
import { FakeClock } from '../support/fake-clock.js';
import { memoryGateway } from '../support/memory-gateway.js';
import { type HostState, processorHost } from './processor-host.js';
import { rows } from '../support/rows.js';

const { signal } = new AbortController();

/** Who uses the processor between states of a host, which are ten seconds apart from one another. */
async function who(
  states: readonly HostState[],
  parts?: Parameters<typeof processorHost>[1],
  query: Partial<Pick<CulpritQuery, 'resource' | 'within'>> = {},
  names = culpritMetrics(query.resource ?? 'processor'),
): Promise<Culprits> {
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
  const resource = query.resource ?? 'processor';
  let { window } = await takeTwoSamples(context, names, { timers: { after }, clock });
  const { start } = window;
  while (at < states.length - 1) ({ window } = await takeTwoSamples(context, names, { timers: { after }, clock }));
  const found = await findCulprits(context, { ...query, resource, window: { ...window, start } }, { signal });
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

  it('has its own number where its instance has another, as in a timeline', async () => {
    const hog = { pid: 2 ** 30, number: 684, startMs: 5000, name: 'tsc' };
    const { who: found } = await who([host(0, 0, [{ ...hog, cpuMs: 0 }]), host(10, 10_000, [{ ...hog, cpuMs: 9000 }])]);
    expect(found[0]).toMatchObject({ pid: 684, instance: 2 ** 30 });
  });

  it('is called as its instance is, where samples were asked for without names', async () => {
    const hog = { pid: 15158, startMs: 5000, name: 'node' };
    const states = [host(0, 0, [{ ...hog, cpuMs: 1000 }]), host(10, 10_000, [{ ...hog, cpuMs: 9000 }])];
    const asked = culpritMetrics('processor').filter((name) => name !== 'proc.psinfo.cmd');
    expect((await who(states, ['proc'], {}, asked)).who[0]).toMatchObject({ pid: 15158, name: 'node' });
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

  it('charges what a child had of its children once, however they ended', async () => {
    const bash = { pid: 20, startMs: 5000, name: 'bash', cpuMs: 0 };
    const npm = { pid: 21, startMs: 6000, name: 'npm', parent: 20, cpuMs: 1000 };
    const node = { pid: 22, startMs: 6000, name: 'node', parent: 21, cpuMs: 90_000 };
    const after = host(10, 10_000, [{ ...bash, childrenMs: 99_000 }]);
    const found = await who([host(0, 0, [bash, npm, node]), after]);
    expect(found.who[0]).toMatchObject({ name: 'bash', ofChildren: expect.closeTo(80, 6) as number });
    // It was not seen before: no more than all did.
    const unseen = await who([host(0, 0, [bash]), after]);
    expect(unseen.who[0]).toMatchObject({ name: 'bash', use: expect.closeTo(100, 6) as number, share: 1 });
  });

  it('is told to have ended where later samples are without one that was busy', async () => {
    const hog = { pid: 8, startMs: 5000, name: 'hog' };
    const other = { pid: 9, startMs: 5000, name: 'other' };
    const [a, b] = [
      host(0, 0, [
        { ...hog, cpuMs: 0 },
        { ...other, cpuMs: 0 },
      ]),
      host(10, 10_000, [
        { ...hog, cpuMs: 9000 },
        { ...other, cpuMs: 1000 },
      ]),
    ];
    const { who: found } = await who([a, b, host(20, 12_000, [{ ...other, cpuMs: 3000 }])]);
    expect(found).toMatchObject([{ name: 'hog', use: 45, gone: 'ended' }, { name: 'other' }, { kind: 'others' }]);
    expect(found[1]).not.toHaveProperty('gone');
    // Its number is another's.
    const reused = await who([a, b, host(20, 12_000, [{ ...hog, startMs: 1_015_000, name: 'new', cpuMs: 2000 }])]);
    expect(reused.who).toMatchObject([{ name: 'hog', gone: 'ended' }, { name: 'new' }, {}, {}]);
  });

  it('may go on unseen where it was not among those that stay in a recording', async () => {
    const busy = Array.from({ length: 10 }, (_, i) => ({ pid: 20 + i, startMs: 5000, name: 'busy' }));
    const idle = { pid: 9, startMs: 5000, name: 'idle' };
    const states = [0, 10, 20].map((sec) => {
      const all = busy.map((one) => ({ ...one, cpuMs: Math.max(0, sec - 10) * 100 }));
      return host(sec, sec * 1000, sec < 20 ? [...all, { ...idle, cpuMs: 500 * sec }] : all);
    });
    const between = host(15, 15_000, [...busy.map((one) => ({ ...one, cpuMs: 500 })), { ...idle, cpuMs: 5100 }]);
    const { who: found } = await who([...states.slice(0, 2), between, states[2]!]);
    expect(found[0]).toMatchObject({ name: 'idle', gone: 'unseen' });
  });

  it('is looked for in a group', async () => {
    const inside = { pid: 8, startMs: 5000, name: 'in', groups: 'cpu:/a/b;memory:/' };
    const outside = { pid: 9, startMs: 5000, name: 'out', groups: 'cpu:/ab;memory:/' };
    const states = [0, 10].map((sec) =>
      host(sec, sec * 1000, rows({ ...inside, cpuMs: sec * 100 }, { ...outside, cpuMs: sec * 900 })),
    );
    const found = await who(states, ['proc'], { within: '/a' });
    expect(found.who).toMatchObject([{ name: 'in', group: '/a/b', share: 1 }, { kind: 'others' }]);
    expect((await who(states, ['proc'], { within: '/none' })).unknown).toBeDefined();
  });

  it('is whose children ended, where more processes began than were seen', async () => {
    const shell = { pid: 8, startMs: 5000, name: 'sh', cpuMs: 0 };
    const found = await who([host(0, 0, [shell]), host(10, 10_000, [{ ...shell, childrenMs: 5000 }])], ['proc'], {
      resource: 'processes',
    });
    expect(found).toMatchObject({ resource: 'processes', unit: '%', by: expect.stringMatching(/children/) as string });
    expect(found.who[0]).toMatchObject({ name: 'sh', use: 50, share: 1 });
  });

  it('is a network by processor time, and says so', async () => {
    const hog = { pid: 8, startMs: 5000, name: 'hog' };
    const states = [host(0, 0, [{ ...hog, cpuMs: 0 }]), host(10, 10_000, [{ ...hog, cpuMs: 9000 }])];
    const found = await who(states, ['proc'], { resource: 'network' });
    expect(found).toMatchObject({ by: expect.stringMatching(/^by processor time/) as string, who: [{ pid: 8 }, {}] });
  });

  it('is told without harm, whatever a process is called', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', maxLength: 400 }),
        fc.string({ unit: 'binary' }),
        async (name, groups) => {
          const evil = { pid: 5, startMs: 10, name, groups };
          const { who: found } = await who([
            host(0, 0, [{ ...evil, cpuMs: 0 }]),
            host(10, 9000, [{ ...evil, cpuMs: 9000 }]),
          ]);
          expect(found[0]).toMatchObject({ pid: 5, share: 1 });
          expect(`${found[0]!.name}${found[0]!.group ?? ''}`).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        },
      ),
      { numRuns: tries(50) },
    );
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
      { kind: 'others', use: expect.closeTo(10, 6) as number },
    ]);
  });

  it('is a group that ended', async () => {
    const states = [0, 10, 20].map((sec) =>
      host(sec, sec * 1000, [], sec < 20 ? { '/a': sec * 100_000, '/b': sec * 900_000 } : { '/a': 2_000_000 }),
    );
    const { who: found } = await who(states, ['proc', 'cgroup']);
    expect(found.map(({ name, gone }) => [name, gone])).toEqual([
      ['/b', 'ended'],
      ['/a', undefined],
      ['others', undefined],
    ]);
  });

  it('is never the root of all groups, which is the machine', async () => {
    const hog = { pid: 8, startMs: 0, name: 'hog' };
    const states = [0, 10].map((sec) =>
      host(sec, sec * 1000, [{ ...hog, cpuMs: sec * 300 }], { '/': sec * 2_000_000 }),
    );
    const found = await who(states, ['proc', 'cgroup']);
    expect(found.who).toMatchObject([{ name: 'hog', use: expect.closeTo(30, 6) as number }, { kind: 'others' }]);
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
