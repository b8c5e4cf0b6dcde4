import type { components } from '../../client/index.js';

type Schemas = components['schemas'];

/** How many archives are listed, and how many of a host that cannot be reached are read together: the latest. */
const MOST_ARCHIVES = 2000;
const MOST_JOINED = 50;

/** Parameters of a request; those that are undefined are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** The gateway, as tools see it: requests with the identity and the limits of the caller. */
export interface Gateway {
  /** Make a request. Throws {@link Refusal} for any status from 400. */
  ask(path: string, query?: Query, method?: 'GET' | 'POST' | 'DELETE'): Promise<unknown>;
  /** A file of the guide (`api.md`, `llms.txt`); undefined if there is none. */
  readGuide(name: string): Promise<string | undefined>;
  /** Hosts that could not be reached a moment ago: the gateway takes a second to refuse one again. */
  readonly unreachable: { has(key: string): boolean; set(key: string, value: true): unknown };
  /** The address of the console, with a final slash; undefined where there is none. */
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
    const { name, start, end, hostspec: host = '' } = archive;
    const ofHost = byHost.get(host) ?? [];
    byHost.set(host, ofHost);
    ofHost.unshift({ name, start, end });
  }
  return byHost;
}

/** A host, of which an assistant need not know whether it can be reached: if not, its archives are asked. */
export class Host {
  readonly name: string;
  readonly #gateway: Gateway;
  #archives: readonly string[] | undefined;

  constructor(gateway: Gateway, name: string) {
    this.#gateway = gateway;
    this.name = name;
  }

  /** Make a request about the host. Throws {@link Refusal}. */
  async ask(path: string, query: Query = {}): Promise<unknown> {
    const { unreachable } = this.#gateway;
    if (unreachable.has(this.name)) await this.#takeArchives();
    try {
      return await this.#gateway.ask(path, { ...query, ...this.#source });
    } catch (error) {
      if (this.#archives || !(error instanceof Refusal) || error.code !== 'SOURCE_UNREACHABLE') throw error;
      unreachable.set(this.name, true);
      if (!(await this.#takeArchives())) throw error;
      return this.#gateway.ask(path, { ...query, ...this.#source });
    }
  }

  /** From now on ask the host's archives, if it has any. */
  async #takeArchives(): Promise<boolean> {
    const archives = (await archivesByHost(this.#gateway, this.name)).get(this.name);
    this.#archives ??= archives?.slice(0, MOST_JOINED).map(({ name }) => name);
    return archives !== undefined;
  }

  /** The address of a screen of the console about it. */
  address(screen: string, parameters: Readonly<Record<string, string | undefined>> = {}): string | undefined {
    const on = this.#archives === undefined ? this.name : `archive:${this.#archives[0]}`;
    return consoleAddress(this.#gateway, screen, { on, ...parameters });
  }

  get #source(): Query {
    return this.#archives === undefined ? { hostspec: this.name } : { archive: this.#archives.join(',') };
  }
}

/** An address of the console, for a person to open: `q` is what a screen is about. Undefined where there is no console. */
export function consoleAddress(
  { console: base }: Gateway,
  screen: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (base === undefined) return undefined;
  const given = Object.entries(parameters).filter((each): each is [string, string] => each[1] !== undefined);
  return `${base}${screen}?${new URLSearchParams(given).toString().slice(0, 300)}`;
}
