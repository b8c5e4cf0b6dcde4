import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config/index.js';
import type { ContextManager } from '../context/index.js';
import { LinkError, Placement } from '../fleet/link/index.js';
import type { AnswerCall, HandedCall, LinkAnswer, OnClose } from '../fleet/link/index.js';
import type { ContextWork, FleetMember } from '../http/index.js';
import { systemTimers } from '../kit/index.js';
import type { Timers } from '../kit/index.js';
import type { Log } from '../log/index.js';
import { GatewayError } from '../pmapi/index.js';
import type { DerivedRegistry } from './derived-registry.js';
import { FleetDefinitions, writeChange } from './fleet-definitions.js';
import { FleetLink } from './fleet-link.js';
import type { GatewayFleet } from './gateway-fleet.js';
import { ARCHIVE_PLACE } from './targets/source-resolver.js';
import type { KeptContext, ToWorker, WorkerChannel, WorkerPlace } from './worker-channel.js';
import { WorkerContexts } from './worker-contexts.js';

/** What a team is made from. */
export interface WorkerTeamOptions {
  readonly config: Config;
  readonly log: Log;
  readonly registry: DerivedRegistry;
  readonly place: WorkerPlace;
  readonly channel: WorkerChannel;
  /** Those of a process that this one replaces. */
  readonly contexts?: readonly KeptContext[] | undefined;
  /** The system's, except in tests. */
  readonly timers?: Timers;
}

/** How long a call waits for a worker that is starting. */
const WAIT_MS = 7000;
const RETRY_MS = 100;

/** The socket at which a worker accepts the calls of the others. */
export function socketOf(directory: string, index: number): string {
  return path.join(directory, `${index}.sock`);
}

/**
 * A worker's part in the gateway that it is with the other workers. The id of a context says which worker has it; sources are divided by
 * their names. The first worker has what belongs to the machine rather than to a source, and changes the global definitions.
 */
export class WorkerTeam implements GatewayFleet {
  readonly isAlone = false;
  readonly #options: WorkerTeamOptions;
  readonly #link: FleetLink;
  /** The workers, for what no other can answer. */
  readonly #members: readonly FleetMember[];
  readonly others: ReadonlyMap<string, FleetMember>;
  readonly #placement: Placement;
  readonly #definitions: FleetDefinitions;
  /** Keeps what others need to continue when this process has ended. */
  readonly contexts: WorkerContexts;
  #config: Config;
  #sources: Pick<ContextManager, 'placeOf'> | undefined;
  /** Sources of the first worker, whatever their names. */
  #pinned: ReadonlySet<string> | undefined;
  /** What was published and is not in force everywhere. */
  readonly #unsettled = new Map<number, () => void>();
  #lastPublished = 0;
  #settled: Promise<unknown> = Promise.resolve();
  #onJoined: (() => void) | undefined;
  #onFinish: (() => void) | undefined;

