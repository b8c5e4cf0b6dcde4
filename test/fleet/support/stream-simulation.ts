import type { Engine } from '../../../src/fleet/engine.js';
import { StreamJournals } from '../../../src/fleet/index.js';
import { Placement } from '../../../src/fleet/placement.js';
import type { Replica, StreamJournal } from '../../../src/fleet/index.js';
import type { Peer } from '../../../src/fleet/member.js';
import { makeTimestamp } from '../../../src/pmapi/index.js';
import type { Timestamp } from '../../../src/pmapi/index.js';
import { END_MS, SimulatedFleet } from './simulated-fleet.js';
import type { Mistake, SimulatedMember } from './simulated-fleet.js';
import { sampleProblems } from './sample-history.js';
import type { ReceivedEvent, StreamHistory, TakenSample } from './sample-history.js';

const INTERVAL_MS = 250;
const SOURCES = ['web1', 'web2', 'web3'];
const CLIENTS = 9;
/** From here on each source has one sampler. */
const SETTLED_MS = END_MS - 1500;
const RECONNECT_MS = 2000;

/** What happened in one run. */
export interface StreamOutcome {
  readonly problems: readonly string[];
  readonly received: number;
  /** Samples that clients received from journals, and gaps. */
  readonly inherited: number;
  readonly gaps: number;
  readonly faults: readonly string[];
}

type Sample = ReceivedEvent & { readonly kind: 'sample' };

/** One process: what it samples, by source. */
interface Running extends SimulatedMember {
  readonly placement: Placement;
  readonly journals: StreamJournals;
  readonly groups: Map<string, Group>;
}

/** A client, which reconnects to any member whenever its stream ends. */
interface Client extends StreamHistory {
  readonly source: string;
  readonly events: ReceivedEvent[];
  /** Distinguishes its connections. */
  connection: number;
}

interface Subscriber {
  readonly client: Client;
  readonly connection: number;
}

/** A group, as StreamGroup is: it goes on behind its journal, and brings clients up to date. */
interface Group {
  readonly number: number;
  readonly log: Sample[];
  inherited: readonly Sample[];
  readonly journal: StreamJournal;
  readonly subscribers: Set<Subscriber>;
  /** Clients whose next sample is the first of the group, and what they have. */
  readonly waiting: Set<Subscriber>;
  hasEnded: boolean;
}

const NOTHING: Replica = { apply: () => undefined, state: () => '', reset: () => undefined };

/** A fleet whose clients have streams. */
class StreamSimulation extends SimulatedFleet<Running> {
  readonly #clients: Client[] = [];
  readonly #taken: TakenSample[] = [];
  #groups = 0;
  #inherited = 0;

  async run(): Promise<StreamOutcome> {
    await this.runToEnd();
    const events = this.#clients.flatMap((client) => client.events);
    const received = events.filter(({ kind }) => kind === 'sample').length;
    return {
      problems: sampleProblems(this.#clients, this.#taken, { intervalMs: INTERVAL_MS, lastMs: SETTLED_MS }),
      received,
      inherited: this.#inherited,
      gaps: events.length - received,
      faults: this.faults,
    };
  }

  protected options(): { replica: Replica; link: Peer['link'] } {
    return { replica: NOTHING, link: { path: 'simulated' } };
  }

  protected complete(running: SimulatedMember): Running {
    const { engine, member, process: timers } = running;
    const journals = new StreamJournals({ engine, member, timers, bytes: 1e9 });
    return { ...running, placement: new Placement(member), journals, groups: new Map() };
  }

  protected begin(firstMs: number): void {
    for (let i = 0; i < CLIENTS; i++) {
      const client: Client = { name: `client ${i}`, source: SOURCES[i % SOURCES.length]!, events: [], connection: 0 };
      this.#clients.push(client);
      this.time.at(firstMs, () => this.#connect(client));
    }
    // Some leave on their own.
    this.plan(firstMs, 1000, () => {
      const client = this.random.pick(this.#clients);
      this.#reconnect(client, client.connection);
    });
  }

  #reconnect(client: Client, connection: number): void {
    if (connection !== client.connection) return;
    client.connection++;
    this.time.after(this.random.between(20, RECONNECT_MS), () => this.#connect(client));
  }

  /** A client comes to any member, which has its stream from the owner of the source if that can be reached. */
  #connect(client: Client): void {
    const connection = ++client.connection;
    const member = this.random.pick(this.members);
    if (!member.process.isRunning) {
      this.#reconnect(client, connection);
      return;
    }
    const owner = member.placement.owner(client.source);
    const other = owner && this.members.find(({ id, process }) => id === owner.id && process.isRunning);
    const at = other ?? member;
    this.#watch([member, at], client, connection);
    this.#join(this.#groupAt(at, client.source), { client, connection });
  }

  /** A connection breaks when a process on its way dies, or does nothing for a while. */
  #watch(on: readonly Running[], client: Client, connection: number): void {
    if (connection !== client.connection) return;
    if (on.every(({ process }) => process.isRunning)) {
      this.time.after(2 * INTERVAL_MS, () => this.#watch(on, client, connection));
    } else {
      this.#reconnect(client, connection);
    }
  }

  #groupAt(member: Running, source: string): Group {
    const known = member.groups.get(source);
    if (known) return known;
    const group: Group = {
      number: this.#groups++,
      log: [],
      inherited: [],
      subscribers: new Set(),
      waiting: new Set(),
      hasEnded: false,
      journal: member.journals.open({
        key: source,
        owner: () => member.placement.owner(source)?.id,
        onDeposed: () => this.#end(member, source, group),
      }),
    };
    member.groups.set(source, group);
    void group.journal.before.then((entries) => {
      group.inherited = entries.map(({ id, text }) => ({
        kind: 'sample',
        id: nanosecondsOf(id),
        number: Number(text),
      }));
      this.#tick(member, source, group);
    });
    return group;
  }

  #end(member: Running, source: string, group: Group): void {
    group.hasEnded = true;
    group.journal.close();
    if (member.groups.get(source) === group) member.groups.delete(source);
    for (const { client, connection } of [...group.subscribers, ...group.waiting]) this.#reconnect(client, connection);
  }

