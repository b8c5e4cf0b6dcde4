import { readFileSync } from 'node:fs';
import path from 'node:path';
import { removeLeftovers, replaceFile } from '../../kit/node/index.js';
import { getOrMake, rarely, systemTimers, type Timers } from '../../kit/index.js';
import { formatIndom, type Clock } from '../../pmapi/index.js';
import type { CatalogIndom } from './catalog/catalog.js';
import type { InstanceTable } from './sample.js';

/** A message for the log: no error in a cluster stops a fetch. */
export type CollectorLog = (message: string, cause?: unknown) => void;

const HEADER = '2 0 2147483647';
const ENTRY = /^(\d{1,10}) (\d{1,15}) (.+)$/s;
/** Where containers come and go, names change all the time, and each change writes a whole file. */
const WRITE_INTERVAL_MS = 10_000;

interface InstanceCachesOptions {
  /** Directory of the collector's own files; undefined: numbers live as long as the process. */
  readonly stateDir?: string | undefined;
  /** Directory of the files of PCP's agents, read once for names without a number. */
  readonly pcpStateDir?: string | undefined;
  readonly clock: Clock;
  readonly log: CollectorLog;
  readonly timers?: Timers;
  readonly save?: (file: string, text: string) => Promise<void>;
}

async function saveAlone(file: string, text: string): Promise<void> {
  await removeLeftovers(file);
  await replaceFile(file, text);
}

/**
 * The instance caches of all instance domains, and their files: one file per indom, named after it, in PCP's format (`2 0
 * 2147483647`, then `number time name` per line). Numbers of PCP's agents on this machine are adopted, so that a device has the
 * same number in both.
 *
 * New names are saved at once, but at most every ten seconds, and at the end: a killed process loses those of the last ten
 * seconds. Damaged files are only logged; what can be read is used, and the next write replaces the file without a backup, since
 * it contains nothing but numbers.
 */
export class InstanceCaches {
  readonly #options: InstanceCachesOptions;
  readonly #caches = new Map<number, InstanceCache>();
  readonly #unsaved = new Set<InstanceCache>();
  readonly #saveSoon: () => void;
  #writing: Promise<void> | undefined;
  #hasComplained = false;

  constructor(options: InstanceCachesOptions) {
    this.#options = options;
    this.#saveSoon = rarely(() => void this.#write(), WRITE_INTERVAL_MS, options.timers ?? systemTimers);
  }

  /** The cache of an instance domain; its files are read at first use. */
  of(indom: CatalogIndom): InstanceCache {
    return getOrMake(this.#caches, indom.indom, () => {
      const cache = new InstanceCache(indom.indom, {
        nowSec: () => this.#options.clock.now().sec,
        changed: (changed) => this.#changed(changed),
      });
      this.#load(cache, this.#options.stateDir);
      if (indom.numbers === 'cached-saved') this.#load(cache, this.#options.pcpStateDir);
      return cache;
    });
  }

  /** Saves unsaved numbers now, and waits for the disk. */
  async flush(): Promise<void> {
    await this.#writing;
    if (this.#unsaved.size > 0) await this.#write();
  }

  #load(cache: InstanceCache, dir: string | undefined): void {
    if (dir === undefined) return;
    const file = path.join(dir, formatIndom(cache.indom));
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') this.#options.log(`cannot read ${file}`, cause);
      return;
    }
    const [header, ...lines] = text.split('\n');
    if (!/^\d+ -?\d+ -?\d+$/.test(header ?? '')) {
      this.#options.log(`${file} is not an instance cache: expected a first line like "${HEADER}"; ignored`);
      return;
    }
    const complain = (i: number): void => this.#options.log(`${file} line ${i + 2}: not "number time name": ignored`);
    const found: { readonly i: number; readonly instance: CachedInstance }[] = [];
    for (const [i, line] of lines.entries()) {
      const [, id, seenSec, name] = ENTRY.exec(line) ?? [];
      if (name !== undefined) found.push({ i, instance: { id: Number(id), name, seenSec: Number(seenSec) } });
      else if (line !== '') complain(i);
    }
    found.sort((a, b) => a.instance.seenSec - b.instance.seenSec);
    const isForeign = dir === this.#options.pcpStateDir;
    for (const { i, instance } of found) if (!cache.adopt(instance) && !isForeign) complain(i);
  }

  #changed(cache: InstanceCache): void {
    if (this.#options.stateDir === undefined) return;
    this.#unsaved.add(cache);
    if (!this.#writing) this.#saveSoon();
  }

  #write(): Promise<void> {
    return (this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
      if (this.#unsaved.size > 0) this.#saveSoon();
    }));
  }

  async #writeAll(): Promise<void> {
    await Promise.resolve(); // one file for all the names that the same pass sees first
    const { stateDir, save = saveAlone } = this.#options;
    if (stateDir === undefined) return;
    for (const cache of [...this.#unsaved]) {
      this.#unsaved.delete(cache);
      try {
        await save(path.join(stateDir, formatIndom(cache.indom)), textOf(cache));
        this.#hasComplained = false;
      } catch (cause) {
        this.#unsaved.add(cache);
        if (!this.#hasComplained) {
          this.#options.log(`cannot save instance numbers in ${stateDir}: they will not survive a restart`, cause);
        }
        this.#hasComplained = true;
      }
    }
  }
}

