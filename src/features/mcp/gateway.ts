/** Parameters of a request; those that are undefined are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** The gateway, as tools see it: requests with the identity and the limits of the caller. */
export interface Gateway {
  /** Make a request. Throws {@link Refusal} for any status from 400. */
  ask(path: string, query?: Query, method?: 'GET' | 'POST' | 'DELETE'): Promise<unknown>;
  /** A file of the guide (`api.md`, `llms.txt`); undefined if there is none. */
  readGuide(name: string): Promise<string | undefined>;
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

/** Make a request about a host; of one that cannot be reached, about its latest archive. */
export async function askHost(gateway: Gateway, path: string, host: string, query: Query): Promise<unknown> {
  try {
    return await gateway.ask(path, { ...query, hostspec: host });
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'SOURCE_UNREACHABLE') throw error;
    const { archives } = (await gateway.ask('/archives', { hostspec: host, limit: 1 })) as {
      readonly archives: readonly { readonly name: string }[];
    };
    if (archives[0] === undefined) throw error;
    return gateway.ask(path, { ...query, archive: archives[0].name });
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
