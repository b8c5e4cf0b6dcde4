import { GatewayError } from '../../../src/pmapi/index.js';
import type { Engine } from '../../../src/fleet/engine.js';
import type { Replica } from '../../../src/fleet/log-copy.js';
import { Member } from '../../../src/fleet/member.js';
import type { FleetSettings, Proposal } from '../../../src/fleet/member.js';
import { problemsOf } from './history.js';
import type { Change, Read, Update } from './history.js';
import { SimulatedEngine } from './simulated-engine.js';
import { Random, SimulatedProcess, VirtualTime } from './virtual-time.js';

const SETTINGS: FleetSettings = {
  leaseMs: 3000,
  marginMs: 400,
  renewMs: 700,
  settleMs: 3000,
  changeMs: 6000,
  snapshotEntries: 8,
  snapshotCharacters: 1_000_000,
};
const MEMBERS = 3;
/** Faults happen up to here; then everything has time to recover. */
const FAULTS_END_MS = 10_000;
const END_MS = 18_000;

/** A deliberate mistake. */
export interface Mistake {
  /** Replaces the connection of a process to the engine. */
  readonly engine?: (engine: Engine) => Engine;
  readonly settings?: Partial<FleetSettings>;
  /** Whether the engine answers before a replica has what was written. */
  readonly isHasty?: boolean;
  /** The faults that bring it to light; all of them otherwise. */
  readonly faults?: readonly Fault[];
  /** The first seed to look at: what shows seldom is looked for where it showed. */
  readonly from?: number;
}

type Fault = 'kill' | 'stop' | 'cut' | 'fail over' | 'slow replicas' | 'restart all' | 'lose everything';
const FAULTS: readonly Fault[] = ['kill', 'stop', 'cut', 'fail over', 'slow replicas', 'restart all'];

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

/** One process of the simulated fleet. */
interface Running {
  readonly id: string;
  readonly process: SimulatedProcess;
  readonly member: Member;
  readonly names: Names;
}

/** A fleet with its engine, its clients and its faults, all of it determined by a seed. */
class Simulation {
  readonly #time = new VirtualTime();
  readonly #random: Random;
  readonly #engine: SimulatedEngine;
  readonly #mistake: Mistake;
  readonly #members: Running[] = [];
  readonly #updates: Update[] = [];
  readonly #open = new Map<Change, number>();
  readonly #reads: Read[] = [];
  readonly #faults: string[] = [];
  #started = 0;
  #changes = 0;

  constructor(seed: number, mistake: Mistake) {
    this.#random = new Random(seed);
    this.#mistake = mistake;
    this.#engine = new SimulatedEngine(this.#time, this.#random, mistake.isHasty);
  }

  async run(): Promise<Outcome> {
    for (let i = 0; i < MEMBERS; i++) this.#start(i);
    const first = this.#random.between(4000, 5000);
    this.#planFaults(first);
    this.#plan(first, 250, () => this.#update());
    this.#plan(first, 60, () => this.#read());
    await this.#time.runUntil(FAULTS_END_MS);
    this.#engine.lossRate = 0;
    this.#engine.lagMs = 1;
    await this.#time.runUntil(END_MS);
    return this.#conclude();
  }

