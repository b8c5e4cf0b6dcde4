import { GatewayError } from '../../pmapi/index.js';
import type { OperationRequest } from '../contracts.js';

/** Why work ends that nobody waits for; no defect of the gateway, so that none is logged. */
const GONE = new GatewayError('UNAVAILABLE', 'the client disconnected');

type OnClose = OperationRequest<object>['onClose'];

/** One for each request, however many hosts it asks: a response warns of many listeners. */
const signals = new WeakMap<OnClose, AbortSignal>();

/** A signal that is aborted when the answer is out or the client has gone, whichever comes first; the same one throughout a request. */
export function untilGone({ onClose }: { readonly onClose: OnClose }): AbortSignal {
  const known = signals.get(onClose);
  if (known) return known;
  const gone = new AbortController();
  onClose(() => gone.abort(GONE));
  signals.set(onClose, gone.signal);
  return gone.signal;
}
