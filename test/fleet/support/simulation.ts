import { GatewayError } from '../../../src/pmapi/index.js';
import type { SharedDocument } from '../../../src/fleet/document.js';
import type { Proposal, Replica } from '../../../src/fleet/member.js';
import { type Change, type Read, type Update, problemsOf } from './history.js';
import { type Mistake, SimulatedFleet, type SimulatedMember } from './simulated-fleet.js';

/** What happened in one run. */
export interface Outcome {
  readonly problems: readonly string[];
  readonly acknowledged: number;
  readonly unknown: number;
  readonly reads: number;
  readonly faults: readonly string[];
}

/** The state that the simulated fleet keeps: names with values, and the changes that led there. */
class Names implements Replica {
  entries: readonly string[] = [];
  readonly values = new Map<string, string>();
  /** What a process leaves on its disk. */
  copy: SharedDocument | undefined;

  take(text: string): void {
    this.entries = JSON.parse(text) as string[];
    this.values.clear();
    for (const entry of this.entries) {
      const { name, value } = JSON.parse(entry) as Change;
      if (value === undefined) this.values.delete(name);
      else this.values.set(name, value);
    }
  }

  async keep(document: SharedDocument): Promise<void> {
    this.copy = document;
  }

  /** As the registry: the same again changes nothing, another value is refused. */
  propose(change: Change): Proposal<boolean> {
    const value = this.values.get(change.name);
    if (value !== undefined && change.value !== undefined && value !== change.value) {
      throw new GatewayError('DUPLICATE_NAME', `${change.name} exists`);
    }
    if (value === change.value) return { text: undefined, result: false };
    return { text: JSON.stringify([...this.entries, JSON.stringify(change)]), result: true };
  }
}

const WAIT_MS = 2000;

interface Running extends SimulatedMember {
  readonly names: Names;
}

class Simulation extends SimulatedFleet<Running> {
  readonly #updates: Update[] = [];
  readonly #open = new Map<Change, number>();
  readonly #reads: Read[] = [];
  #names = new Names();
  #changes = 0;
  #acknowledged = 0;

  async run(): Promise<Outcome> {
    await this.runToEnd();
    return this.#conclude();
  }

  protected options(place: number): { replica: Names; document: SharedDocument | undefined } {
    // Some start on another disk.
    const document = this.random.isTrue(0.5) ? this.members[place]?.names.copy : undefined;
    this.#names = new Names();
    if (document) {
      this.#names.take(document.text);
      this.#names.copy = document;
    }
    return { replica: this.#names, document };
  }

  protected complete(member: SimulatedMember): Running {
    return { ...member, names: this.#names };
  }

  protected begin(firstMs: number): void {
    this.plan(firstMs, 250, () => this.#update());
    this.plan(firstMs, 60, () => this.#read());
  }

  #update(): void {
    const { id: place, process, member, names } = this.random.pick(this.members);
    if (!process.isRunning) return;
    const id = `change-${this.#changes++}`;
    const name = this.random.pick(['a', 'b', 'c', 'd']);
    const change: Change = this.random.isTrue(0.4) ? { id, name } : { id, name, value: this.random.pick(['1', '2']) };
    const beginMs = this.time.nowMs;
    this.#open.set(change, beginMs);
    const end = (outcome: Update['outcome']): void => {
      // What a stopped process answers arrives once it goes on.
      if (!process.isAlive) return;
      this.#open.delete(change);
      this.#updates.push({ change, beginMs, endMs: this.time.nowMs, outcome, member: place });
    };
    member
      .update(() => Promise.resolve(() => names.propose(change)))
      .then((isMade) => {
        end(isMade ? 'acknowledged' : 'unchanged');
        if (isMade && process.isAlive) this.#acknowledged = Math.max(this.#acknowledged, member.version);
      })
      .catch((error: unknown) => end(outcomeOf(error)));
  }

  #read(): void {
    const { id, process, member, names } = this.random.pick(this.members);
    if (!process.isRunning) return;
    const note = (beginMs: number, version: number): void => {
      if (process.isAlive && !member.isAlone)
        this.#reads.push({ beginMs, atMs: this.time.nowMs, member: id, entries: names.entries, version });
    };
    note(this.time.nowMs, 0);
    // Some clients know of a change, and wait for it.
    const version = this.#acknowledged;
    const beginMs = this.time.nowMs;
    if (this.random.isTrue(0.3)) {
      void member.reached(version, WAIT_MS).then((isReached) => isReached && note(beginMs, version));
    }
  }

  #conclude(): Outcome {
    for (const [change, beginMs] of this.#open) {
      this.#updates.push({ change, beginMs, endMs: Infinity, outcome: 'unknown', member: '' });
    }
    const logs = new Map(this.members.map(({ id, names }) => [id, names.entries]));
    const notBack = this.members.filter(({ member }) => member.isAlone).map(({ id }) => `${id} is alone in the end`);
    const problems = [...notBack, ...problemsOf({ updates: this.#updates, reads: this.#reads, logs })];
    const count = (outcome: Update['outcome']): number =>
      this.#updates.filter((update) => update.outcome === outcome).length;
    return {
      problems,
      acknowledged: count('acknowledged'),
      unknown: count('unknown'),
      reads: this.#reads.length,
      faults: this.faults,
    };
  }
}

function outcomeOf(error: unknown): Update['outcome'] {
  const code = error instanceof GatewayError ? error.code : undefined;
  if (code === 'DUPLICATE_NAME') return 'duplicate';
  if (code === 'UNAVAILABLE') return 'failed';
  if (code === 'OUTCOME_UNKNOWN') return 'unknown';
  throw error;
}

/** Runs a fleet through the faults of a seed. */
export function simulate(seed: number, mistake: Mistake = {}): Promise<Outcome> {
  return new Simulation(seed, mistake).run();
}
