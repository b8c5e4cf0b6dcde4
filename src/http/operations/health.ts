import { GatewayError } from '../../pmapi/index.js';
import { isOnThisMachine } from '../request/request-context.js';
import { jsonAnswer } from '../response/answer.js';
import type { Answer, OperationRequest } from '../contracts.js';

/** The process answers: that is all. */
export function runHealthz(): Answer {
  return jsonAnswer('{"status":"ok","success":true}');
}

/** Whether the gateway can serve now. Clients on this machine are told what it serves only in part: that names files. */
export async function runReadyz(request: OperationRequest<object>): Promise<Answer> {
  const readiness = (await request.options.readiness?.()) ?? { ready: true };
  if (readiness.ready) {
    const { local, problems = [] } = readiness;
    const detail = problems.length > 0 && isOnThisMachine(request) ? { problems } : {};
    return jsonAnswer(JSON.stringify({ status: 'ready', success: true, local, ...detail }));
  }
  throw new GatewayError('UNAVAILABLE', `not ready: ${readiness.reason}`, { retryAfterSec: 1 });
}
