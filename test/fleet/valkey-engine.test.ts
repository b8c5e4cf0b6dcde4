import { settingProblems } from '../../src/fleet/valkey-engine.js';

function info(lines: Readonly<Record<string, string>> = {}): Parameters<typeof settingProblems>[0] {
  const all = { connected_slaves: '2', maxmemory: '0', maxmemory_policy: 'noeviction', aof_enabled: '1', ...lines };
  const text = `# Section\r\n${Object.entries(all)
    .map(([name, value]) => `${name}:${value}\r\n`)
    .join('')}`;
  return { replication: text, memory: text, persistence: text };
}

describe('settingProblems()', () => {
  it('finds nothing wrong with what FLEET.md recommends', () => {
    expect(settingProblems(info(), 1)).toEqual([]);
    expect(settingProblems(info({ connected_slaves: '0' }), 0)).toEqual([]);
    // Nothing is evicted without a limit.
    expect(settingProblems(info({ maxmemory_policy: 'allkeys-lru' }), 1)).toEqual([]);
  });

  it.each<[string, Readonly<Record<string, string>>, number, RegExp]>([
    ['too few replicas', { connected_slaves: '0' }, 1, /0 of the 1 replicas/],
    ['a server that keeps nothing', { connected_slaves: '0', aof_enabled: '0' }, 0, /loses everything/],
    ['servers that keep nothing', { aof_enabled: '0' }, 1, /no append-only file: .* all gateways/],
    ['a server that removes keys', { maxmemory: '1000000', maxmemory_policy: 'volatile-ttl' }, 1, /volatile-ttl/],
  ])('reports %s', (_, lines, replicas, problem) => {
    expect(settingProblems(info(lines), replicas)).toEqual([expect.stringMatching(problem)]);
  });

  it('reports a server that says nothing as one without replicas and without a log', () => {
    expect(settingProblems({ replication: undefined, memory: '', persistence: '' }, 1)).toHaveLength(2);
  });
});
