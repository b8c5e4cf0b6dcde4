import { hostname } from 'node:os';
import { LRUCache } from 'lru-cache';
import { endsWithin, getOrMake, pause, systemTimers, type Timers } from '../../kit/index.js';
import { PUSHED, RECORDINGS } from '../../access/index.js';
import type { Archives } from './archives.js';
import { hostPolicy, parseAllowRule } from './host-policy.js';
import { LocalAgent } from './local-agent.js';
import { badParameter, GatewayError, isSourceError, PM_ERR, systemClock } from '../../pmapi/index.js';
import type { Clock, ErrorCode } from '../../pmapi/index.js';
import type { Config, OptionFault } from '../../config/index.js';
import type { MetricSource, SourceFactory, SourceKind, SourceSpec, SourceOpening } from '../../sources/index.js';
import { parseHostspec, resolveHost } from '../../sources/pmcd/index.js';
import type { Hostspec, Identity, PmcdPools, ResolveHost } from '../../sources/pmcd/index.js';

/** Hostspecs that mean the machine the gateway runs on. */
const LOCAL_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1']);
/** The hostspec that always reaches the embedded collector and the gateway's own metrics. */
const EMBEDDED = 'embedded';
const PMCD_PORT = 44321;
/** This machine, whatever `localhost` means to the fleet. */
const OWN_MACHINE = 'localhost';

/** The response for every unavailable target, so that no one can map a network through the gateway. */
const UNREACHABLE = 'cannot connect to PMCD: No route to host';
const EHOSTUNREACH = -113;

/** A metric that the agent of a machine itself has on every system, and what pmcd answers when it has lost that agent. */
const OWN_METRIC = 'kernel.all.load';
const AGENT_LOST: readonly number[] = [PM_ERR.NOAGENT, PM_ERR.AGAIN, PM_ERR.PMDANOTREADY, PM_ERR.PMDAFENCED];

/** What the archives of a host are known by. */
export interface HostIdentity {
  /** Its names, in lower case: labels of archives have one of them, with or without the domain. */
  readonly names: readonly string[];
  /** Globs over names of archives that are the host's whatever their labels say. */
  readonly archives: readonly string[];
  /** Whether it is the machine that the gateway runs on. */
  readonly isLocal: boolean;
}

/** What the machine of a gateway means to its fleet. */
export interface LocalMeaning {
  /** What `localhost` means: the machine of the gateway that answers, an error, or a hostspec. */
  readonly localhost: 'own' | 'refuse' | { readonly hostspec: string };
  readonly isOneMachine: boolean;
}

export interface SourceResolverOptions {
  readonly local: Config['local'];
  readonly hosts: Config['hosts'];
  readonly collector: SourceOpening;
  readonly pools: PmcdPools;
  /** Absent: there are no archives. */
  readonly archives?: Pick<Archives, 'open' | 'hasChanged'>;
  /** Hears why a target could not be had: clients are not told. */
  readonly onUnreachable?: (hostspec: string, error: unknown) => void;
  readonly resolve?: ResolveHost;
  readonly hostName?: string;
  /** Where this machine's pmcd listens: its registered port but in tests. */
  readonly localPort?: number;
  readonly fleet?: LocalMeaning | undefined;
  readonly clock?: Clock;
  /** What `hosts.connectTimeoutSec` is measured by; the system's but in tests. */
  readonly timers?: Timers;
}

/** What a hostspec reaches under one configuration. */
type Route =
  | { readonly to: 'embedded' | 'nowhere' }
  | { readonly to: 'local'; readonly target: Hostspec }
  | { readonly to: 'remote'; readonly target: Hostspec; readonly resolve: ResolveHost | undefined };

/** What specs meant when their sources were opened, under whichever configuration. */
const ledTo = new WeakMap<SourceSpec, string>();

/** Hostspecs whose meanings are kept: clients may ask for any number. */
const MEANINGS_KEPT = 1000;

/** Where the gateway keeps archives of its own. */
const OWN_ARCHIVES = [RECORDINGS, PUSHED];
/** What the places of archives begin with: see {@link SourceResolver.placeOf}. */
const ARCHIVE_PLACE = 'archive ';

/** How often it is looked at most whether a pmcd has come up on this machine, or gone. */
const LOOK_MS = 1000;

