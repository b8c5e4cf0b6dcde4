import { randomBytes } from 'node:crypto';
import os from 'node:os';
import { ConfigError, type Config } from '../config/index.js';
import { ContextHomes, Member, Placement, SharedContexts, ValkeyEngine } from '../fleet/index.js';
import type { ContextHolder, ContextWork, FleetStatus, Peer, LinkAddress } from '../fleet/index.js';
import { LinkError, listenLink, MemberLink } from '../fleet/link/index.js';
import type { AnswerCall, HandedCall, LinkAnswer, OnClose, ListeningLink, LinkSecurity } from '../fleet/link/index.js';
import type { FeatureParts } from '../features/index.js';
import { answerNotHome, type FleetState } from '../http/index.js';
import { pause, systemTimers, endsWithin } from '../kit/index.js';
import type { Log } from '../log/index.js';
import { GatewayError } from '../pmapi/index.js';
import { readClusterFiles } from './cluster-settings.js';
import type { DerivedRegistry } from './derived-registry.js';
import { FleetDefinitions } from './fleet-definitions.js';

export interface FleetOptions {
  readonly config: Config;
  readonly log: Log;
  readonly registry: DerivedRegistry;
}

/** How long a start waits for the others; after that the gateway serves alone, and joins later. */
const JOIN_MS = 2000;
/** How long calls of other gateways may take at the end. */
const FINISH_MS = 1000;
/** Longer than between two renewals of a lease. */
const LINGER_MS = 800;
/** How long one attempt to add definitions waits for the fleet. */
const ADD_MS = 60_000;
/** How long a group of a stream stands in for a gateway that cannot be reached: the lease of that gateway would be over. */
const STAND_IN_MS = 3000;

/** This gateway's part in a fleet: with the others it shares contexts and the global definitions. */
export class Fleet implements FleetState, FeatureParts {
  readonly #member: Member;
  readonly #engine: ValkeyEngine;
  readonly #placement: Placement;
  readonly #link: FleetLink | undefined;
  readonly #shared: SharedContexts;
  #homes: ContextHomes | undefined;
  readonly #definitions: FleetDefinitions;
  readonly #log: Log;
  readonly #registry: DerivedRegistry;
  #hasAdded = false;
  #isClosed = false;
  /** Calls that other gateways answered. */
  #handed = 0;

