import { cpSync, mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../../../src/pmapi/index.js';
import { InstanceProfile } from '../../../../src/sources/profile.js';
import { INTERFACE_INDOM } from '../../../../src/sources/linux/catalog/linux-catalog.js';
import type { ClusterFactory } from '../../../../src/sources/linux/cluster.js';
import { networkAddressCluster } from '../../../../src/sources/linux/clusters/network-address.js';
import { networkInterfaceCluster } from '../../../../src/sources/linux/clusters/network-interface.js';
import {
  networkProtocolCluster,
  networkSockstatCluster,
  networkSoftnetCluster,
} from '../../../../src/sources/linux/clusters/tables.js';
import { networkTcpconnCluster } from '../../../../src/sources/linux/clusters/network-tcpconn.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { LocalMetrics } from '../../../support/local-metrics.js';
import { rows } from '../../../support/rows.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';

const FIXTURES = 'test/fixtures/linux/network';
const LO = 0;
const ETH0 = 1;
const WLAN0 = 2;

const open: LocalMetrics[] = [];
function local(cluster: ClusterFactory, root = FIXTURES, clock: Clock = new FakeClock()): LocalMetrics {
  const metrics = new LocalMetrics(root, [cluster], { clock });
  open.push(metrics);
  return metrics;
}

const temporary = temporaryDirectory();
let scratch: string;
beforeEach(() => {
  scratch = temporary.fresh();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((metrics) => metrics.close()));
});

function onlyInstance(instance: number): InstanceProfile {
  const profile = new InstanceProfile();
  profile.add(INTERFACE_INDOM.indom, [instance]);
  return profile;
}

