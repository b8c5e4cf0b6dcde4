import { PERMISSIONS, holdsCredentials, type Permission } from '../../access/index.js';
import type { components } from '../../client/index.js';
import { GatewayError } from '../../pmapi/index.js';
import type { Answer, AnyRequest } from '../contracts.js';
import { answerOfAll } from '../request/ask-members.js';
import { isOnThisMachine } from '../request/request-context.js';
import { jsonAnswer, warningsMember } from '../response/answer.js';

export function runWhoami({ principal, options, directory }: AnyRequest): Answer {
  const isOn: Readonly<Record<Permission, boolean>> = {
    read: true,
    derive: options.derived?.allowMutation === true,
    store: options.guards.store.enabled,
    push: directory.serves('pushPing'),
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

/** A host that clients can name, as in openapi.yaml. */
type ListedHost = components['schemas']['Hosts']['hosts'][number];

/** Hosts that several gateways list, from weak to strong. */
const ORIGINS = ['open', 'named', 'local'] as const;

/** The hosts that the gateway knows and the client may see; no request is sent to them. */
export async function runHosts(request: AnyRequest): Promise<Answer> {
  return answerOfAll(request, {
    own: () => ({ hosts: knownHosts(request) }),
    schema: HOSTS,
    answer: (parts, warnings) => {
      const hosts = mergeHosts(parts.flatMap((part) => part.hosts));
      return jsonAnswer(`{"hosts":${JSON.stringify(hosts)}${warningsMember(warnings)}}`);
    },
  });
}

const HOSTS = { $ref: 'openapi.json#/components/schemas/Hosts' };

function knownHosts({ principal, options }: AnyRequest): readonly ListedHost[] {
  const open = new Set(
    options.contexts
      .list()
      .flatMap(({ isShared, spec }) =>
        isShared && spec.kind === 'host' && !holdsCredentials(spec) ? [spec.hostspec] : [],
      ),
  );
  const origins = new Map<string, ListedHost['origin']>([...open].map((hostspec) => [hostspec, 'open']));
  for (const hostspec of options.directories.namedHosts()) origins.set(hostspec, 'named');
  origins.set('localhost', 'local');
  return [...origins]
    .filter(([hostspec]) => principal?.sees({ kind: 'host', hostspec }) !== false)
    .map(([hostspec, origin]) => ({ hostspec, origin, open: open.has(hostspec) }));
}

function mergeHosts(listed: readonly ListedHost[]): readonly ListedHost[] {
  const hosts = new Map<string, ListedHost>();
  for (const { hostspec, origin, open } of listed) {
    const known = hosts.get(hostspec);
    const isStronger = !known || ORIGINS.indexOf(origin) > ORIGINS.indexOf(known.origin);
    hosts.set(hostspec, { hostspec, origin: isStronger ? origin : known.origin, open: open || known?.open === true });
  }
  return [...hosts.values()].sort((a, b) => (a.hostspec < b.hostspec ? -1 : 1));
}

/** The process responds, nothing more. */
export function runHealthz(): Answer {
  return jsonAnswer('{"status":"ok","success":true}');
}

/** Whether the gateway can serve now. Only clients on this machine see partial failures and the fleet, which name files and gateways. */
export async function runReadyz(request: AnyRequest): Promise<Answer> {
  const readiness = await request.options.readiness();
  if (readiness.ready) {
    const { local, cluster, problems = [] } = readiness;
    const detail = isOnThisMachine(request) ? { cluster, ...(problems.length > 0 && { problems }) } : {};
    return jsonAnswer(JSON.stringify({ status: 'ready', success: true, local, ...detail }));
  }
  throw new GatewayError('UNAVAILABLE', `not ready: ${readiness.reason}`, { retryAfterSec: 1 });
}
