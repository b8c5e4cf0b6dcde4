import { readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { formatIndom } from '../../pmapi/index.js';
import type { Clock } from '../../pmapi/index.js';
import type { CatalogIndom } from './catalog/indom.js';
import type { CollectorLog } from './cluster.js';
import { InstanceCache } from './instance-cache.js';

const HEADER = '2 0 2147483647';
const ENTRY = /^(\d{1,10}) \d+ (.+)$/;

/** Where instance numbers are kept. */
export interface InstanceCachesOptions {
  /** Folder for the collector's own files; undefined: numbers live as long as the process. */
  readonly stateDir?: string | undefined;
  /** Folder where PCP's agents keep theirs, read once for names that have no number yet. */
  readonly pcpStateDir?: string | undefined;
  readonly clock: Clock;
  readonly log: CollectorLog;
}

/**
 * The instance caches of all instance domains, and the files that they outlive the process in: one file an indom, named
 * by it, in the form of PCP's own (`2 0 2147483647`, then `number time name` a line). Numbers that PCP's agents on this
 * machine use are taken over, so that both give one device one number. Damaged files cost a complaint, never a failure.
 */
export class InstanceCaches {
  readonly #options: InstanceCachesOptions;
  readonly #caches = new Map<number, InstanceCache>();
  readonly #dirty = new Set<InstanceCache>();
  #writing: Promise<void> | undefined;

  constructor(options: InstanceCachesOptions) {
    this.#options = options;
  }

  /** The cache of an instance domain; its files are read the first time. */
  of(indom: CatalogIndom): InstanceCache {
    let cache = this.#caches.get(indom.indom);
    if (!cache) {
      cache = new InstanceCache(indom.indom, (changed) => this.#changed(changed));
      this.#caches.set(indom.indom, cache);
      this.#load(cache, this.#options.stateDir);
      if (indom.numbers === 'cached-saved') this.#load(cache, this.#options.pcpStateDir);
    }
    return cache;
  }

  /** Wait until every number that was given out is on disk. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing;
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
      this.#options.log(`${file} is no instance cache: its first line should be like "${HEADER}"; left unused`);
      return;
    }
    for (const [i, line] of lines.entries()) {
      const [, number, name] = ENTRY.exec(line) ?? [];
      if (number !== undefined && name !== undefined && cache.adopt(Number(number), name)) continue;
      const isForeignBinding = name !== undefined && dir === this.#options.pcpStateDir;
      if (line !== '' && !isForeignBinding) this.#options.log(`${file} line ${i + 2}: not "number time name": ignored`);
    }
  }

  #changed(cache: InstanceCache): void {
    if (this.#options.stateDir === undefined) return;
    this.#dirty.add(cache);
    this.#writing ??= this.#write(this.#options.stateDir);
  }

  async #write(dir: string): Promise<void> {
    await Promise.resolve(); // one file for all the names that the same pass sees first
    try {
      await mkdir(dir, { recursive: true });
      for (const cache of this.#dirty) {
        this.#dirty.delete(cache);
        const file = path.join(dir, formatIndom(cache.indom));
        const seconds = this.#options.clock.now().sec;
        const lines = cache.entries().map(({ id, name }) => `${id} ${seconds} ${name}`);
        await writeFile(`${file}.new`, [HEADER, ...lines, ''].join('\n'));
        await rename(`${file}.new`, file);
      }
    } catch (cause) {
      this.#dirty.clear();
      this.#options.log(`cannot keep instance numbers in ${dir}: they will not survive a restart`, cause);
    } finally {
      this.#writing = undefined;
    }
  }
}
