import { GatewayError } from '../../../src/pmapi/index.js';
import type { Replica } from '../../../src/fleet/log-copy.js';
import type { Proposal } from '../../../src/fleet/member.js';
import { problemsOf } from './history.js';
import type { Change, Read, Update } from './history.js';
import { SimulatedFleet } from './simulated-fleet.js';
import type { Mistake, SimulatedMember } from './simulated-fleet.js';

/** What happened in one run. */
export interface Outcome {
  readonly problems: readonly string[];
  readonly acknowledged: number;
  readonly unknown: number;
  readonly reads: number;
  /** What was done to the fleet, with times. */
  readonly faults: readonly string[];
}

/** The state that the simulated fleet keeps: names with values, and the entries that led there. */
class Names implements Replica {
  entries: string[] = [];
  readonly values = new Map<string, string>();

  apply(text: string): void {
    this.entries.push(text);
    const { name, value } = JSON.parse(text) as Change;
    if (value === undefined) this.values.delete(name);
    else this.values.set(name, value);
  }

  state(): string {
    return JSON.stringify(this.entries);
  }

  reset(state: string | undefined): void {
    this.entries = [];
    this.values.clear();
    for (const text of state === undefined ? [] : (JSON.parse(state) as string[])) this.apply(text);
  }

  /** As the registry: the same again changes nothing, another value is refused. */
  propose(change: Change): Proposal<boolean> {
    const value = this.values.get(change.name);
    if (value !== undefined && change.value !== undefined && value !== change.value) {
      throw new GatewayError('DUPLICATE_NAME', `${change.name} exists`);
    }
    return value === change.value ? { text: undefined, result: false } : { text: JSON.stringify(change), result: true };
  }
}

interface Running extends SimulatedMember {
  readonly names: Names;
}

/** A fleet whose clients define and remove names. */
class Simulation extends SimulatedFleet<Running> {
  readonly #updates: Update[] = [];
  readonly #open = new Map<Change, number>();
  readonly #reads: Read[] = [];
  #names = new Names();
  #changes = 0;

  async run(): Promise<Outcome> {
    await this.runToEnd();
    return this.#conclude();
  }

  protected options(): { replica: Names } {
    this.#names = new Names();
    return { replica: this.#names };
  }

  protected complete(member: SimulatedMember): Running {
    return { ...member, names: this.#names };
  }

  protected begin(firstMs: number): void {
    this.plan(firstMs, 250, () => this.#update());
    this.plan(firstMs, 60, () => this.#read());
  }

  #update(): void {
    const { process, member, names } = this.random.pick(this.members);
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
      this.#updates.push({ change, beginMs, endMs: this.time.nowMs, outcome });
    };
    member
      .update(() => Promise.resolve(() => names.propose(change)))
      .then((isMade) => end(isMade ? 'acknowledged' : 'unchanged'))
      .catch((error: unknown) => end(outcomeOf(error)));
  }

  #read(): void {
    const { id, process, member } = this.random.pick(this.members);
    if (!process.isRunning || member.isAlone) return;
    this.#reads.push({ atMs: this.time.nowMs, member: id, head: { ...member.head } });
  }

  #conclude(): Outcome {
    for (const [change, beginMs] of this.#open) {
      this.#updates.push({ change, beginMs, endMs: Infinity, outcome: 'unknown' });
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
