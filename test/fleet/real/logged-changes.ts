import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'iovalkey';
import type { Change } from '../support/history.js';
import type { RealFleet } from './real-fleet.js';

/** A snapshot leaves a hundred entries: often enough to see them all. */
const LOOK_MS = 200;
const LOG = 'pmgate:{fleet}:log';

/** What an entry of the log has of definitions. */
interface Entry {
  readonly put?: readonly { readonly name: string; readonly expression: string }[];
  readonly removed?: readonly string[];
}

/** The changes of some names as the log of the engine has them, read past the gateways. */
export class LoggedChanges {
  readonly #fleet: RealFleet;
  readonly #prefix: string;
  readonly #entries = new Map<number, string>();
  #first: number | undefined;
  isOver = false;

  /** @param prefix of the names */
  constructor(fleet: RealFleet, prefix: string) {
    this.#fleet = fleet;
    this.#prefix = `${prefix}.`;
  }

  /** Looks now and then until it is over. */
  async run(): Promise<void> {
    for (let waitedMs = 0; !this.isOver; waitedMs += 100) {
      if (waitedMs % LOOK_MS === 0) await this.#look().catch(() => undefined);
      await pause(100);
    }
  }

  /** All changes in order, as JSON of {@link Change}. The fleet has recovered. */
  async read(): Promise<readonly string[]> {
    const last = await this.#look();
    // What a failover took back, others have appended again, or it is gone.
    for (const version of this.#entries.keys()) if (version > last) this.#entries.delete(version);
    const changes: Change[] = [];
    const values = new Map<string, string>();
    const entries = [...this.#entries].sort(([one], [other]) => one - other);
    const missed = entries.find(([version], i) => version !== (i === 0 ? this.#first : entries[i - 1]![0] + 1));
    if (missed) throw new Error(`the log was not read in time: nothing is known of what comes before ${missed[0]}`);
    for (const [, text] of entries) {
      const { put = [], removed = [] } = JSON.parse(text) as Entry;
      for (const name of removed.filter((one) => one.startsWith(this.#prefix))) {
        changes.push({ id: `remove ${values.get(name) ?? '?'}`, name });
      }
      for (const { name, expression } of put.filter((one) => one.name.startsWith(this.#prefix))) {
        values.set(name, expression);
        changes.push({ id: `put ${expression}`, name, value: expression });
      }
    }
    return changes.map((change) => JSON.stringify(change));
  }

  /** Reads the log; returns the version of its last entry. */
  async #look(): Promise<number> {
    const port = this.#fleet.portOf(this.#fleet.primary());
    const options = {
      port,
      lazyConnect: true,
      retryStrategy: () => null,
      commandTimeout: 1000,
      enableOfflineQueue: false,
    };
    const client = new Redis(options);
    client.on('error', () => undefined);
    try {
      await client.connect();
      const entries = await client.xrange(LOG, '-', '+');
      for (const [id, fields] of entries) this.#entries.set(versionOf(id), fields[3]!);
      const [first] = this.#entries.keys();
      this.#first ??= first;
      return versionOf(entries.at(-1)?.[0] ?? '0');
    } finally {
      client.disconnect();
    }
  }
}

function versionOf(id: string): number {
  return Number(id.split('-')[0]);
}
