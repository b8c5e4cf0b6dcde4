import { type FleetSettings, Member, type MemberOptions } from '../../../src/fleet/member.js';
import type { Engine } from '../../../src/fleet/engine.js';
import { SimulatedEngine } from './simulated-engine.js';
import { Random } from '../../support/random.js';
import { SimulatedProcess, VirtualTime } from './virtual-time.js';

const SETTINGS: FleetSettings = { leaseMs: 3000, marginMs: 400, renewMs: 700, settleMs: 3000, changeMs: 3000 };
const MEMBERS = 3;
/** Faults happen up to here; then everything has time to recover. */
const FAULTS_END_MS = 10_000;
export const END_MS = 18_000;

/** A deliberate mistake. */
export interface Mistake {
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

/** One process of a simulated fleet. */
export interface SimulatedMember {
  readonly id: string;
  readonly process: SimulatedProcess;
  readonly engine: Engine;
  readonly member: Member;
}

/** A fleet with its engine and its faults, all of it determined by a seed; what its clients do is added to it. */
export abstract class SimulatedFleet<T extends SimulatedMember> {
  protected readonly time = new VirtualTime();
  protected readonly random: Random;
  protected readonly members: T[] = [];
  protected readonly faults: string[] = [];
  readonly #engine: SimulatedEngine;
  readonly #mistake: Mistake;
  #started = 0;

  constructor(seed: number, mistake: Mistake) {
    this.random = new Random(seed);
    this.#mistake = mistake;
    this.#engine = new SimulatedEngine(this.time, this.random, mistake.isHasty);
  }

  protected abstract complete(member: SimulatedMember, place: number): T;

  protected abstract options(place: number): Pick<MemberOptions, 'replica' | 'link' | 'document'>;

  protected abstract begin(firstMs: number): void;

  protected async runToEnd(): Promise<void> {
    for (let i = 0; i < MEMBERS; i++) this.#start(i);
    const first = this.random.between(4000, 5000);
    this.#planFaults(first);
    this.begin(first);
    await this.time.runUntil(FAULTS_END_MS);
    this.#engine.lossRate = 0;
    this.#engine.lagMs = 1;
    await this.time.runUntil(END_MS);
  }

  #start(place: number): void {
    this.members[place]?.process.kill();
    const process = new SimulatedProcess(this.time, 1 + this.random.between(-0.03, 0.03));
    const id = `member-${place}.${this.#started++}`;
    const connection = this.#engine.connect(process);
    const engine = this.#mistake.engine?.(connection) ?? connection;
    const member = new Member({
      id,
      engine,
      timers: process,
      settings: { ...SETTINGS, ...this.#mistake.settings },
      digest: () => '',
      warn: () => undefined,
      ...this.options(place),
    });
    this.members[place] = this.complete({ id, process, engine, member }, place);
    member.start();
  }

  /** Does something again and again at random times, until shortly before the end. */
  protected plan(firstMs: number, meanMs: number, act: () => void): void {
    const again = (): void => {
      if (this.time.nowMs > END_MS - 6500) return;
      act();
      this.time.after(this.random.between(0, 2 * meanMs), again);
    };
    this.time.at(firstMs, again);
  }

  #planFaults(firstMs: number): void {
    const kinds = this.#mistake.faults ?? (this.random.isTrue(0.1) ? (['lose everything'] as const) : FAULTS);
    const inject = (): void => {
      if (this.time.nowMs > FAULTS_END_MS - 2000) return;
      const kind = this.random.pick(kinds);
      this.faults.push(`${this.time.nowMs.toFixed(0)} ms: ${kind}`);
      this.#inject(kind);
      // Of an engine that lost everything the members have to write the log first.
      this.time.after(kind === 'lose everything' ? FAULTS_END_MS : this.random.between(500, 5000), inject);
    };
    this.time.at(firstMs + this.random.between(0, 2000), inject);
  }

  #inject(kind: Fault): void {
    const place = Math.floor(this.random.next() * MEMBERS);
    const { process } = this.members[place]!;
    const forMs = this.random.between(100, 6000);
    switch (kind) {
      case 'kill':
        process.kill();
        this.time.after(forMs / 2, () => this.#start(place));
        break;
      case 'stop':
        process.stop();
        this.time.after(forMs, () => process.resume());
        break;
      case 'cut':
        this.#engine.setCut(process, true);
        this.time.after(forMs, () => this.#engine.setCut(process, false));
        break;
      case 'fail over':
        this.#engine.failOver(this.random.between(50, 4000));
        break;
      case 'slow replicas':
        this.#engine.lagMs = this.random.between(20, 400);
        this.time.after(forMs / 2, () => void (this.#engine.lagMs = 1));
        break;
      case 'restart all':
        // The primary and all members die at once, while replicas are behind.
        this.#engine.lagMs = this.random.between(20, 400);
        this.time.after(forMs / 5, () => this.#restartAll());
        break;
      case 'lose everything':
        this.#engine.loseEverything(this.random.between(5, 1000));
        break;
    }
  }

  #restartAll(): void {
    this.#engine.failOver(this.random.between(50, 2000));
    this.#engine.lagMs = 1;
    this.members.forEach(({ process }, place) => {
      process.kill();
      this.time.after(this.random.between(50, 2000), () => this.#start(place));
    });
  }
}
