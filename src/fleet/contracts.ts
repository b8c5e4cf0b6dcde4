/** What other rooms know of a fleet. Types only: the link, and rooms that belong to no fleet, load no engine for them. */

/** Where a member listens for the others. */
export interface LinkAddress {
  readonly host: string;
  readonly port: number;
}

/** Another member that calls can be handed to. */
export interface Peer {
  readonly id: string;
  readonly link: LinkAddress;
}

/** How a gateway stands in its fleet, for /readyz. */
export interface FleetStatus {
  readonly state: 'member' | 'alone';
  /** How many gateways there are, this one included. */
  readonly members: number;
  /** The version of the global derived metrics of the API. */
  readonly version: number;
  /** Gateways whose definition files differ from this one's. */
  readonly differs: readonly string[];
}

/** What is done with a context, wherever its home is. */
export interface ContextWork<T extends object> {
  /** Does it in this process, which has the context. */
  here(): T | Promise<T>;
  /** Opens a context from its record, before {@link here}: this member has become its home. */
  restore(record: string): Promise<void>;
  /** Has another member do it; undefined if nothing was done there: it cannot be reached, or is not the home. */
  hand(peer: Peer): Promise<T | undefined>;
  /** Does something with a shared context, which no member answers for alone: with its record any of them opens it. */
  shared(record: string): T | Promise<T>;
  /** There is no such context: it ended in this way, or nothing is known of it. */
  gone(how: string | undefined): T | Promise<T>;
}
