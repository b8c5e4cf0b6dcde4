import { HostPolicy, parseAllowRule } from './host-policy.js';
import { GatewayError } from './pmapi/index.js';
import type { Config } from './config/index.js';
import type { MetricSource, SourceFactory, SourceSpec } from './sources/index.js';
import type { LinuxCollector } from './sources/linux/index.js';
import { parseHostspec, resolveHost } from './sources/pmcd/index.js';
import type { Hostspec, Identity, PmcdPools, ResolveHost } from './sources/pmcd/index.js';

/** Hostspecs that mean the machine the gateway runs on. */
const LOCAL_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1']);
/** The hostspec that always reaches the embedded collector and the gateway's own metrics. */
const EMBEDDED = 'embedded';
const PMCD_PORT = 44321;

/** What every target that cannot be had is answered, so that nobody maps a network through the gateway. */
const UNREACHABLE = 'cannot connect to PMCD: No route to host';
const EHOSTUNREACH = -113;

export interface SourceOpenerOptions {
  readonly local: Config['local'];
  readonly hosts: Config['hosts'];
  readonly collector: LinuxCollector;
  readonly pools: PmcdPools;
  /** Hears why a target could not be had: clients are not told. */
  readonly onUnreachable?: (hostspec: string, error: unknown) => void;
  /** The system's resolver but in tests. */
  readonly resolve?: ResolveHost;
}

/**
 * Opens a source for each context: the one place that decides what a hostspec reaches.
 *
 * - `localhost`, `127.0.0.1`, `::1`: this machine's pmcd or the embedded collector (`local.source`); `embedded`: the latter;
 * - a name of `hosts.named`: the hostspec that the operator wrote there;
 * - anything else: a pmcd that `hosts.allow` lets through.
 *
 * Refused, unknown, closed and silent targets get the same answer after the same time. A host that is merely slow to
 * connect goes on connecting behind that answer, so that asking again finds it.
 */
export class SourceOpener implements SourceFactory {
  readonly #options: SourceOpenerOptions;
  readonly #policy: HostPolicy;
  readonly #named: ReadonlyMap<string, Hostspec>;

  constructor(options: SourceOpenerOptions) {
    this.#options = options;
    this.#policy = new HostPolicy(options.hosts.allow, options.resolve ?? resolveHost);
    this.#named = new Map(Object.entries(options.hosts.named).map(([name, spec]) => [name, parseHostspec(spec)]));
  }

  /**
   * Throws BAD_PARAMETER for a hostspec that does not parse, FORBIDDEN for a socket, SOURCE_UNREACHABLE for whatever cannot be
   * had, AUTHENTICATION_REQUIRED when pmcd wants other credentials.
   */
  async open(spec: SourceSpec): Promise<MetricSource> {
    const { collector, hosts } = this.#options;
    if (spec.kind === 'archive') throw new GatewayError('UNKNOWN_ARCHIVE', `no such archive: ${spec.archive}`);
    const identity = identityOf(spec);
    if (spec.hostspec === EMBEDDED) return collector.open();
    const named = this.#named.get(spec.hostspec);
    if (named) return this.#openRemote(spec.hostspec, named, identity, undefined);
    // A bare ::1 is no hostspec, but everybody writes it.
    const target = parseHostspec(spec.hostspec === '::1' ? '[::1]' : spec.hostspec);
    if (target.address.kind !== 'tcp') {
      if (hosts.allowSockets) return this.#openRemote(spec.hostspec, target, identity, undefined);
      throw new GatewayError(
        'FORBIDDEN',
        `${target.address.kind}: targets are refused: they would lend you the gateway's identity (hosts.allowSockets)`,
        { parameter: 'hostspec' },
      );
    }
    if (isLocal(target)) return this.#openLocal(spec.hostspec, target, identity);
    // What a pmproxy connects to is out of our sight; only the operator may name one.
    const resolve = target.proxy ? undefined : this.#policy.admit(target.address);
    if (!resolve) return this.#refuse(spec.hostspec);
    return this.#openRemote(spec.hostspec, target, identity, resolve);
  }

