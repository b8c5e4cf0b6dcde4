import { setTimeout as pause } from 'node:timers/promises';
import { type RealFleet, THIS_BUILD } from './real-fleet.js';

/** Something that happens to a fleet, and is over when it resolves. */
export interface Fault {
  readonly name: string;
  inject(fleet: RealFleet): Promise<void>;
}

/** How long what was killed stays away, at least: longer than a lease. */
const AWAY_MS = 4000;
/** How long something is stopped or cut off: longer than all leases and time-outs. */
const STOPPED_MS = 6000;

/** The process of a part, as long as it is dead or stopped. */
interface Victim {
  signal(signal: NodeJS.Signals): void;
  start(): void;
}

async function kill(...victims: readonly Victim[]): Promise<void> {
  for (const victim of victims) victim.signal('SIGKILL');
  await pause(AWAY_MS);
  for (const victim of victims) victim.start();
}

/**
 * Kills the primary, and others with it. It keeps nothing on disk, and stays away until another server is the primary, however long that takes on a busy
 * machine: a primary that comes back empty before Sentinel notices empties its replicas, which no fleet survives.
 */
async function killPrimary(fleet: RealFleet, ...others: readonly Victim[]): Promise<void> {
  const place = fleet.primary();
  const victims = [...others, fleet.node(place)];
  for (const victim of victims) victim.signal('SIGKILL');
  await pause(AWAY_MS);
  while (fleet.primary() === place) await pause(AWAY_MS / 10);
  for (const victim of victims) victim.start();
}

async function stop(victim: Victim): Promise<void> {
  victim.signal('SIGSTOP');
  await pause(STOPPED_MS);
  victim.signal('SIGCONT');
}

async function cut(set: (isCut: boolean) => void): Promise<void> {
  set(true);
  await pause(STOPPED_MS);
  set(false);
}

function some(count: number): number {
  return Math.floor(Math.random() * count);
}

/** The fault of each part in turn, and of two at once where a fleet promises to survive that. */
export const FAULTS: readonly Fault[] = [
  { name: 'gateway killed', inject: (fleet) => kill(anyGateway(fleet)) },
  { name: 'gateway stopped', inject: (fleet) => stop(anyGateway(fleet)) },
  {
    name: 'gateway ended',
    inject: async (fleet) => {
      const part = anyGateway(fleet);
      await part.end();
      await pause(AWAY_MS);
      part.start();
    },
  },
  { name: 'primary killed', inject: (fleet) => killPrimary(fleet) },
  { name: 'primary stopped', inject: (fleet) => stop(fleet.node(fleet.primary())) },
  { name: 'replica killed', inject: (fleet) => kill(fleet.node(aReplica(fleet))) },
  { name: 'Sentinel killed', inject: (fleet) => kill(fleet.sentinel(some(3))) },
  {
    name: 'gateway cut off from the engine',
    inject: (fleet) => {
      const place = some(fleet.gateways.length);
      return cut((isCut) => fleet.cutFromEngine(place, isCut));
    },
  },
  {
    name: 'gateway cut off from the others',
    inject: (fleet) => {
      const place = some(fleet.gateways.length);
      return cut((isCut) => fleet.cutLinks(place, isCut));
    },
  },
  {
    name: 'primary cut off from its replicas',
    inject: (fleet) => {
      const place = fleet.primary();
      return cut((isCut) => fleet.cutNode(place, isCut));
    },
  },
  {
    name: 'primary cut off from everything',
    inject: (fleet) => {
      const place = fleet.primary();
      return cut((isCut) => fleet.cutNodeFromAll(place, isCut));
    },
  },
  { name: 'gateway and primary killed', inject: (fleet) => killPrimary(fleet, anyGateway(fleet)) },
];

/** All gateways are replaced one by one by those of this build. */
export const UPGRADE: Fault = {
  name: 'rolling upgrade',
  inject: async (fleet) => {
    for (const { part } of fleet.gateways) {
      await part.end();
      part.start([process.execPath, THIS_BUILD]);
      await fleet.settled();
      await pause(AWAY_MS);
    }
  },
};

function anyGateway({ gateways }: RealFleet): RealFleet['gateways'][number]['part'] {
  return gateways[some(gateways.length)]!.part;
}

function aReplica(fleet: RealFleet): number {
  return (fleet.primary() + 1 + some(2)) % 3;
}