/**
 * Opens a source for each context: the one place that decides what a hostspec reaches.
 *
 * - `localhost`, `127.0.0.1`, `::1`, the machine's own name: this machine's pmcd or the embedded collector (`local.source`); `embedded`: the latter;
 * - a name of `hosts.named`: the hostspec that the operator wrote there;
 * - anything else: a pmcd that `hosts.allow` lets through.
 *
 * Refused, unknown, closed and silent targets get the same answer after the same time (`hosts.connectTimeoutSec`). A host that is merely slow to
 * connect continues connecting after that answer, so that a retry finds it.
 */
export class SourceResolver implements SourceFactory {
  readonly #options: SourceResolverOptions;
  readonly #timers: Timers;
  readonly #limitMs: number;
  readonly #admit: ReturnType<typeof hostPolicy>;
  readonly #named: ReadonlyMap<string, Hostspec>;
  readonly #place: LocalAgent;
  readonly #ownNames: ReadonlySet<string>;
  readonly #following = new WeakMap<SourceSpec, boolean>();
  /** One text for all contexts on a hostspec. */
  readonly #meanings = new LRUCache<string, string>({ max: MEANINGS_KEPT });
  #looking: Promise<unknown> | undefined;
  #lookedAtMs = -Infinity;
  #problem: string | undefined;

