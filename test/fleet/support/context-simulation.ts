import { ContextHomes } from '../../../src/fleet/context-homes.js';
import type { Peer } from '../../../src/fleet/index.js';
import type { Replica } from '../../../src/fleet/member.js';
import { GatewayError } from '../../../src/pmapi/index.js';
import { type ContextCall, contextProblems } from './context-history.js';
import { END_MS, type Mistake, SimulatedFleet, type SimulatedMember } from './simulated-fleet.js';

/** How long the engine keeps a record that is not used, and a caller waits for an answer of another member. */
const TTL_MS = 20_000;
const LINK_MS = 1500;

/** What happened in one run. */
export interface ContextOutcome {
  readonly problems: readonly string[];
  readonly answered: number;
  /** Calls that another member answered, and contexts that changed their home. */
  readonly handed: number;
  readonly adopted: number;
  readonly faults: readonly string[];
}

/** What a member answers: the definitions of a context in order, and whether it said that it was alone. */
interface Answer {
  readonly definitions: readonly string[] | undefined;
  readonly isAlone: boolean;
}

interface Running extends SimulatedMember {
  readonly contexts: Map<number, string[]>;
  readonly homes: ContextHomes;
}

const NOTHING: Replica = { take: () => undefined, keep: () => Promise.resolve() };

class ContextSimulation extends SimulatedFleet<Running> {
  readonly #calls: ContextCall[] = [];
  readonly #ids: number[] = [];
  #nextId = 1;
  #changes = 0;
  #handed = 0;
  #adopted = 0;

  async run(): Promise<ContextOutcome> {
    await this.runToEnd();
    await this.#readAll();
    const { faults } = this;
    const answered = this.#calls.filter(({ outcome }) => outcome === 'answered').length;
    return {
      problems: contextProblems(this.#calls, END_MS),
      answered,
      handed: this.#handed,
      adopted: this.#adopted,
      faults,
    };
  }

  protected options(): { replica: Replica; link: Peer['link'] } {
    return { replica: NOTHING, link: { host: 'simulated', port: 1 } };
  }

  protected complete(running: SimulatedMember): Running {
    const { engine, member, process: timers } = running;
    const contexts = new Map<number, string[]>();
    const holder = {
      record: (id: number) => {
        const definitions = contexts.get(id);
        return definitions && { text: JSON.stringify(definitions), ttlMs: TTL_MS };
      },
      unusedMs: () => 0,
      drop: (id: number) => void contexts.delete(id),
    };
    return { ...running, contexts, homes: new ContextHomes({ engine, member, timers, holder }) };
  }

  protected begin(firstMs: number): void {
    this.plan(firstMs, 600, () => this.#create());
    this.plan(firstMs, 150, () => this.#call('change'));
    this.plan(firstMs, 60, () => this.#call('read'));
    this.plan(firstMs, 3000, () => this.#call('destroy'));
  }

  #create(): void {
    const member = this.random.pick(this.members);
    if (!member.process.isRunning) return;
    const id = this.#nextId++;
    const { contexts, homes } = member;
    contexts.set(id, []);
    this.#note({ id, kind: 'create', change: undefined }, member, async () => {
      const { isAlone } = member.member;
      try {
        await homes.create(id);
      } catch (error) {
        contexts.delete(id);
        throw error;
      }
      if (member.process.isAlive) this.#ids.push(id);
      return { definitions: [], isAlone: isAlone || member.member.isAlone };
    });
  }

  #call(kind: ContextCall['kind']): void {
    const member = this.random.pick(this.members);
    if (!member.process.isRunning || this.#ids.length === 0) return;
    const id = this.random.pick(this.#ids.slice(-8));
    const change = kind === 'change' ? `definition-${this.#changes++}` : undefined;
    this.#note({ id, kind, change }, member, () => this.#at(member, id, kind, change));
  }

  /** Every context is read at every member in the end. */
  async #readAll(): Promise<void> {
    let open = 0;
    for (const id of this.#ids) {
      for (const member of this.members) {
        open++;
        this.#note({ id, kind: 'read', change: undefined }, member, () =>
          this.#at(member, id, 'read', undefined).finally(() => open--),
        );
      }
    }
    for (let i = 0; open > 0 && i < 100; i++) await this.time.runUntil(this.time.nowMs + 100);
  }

  #note(
    { id, kind, change }: Pick<ContextCall, 'id' | 'kind' | 'change'>,
    { id: name, process }: Running,
    work: () => Promise<Answer>,
  ): void {
    const beginMs = this.time.nowMs;
    const call: ContextCall = { id, kind, change, member: name, beginMs, endMs: Infinity, outcome: 'unknown' };
    this.#calls.push(call);
    const end = (result: Partial<ContextCall>): void => {
      if (process.isAlive) Object.assign(call, result, { endMs: this.time.nowMs });
    };
    work().then(
      ({ definitions, isAlone }) => end({ outcome: 'answered', definitions: definitions && [...definitions], isAlone }),
      (error: unknown) => {
        if (!(error instanceof GatewayError)) throw error;
        end({ outcome: error.code === 'OUTCOME_UNKNOWN' ? 'unknown' : 'failed' });
      },
    );
  }