  #start(place: number): void {
    this.#members[place]?.process.kill();
    const process = new SimulatedProcess(this.#time, 1 + this.#random.between(-0.03, 0.03));
    const id = `member-${place}.${this.#started++}`;
    const engine = this.#engine.connect(process);
    const names = new Names();
    const member = new Member({
      id,
      engine: this.#mistake.engine?.(engine) ?? engine,
      replica: names,
      timers: process,
      settings: { ...SETTINGS, ...this.#mistake.settings },
      digest: () => '',
      warn: () => undefined,
    });
    this.#members[place] = { id, process, member, names };
    member.start();
  }

  /** Does something again and again at random times, until shortly before the end. */
  #plan(firstMs: number, meanMs: number, act: () => void): void {
    const again = (): void => {
      if (this.#time.nowMs > END_MS - 6500) return;
      act();
      this.#time.after(this.#random.between(0, 2 * meanMs), again);
    };
    this.#time.at(firstMs, again);
  }

  #planFaults(firstMs: number): void {
    const kinds = this.#mistake.faults ?? (this.#random.isTrue(0.1) ? (['lose everything'] as const) : FAULTS);
    const inject = (): void => {
      if (this.#time.nowMs > FAULTS_END_MS - 2000) return;
      const kind = this.#random.pick(kinds);
      this.#faults.push(`${this.#time.nowMs.toFixed(0)} ms: ${kind}`);
      this.#inject(kind);
      // Of an engine that lost everything the members have to write the log first.
      this.#time.after(kind === 'lose everything' ? FAULTS_END_MS : this.#random.between(500, 5000), inject);
    };
    this.#time.at(firstMs + this.#random.between(0, 2000), inject);
  }

  #inject(kind: Fault): void {
    const place = Math.floor(this.#random.next() * MEMBERS);
    const { process } = this.#members[place]!;
    const forMs = this.#random.between(100, 6000);
    switch (kind) {
      case 'kill':
        process.kill();
        this.#time.after(forMs / 2, () => this.#start(place));
        break;
      case 'stop':
        process.stop();
        this.#time.after(forMs, () => process.resume());
        break;
      case 'cut':
        this.#engine.setCut(process, true);
        this.#time.after(forMs, () => this.#engine.setCut(process, false));
        break;
      case 'fail over':
        this.#engine.failOver(this.#random.between(50, 4000));
        break;
      case 'slow replicas':
        this.#engine.lagMs = this.#random.between(20, 400);
        this.#time.after(forMs / 2, () => void (this.#engine.lagMs = 1));
        break;
      case 'restart all':
        // The primary and all members die at once, while replicas are behind.
        this.#engine.lagMs = this.#random.between(20, 400);
        this.#time.after(forMs / 5, () => this.#restartAll());
        break;
      case 'lose everything':
        this.#engine.loseEverything(this.#random.between(5, 1000));
        break;
    }
  }

  #restartAll(): void {
    this.#engine.failOver(this.#random.between(50, 2000));
    this.#engine.lagMs = 1;
    this.#members.forEach(({ process }, place) => {
      process.kill();
      this.#time.after(this.#random.between(50, 2000), () => this.#start(place));
    });
  }

  #update(): void {
    const { process, member, names } = this.#random.pick(this.#members);
    if (!process.isRunning) return;
    const id = `change-${this.#changes++}`;
    const name = this.#random.pick(['a', 'b', 'c', 'd']);
    const change: Change = this.#random.isTrue(0.4) ? { id, name } : { id, name, value: this.#random.pick(['1', '2']) };
    const beginMs = this.#time.nowMs;
    this.#open.set(change, beginMs);
    const end = (outcome: Update['outcome']): void => {
      // What a stopped process answers arrives once it goes on.
      if (!process.isAlive) return;
      this.#open.delete(change);
      this.#updates.push({ change, beginMs, endMs: this.#time.nowMs, outcome });
    };
    member
      .update(() => Promise.resolve(() => names.propose(change)))
      .then((isMade) => end(isMade ? 'acknowledged' : 'unchanged'))
      .catch((error: unknown) => end(outcomeOf(error)));
  }

  #read(): void {
    const { id, process, member } = this.#random.pick(this.#members);
    if (!process.isRunning || member.isAlone) return;
    this.#reads.push({ atMs: this.#time.nowMs, member: id, head: { ...member.head } });
  }

  #conclude(): Outcome {
    for (const [change, beginMs] of this.#open) {
      this.#updates.push({ change, beginMs, endMs: Infinity, outcome: 'unknown' });
    }
    const logs = new Map(this.#members.map(({ id, names }) => [id, names.entries]));
    const notBack = this.#members.filter(({ member }) => member.isAlone).map(({ id }) => `${id} is alone in the end`);
    const problems = [...notBack, ...problemsOf({ updates: this.#updates, reads: this.#reads, logs })];
    const count = (outcome: Update['outcome']): number =>
      this.#updates.filter((update) => update.outcome === outcome).length;
    return {
      problems,
      acknowledged: count('acknowledged'),
      unknown: count('unknown'),
      reads: this.#reads.length,
      faults: this.#faults,
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