  constructor(options: SourceResolverOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#limitMs = options.hosts.connectTimeoutSec * 1000;
    this.#admit = hostPolicy(options.hosts.allow, options.resolve ?? resolveHost);
    this.#named = new Map(
      [...localNames(options.fleet), ...Object.entries(options.hosts.named)].map(([name, target]) => [
        name,
        parseHostspec(hostspecIn(target)),
      ]),
    );
    this.#place = new LocalAgent(options.clock ?? systemClock);
    const ownName = (options.hostName ?? hostname()).toLowerCase();
    this.#ownNames = new Set([ownName, ownName.replace(/\..*$/, '')]);
  }

  /** Throws BAD_PARAMETER, FORBIDDEN, SOURCE_UNREACHABLE, UNKNOWN_ARCHIVE, AUTHENTICATION_REQUIRED. `signal` is for archives. */
  async open(spec: SourceSpec, signal?: AbortSignal): Promise<MetricSource> {
    if (spec.kind === 'archive') return this.#openArchive(spec, signal);
    const route = this.#routeOf(spec.hostspec);
    ledTo.set(spec, this.#meaningOf(spec.hostspec));
    const identity = identityOf(spec);
    switch (route.to) {
      case 'embedded':
        return this.#options.collector.open();
      case 'local':
        return this.#openLocal(spec.hostspec, route.target, identity);
      case 'remote':
        return this.#openRemote(spec.hostspec, route.target, identity, route.resolve);
      case 'nowhere':
        return this.#answerUnreachable(spec.hostspec, this.#timers.nowMs(), new Error('not in hosts.allow'));
    }
  }

  /** What a local hostspec reaches now; a pmcd counts that was there a moment ago. Cheap when known. Throws SOURCE_UNREACHABLE. */
  async localSource(): Promise<'pmcd' | 'embedded'> {
    const isOwn = (this.#options.fleet?.localhost ?? 'own') === 'own';
    const source = isOwn
      ? await this.open({ kind: 'host', hostspec: OWN_MACHINE })
      : await this.#openLocal(OWN_MACHINE, this.#atHome(parseHostspec(OWN_MACHINE)), undefined);
    await source.close();
    return (this.#place.inhabitant ?? source.kind) === 'host' ? 'pmcd' : 'embedded';
  }

  /** What is served only in part on this machine, as sentences. */
  get problems(): readonly string[] {
    return this.#problem === undefined ? [] : [this.#problem];
  }

  /** Whether a spec can come to mean another source: an archive's name, and a hostspec that leads to whatever this machine has. */
  canMove(spec: SourceSpec): boolean {
    return spec.kind === 'archive' || this.#follows(spec);
  }

  /** Whether a spec means another source than it did. This machine is looked at in the background, while there are requests. */
  hasMoved(spec: SourceSpec, kind: SourceKind): boolean {
    if (spec.kind === 'archive') return this.#options.archives?.hasChanged(spec) ?? false;
    if (this.isWithdrawn(spec)) return true;
    if (!this.#follows(spec)) return false;
    this.#look();
    return this.#place.isLeft(kind);
  }

  /** Whether the configuration by which a spec was opened meant another host, or `hosts.allow` no longer allows it. */
  isWithdrawn(spec: SourceSpec): boolean {
    const led = ledTo.get(spec);
    return spec.kind === 'host' && led !== undefined && led !== this.#meaningOf(spec.hostspec);
  }

  placeOf(spec: SourceSpec): string | undefined {
    if (spec.kind === 'archive') {
      const isOwn = OWN_ARCHIVES.some((directory) => spec.archive.startsWith(`${directory}/`));
      return isOwn || spec.open !== undefined ? undefined : `${ARCHIVE_PLACE}${spec.archive}`;
    }
    const route = this.#routeOrCode(spec.hostspec);
    if (typeof route === 'string' || route.to !== 'remote') return undefined;
    const { address, proxy } = route.target;
    if (address.kind !== 'tcp' || proxy !== undefined) return undefined;
    return `host ${address.host.toLowerCase()}:${address.ports.join(',')}`;
  }

  isOnlyHere(spec: SourceSpec): boolean {
    const { fleet } = this.#options;
    if (fleet === undefined || (fleet.isOneMachine && spec.kind === 'host')) return false;
    return this.placeOf(spec) === undefined;
  }

  /** What the archives of a hostspec are known by; undefined: nothing, or a container. Throws BAD_PARAMETER and FORBIDDEN. */
  identify(hostspec: string): HostIdentity | undefined {
    const route = this.#routeOf(hostspec);
    const ownNames = [...this.#ownNames];
    if (!('target' in route))
      return route.to === 'embedded' ? { names: ownNames, archives: [], isLocal: true } : undefined;
    if (route.target.container !== undefined) return undefined;
    if (route.to === 'local') return { names: ownNames, archives: [], isLocal: true };
    const { address } = route.target;
    const host = address.kind === 'tcp' ? address.host.toLowerCase() : 'localhost';
    const [name = ''] = hostspec.split('?');
    const named = this.#named.has(name) ? this.#options.hosts.named[name] : undefined;
    const isLocal = LOCAL_HOSTS.has(host);
    return {
      names: [...(named === undefined ? [] : [name.toLowerCase()]), ...(isLocal ? ownNames : [host])],
      isLocal,
      archives: typeof named === 'object' ? named.archives : [],
    };
  }

  /** What a hostspec means, as text: equal for what leads to the same place. */
  #meaningOf(hostspec: string): string {
    return getOrMake<string, string>(this.#meanings, hostspec, () => {
      const route = this.#routeOrCode(hostspec);
      return typeof route === 'string' ? route : meaningOf(route);
    });
  }

  /** Whether a spec leads to whatever there is on this machine, a pmcd or the embedded collector. */
  #follows(spec: SourceSpec & { readonly kind: 'host' }): boolean {
    return getOrMake(this.#following, spec, () => {
      const route = this.#routeOrCode(spec.hostspec);
      const isLocalView =
        typeof route !== 'string' && route.to === 'local' && !wantsPmcd(route.target, identityOf(spec));
      return isLocalView && this.#options.local.source === 'auto';
    });
  }

  /** What a hostspec reaches, or the code of its error: opening it reports more. */
  #routeOrCode(hostspec: string): Route | ErrorCode {
    try {
      return this.#routeOf(hostspec);
    } catch (error) {
      if (error instanceof GatewayError) return error.code;
      throw error;
    }
  }

  /** What a hostspec reaches under this configuration. Throws BAD_PARAMETER and FORBIDDEN. */
  #routeOf(hostspec: string): Route {
    if (hostspec === EMBEDDED) return { to: 'embedded' };
    const named = this.#findNamed(hostspec);
    if (named) return { to: 'remote', target: named, resolve: undefined };
    // A bare ::1 is not a valid hostspec, but users write it.
    const target = parseHostspec(hostspec === '::1' ? '[::1]' : hostspec);
    if (target.address.kind !== 'tcp') {
      if (this.#options.hosts.allowSockets) return { to: 'remote', target, resolve: undefined };
      throw new GatewayError(
        'FORBIDDEN',
        `${target.address.kind}: targets are not allowed: they would use the gateway's credentials (hosts.allowSockets)`,
        { parameter: 'hostspec' },
      );
    }
    if (this.#isLocal(target)) {
      if (this.#options.fleet?.localhost === 'refuse' && LOCAL_HOSTS.has(target.address.host)) throw refusedLocal();
      return { to: 'local', target: this.#atHome(target) };
    }
    // What a pmproxy connects to is out of our sight; only the operator may name one.
    const resolve = target.proxy ? undefined : this.#admit(target.address);
    return resolve ? { to: 'remote', target, resolve } : { to: 'nowhere' };
  }

  #look(): void {
    const nowMs = (this.#options.clock ?? systemClock).monotonicMs();
    if (this.#looking || nowMs - this.#lookedAtMs < LOOK_MS) return;
    this.#lookedAtMs = nowMs;
    this.#looking = this.localSource()
      // The error is reported when the source is opened.
      .catch(() => undefined)
      .finally(() => (this.#looking = undefined));
  }

  #openArchive(spec: SourceSpec & { readonly kind: 'archive' }, signal?: AbortSignal): Promise<MetricSource> {
    const { archives } = this.#options;
    if (archives) return archives.open(spec, signal);
    throw new GatewayError('UNKNOWN_ARCHIVE', 'no archives are served', { parameter: 'archive' });
  }

  /** A name of `hosts.named`, with nothing or a container behind it: `web1?container=db`. */
  #findNamed(hostspec: string): Hostspec | undefined {
    const [name = '', ...attributes] = hostspec.split('?');
    const named = this.#named.get(name);
    if (!named || attributes.length === 0) return named;
    const { container, username, password, method, security } = parseHostspec(`localhost?${attributes.join('?')}`);
    if ((username ?? password ?? method) !== undefined || security !== 'none') {
      const message = `${name} is defined in the configuration: only a container may be added to it`;
      throw badParameter('hostspec', message, `${name} or ${name}?container=NAME`);
    }
    return container === undefined ? named : { ...named, container };
  }

  /** Whether a hostspec means this machine: by loopback, or by its own name with or without the domain. */
  #isLocal({ address, proxy }: Hostspec): boolean {
    return (
      proxy === undefined &&
      address.kind === 'tcp' &&
      (LOCAL_HOSTS.has(address.host) || this.#ownNames.has(address.host.toLowerCase())) &&
      address.ports.every((port) => port === PMCD_PORT)
    );
  }

  /** Where this machine's pmcd is: it need not listen at the address that the machine's name leads to. */
  #atHome(target: Hostspec): Hostspec {
    if (target.address.kind !== 'tcp') return target;
    const { localPort } = this.#options;
    const { host, ports } = target.address;
    const home = {
      host: LOCAL_HOSTS.has(host) ? host : 'localhost',
      ports: localPort === undefined ? ports : [localPort],
    };
    return { ...target, address: { ...target.address, ...home } };
  }

  async #openLocal(hostspec: string, target: Hostspec, identity: Identity | undefined): Promise<MetricSource> {
    const { collector, local, pools } = this.#options;
    const mustBePmcd = wantsPmcd(target, identity);
    if (local.source === 'embedded' && !mustBePmcd) return collector.open();
    if (local.source !== 'auto' || mustBePmcd) return this.#openRemote(hostspec, target, identity, undefined);
    try {
      const opening = pools.open(target, undefined, undefined, withoutAttributes(hostspec));
      const source = await this.#withinLimit(opening.then(withOwnAgent));
      this.#place.note('host');
      this.#problem = undefined;
      return source;
    } catch (error) {
      if (!isSourceError(error)) throw error;
      this.#problem = error instanceof AgentLost ? error.message : undefined;
      this.#place.note('local');
      return collector.open();
    }
  }

  async #openRemote(
    hostspec: string,
    target: Hostspec,
    identity: Identity | undefined,
    resolve: ResolveHost | undefined,
  ): Promise<MetricSource> {
    const startMs = this.#timers.nowMs();
    try {
      const opening = this.#options.pools.open(target, identity, resolve, withoutAttributes(hostspec));
      return await this.#withinLimit(opening);
    } catch (error) {
      if (!isSourceError(error)) throw error;
      return await this.#answerUnreachable(hostspec, startMs, error);
    }
  }

  /** Fails after the time that a silent target would take, whatever the reason. */
  async #answerUnreachable(hostspec: string, startMs: number, cause: unknown): Promise<never> {
    this.#options.onUnreachable?.(withoutAttributes(hostspec), cause);
    const leftMs = startMs + this.#limitMs - this.#timers.nowMs();
    if (leftMs > 0) await pause(Math.ceil(leftMs) + 1, this.#timers);
    throw new GatewayError('SOURCE_UNREACHABLE', UNREACHABLE, { pmErr: EHOSTUNREACH }, { cause });
  }

  /** Waits for a source as long as clients may wait; one that is opened later is released again. */
  async #withinLimit(opening: Promise<MetricSource>): Promise<MetricSource> {
    if (await endsWithin(this.#limitMs, this.#timers, opening)) return opening;
    opening.then((source) => source.close()).catch(() => undefined);
    throw new GatewayError('SOURCE_TIMEOUT', 'no response in time');
  }
}