/** A name with a line break cannot be saved. */
function textOf(cache: InstanceCache): string {
  const lines = cache.entries().filter(({ name }) => !name.includes('\n'));
  return [HEADER, ...lines.map(({ id, seenSec, name }) => `${id} ${seenSec} ${name}`), ''].join('\n');
}

const INSTANCE_MAX = 0x7fffffff;
/** Absent names that are kept: a name that comes back before so many others keeps its number. */
const UNSEEN_KEPT = 10_000;

/** A name with its number, and when it was last present, in seconds since the epoch. */
interface CachedInstance {
  readonly id: number;
  readonly name: string;
  readonly seenSec: number;
}

type Binding = Omit<CachedInstance, 'seenSec'> & { seenSec: number };

interface InstanceCacheOptions {
  readonly nowSec: () => number;
  /** Called when a name got a number that should be saved. */
  readonly changed: (cache: InstanceCache) => void;
  readonly unseenKept?: number;
}

/**
 * The instance numbers of one instance domain: a new name gets the lowest number above all used ones, and keeps it when it
 * disappears and comes back. If names come and go forever (interfaces of containers, volumes), those absent longest are dropped;
 * numbers are reused only when there are no higher ones left.
 *
 * Differs from PCP: pmdaCachePurge(3) drops names by age, and the Linux agent never calls it.
 */
export class InstanceCache {
  readonly indom: number;
  readonly #options: InstanceCacheOptions;
  readonly #byName = new Map<string, Binding>();
  readonly #byNumber = new Map<number, Binding>();
  /** Absent names, those absent longest first. */
  readonly #unseen = new Set<Binding>();
  #present = new Set<Binding>();
  #next = 0;

  constructor(indom: number, options: InstanceCacheOptions) {
    this.indom = indom;
    this.#options = options;
  }

  /** Assigned now if it has none. */
  numberOf(name: string): number {
    const known = this.#byName.get(name);
    if (known !== undefined) {
      if (this.#unseen.delete(known)) this.#present.add(known);
      return known.id;
    }
    while (this.#byNumber.has(this.#next)) this.#next = after(this.#next);
    const binding = this.#bind(this.#next, name, this.#options.nowSec());
    this.#present.add(binding);
    this.#options.changed(this);
    return binding.id;
  }

  nameOf(number: number): string | undefined {
    return this.#byNumber.get(number)?.name;
  }

  /** To be called whenever the present instances have changed: without calls, a domain is assumed to lose no members. */
  present(table: InstanceTable): void {
    const present = new Set<Binding>();
    for (let row = 0; row < table.count; row++) {
      const binding = this.#byNumber.get(table.ids[row]!);
      if (binding) present.add(binding);
    }
    for (const binding of this.#present) {
      if (present.has(binding)) continue;
      binding.seenSec = this.#options.nowSec();
      this.#unseen.add(binding);
    }
    for (const binding of present) this.#unseen.delete(binding);
    this.#present = present;
    this.#forget();
  }

  /** Adopts a binding from a file. False, without effect, if the name has another number already or the number another name. */
  adopt({ id, name, seenSec }: CachedInstance): boolean {
    if (id < 0 || id > INSTANCE_MAX || !Number.isInteger(id)) return false;
    if (this.#byName.has(name) || this.#byNumber.has(id)) return this.#byName.get(name)?.id === id;
    this.#unseen.add(this.#bind(id, name, seenSec));
    return true;
  }

  entries(): readonly CachedInstance[] {
    const nowSec = this.#options.nowSec();
    return [...this.#byNumber.values()]
      .map((binding) => ({ ...binding, seenSec: this.#present.has(binding) ? nowSec : binding.seenSec }))
      .sort((a, b) => a.id - b.id);
  }

  #bind(id: number, name: string, seenSec: number): Binding {
    const binding = { id, name, seenSec };
    this.#byName.set(name, binding);
    this.#byNumber.set(id, binding);
    if (id >= this.#next) this.#next = after(id);
    return binding;
  }

  #forget(): void {
    let excess = this.#unseen.size - Math.max(this.#options.unseenKept ?? UNSEEN_KEPT, this.#present.size);
    for (const binding of this.#unseen) {
      if (excess-- <= 0) return;
      this.#unseen.delete(binding);
      this.#byName.delete(binding.name);
      this.#byNumber.delete(binding.id);
    }
  }
}

function after(number: number): number {
  return number === INSTANCE_MAX ? 0 : number + 1;
}
