import type { components } from '../../client/index.js';
import { getOrMake } from '../../kit/index.js';

type Schemas = components['schemas'];

/** How many archives are listed, and how many of a host that cannot be reached are read together: the latest. */
const MOST_ARCHIVES = 2000;
const MOST_JOINED = 50;
/** How many of them an address has, and its characters: a longer one would not be whole. */
const MOST_SHOWN = 8;
const LONGEST_ADDRESS = 1500;

/** A host that cannot be reached; the answer for one that may not be, or whose name cannot be that of a live one, too. */
export const UNREACHABLE = 'SOURCE_UNREACHABLE';
const NOT_LIVE: ReadonlySet<string> = new Set([UNREACHABLE, 'FORBIDDEN', 'BAD_PARAMETER']);

/** Parameters of a request; those that are undefined are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** The gateway, as tools see it: requests with the identity and the limits of the caller. */
export interface Gateway {
  /** Make a request. Throws {@link Refusal} for any status from 400. */
  ask(path: string, query?: Query, method?: 'GET' | 'POST' | 'DELETE'): Promise<unknown>;
  /** A file of the guide (`api.md`, `llms.txt`); undefined if there is none. */
  readGuide(name: string): Promise<string | undefined>;
  /** Hosts that could not be reached a moment ago: the gateway takes a second to refuse one again. */
  readonly unreachable: { has(name: string): boolean; set(name: string, isSo: true): unknown };
  /** The address of the console as the client sees it, with a final slash; undefined where there is none. */
  readonly console: string | undefined;
}

/** A request was refused. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  /**
   * @param status of HTTP
   * @param code of the gateway's errors
   */
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** An archive of a host, as far as it is read here. */
export interface HostArchive {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The archives that can be read, by host; of each the latest come first. */
export async function archivesByHost(gateway: Gateway, hostspec?: string): Promise<ReadonlyMap<string, HostArchive[]>> {
  const { archives } = (await gateway.ask('/archives', { hostspec, limit: MOST_ARCHIVES })) as Schemas['Archives'];
  const byHost = new Map<string, HostArchive[]>();
  for (const archive of archives) {
    if (!('start' in archive)) continue;
    const { name, start, end = start, hostspec: host = '' } = archive;
    getOrMake(byHost, host, () => []).unshift({ name, start, end });
  }
  return byHost;
}

/** A host, of which an assistant need not know whether it can be reached: if not, its archives are asked. */
export class Host {
  readonly #gateway: Gateway;
  readonly #moment: number;
  #archives: readonly HostArchive[] | undefined;

  /** @param moment what is asked is about it, in seconds since the epoch; NaN if that is not known */
  constructor(
    gateway: Gateway,
    readonly name: string,
    moment = Number.NaN,
  ) {
    this.#gateway = gateway;
    this.#moment = moment;
  }

  /**
   * Make a request about the host. Throws {@link Refusal}.
   * @param ofArchives what archives are asked instead: they are at their start, where a host that can be reached is at its end
   */
  async ask(path: string, query: Query = {}, ofArchives: () => Query | Promise<Query> = () => ({})): Promise<unknown> {
    const { unreachable } = this.#gateway;
    if (unreachable.has(this.name)) await this.takeArchives();
    const archive = this.#archives && listOf(this.#archives);
    try {
      const source = archive === undefined ? { hostspec: this.name } : { archive, ...(await ofArchives()) };
      return await this.#gateway.ask(path, { ...query, ...source });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code === 'BAD_ARCHIVE' && this.#archives && this.#archives.length > 1) {
        // Metrics changed between them: one must do.
        this.#archives = this.#archives.slice(0, 1);
        return this.ask(path, query, ofArchives);
      }
      if (archive !== undefined || !NOT_LIVE.has(error.code)) throw error;
      if (error.code === UNREACHABLE) unreachable.set(this.name, true);
      if ((await this.takeArchives()) === undefined) throw error;
      return this.ask(path, query, ofArchives);
    }
  }

  /** From now on ask the host's archives, whose names these are; undefined if it has none. */
  async takeArchives(): Promise<string | undefined> {
    const all = this.#archives ?? (await archivesByHost(this.#gateway, this.name)).get(this.name);
    // Of those that overlap, one can be read with others: that of the moment, or the latest.
    const isThen = ({ start, end }: HostArchive): boolean => start <= this.#moment && end >= this.#moment;
    const apart: HostArchive[] = [];
    for (const one of all?.toSorted((a, b) => Number(isThen(b)) - Number(isThen(a))) ?? []) {
      if (apart.every(({ start, end }) => one.end <= start || one.start >= end)) apart.push(one);
    }
    if (all) this.#archives = apart.slice(0, MOST_JOINED);
    return this.#archives && listOf(this.#archives);
  }

  /** The source as the console names it: of archives, those of the time from `start` to `finish`. */
  shown(start = -Infinity, finish = Infinity): string {
    if (this.#archives === undefined) return this.name;
    const then = this.#archives.filter((one) => one.start <= finish && one.end >= start);
    return `archive:${listOf((then.length === 0 ? this.#archives : then).slice(0, MOST_SHOWN))}`;
  }

  /** The address of a screen of the console about it, from `start` to `finish`. */
  address(screen: string, parameters: Parameters = {}, start?: number, finish?: number): string | undefined {
    return consoleAddress(this.#gateway, screen, { on: this.shown(start, finish), ...parameters });
  }
}

function listOf(archives: readonly HostArchive[]): string {
  return archives.map(({ name }) => name).join(',');
}

/** Parameters of an address: `t` is a time, each `lane` a metric, `q` what a screen is about. */
export type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** An address of the console, for a person to open. Undefined where there is no console, and for what no address can hold. */
export function consoleAddress(gateway: Gateway, screen: string, parameters: Parameters = {}): string | undefined {
  const query = queryText(parameters);
  const address = `${gateway.console}${screen}${query === '' ? '' : `?${query}`}`;
  return gateway.console === undefined || address.length > LONGEST_ADDRESS ? undefined : address;
}

/** Parameters as a query. */
export function queryText(parameters: Query | Parameters): string {
  const pairs = Object.entries(parameters).flatMap(([name, value = []]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  return new URLSearchParams(pairs).toString();
}
