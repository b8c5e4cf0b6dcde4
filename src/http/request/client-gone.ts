import { GatewayError } from '../../pmapi/index.js';
import type { OperationRequest } from '../contracts.js';

/** Why work ends when its client has left; not an internal error, so it is not logged. */
const GONE = new GatewayError('UNAVAILABLE', 'the client disconnected');

type OnClose = OperationRequest<object>['onClose'];

/** One signal per request, because responses warn about many listeners. */
const signals = new WeakMap<OnClose, AbortSignal>();

/** A signal aborted when the response is complete or the client has left; the same one throughout a request. */
export function untilGone({ onClose }: { readonly onClose: OnClose }): AbortSignal {
  const known = signals.get(onClose);
  if (known) return known;
  const gone = new AbortController();
  onClose(() => gone.abort(GONE));
  signals.set(onClose, gone.signal);
  return gone.signal;
}
