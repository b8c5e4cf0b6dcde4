import { GatewayError } from '../../pmapi/index.js';
import { isOnThisMachine } from '../request/request-context.js';
import { jsonAnswer } from '../response/answer.js';
import type { Answer, OperationRequest } from '../contracts.js';

/** The process responds, nothing more. */
export function runHealthz(): Answer {
  return jsonAnswer('{"status":"ok","success":true}');
}

/** Whether the gateway can serve now. Only clients on this machine see partial failures and the fleet, which name files and gateways. */
export async function runReadyz(request: OperationRequest<object>): Promise<Answer> {
  const readiness = (await request.options.readiness?.()) ?? { ready: true };
  if (readiness.ready) {
    const { local, cluster, problems = [] } = readiness;
    const detail = isOnThisMachine(request) ? { cluster, ...(problems.length > 0 && { problems }) } : {};
    return jsonAnswer(JSON.stringify({ status: 'ready', success: true, local, ...detail }));
  }
  throw new GatewayError('UNAVAILABLE', `not ready: ${readiness.reason}`, { retryAfterSec: 1 });
}
