import type { Config } from '../config/index.js';
import type { ContextDirectory, ContextManager } from '../context/index.js';
import type { StreamJournal } from '../fleet/index.js';
import type { AnswerCall } from '../fleet/link/index.js';
import type { FleetState, FleetStatus } from '../http/index.js';

/** What a gateway shares with others: those of a fleet, or the other processes that serve its port. */
export interface GatewayFleet extends FleetState {
  /** Where contexts are noted for the others. */
  readonly contexts?: ContextDirectory;
  /** For /readyz. */
  readonly status?: FleetStatus;
  /** The journal of a group of a stream; absent, or undefined: there is none. */
  openJournal?(
    context: { readonly isShared: boolean; readonly place: string | undefined },
    group: string,
    onDeposed: () => void,
  ): StreamJournal | undefined;
  /** Begins to share the contexts of this gateway. Called once. */
  shareContexts(contexts: ContextManager): void;
  /** From here on calls of the others are answered so. */
  answerWith(answer: AnswerCall): void;
  /** Tells the others what has changed with the configuration: called when definition files have been read again. */
  reloaded(config: Config): void;
  /** Announces the end. */
  leave?(): void;
  /** Resolves when the others need this gateway no longer: called when it has answered all its clients. */
  drained?(): Promise<void>;
  close(): Promise<void>;
}