  #at(member: Running, id: number, kind: ContextCall['kind'], change: string | undefined): Promise<Answer> {
    return member.homes.at<Answer>(id, {
      here: () => this.#do(member, id, kind, change),
      restore: async (text) => {
        this.#adopted++;
        member.contexts.set(id, JSON.parse(text) as string[]);
      },
      hand: (peer) => this.#hand(member, peer, (other) => this.#do(other, id, kind, change), id),
      shared: () => Promise.reject(new Error('no context of these is shared')),
      gone: () => ({ definitions: undefined, isAlone: false }),
    });
  }

  async #do(member: Running, id: number, kind: ContextCall['kind'], change: string | undefined): Promise<Answer> {
    const { contexts, homes } = member;
    const { isAlone } = member.member;
    const definitions = contexts.get(id);
    if (!definitions) return { definitions: undefined, isAlone };
    if (kind === 'destroy') {
      contexts.delete(id);
      await homes.end(id, 'destroyed');
      return { definitions, isAlone: isAlone || member.member.isAlone };
    }
    const answer = [...definitions];
    if (change === undefined) return { definitions: answer, isAlone };
    definitions.push(change);
    answer.push(change);
    // Some take their time, and the context may have gone to another home, or back to this one, meanwhile.
    if (this.random.isTrue(0.2)) {
      await new Promise<void>((resolve) => void member.process.after(this.random.between(100, 4000), resolve));
    }
    if (contexts.get(id) !== definitions) throw new GatewayError('UNAVAILABLE', 'the context has another home');
    await homes.save(id);
    return { definitions: answer, isAlone: isAlone || member.member.isAlone };
  }

  /** A call to another member: it may be dead, or stopped. */
  async #hand(
    from: Running,
    peer: Peer,
    work: (member: Running) => Promise<Answer>,
    id: number,
  ): Promise<Answer | undefined> {
    const other = this.members.find(({ id: name, process }) => name === peer.id && process.isAlive);
    return new Promise((resolve, reject) => {
      const back = (run: () => void): void =>
        void this.time.after(this.random.between(0.1, 1), () => from.process.deliver(run));
      if (!other) {
        back(() => resolve(undefined));
        return;
      }
      const stopWaiting = from.process.after(LINK_MS, () =>
        reject(new GatewayError('OUTCOME_UNKNOWN', 'the other member does not answer')),
      );
      const isFromMember = !from.member.isAlone;
      const answer = async (): Promise<Answer | undefined> => {
        if (isFromMember && other.member.isAlone) return undefined;
        return (await other.homes.isHome(id)) ? work(other) : undefined;
      };
      this.time.after(this.random.between(0.1, 1), () =>
        other.process.deliver(() => {
          answer().then(
            (given) =>
              back(() => {
                stopWaiting();
                if (given) this.#handed++;
                resolve(given);
              }),
            (error: unknown) =>
              back(() => {
                stopWaiting();
                reject(error instanceof Error ? error : new Error(String(error)));
              }),
          );
        }),
      );
    });
  }
}

/** Runs a fleet with contexts through the faults of a seed. */
export function simulateContexts(seed: number, mistake: Mistake = {}): Promise<ContextOutcome> {
  return new ContextSimulation(seed, mistake).run();
}