describe('networkInterfaceCluster', () => {
  it('serves each column of /proc/net/dev under its own name', async () => {
    const metrics = local(networkInterfaceCluster);
    const expected: Readonly<Record<string, bigint>> = {
      'in.bytes': 214757686n,
      'in.packets': 7024n,
      'in.errors': 1n,
      'in.drops': 2n,
      'in.fifo': 3n,
      'in.frame': 4n,
      'in.compressed': 5n,
      'in.mcasts': 6n,
      'out.bytes': 874533n,
      'out.packets': 4826n,
      'out.errors': 7n,
      'out.drops': 8n,
      'out.fifo': 9n,
      collisions: 10n,
      'out.carrier': 11n,
      'out.compressed': 12n,
      'total.bytes': 215632219n,
      'total.packets': 11850n,
      'total.errors': 8n,
      'total.drops': 10n,
      'total.mcasts': 6n,
    };
    const values = await metrics.all();
    for (const [name, value] of Object.entries(expected)) {
      expect([name, values[`network.interface.${name}`]]).toEqual([name, expect.objectContaining({ [ETH0]: value })]);
    }
  });

  it('keeps counters beyond 2^53 exact, and lets their sum wrap at 2^64', async () => {
    const values = await local(networkInterfaceCluster).all();
    expect(values['network.interface.in.bytes']).toMatchObject({ [WLAN0]: 18446744073709551615n });
    expect(values['network.interface.in.packets']).toMatchObject({ [WLAN0]: 9007199254740993n });
    expect(values['network.interface.total.bytes']).toMatchObject({ [WLAN0]: 0n });
  });

  it('takes a number that no 64 bits hold for the largest that they do', async () => {
    cpSync(FIXTURES, scratch, { recursive: true });
    writeFileSync(path.join(scratch, 'proc/net/dev'), `h\nh\n lo: ${'9'.repeat(400)} -${'9'.repeat(400)} 7\n`);
    const values = await local(networkInterfaceCluster, scratch).all();
    expect(values['network.interface.in.bytes']).toEqual({ [LO]: 2n ** 64n - 1n });
    expect(values['network.interface.in.packets']).toEqual({ [LO]: 2n ** 63n });
    expect(values['network.interface.in.errors']).toEqual({ [LO]: 7n });
    expect(values['network.interface.in.drops']).toEqual({});
  });

  it('names interfaces without the colon, numbered from 0 in the order of the file', async () => {
    const metrics = local(networkInterfaceCluster);
    expect(await metrics.instances('60.3')).toEqual([
      { id: LO, name: 'lo' },
      { id: ETH0, name: 'eth0' },
      { id: WLAN0, name: 'wlan0' },
    ]);
    expect(await metrics.value('hinv.ninterface')).toEqual({ '-1': 3 });
    expect(await metrics.source.labels({ kind: 'instances', indom: INTERFACE_INDOM.indom })).toContainEqual({
      instance: ETH0,
      labels: [{ name: 'interface', json: '"eth0"' }],
    });
  });

  it('gives the facts of /sys/class/net', async () => {
    const values = await local(networkInterfaceCluster).all();
    expect(values['network.interface.mtu']).toEqual({ [LO]: 65536, [ETH0]: 1500, [WLAN0]: 1400 });
    expect(values['network.interface.type']).toEqual({ [LO]: 772, [ETH0]: 1, [WLAN0]: 1 });
    expect(values['network.interface.up']).toEqual({ [LO]: 1, [ETH0]: 1, [WLAN0]: 0 });
    expect(values['network.interface.running']).toEqual({ [LO]: 1, [ETH0]: 1, [WLAN0]: 0 });
    expect(values['network.interface.wireless']).toEqual({ [LO]: 0, [ETH0]: 0, [WLAN0]: 1 });
    expect(values['network.interface.virtual']).toEqual({ [LO]: 1, [ETH0]: 0, [WLAN0]: 0 });
  });

  it('gives no value for a speed or a duplex mode that is unknown', async () => {
    const values = await local(networkInterfaceCluster).all();
    expect(values['network.interface.baudrate']).toEqual({ [ETH0]: 125_000_000n });
    expect(values['network.interface.speed']).toEqual({ [ETH0]: Math.fround(125_000_000 / 1048576) });
    expect(values['network.interface.duplex']).toEqual({ [ETH0]: 2 });
  });

  it('gives only the instances that the profile lets through', async () => {
    const profile = onlyInstance(ETH0);
    const metrics = local(networkInterfaceCluster);
    expect(await metrics.value('network.interface.in.packets', profile)).toEqual({ [ETH0]: 7024n });
    expect(await metrics.value('network.interface.mtu', profile)).toEqual({ [ETH0]: 1500 });
    expect(await metrics.value('hinv.ninterface', profile)).toEqual({ '-1': 3 });
  });

  it('follows interfaces that come and go, and gives a returning one its old number', async () => {
    cpSync(FIXTURES, scratch, { recursive: true });
    const clock = new FakeClock();
    const metrics = local(networkInterfaceCluster, scratch, clock);
    const generation = metrics.source.generation;
    expect(await metrics.value('network.interface.mtu')).toEqual({ [LO]: 65536, [ETH0]: 1500, [WLAN0]: 1400 });
    const openFiles = (): string[] =>
      readdirSync('/proc/self/fd').flatMap((fd) => {
        try {
          const file = readlinkSync(`/proc/self/fd/${fd}`, { encoding: 'utf8' });
          return file.startsWith(scratch) ? [path.relative(scratch, file)] : [];
        } catch {
          return []; // the descriptor that listed the folder
        }
      });
    const listing = (...lines: string[]): void =>
      writeFileSync(path.join(scratch, 'proc/net/dev'), ['h', 'h', ...lines, ''].join('\n'));

    listing(' veth9: 5 0 0 0 0 0 0 0 6 0 0 0 0 0 0 0');
    clock.advance(1000);
    expect(await metrics.value('network.interface.total.bytes')).toEqual({ 3: 11n });
    expect(openFiles()).toContain('sys/class/net/eth0/mtu');
    expect(await metrics.value('network.interface.mtu')).toEqual({});
    expect(openFiles()).toEqual(['proc/net/dev']);
    expect(metrics.source.generation).toBeGreaterThan(generation);

    listing('  eth0: 5 0 0 0 0 0 0 0 6 0 0 0 0 0 0 0');
    clock.advance(1000);
    expect(await metrics.value('network.interface.mtu')).toEqual({ [ETH0]: 1500 });
  });

  it('lets others have their turn while it reads the files of hundreds of interfaces', async () => {
    const names = Array.from({ length: 300 }, (_, i) => `veth${i}`);
    mkdirSync(path.join(scratch, 'proc/net'), { recursive: true });
    writeFileSync(path.join(scratch, 'proc/net/dev'), ['h', 'h', ...names.map((name) => ` ${name}: 1`), ''].join('\n'));
    for (const [i, name] of names.entries()) {
      mkdirSync(path.join(scratch, 'sys/class/net', name), { recursive: true });
      writeFileSync(path.join(scratch, 'sys/class/net', name, 'mtu'), `${1000 + i}\n`);
    }
    // A clock that moves by a millisecond whenever somebody looks.
    const clock = new FakeClock();
    const moving = { now: () => clock.now(), monotonicMs: () => (clock.advance(1), clock.monotonicMs()) };
    const metrics = local(networkInterfaceCluster, scratch, moving);
    let turns = 0;
    let done = false;
    const turn = (): void => {
      turns++;
      if (!done) setImmediate(turn);
    };
    turn();
    const [mtus, one] = await Promise.all([
      metrics.value('network.interface.mtu'),
      metrics.value('network.interface.mtu', onlyInstance(ETH0)),
    ]);
    done = true;
    expect(mtus).toEqual(Object.fromEntries(names.map((_, i) => [i, 1000 + i])));
    expect(one).toEqual({ [ETH0]: 1001 });
    expect(turns).toBeGreaterThan(100);
  });

  it('has no values where /proc/net/dev is absent', async () => {
    expect(await local(networkInterfaceCluster, scratch).value('network.interface.in.bytes')).toEqual({});
  });
});