/** Problems of the host options that only reading them as rules and hostspecs can show, by option. */
export function checkHosts(hosts: Config['hosts']): readonly OptionFault[] {
  const problems: OptionFault[] = [];
  const attempt = (option: string, read: () => unknown): void => {
    try {
      read();
    } catch (error) {
      problems.push({ option, message: (error as Error).message });
    }
  };
  for (const [i, rule] of hosts.allow.entries()) attempt(`hosts.allow.${i}`, () => parseAllowRule(rule));
  for (const [name, spec] of Object.entries(hosts.named))
    attempt(`hosts.named.${name}`, () => parseHostspec(hostspecIn(spec)));
  return problems;
}

/** Problems of `cluster.local` that only reading it as a hostspec can show. */
export function checkLocal({ local }: Config['cluster']): readonly OptionFault[] {
  if (['auto', 'own', 'refuse'].includes(local)) return [];
  const problem = (message: string): readonly OptionFault[] => [{ option: 'cluster.local', message }];
  if (LOCAL_SPELLINGS.includes(local)) return problem(`${local} is this machine: own means that`);
  try {
    parseHostspec(local);
    return [];
  } catch (error) {
    return problem((error as Error).message);
  }
}

/** Hostspecs that mean the pmcd, or the collector, of the machine of the gateway. */
const LOCAL_SPELLINGS = [...LOCAL_HOSTS, '[::1]'].flatMap((host) => [host, `${host}:${PMCD_PORT}`]);

