import { GatewayError } from '../../pmapi/index.js';
import type { OperationRequest } from '../operation.js';

/** Why work ends that nobody waits for; no defect of the gateway, so that none is logged. */
const GONE = new GatewayError('UNAVAILABLE', 'the client has gone');

/**
 * A signal that is aborted when the answer is out or the client has gone, whichever comes first. To be made once per request: a response
 * warns of many listeners.
 */
export function untilGone({ onClose }: Pick<OperationRequest<object>, 'onClose'>): AbortSignal {
  const gone = new AbortController();
  onClose(() => gone.abort(GONE));
  return gone.signal;
}