  private constructor(options: WorkerTeamOptions, link: FleetLink) {
    const { place, channel, config, registry, log } = options;
    this.#options = options;
    this.#config = config;
    this.#link = link;
    const members = Array.from({ length: place.count }, (_, index) => ({
      id: nameOf(index),
      link: { path: socketOf(place.directory, index) },
    }));
    this.#members = members.map((member) => ({ ...member, isOnly: true }));
    const peers = members.filter((_, index) => index !== place.index);
    this.others = new Map(peers.map((member) => [member.id, member]));
    this.#placement = new Placement({ id: nameOf(place.index), isAlone: false, peers });
    this.contexts = new WorkerContexts({
      place,
      kept: options.contexts ?? [],
      send: (message) => channel.send(message),
      timers: options.timers,
    });
    this.#definitions = new FleetDefinitions({
      store: registry.store,
      onChange: () => undefined,
      warn: (message, fields) => log.warn(message, fields),
    });
    channel.onMessage((message) => this.#take(message));
  }

  /** Joins the other workers; resolves when this one has their global definitions, or they have its. */
  static async open(options: WorkerTeamOptions): Promise<WorkerTeam> {
    const { place, log, registry, channel } = options;
    const at = { path: socketOf(place.directory, place.index) };
    // That of a worker that was killed.
    rmSync(at.path, { force: true });
    const link = await FleetLink.listen(at, nameOf(place.index), { secret: place.secret }, log);
    const team = new WorkerTeam(options, link);
    if (place.index === 0) {
      registry.tellChanges((change) => (change ? team.#publish(writeChange(change)) : team.#allSettled()));
      await team.#publishAll();
    } else {
      await new Promise<void>((resolve) => {
        team.#onJoined = resolve;
        void channel.send({ kind: 'join' });
      });
    }
    return team;
  }

  readonly mayUseId = (id: number): boolean => this.isHome(id);

  shareContexts(contexts: Pick<ContextManager, 'placeOf' | 'record' | 'unusedMs'>): void {
    this.#sources = contexts;
    this.contexts.start(contexts);
  }

  owner(place: string | undefined): FleetMember | undefined {
    // Each worker reads files by itself.
    if (place?.startsWith(ARCHIVE_PLACE) === true) return undefined;
    if (place !== undefined && !this.#isPinned(place)) return this.#placement.owner(place);
    return this.#options.place.index === 0 ? undefined : this.#members[0];
  }

  isHome(context: number): boolean {
    return context % this.#options.place.count === this.#options.place.index;
  }

  async atHome<T extends object>(context: number, work: ContextWork<T>): Promise<T> {
    if (this.isHome(context)) return this.contexts.at(context, work);
    const answer = await work.hand(this.#members[context % this.#options.place.count]!);
    if (answer) return answer;
    throw new GatewayError('UNAVAILABLE', 'the process that has the context is starting', {
      context,
      retryAfterSec: 1,
    });
  }

  /** Waits for a while for a worker that is starting, if no other can answer. */
  async hand(call: HandedCall, to: FleetMember, onClose: OnClose): Promise<LinkAnswer | undefined> {
    try {
      const answer = await this.#link.hand(call, to, onClose);
      return answer ?? (to.isOnly === true ? await this.#handLater(call, to, onClose) : undefined);
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      const code = call.method === 'GET' || call.method === 'HEAD' ? 'UNAVAILABLE' : 'OUTCOME_UNKNOWN';
      throw new GatewayError(code, 'the process that answers has ended', { retryAfterSec: 1 }, { cause: error });
    }
  }

  async #handLater(call: HandedCall, to: FleetMember, onClose: OnClose): Promise<LinkAnswer | undefined> {
    const { timers = systemTimers } = this.#options;
    const deadlineMs = timers.nowMs() + WAIT_MS;
    const client = { hasLeft: false };
    onClose(() => (client.hasLeft = true));
    while (!client.hasLeft && timers.nowMs() < deadlineMs) {
      await new Promise<void>((resolve) => timers.after(RETRY_MS, resolve));
      const answer = await this.#link.hand(call, to, onClose);
      if (answer) return answer;
    }
    return undefined;
  }

  answerWith(answer: AnswerCall): void {
    this.#link.answerWith(answer);
  }

  reloaded(config: Config): void {
    this.#config = config;
    this.#pinned = undefined;
    if (this.#options.place.index === 0) void this.#publishAll();
  }

  async drained(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#onFinish = resolve;
      void this.#options.channel.send({ kind: 'drained' });
    });
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  #take(message: ToWorker): void {
    switch (message.kind) {
      case 'join':
        void this.#publishAll(message.index);
        return;
      case 'define':
        if (message.isWhole) this.#definitions.reset(message.text);
        else this.#definitions.apply(message.text);
        void this.#options.channel.send({ kind: 'defined', number: message.number });
        // What changes before that is part of it.
        if (message.isWhole) this.#onJoined?.();
        return;
      case 'settled':
        this.#unsettled.get(message.number)?.();
        this.#unsettled.delete(message.number);
        return;
      case 'finish':
        this.#onFinish?.();
        return;
      default:
    }
  }

  /** What is sampled or recorded without a request is in the first worker, and so are the requests for it. */
  #isPinned(place: string): boolean {
    if (!this.#pinned) {
      const { contexts, record } = this.#config;
      const hosts = [...contexts.rememberHosts, ...(record.enabled && record.host !== null ? [record.host] : [])];
      const places = hosts.map((hostspec) => this.#sources?.placeOf({ kind: 'host', hostspec }));
      this.#pinned = new Set(places.filter((one) => one !== undefined));
    }
    return this.#pinned.has(place);
  }

  /** Publishes all definitions, for all other workers or for one. */
  #publishAll(to?: number): Promise<unknown> {
    const { registry } = this.#options;
    const publishing = registry.betweenChanges(() => void this.#publish(this.#definitions.whole(), true, to));
    return publishing.then(() => this.#allSettled());
  }

  /** Publishes what others need to know; resolves when they know it, and all that was published before. */
  #publish(text: string, isWhole = false, to?: number): Promise<void> {
    const number = ++this.#lastPublished;
    const known = new Promise<void>((resolve) => this.#unsettled.set(number, resolve));
    this.#settled = Promise.all([this.#settled, known]);
    void this.#options.channel.send({ kind: 'publish', number, isWhole, text, ...(to !== undefined && { to }) });
    return this.#allSettled();
  }

  async #allSettled(): Promise<void> {
    await this.#settled;
  }
}

/** The name of a worker on the link. */
function nameOf(index: number): string {
  return `worker ${index}`;
}
