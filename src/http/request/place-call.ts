import type { AnyAnswer, OperationRequest } from '../contracts.js';
import type { FleetState } from '../options.js';
import { restoreContext, unknownContext } from './request-context.js';

/** What says where a call belongs. */
type PlacedRequest = OperationRequest<{ readonly context?: number }>;

/**
 * Answers a call where the context that it names is, in a fleet: here, or opened here because the gateway that had it has gone. Answers at
 * once where nothing has to be found out. Throws UNKNOWN_CONTEXT, UNAVAILABLE, and what opening it throws.
 */
export function answerPlaced<T extends AnyAnswer>(
  request: PlacedRequest,
  fleet: FleetState,
  answer: () => T | Promise<AnyAnswer>,
): T | Promise<AnyAnswer> {
  const { query, path, options } = request;
  const id = query.context ?? path.context;
  if (id === undefined) return answer();
  const openAs = options.contexts.openAs(id);
  if (openAs === 'shared' || (openAs === 'own' && fleet.isHome(id) === true)) return answer();
  return fleet.atHome<AnyAnswer>(id, {
    here: answer,
    restore: (record) => restoreContext(request, id, record),
    hand: () => Promise.resolve(undefined),
    gone: (how) => Promise.reject(unknownContext(id, how)),
  });
}