  #tick(member: Running, source: string, group: Group): void {
    const isWanted = [...group.subscribers, ...group.waiting].some((one) => one.connection === one.client.connection);
    if (!isWanted && group.log.length > 0) this.#end(member, source, group);
    if (group.hasEnded) return;
    const number = this.#taken.length;
    const id = Math.max(Math.round(this.time.nowMs * 1e6), ((group.log.at(-1) ?? group.inherited.at(-1))?.id ?? 0) + 1);
    const sample: Sample = { kind: 'sample', id, number };
    group.journal.append({ id: timestampOf(id), text: String(number), isFull: true });
    if (this.#hasEnded(group)) return;
    this.#taken.push({ source, group: group.number, id, number });
    group.log.push(sample);
    for (const subscriber of group.subscribers) send(subscriber, sample);
    for (const subscriber of group.waiting) this.#begin(group, subscriber, sample);
    group.waiting.clear();
    member.process.after(INTERVAL_MS, () => this.#tick(member, source, group));
  }

  #hasEnded({ hasEnded }: Group): boolean {
    return hasEnded;
  }

  #join(group: Group, subscriber: Subscriber): void {
    const last = lastOf(subscriber.client);
    const [first] = group.log;
    if (last && first && last.id >= first.id) {
      for (const sample of group.log) if (sample.id > last.id) send(subscriber, sample);
      group.subscribers.add(subscriber);
    } else if (first) {
      this.#begin(group, subscriber, first);
      for (const sample of group.log.slice(1)) send(subscriber, sample);
    } else {
      group.waiting.add(subscriber);
    }
  }

  /** Sends what the journal has, a gap if something is missing, and the first sample of the group. */
  #begin({ inherited, subscribers }: Group, subscriber: Subscriber, first: Sample): void {
    const before = lastOf(subscriber.client);
    const floor = inherited[0];
    if (before && floor && before.id >= floor.id) {
      for (const sample of inherited) {
        if (sample.id <= before.id) continue;
        send(subscriber, sample);
        this.#inherited++;
      }
    }
    const last = lastOf(subscriber.client);
    if (last && first.id - last.id > 1.5 * INTERVAL_MS * 1e6) {
      send(subscriber, { kind: 'gap', from: last.id, to: first.id });
    }
    if (!last || first.id > last.id) send(subscriber, first);
    subscribers.add(subscriber);
  }
}

function send({ client, connection }: Subscriber, event: ReceivedEvent): void {
  if (client.connection === connection) client.events.push(event);
}

function lastOf({ events }: Client): Sample | undefined {
  return events.findLast((event) => event.kind === 'sample');
}

function timestampOf(nanoseconds: number): Timestamp {
  return makeTimestamp(Math.floor(nanoseconds / 1e9), nanoseconds % 1e9);
}

function nanosecondsOf({ sec, nsec }: Timestamp): number {
  return sec * 1e9 + nsec;
}

/** Ways to get the protocol of journals wrong, each of which breaks a promise in some run. */
export const STREAM_MISTAKES: Readonly<Record<string, Mistake>> = {
  'does not check the ids and the writer of a journal': { engine: appendAnyway },
  'goes on with a journal that has a hole': { engine: ignoreHoles },
};

/** Each writer seems to be the one that claimed last, and ids seem to grow. */
function appendAnyway(engine: Engine): Engine {
  return {
    ...engine,
    appendJournal: async (journal, append) => {
      const entries = await engine.claimJournal(journal, append.writer, append.lifeMs);
      const last = entries.at(-1)?.id;
      const { entry } = append;
      const id =
        last && nanosecondsOf(last) >= nanosecondsOf(entry.id) ? timestampOf(nanosecondsOf(last) + 1) : entry.id;
      await engine.appendJournal(journal, { ...append, after: last, entry: { ...entry, id } });
      return 'appended';
    },
  };
}

/** What the journal has seems to be all that was sent before. */
function ignoreHoles(engine: Engine): Engine {
  return {
    ...engine,
    appendJournal: async (journal, append) => {
      const entries = await engine.claimJournal(journal, undefined, append.lifeMs);
      return engine.appendJournal(journal, { ...append, after: entries.at(-1)?.id });
    },
  };
}

/** Runs a fleet with streams through the faults of a seed. */
export function simulateStreams(seed: number, mistake: Mistake = {}): Promise<StreamOutcome> {
  return new StreamSimulation(seed, mistake).run();
}
