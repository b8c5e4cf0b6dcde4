import { SocketAddress } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Instance } from '../../../pmapi/index.js';
import { ADDRESS_INDOM } from '../catalog/linux-catalog.js';
import { cluster, perInstance, type ClusterEnvironment, type LocalCluster, type MetricBinding } from '../cluster.js';
import { InstanceTable, Sample } from '../sample.js';

/** The first IPv4 address of each interface that has one. Aliases (`eth0:1`) are interfaces here. */
type Inet4Addresses = () => ReadonlyMap<string, string>;

/** What this process sees of its own host: /proc has no file that ties an IPv4 address to its interface. */
function ownInet4Addresses(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, addresses] of Object.entries(networkInterfaces())) {
    const first = addresses?.find((address) => address.family === 'IPv4');
    if (first) found.set(name, first.address);
  }
  return found;
}

/** Addresses are looked at once a second at most: they seldom change, and asking for them is dear. */
const SHARED_FOR_MS = 1000;

class Addresses extends Sample {
  readonly table = new InstanceTable(ADDRESS_INDOM.indom);
  names: readonly string[] = [];
  inet4: ReadonlyMap<string, string> = new Map();
  inet6: ReturnType<typeof parseInet6Addresses> = new Map();
  hardware: ReadonlyMap<string, string> = new Map();
  #lookedMs = -Infinity;
  readonly #environment: ClusterEnvironment;
  readonly #inet4Addresses: Inet4Addresses;

  constructor(environment: ClusterEnvironment, inet4Addresses: Inet4Addresses) {
    super();
    this.#environment = environment;
    this.#inet4Addresses = inet4Addresses;
  }

  protected override refresh(): void {
    const { files, caches, clock } = this.#environment;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#lookedMs < SHARED_FOR_MS) return;
    this.#lookedMs = nowMs;
    this.inet4 = this.#inet4Addresses();
    this.inet6 = parseInet6Addresses(files.text('proc/net/if_inet6') ?? '');
    // Files beside the interfaces, such as bonding_masters, have no address in them.
    this.hardware = new Map(
      files.list('sys/class/net').flatMap((name) => {
        const address = files.text(`sys/class/net/${name}/address`);
        return address === undefined ? [] : [[name, address]];
      }),
    );
    const names = [...new Set([...this.hardware.keys(), ...this.inet4.keys(), ...this.inet6.keys()])];
    const numbers = caches.of(ADDRESS_INDOM);
    this.table.clear();
    for (const name of names) this.table.add(numbers.numberOf(name));
    const hasChanged = names.length !== this.names.length || names.some((name, i) => name !== this.names[i]);
    this.names = names;
    if (!hasChanged) return;
    numbers.present(this.table);
    this.#environment.instancesChanged();
  }
}

/** network.interface.{inet_addr,ipv6_addr,ipv6_scope,hw_addr}, in an instance domain of their own. */
export function networkAddressCluster(
  environment: ClusterEnvironment,
  inet4Addresses: Inet4Addresses = ownInet4Addresses,
): LocalCluster {
  const { caches } = environment;
  const addresses = new Addresses(environment, inet4Addresses);
  const { table } = addresses;
  const samples = [addresses];
  const text = (valueOf: (name: string) => string | undefined): MetricBinding =>
    perInstance(samples, table, (set, id, row) => {
      const value = valueOf(addresses.names[row]!);
      if (value !== undefined && value !== '') set.addText(id, value);
    });
  const list = (): readonly Instance[] => table.list((id) => caches.of(ADDRESS_INDOM).nameOf(id));
  return cluster(
    'network-address',
    [
      ['network.interface.inet_addr', text((name) => addresses.inet4.get(name))],
      ['network.interface.ipv6_addr', text((name) => addresses.inet6.get(name)?.address)],
      ['network.interface.ipv6_scope', text((name) => addresses.inet6.get(name)?.scope)],
      ['network.interface.hw_addr', text((name) => addresses.hardware.get(name))],
    ],
    [{ catalog: ADDRESS_INDOM, samples, list }],
  );
}

interface Inet6Address {
  /** `fd00::2/64` */
  readonly address: string;
  /** Global, Link, Site, Compat or Host; undefined for a scope that has no name. */
  readonly scope: string | undefined;
}

const LINE = /^([0-9a-f]{32}) [0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) [0-9a-f]+ +(\S+)$/;
const MAX_PREFIX = 128;
const SCOPES: ReadonlyMap<number, string> = new Map([
  [0x00, 'Global'],
  [0x10, 'Host'],
  [0x20, 'Link'],
  [0x40, 'Site'],
  [0x80, 'Compat'],
]);

/** Reads /proc/net/if_inet6: address, number, prefix, scope, flags, name, all except the name hexadecimal. The last address counts. */
export function parseInet6Addresses(text: string): Map<string, Inet6Address> {
  const found = new Map<string, Inet6Address>();
  for (const line of text.split('\n')) {
    const [, hex, prefixHex, scopeHex, name] = LINE.exec(line) ?? [];
    if (hex === undefined || prefixHex === undefined || scopeHex === undefined || name === undefined) continue;
    const prefix = parseInt(prefixHex, 16);
    if (prefix > MAX_PREFIX) continue;
    const scope = SCOPES.get(parseInt(scopeHex, 16) & 0xf0);
    found.set(name, { address: `${formatInet6(hex)}/${prefix}`, scope });
  }
  return found;
}

/** An address of 32 hexadecimal digits as inet_ntop(3) shows it, which is RFC 5952's shortest form. */
export function formatInet6(hex: string): string {
  return new SocketAddress({ address: hex.match(/.{4}/g)!.join(':'), family: 'ipv6' }).address;
}
