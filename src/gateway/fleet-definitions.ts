import { createHash } from 'node:crypto';
import type { DefinitionStore, StoredDefinition } from '../derived/index.js';
import { documentIn, leadsTo, type Proposal, type Replica, type SharedDocument } from '../fleet/index.js';
import { attempt } from '../kit/index.js';
import { formatPmid, parsePmid } from '../pmapi/index.js';
import type { FleetCopy } from './derived-registry.js';

/** PMIDs of definitions from files, by name, as formatPmid() prints them. */
type FilePmids = Readonly<Record<string, string>>;

/** What the members share, as JSON. */
interface SharedDefinitions {
  readonly v: 1;
  readonly definitions: readonly StoredDefinition[];
  readonly files: FilePmids;
}

export interface FleetDefinitionsOptions {
  readonly store: DefinitionStore;
  /** Keeps a copy of what is in force, which may be another one than what led to it. Never rejects. */
  readonly save: (copy: FleetCopy, isOther: boolean) => Promise<void>;
  readonly warn: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/**
 * The global definitions of a fleet: what its document says, put into the store. Definitions of the API are the same at all members, and so are the
 * PMIDs of those from files.
 */
export class FleetDefinitions implements Replica {
  readonly #options: FleetDefinitionsOptions;
  readonly #store: DefinitionStore;
  #definitions = new Map<string, StoredDefinition>();
  readonly #files = new Map<string, string>();
  /** Whether the store still has what this gateway had before it joined a fleet. */
  #isOwn = true;
  /** The version of the last copy; undefined: the state file has definitions of this gateway. */
  #kept: SharedDocument | undefined;
  #digest = { version: -1, text: '' };

  constructor(options: FleetDefinitionsOptions) {
    this.#options = options;
    this.#store = options.store;
  }

  /** Takes the copy that an earlier process kept; returns the version that it is. */
  restore(copy: FleetCopy): SharedDocument | undefined {
    const { definitions, fleet } = copy;
    const { version, nodes, files } = fleet as { version: number; nodes: SharedDocument['nodes']; files: FilePmids };
    return attempt(() => {
      const text = format(definitions, files);
      this.take(text);
      return (this.#kept = documentIn({ version, nodes, text }));
    });
  }

  /** Tries a change of the store and undoes it: the next version, and what the change returned. */
  propose<T>(change: () => T): Proposal<T> {
    const before = this.#store.snapshot();
    const { version } = this.#store;
    try {
      const result = change();
      if (this.#store.version === version) return { text: undefined, result };
      const { put, removed } = this.#store.changeSince(before);
      if (put.length === 0 && removed.length === 0) return { text: undefined, result };
      const definitions = new Map(this.#definitions);
      for (const name of removed) definitions.delete(name);
      for (const stored of put) definitions.set(stored.name, stored);
      return { text: format([...definitions.values()], Object.fromEntries(this.#files)), result };
    } finally {
      if (this.#store.version !== version) this.#store.rollBack(before);
    }
  }

  /** What this member adds: PMIDs of its files' definitions; and if there is no version yet, what its state file has. */
  proposeOwn(): Proposal<void> {
    const own = this.#isOwn ? this.#store.toState().definitions : [];
    const files: Record<string, string> = Object.fromEntries(this.#files);
    for (const [name, pmid] of this.#store.filePmids()) files[name] ??= formatPmid(pmid);
    const isNothing = own.length === 0 && Object.keys(files).length === this.#files.size;
    const text = isNothing ? undefined : format([...this.#definitions.values(), ...own], files);
    return { text, result: undefined };
  }

  take(text: string): void {
    const { definitions, files } = parse(text);
    if (this.#isOwn) this.#store.rollBack({ api: [], withheld: [] });
    this.#isOwn = false;
    const before = this.#definitions;
    this.#definitions = new Map(definitions.map((stored) => [stored.name, stored]));
    // Versions may have been missed in which a name was removed and defined otherwise.
    const isOther = ({ name, expression, pmid }: StoredDefinition): boolean => {
      const now = this.#definitions.get(name);
      return now?.expression !== expression || now.pmid !== pmid;
    };
    const removed = [...before.values()].filter(isOther).map(({ name }) => name);
    const put = definitions.filter((stored) => JSON.stringify(stored) !== JSON.stringify(before.get(stored.name)));
    for (const [name, pmid] of Object.entries(files)) this.#agree(name, pmid);
    for (const { name, error } of this.#store.apply({ put, removed })) {
      const fields = { metric: name, problem: error.message };
      this.#options.warn('a derived metric of the fleet is not in force here', fields);
    }
    this.#store.arrange([...this.#definitions.keys()]);
  }

  async keep(document: SharedDocument): Promise<void> {
    const { version, nodes } = document;
    const isOther = !this.#kept || !leadsTo(this.#kept, document);
    this.#kept = document;
    const fleet = { version, nodes, files: Object.fromEntries(this.#files) };
    await this.#options.save({ version: 1, definitions: [...this.#definitions.values()], fleet }, isOther);
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

  #agree(name: string, text: string): void {
    const pmid = parsePmid(text);
    if (pmid === undefined || this.#files.get(name) === text) return;
    this.#files.set(name, text);
    this.#store.agreeOnPmid(name, pmid);
  }
}

function format(definitions: readonly StoredDefinition[], files: FilePmids): string {
  const shared: SharedDefinitions = { v: 1, definitions, files };
  return JSON.stringify(shared);
}

/** Throws an Error that says why the text cannot be read. */
function parse(text: string): SharedDefinitions {
  const { v, definitions, files } = (JSON.parse(text) ?? {}) as Partial<Record<keyof SharedDefinitions, unknown>>;
  if (v !== 1) throw new Error(`expected format 1, and found ${v === undefined ? 'none' : JSON.stringify(v)}`);
  if (!Array.isArray(definitions)) throw new Error('expected a list of definitions');
  const damaged = definitions.findIndex((stored: unknown) => !isDefinition(stored));
  if (damaged !== -1) throw new Error(`definition ${damaged + 1} of ${definitions.length} is damaged`);
  const isWhole = typeof files === 'object' && files !== null;
  if (!isWhole || !Object.values(files).every((pmid: unknown) => typeof pmid === 'string')) {
    throw new Error('expected the PMIDs of definitions from files');
  }
  return { v, definitions: definitions as readonly StoredDefinition[], files: files as FilePmids };
}

function isDefinition(stored: unknown): boolean {
  const { name, expression, ...notes } = (stored ?? {}) as Partial<StoredDefinition>;
  const { pmid, oneline, helptext, display, by } = notes;
  const texts: readonly unknown[] = [pmid, oneline, helptext, display, by];
  const areTexts = texts.every((one) => one === undefined || typeof one === 'string');
  return typeof name === 'string' && typeof expression === 'string' && areTexts;
}