describe('networkAddressCluster', () => {
  const inet4 = new Map(rows(['lo', '127.0.0.1'], ['eth0:1', '192.0.2.9']));
  const cluster: ClusterFactory = (environment) => networkAddressCluster(environment, () => inet4);

  it('gives addresses by instances of their own, aliases among them', async () => {
    const metrics = local(cluster);
    const instances = await metrics.instances('60.17');
    expect(instances.map(({ name }) => name)).toEqual(['eth0', 'lo', 'wlan0', 'eth0:1']);
    const [eth0, lo, wlan0, alias] = instances.map(({ id }) => id);
    const values = await metrics.all();
    expect(values['network.interface.inet_addr']).toEqual({ [lo!]: '127.0.0.1', [alias!]: '192.0.2.9' });
    expect(values['network.interface.ipv6_addr']).toEqual({ [lo!]: '::1/128', [eth0!]: 'fd00::2/64' });
    expect(values['network.interface.ipv6_scope']).toEqual({ [lo!]: 'Host', [eth0!]: 'Global' });
    expect(values['network.interface.hw_addr']).toEqual({
      [lo!]: '00:00:00:00:00:00',
      [eth0!]: '02:fc:00:00:00:01',
      [wlan0!]: '02:fc:00:00:00:02',
    });
  });

  it('looks once a second, and moves the generation only when the instances changed', async () => {
    const found = new Map([['eth0', '192.0.2.1']]);
    const clock = new FakeClock();
    const metrics = local((environment) => networkAddressCluster(environment, () => new Map(found)), FIXTURES, clock);
    expect(await metrics.value('network.interface.inet_addr')).toEqual({ 0: '192.0.2.1' });
    const generation = metrics.source.generation;
    found.set('eth0', '192.0.2.2');
    clock.advance(999);
    expect(await metrics.value('network.interface.inet_addr')).toEqual({ 0: '192.0.2.1' });
    clock.advance(1);
    expect(await metrics.value('network.interface.inet_addr')).toEqual({ 0: '192.0.2.2' });
    expect(metrics.source.generation).toBe(generation);
    found.set('eth0:1', '192.0.2.3');
    clock.advance(1000);
    expect(await metrics.value('network.interface.inet_addr')).toEqual({ 0: '192.0.2.2', 3: '192.0.2.3' });
    expect(metrics.source.generation).toBeGreaterThan(generation);
  });
});