/** What `localhost` means to a fleet, as entries of `hosts.named`. */
function localNames(fleet: LocalMeaning | undefined): readonly (readonly [string, string])[] {
  if (typeof fleet?.localhost !== 'object') return [];
  const { hostspec } = fleet.localhost;
  return LOCAL_SPELLINGS.map((name) => [name, hostspec] as const);
}

function refusedLocal(): GatewayError {
  const message = "'localhost' is ambiguous in a fleet: use a host name, or set cluster.local";
  return new GatewayError('FORBIDDEN', message, { parameter: 'hostspec', expected: 'the name of a host' });
}

function hostspecIn(target: Config['hosts']['named'][string]): string {
  return typeof target === 'string' ? target : target.live;
}

function identityOf(spec: SourceSpec & { kind: 'host' }): Identity | undefined {
  return spec.username === undefined ? undefined : { username: spec.username, password: spec.password ?? '' };
}

/** Whether only a pmcd can serve it: another user's view of this machine, a container's, an encrypted one. */
function wantsPmcd(target: Hostspec, identity: Identity | undefined): boolean {
  const { username, container, security } = target;
  return (identity ?? username ?? container) !== undefined || security === 'enforce';
}

/** A hostspec for the log: attributes may hold a password. */
function withoutAttributes(hostspec: string): string {
  return hostspec.replace(/[?&].*$/s, '');
}

function meaningOf(route: Route): string {
  return JSON.stringify(route.to === 'remote' || route.to === 'local' ? [route.to, route.target] : [route.to]);
}

/** The pmcd of this machine answers, but without the metrics of the machine. */
class AgentLost extends GatewayError {}

/** A source as it is; closes it and throws AgentLost if its pmcd has lost the agent of the machine. */
async function withOwnAgent(source: MetricSource): Promise<MetricSource> {
  try {
    const [pmid = PM_ERR.NAME] = await source.lookupNames([OWN_METRIC]);
    const found = pmid < 0 ? undefined : (await source.describe([pmid]))[0];
    if (typeof found === 'number' && AGENT_LOST.includes(found)) {
      const message = `this machine's pmcd has lost its agent for ${OWN_METRIC}: the embedded collector stands in`;
      throw new AgentLost('SOURCE_FAILED', message);
    }
    return source;
  } catch (error) {
    await source.close();
    throw error;
  }
}
