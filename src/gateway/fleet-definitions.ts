import { createHash } from 'node:crypto';
import type { DefinitionChange, DefinitionStore, StoredDefinition } from '../derived/index.js';
import type { Proposal, Replica } from '../fleet/index.js';
import { formatPmid, parsePmid } from '../pmapi/index.js';

/** PMIDs of definitions from files, by name, as formatPmid() prints them. */
type FilePmids = Readonly<Record<string, string>>;

/** One entry of the log, as JSON. */
interface LoggedChange extends Partial<DefinitionChange> {
  readonly v: 1;
  readonly files?: FilePmids;
}

/** What {@link FleetDefinitions} needs of its gateway. */
export interface FleetDefinitionsOptions {
  readonly store: DefinitionStore;
  /** Called after every change. */
  readonly onChange: () => void;
  readonly warn: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/**
 * The global definitions of a fleet: what its log says, put into the store. Definitions of the API are the same at all members, and so
 * are the PMIDs of those from files.
 */
export class FleetDefinitions implements Replica {
  readonly #options: FleetDefinitionsOptions;
  readonly #store: DefinitionStore;
  readonly #definitions = new Map<string, StoredDefinition>();
  readonly #files = new Map<string, string>();
  /** Whether the store still has the definitions of the state file. */
  #isOfStateFile = true;
  #digest = { version: -1, text: '' };

  constructor(options: FleetDefinitionsOptions) {
    this.#options = options;
    this.#store = options.store;
  }

  /** Tries a change of the store and undoes it: what has to be logged, and what the change returned. */
  propose<T>(change: () => T): Proposal<T> {
    const before = this.#store.snapshot();
    const { version } = this.#store;
    try {
      const result = change();
      if (this.#store.version === version) return { text: undefined, result };
      const { put, removed } = this.#store.changeSince(before);
      const isEmpty = put.length === 0 && removed.length === 0;
      return { text: isEmpty ? undefined : format({ v: 1, put, removed }), result };
    } finally {
      if (this.#store.version !== version) this.#store.rollBack(before);
    }
  }

  /** What this member adds to the log: PMIDs of its files' definitions; and if the log is empty, what its state file has. */
  proposeOwn(): Proposal<void> {
    const files: Record<string, string> = {};
    for (const [name, pmid] of this.#store.filePmids()) if (!this.#files.has(name)) files[name] = formatPmid(pmid);
    const put = this.#isOfStateFile ? this.#store.toState().definitions : [];
    const isEmpty = put.length === 0 && Object.keys(files).length === 0;
    return { text: isEmpty ? undefined : format({ v: 1, put, files }), result: undefined };
  }

  apply(text: string): void {
    if (this.#isOfStateFile) this.#clear();
    this.#take(text);
    this.#options.onChange();
  }

  state(): string {
    const put = [...this.#definitions.values()];
    return format({ v: 1, put, files: Object.fromEntries(this.#files) });
  }

  reset(state: string | undefined): void {
    this.#clear();
    if (state !== undefined) this.#take(state);
    this.#options.onChange();
  }

  /** A hash of the definitions from files: they should be the same at all members. */
  digest(): string {
    const { version } = this.#store;
    if (this.#digest.version !== version) {
      const hash = createHash('sha256');
      const definitions = this.#store.list().filter(({ origin }) => origin !== 'api');
      for (const line of definitions.map(({ name, canonical }) => `${name} = ${canonical}\n`).sort()) hash.update(line);
      this.#digest = { version, text: hash.digest('base64url').slice(0, 16) };
    }
    return this.#digest.text;
  }

  #clear(): void {
    this.#isOfStateFile = false;
    this.#definitions.clear();
    this.#files.clear();
    this.#store.rollBack({ api: [], withheld: [] });
  }

  #take(text: string): void {
    const change = parse(text);
    if (change === undefined) {
      this.#options.warn('skipped an entry of the log that this release cannot read', {});
      return;
    }
    const { put = [], removed = [], files = {} } = change;
    for (const name of removed) this.#definitions.delete(name);
    for (const stored of put) this.#definitions.set(stored.name, stored);
    for (const [name, text] of Object.entries(files)) this.#agree(name, text);
    for (const { name, error } of this.#store.apply({ put, removed })) {
      this.#options.warn('a derived metric of the fleet is not in force here', {
        metric: name,
        problem: error.message,
      });
    }
  }

  /** The PMID that was logged first holds. */
  #agree(name: string, text: string): void {
    const pmid = parsePmid(text);
    if (pmid === undefined || this.#files.has(name)) return;
    this.#files.set(name, text);
    this.#store.agreeOnPmid(name, pmid);
  }
}

function format(change: LoggedChange): string {
  return JSON.stringify(change);
}

/** An entry, or undefined if the text is invalid or of another version. */
function parse(text: string): LoggedChange | undefined {
  try {
    const value = JSON.parse(text) as Partial<LoggedChange> | null;
    if (value?.v !== 1) return undefined;
    const { put = [], removed = [], files = {} } = value;
    const isWhole =
      Array.isArray(put) &&
      put.every(
        (stored: Partial<StoredDefinition> | null) => typeof stored?.name === 'string' && isExpression(stored),
      ) &&
      Array.isArray(removed) &&
      removed.every((name: unknown) => typeof name === 'string') &&
      Object.values(files).every((pmid: unknown) => typeof pmid === 'string');
    return isWhole ? { v: 1, put, removed, files } : undefined;
  } catch {
    return undefined;
  }
}

function isExpression({ expression, pmid, oneline, helptext, display, by }: Partial<StoredDefinition>): boolean {
  const texts: readonly unknown[] = [pmid, oneline, helptext, display, by];
  return typeof expression === 'string' && texts.every((one) => one === undefined || typeof one === 'string');
}