  private constructor({ config, log, registry }: FleetOptions, id: string, link: FleetLink | undefined) {
    const { cluster } = config;
    this.#link = link;
    this.#log = log;
    this.#registry = registry;
    const warn = (message: string, fields: Readonly<Record<string, unknown>>): void => log.warn(message, fields);
    this.#definitions = new FleetDefinitions({
      store: registry.store,
      save: (copy, isOther) => registry.keepCopy(copy, isOther),
      warn,
    });
    this.#engine = new ValkeyEngine({
      ...readClusterFiles(cluster).servers,
      prefix: cluster.prefix,
      replicas: cluster.replicas,
      onReachable: (reason) => {
        if (reason === undefined) log.info('connected to the Valkey server of the fleet', {});
        else warn('cannot reach the Valkey server of the fleet', { reason });
      },
    });
    this.#member = new Member({
      id,
      engine: this.#engine,
      replica: this.#definitions,
      document: registry.fleetCopy && this.#definitions.restore(registry.fleetCopy),
      timers: systemTimers,
      link: link?.address,
      digest: () => this.#definitions.digest(),
      warn,
    });
    this.#placement = new Placement(this.#member);
    this.#shared = new SharedContexts({ engine: this.#engine, member: this.#member, timers: systemTimers });
    registry.shareChanges({
      change: (prepare) =>
        this.#member.update(async () => {
          const change = await prepare();
          return () => this.#definitions.propose(change);
        }),
    });
  }

  #reportProblems(): void {
    this.#engine.problems().then(
      (problems) => {
        for (const problem of problems)
          this.#log.warn('problem with the settings of the Valkey server of the fleet', { problem });
      },
      (err: unknown) => this.#log.warn('cannot check the settings of the Valkey server of the fleet', { err }),
    );
  }

  /** Joins the fleet, or keeps trying in the background if that takes too long. */
  static async open(options: FleetOptions): Promise<Fleet> {
    const { cluster, listen } = options.config;
    // Another process with the same name is another member.
    const id = `${cluster.name ?? `${os.hostname()}:${listen.port}`}#${randomBytes(6).toString('hex')}`;
    const link = await FleetLink.open(cluster, id, readClusterFiles(cluster).link, options.log);
    const fleet = new Fleet(options, id, link);
    fleet.#member.start();
    if (await fleet.#member.joined(JOIN_MS)) await fleet.#shared.agree().catch(() => undefined);
    else options.log.warn('serving alone until the fleet can be joined', {});
    void fleet.addOwn();
    return fleet;
  }

  get isAlone(): boolean {
    return this.#member.isAlone;
  }

  /** Where the contexts of this gateway are noted for the others. */
  readonly contexts = {
    create: async (id: number): Promise<void> => this.#homes?.create(id),
    save: async (id: number): Promise<void> => this.#homes?.save(id),
    end: async (id: number, how: string): Promise<void> => this.#homes?.end(id, how),
    shared: {
      idOf: (key: string): number | undefined => this.#shared.idOf(key),
      note: (id: number): Promise<void> => this.#shared.note(id),
    },
  };

  /** Begins to share the contexts of this gateway. Called once. */
  shareContexts(holder: ContextHolder): void {
    this.#shared.start(holder);
    this.#homes = new ContextHomes({ engine: this.#engine, member: this.#member, timers: systemTimers, holder });
  }

  get others(): ReadonlyMap<string, Peer | undefined> {
    return this.#member.others;
  }

  owner(place: string | undefined): Peer | undefined {
    return place === undefined ? undefined : this.#placement.owner(place);
  }

  /** What tells whether a stream of a shared context on a source has to end here because another gateway samples it. */
  placementOf(place: string | undefined): () => boolean {
    const untilMs = systemTimers.nowMs() + STAND_IN_MS;
    let first = this.owner(place)?.id;
    return () => {
      const owner = this.owner(place)?.id;
      const isOver = owner !== undefined && (owner !== first || systemTimers.nowMs() >= untilMs);
      first = owner;
      return isOver;
    };
  }

  get version(): number {
    return this.#member.version;
  }

  reached(version: number, limitMs: number): Promise<boolean> {
    return this.#member.reached(version, limitMs);
  }

  isHome(context: number): boolean | Promise<boolean> {
    return this.#homes?.isHome(context) ?? false;
  }

  async atHome<T extends object>(context: number, work: ContextWork<T>): Promise<T> {
    return this.#homes!.at(context, work);
  }

  async hand(call: HandedCall, to: Peer, onClose: OnClose): Promise<LinkAnswer | undefined> {
    const answer = await this.#link?.hand(call, to, onClose);
    if (answer) this.#handed++;
    return answer;
  }

  /** From here on calls of other gateways are answered, and after another call so. */
  answerWith(answer: AnswerCall): void {
    this.#link?.answerWith(answer);
  }

  get status(): FleetStatus {
    return this.#member.status;
  }

  problems(): readonly string[] {
    return this.#member.problems;
  }

  get statistics(): { readonly handed: number; readonly adopted: number; readonly latencyMs: number } {
    return { handed: this.#handed, adopted: this.#homes?.adopted ?? 0, latencyMs: this.#member.latencyMs };
  }

  reload(): void {
    void this.#registry.settled().then(() => this.addOwn());
  }

  /** Adds to the definitions of the fleet what is missing of this gateway's: after the start, and after the definition files were read again. */
  async addOwn(): Promise<void> {
    while (!this.#isClosed) {
      if (!(await this.#member.joined(ADD_MS))) continue;
      try {
        await this.#member.update(() => Promise.resolve(() => this.#definitions.proposeOwn()));
        if (!this.#hasAdded) this.#reportProblems();
        this.#hasAdded = true;
        return;
      } catch (err) {
        if (!(err instanceof GatewayError)) throw err;
        this.#log.warn('cannot add definitions to those of the fleet yet', { reason: err.message });
      }
    }
  }

  /** Announces the end: the others no longer hand over calls, and take contexts once {@link close} was called. */
  leave(): void {
    this.#member.leave();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#homes?.close();
    this.#shared.close();
    // Before the lease is given back: others take over the contexts then.
    await this.#link?.finish(answerNotHome, FINISH_MS);
    const isLinked = this.#link !== undefined && this.#member.peers.length > 0;
    await this.#member.close();
    await this.#registry.saved();
    // The others learn from their next renewal that it is gone: until then they are referred elsewhere.
    if (isLinked) await pause(LINGER_MS, systemTimers);
    await this.#link?.close();
  }
}

/** The link of a gateway with the others: hands calls over, and has those answered that others hand over. */
export class FleetLink {
  readonly #calls: MemberLink;
  #listening: ListeningLink | undefined;
  #answer: AnswerCall | undefined;
  #onAnswer: (() => void)[] = [];
  readonly #underWay = new Set<Promise<unknown>>();

  private constructor(calls: MemberLink) {
    this.#calls = calls;
  }

  /** Undefined where no port is configured. Rejects with ConfigError where it cannot listen. */
  static async open(
    { linkHost: host, linkPort: port }: Config['cluster'],
    name: string,
    security: LinkSecurity | undefined,
    log: Log,
  ): Promise<FleetLink | undefined> {
    if (port === null || !security) return undefined;
    const common = { name, security, warn: log.warn.bind(log) };
    const link = new FleetLink(new MemberLink(common));
    const at = { host, port };
    try {
      link.#listening = await listenLink({ ...common, at }, (call, onClose) => link.#answerCall(call, onClose));
    } catch (cause) {
      const message = `cannot listen on ${host} port ${port}: ${(cause as Error).message}`;
      throw new ConfigError([{ source: 'configuration', option: 'cluster.linkPort', message }]);
    }
    return link;
  }

  get address(): LinkAddress | undefined {
    return this.#listening?.address;
  }

  /** What answers calls from now on; those that came before wait for the first of these. */
  answerWith(answer: AnswerCall): void {
    this.#answer = answer;
    for (const wake of this.#onAnswer.splice(0)) wake();
  }

  /** Finishes the calls in progress, for a limited time; new ones are answered by the other function. */
  async finish(answer: AnswerCall, limitMs: number): Promise<void> {
    this.answerWith(answer);
    await endsWithin(limitMs, systemTimers, Promise.allSettled(this.#underWay));
  }

  /** Has another gateway answer a call; undefined if it did not get it. Rejects with LinkError if it may have got it. */
  async hand(call: HandedCall, to: Peer, onClose: OnClose): Promise<LinkAnswer | undefined> {
    try {
      return await this.#calls.call(to, call, onClose);
    } catch (error) {
      if (error instanceof LinkError && !error.isSent) return undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#calls.close();
    await this.#listening?.close();
  }

  async #answerCall(call: HandedCall, onClose: OnClose): Promise<LinkAnswer> {
    if (!this.#answer) await new Promise<void>((resolve) => this.#onAnswer.push(resolve));
    const answering = this.#answer!(call, onClose);
    this.#underWay.add(answering);
    try {
      return await answering;
    } finally {
      this.#underWay.delete(answering);
    }
  }
}
