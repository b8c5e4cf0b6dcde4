import { GatewayError } from '../../pmapi/index.js';
import { isOnThisMachine } from '../request/request-context.js';
import { jsonAnswer } from '../response/answer.js';
import type { Answer, OperationRequest } from '../contracts.js';

/** The process responds, nothing more. */
export function runHealthz(): Answer {
  return jsonAnswer('{"status":"ok","success":true}');
}

/** Whether the gateway can serve now. Only clients on this machine are told about partial failures, since those name files. */
export async function runReadyz(request: OperationRequest<object>): Promise<Answer> {
  const readiness = (await request.options.readiness?.()) ?? { ready: true };
  if (readiness.ready) {
    const { local, problems = [] } = readiness;
    const detail = problems.length > 0 && isOnThisMachine(request) ? { problems } : {};
    return jsonAnswer(JSON.stringify({ status: 'ready', success: true, local, ...detail }));
  }
  throw new GatewayError('UNAVAILABLE', `not ready: ${readiness.reason}`, { retryAfterSec: 1 });
}