describe('networkProtocolCluster', () => {
  it('finds columns of recorded snmp and netstat files by their names', async () => {
    const values = await local(networkProtocolCluster).all();
    expect(values).toMatchObject({
      'network.ip.forwarding': { '-1': 2n },
      'network.ip.inreceives': { '-1': 38637n },
      'network.icmp.inmsgs': { '-1': 1n },
      'network.icmp.indestunreachs': { '-1': 1n },
      'network.tcp.activeopens': { '-1': 948n },
      'network.tcp.passiveopens': { '-1': 186n },
      'network.tcp.attemptfails': { '-1': 735n },
      'network.tcp.estabresets': { '-1': 68n },
      'network.tcp.retranssegs': { '-1': 1n },
      'network.tcp.outrsts': { '-1': 815n },
      'network.tcp.timeouts': { '-1': 2n },
      'network.udp.indatagrams': { '-1': 35n },
      'network.udp.outdatagrams': { '-1': 36n },
    });
    expect(Object.values(values).filter((value) => Object.keys(value).length !== 1)).toEqual([]);
  });

  it('gives no value for a column that this kernel lacks', async () => {
    cpSync(FIXTURES, scratch, { recursive: true });
    writeFileSync(path.join(scratch, 'proc/net/snmp'), 'Udp: NoPorts\nTcp: New InSegs\nTcp: 5 7\nIcmp: InMsgs');
    const values = await local(networkProtocolCluster, scratch).all();
    expect(values['network.tcp.insegs']).toEqual({ '-1': 7n });
    expect(values['network.tcp.outsegs']).toEqual({});
    expect(values['network.udp.noports']).toEqual({});
    expect(values['network.icmp.inmsgs']).toEqual({});
    expect(values['network.tcp.timeouts']).toEqual({ '-1': 2n });
  });
});

describe('networkSockstatCluster', () => {
  it('serves the fields of sockstat and sockstat6', async () => {
    const values = await local(networkSockstatCluster).all();
    const numbers = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name.replace('network.sockstat.', ''),
        (value as Record<number, unknown>)[-1],
      ]),
    );
    expect(numbers).toEqual({
      'tcp.inuse': 2,
      'tcp.orphan': 1,
      'tcp.tw': 3,
      'tcp.alloc': 5,
      'tcp.mem': 116,
      'udp.inuse': 4,
      'udp.mem': 6,
      'udplite.inuse': 0,
      'raw.inuse': 7,
      'frag.inuse': 8,
      'frag.memory': 9,
      total: 27,
      'tcp6.inuse': 11,
      'udp6.inuse': 12,
      'raw6.inuse': 13,
      'frag6.inuse': 14,
    });
  });
});

describe('networkSoftnetCluster', () => {
  it('adds up hexadecimal columns over CPUs', async () => {
    const values = await local(networkSoftnetCluster).all();
    expect(values).toEqual({
      'network.softnet.dropped': { '-1': 0x1_0000_0000n },
      'network.softnet.time_squeeze': { '-1': 12n },
    });
  });

  it('leaves out lines that are no such columns', async () => {
    cpSync(FIXTURES, scratch, { recursive: true });
    writeFileSync(path.join(scratch, 'proc/net/softnet_stat'), 'nonsense here now\n\n00000001 00000002\n');
    expect(await local(networkSoftnetCluster, scratch).value('network.softnet.dropped')).toEqual({});
  });
});

describe('networkTcpconnCluster', () => {
  it('counts connections by state', async () => {
    expect(await local(networkTcpconnCluster).all()).toEqual({
      'network.tcpconn.established': { '-1': 2 },
      'network.tcpconn.time_wait': { '-1': 1 },
      'network.tcpconn.close_wait': { '-1': 1 },
    });
  });

  it('shares one reading for a second', async () => {
    cpSync(FIXTURES, scratch, { recursive: true });
    const clock = new FakeClock();
    const metrics = local(networkTcpconnCluster, scratch, clock);
    expect(await metrics.value('network.tcpconn.established')).toEqual({ '-1': 2 });
    writeFileSync(path.join(scratch, 'proc/net/tcp'), '');
    clock.advance(999);
    expect(await metrics.value('network.tcpconn.established')).toEqual({ '-1': 2 });
    clock.advance(1);
    expect(await metrics.value('network.tcpconn.established')).toEqual({ '-1': 0 });
  });

  it('has no value where the file is absent', async () => {
    expect(await local(networkTcpconnCluster, scratch).value('network.tcpconn.established')).toEqual({});
  });
});
