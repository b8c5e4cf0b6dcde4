import { GatewayError } from '../../pmapi/index.js';
import { jsonAnswer } from '../response/answer.js';
import type { Answer, OperationRequest } from '../contracts.js';

/** The process answers: that is all. */
export function runHealthz(): Answer {
  return jsonAnswer('{"status":"ok","success":true}');
}

/** Whether the gateway can serve now. */
export async function runReadyz({ options }: OperationRequest<object>): Promise<Answer> {
  const readiness = (await options.readiness?.()) ?? { ready: true };
  if (readiness.ready) return jsonAnswer(JSON.stringify({ status: 'ready', success: true, local: readiness.local }));
  throw new GatewayError('UNAVAILABLE', `not ready: ${readiness.reason}`, { retryAfterSec: 1 });
}