  /** This machine: its pmcd or the embedded collector. */
  async #openLocal(hostspec: string, target: Hostspec, identity: Identity | undefined): Promise<MetricSource> {
    const { collector, local, pools } = this.#options;
    // What only a pmcd can serve: another user's view, a container's, an encrypted one.
    const wantsPmcd = identity !== undefined || target.container !== undefined || target.security === 'enforce';
    if (local.source === 'embedded' && !wantsPmcd) return collector.open();
    if (local.source !== 'auto' || wantsPmcd) return this.#openRemote(hostspec, target, identity, undefined);
    try {
      return await this.#withinLimit(pools.open(target));
    } catch (error) {
      if (isUnreachable(error)) return collector.open();
      throw error;
    }
  }

  async #openRemote(
    hostspec: string,
    target: Hostspec,
    identity: Identity | undefined,
    resolve: ResolveHost | undefined,
  ): Promise<MetricSource> {
    const { pools, hosts } = this.#options;
    const deadline = delay(hosts.connectTimeoutSec * 1000);
    try {
      return await this.#withinLimit(pools.open(target, identity, resolve));
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      this.#options.onUnreachable?.(hostspec, error);
      await deadline;
      throw unreachable();
    }
  }

  async #refuse(hostspec: string): Promise<never> {
    await delay(this.#options.hosts.connectTimeoutSec * 1000);
    this.#options.onUnreachable?.(hostspec, new Error('hosts.allow does not name it'));
    throw unreachable();
  }

  /** Wait for a source as long as clients may wait; one that comes later is let go again. */
  async #withinLimit(opening: Promise<MetricSource>): Promise<MetricSource> {
    let expired = false;
    const limit = delay(this.#options.hosts.connectTimeoutSec * 1000).then(() => {
      expired = true;
      throw new GatewayError('SOURCE_TIMEOUT', 'no answer in time');
    });
    opening.then(
      (source) => (expired ? source.close() : undefined),
      () => undefined,
    );
    limit.catch(() => undefined);
    return Promise.race([opening, limit]);
  }
}

/** Problems of the host options that only reading them as rules and hostspecs can show, by option. */
export function checkHosts(hosts: Config['hosts']): readonly { readonly option: string; readonly message: string }[] {
  const problems: { option: string; message: string }[] = [];
  const attempt = (option: string, read: () => unknown): void => {
    try {
      read();
    } catch (error) {
      problems.push({ option, message: (error as Error).message });
    }
  };
  for (const [i, rule] of hosts.allow.entries()) attempt(`hosts.allow.${i}`, () => parseAllowRule(rule));
  for (const [name, spec] of Object.entries(hosts.named)) attempt(`hosts.named.${name}`, () => parseHostspec(spec));
  return problems;
}

function identityOf(spec: SourceSpec & { kind: 'host' }): Identity | undefined {
  return spec.username === undefined ? undefined : { username: spec.username, password: spec.password ?? '' };
}

function isLocal({ address, proxy }: Hostspec): boolean {
  return (
    proxy === undefined &&
    address.kind === 'tcp' &&
    LOCAL_HOSTS.has(address.host) &&
    address.ports.every((port) => port === PMCD_PORT)
  );
}

const UNREACHABLE_CODES: readonly string[] = ['SOURCE_UNREACHABLE', 'SOURCE_TIMEOUT', 'SOURCE_FAILED'];

function isUnreachable(error: unknown): boolean {
  return error instanceof GatewayError && UNREACHABLE_CODES.includes(error.code);
}

function unreachable(): GatewayError {
  return new GatewayError('SOURCE_UNREACHABLE', UNREACHABLE, { pmErr: EHOSTUNREACH });
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
