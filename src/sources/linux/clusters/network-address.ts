import { networkInterfaces } from 'node:os';
import { ADDRESS_INDOM, LINUX_CATALOG } from '../catalog/linux-catalog.js';
import type { ClusterEnvironment, LocalCluster, MetricBinding } from '../cluster.js';
import { InstanceTable } from '../instance-table.js';
import { parseInet6Addresses } from './inet6-addresses.js';
import { Sample } from '../sample.js';

/** The first IPv4 address of each interface that has one. Aliases (`eth0:1`) are interfaces here. */
export type Inet4Addresses = () => ReadonlyMap<string, string>;

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

/** The addresses of all interfaces, and which interfaces there are for that purpose. */
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
  const text = (valueOf: (name: string) => string | undefined): MetricBinding => ({
    kind: 'quick',
    samples: [addresses],
    fill: (set, profile) =>
      table.fill(set, profile, (into, id, row) => {
        const value = valueOf(addresses.names[row]!);
        if (value !== undefined && value !== '') into.addText(id, value);
      }),
  });
  const bindings = new Map([
    ['network.interface.inet_addr', text((name) => addresses.inet4.get(name))],
    ['network.interface.ipv6_addr', text((name) => addresses.inet6.get(name)?.address)],
    ['network.interface.ipv6_scope', text((name) => addresses.inet6.get(name)?.scope)],
    ['network.interface.hw_addr', text((name) => addresses.hardware.get(name))],
  ]);
  return {
    name: 'network-address',
    metrics: LINUX_CATALOG.bind(bindings),
    indoms: [
      {
        catalog: ADDRESS_INDOM,
        samples: [addresses],
        list: () => table.list((id) => caches.of(ADDRESS_INDOM).nameOf(id)),
      },
    ],
  };
}
