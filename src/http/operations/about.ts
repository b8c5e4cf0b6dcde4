import { PERMISSIONS, holdsCredentials } from '../../access/index.js';
import type { Permission } from '../../access/index.js';
import { GatewayError } from '../../pmapi/index.js';
import type { Answer, OperationRequest } from '../contracts.js';
import { isOnThisMachine } from '../request/request-context.js';
import { jsonAnswer } from '../response/answer.js';

/** Who the client is, and what it may do. */
export function runWhoami({ principal, options }: OperationRequest<object>): Answer {
  const isOn: Readonly<Record<Permission, boolean>> = {
    read: true,
    derive: options.derived?.allowMutation === true,
    store: options.store?.enabled === true,
    push: options.push !== undefined,
    admin: true,
  };
  const { names, bodyBytes, urlBytes } = options.limits;
  const permissions = PERMISSIONS.filter((each) => isOn[each] && principal?.may(each) !== false);
  const name = principal?.name?.replace(/^(?:user|token) /, '');
  return jsonAnswer(
    JSON.stringify({
      kind: principal?.kind ?? 'open',
      ...(name === undefined ? {} : { name }),
      roles: principal?.roleNames ?? [],
      permissions,
      limits: { names, bodyBytes, urlBytes },
    }),
  );
}

/** The hosts that the gateway knows and the client may see; none is asked for this. */
export function runHosts({ principal, options }: OperationRequest<object>): Answer {
  const open = new Set(
    options.contexts
      .list()
      .flatMap(({ isShared, spec }) =>
        isShared && spec.kind === 'host' && !holdsCredentials(spec) ? [spec.hostspec] : [],
      ),
  );
  const origins = new Map<string, 'local' | 'named' | 'open'>([...open].map((hostspec) => [hostspec, 'open']));
  for (const hostspec of options.namedHosts?.() ?? []) origins.set(hostspec, 'named');
  origins.set('localhost', 'local');
  const hosts = [...origins]
    .filter(([hostspec]) => principal?.sees({ kind: 'host', hostspec }) !== false)
    .map(([hostspec, origin]) => ({ hostspec, origin, open: open.has(hostspec) }))
    .sort((a, b) => (a.hostspec < b.hostspec ? -1 : 1));
  return jsonAnswer(JSON.stringify({ hosts }));
}

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
