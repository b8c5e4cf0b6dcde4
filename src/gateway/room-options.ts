import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config/index.js';
import type { ContextLimits, ContextMemoryLimits } from '../context/index.js';
import { DEFAULT_RANGE_LIMITS } from '../context/range/index.js';
import type { RangeLimits } from '../context/range/index.js';
import type { StreamLimits } from '../context/stream/index.js';
import type { OverloadLimits, ServerTimeouts } from '../http/index.js';
import type { Log } from '../log/index.js';
import type { DerivedRegistryOptions } from './derived-registry.js';
import { isLocal } from './security.js';
import type { LocalMeaning } from './targets/source-resolver.js';

/** The definitions that ship with the package. */
const SHIPPED_DEFINITIONS = fileURLToPath(new URL('../../config/derived', import.meta.url));

/** The root of the recorder's archives, which are in `recorded` there: clients know them by that name. */
export function recordedRoot({ state }: Config): string {
  return path.join(state.directory ?? defaultStateDirectory(), 'archives');
}

/** What this machine means to the fleet; undefined without one. */
export function localMeaning({ cluster }: Config): LocalMeaning | undefined {
  const { url, sentinels, local, linkPort, linkHost } = cluster;
  if (url === null && sentinels.length === 0) return undefined;
  // Other machines do not reach a link on loopback.
  const isOneMachine = linkPort !== null && isLocal(linkHost);
  const localhost = local === 'auto' ? (isOneMachine ? 'own' : 'refuse') : local;
  return {
    isOneMachine,
    localhost: localhost === 'own' || localhost === 'refuse' ? localhost : { hostspec: localhost },
  };
}

export function contextMemory({ limits: { memoryBytes } }: Config): ContextMemoryLimits {
  const { plans, programs, metadata, definitions, profiles } = memoryShares(memoryBytes);
  return {
    keptBytes: plans,
    programBytes: programs,
    metadataBytes: metadata,
    definitionBytes: definitions,
    profileBytes: profiles,
  };
}

export function derivedOptions({
  config,
  log,
}: {
  readonly config: Config;
  readonly log: Log;
}): DerivedRegistryOptions {
  const { derived, state, limits } = config;
  return {
    memoryBytes: memoryShares(limits.memoryBytes).global_definitions,
    shippedDirectory: derived.shipped ? SHIPPED_DEFINITIONS : undefined,
    files: derived.files,
    stateFile: derived.stateFile ?? path.join(state.directory ?? defaultStateDirectory(), 'derived.json'),
    allowMutation: derived.allowMutation,
    complain: (message, fields) => log.warn(message, fields),
  };
}

export function contextLimits(config: Config): ContextLimits {
  return {
    contexts: config.limits.contexts,
    pollTimeoutMs: config.contexts.pollTimeoutSec * 1000,
    maxPollTimeoutMs: config.contexts.maxPollTimeoutSec * 1000,
  };
}

export function streamLimits({ streams }: Config): StreamLimits {
  const { maxSubscribers, historyBytes, lingerSec, minIntervalMsec, heartbeatSec, bufferBytes } = streams;
  return {
    maxSubscribers,
    historyBytes,
    lingerMs: lingerSec * 1000,
    minIntervalMs: minIntervalMsec,
    heartbeatMs: heartbeatSec * 1000,
    bufferBytes,
  };
}

export function rangeLimits({ archives }: Config): RangeLimits {
  return { ...DEFAULT_RANGE_LIMITS, values: archives.rangeValues, points: archives.rangePoints };
}

export function overloadLimits({
  limits: { requests, ranges, loopDelayMs, unsentBytes },
  hosts,
}: Config): OverloadLimits {
  return { requests, ranges, loopDelayMs, unsentBytes, hostRequests: hosts.requests };
}

export function serverTimeouts({ limits }: Config): ServerTimeouts {
  return {
    headersMs: limits.headersTimeoutSec * 1000,
    requestMs: limits.requestTimeoutSec * 1000,
    keepAliveMs: limits.keepAliveTimeoutSec * 1000,
    writeMs: limits.writeTimeoutSec * 1000,
  };
}

/** Where state lives when the configuration does not say: @see file-hierarchy(7) and the XDG base directories. */
export function defaultStateDirectory(): string {
  if (process.getuid?.() === 0) return '/var/lib/pmgate';
  return path.join(process.env.XDG_STATE_HOME ?? path.join(os.homedir(), '.local/state'), 'pmgate');
}

/** What the gateway keeps for clients, and the share of each in `limits.memoryBytes`. The shares add up to 1. */
const SHARES = {
  global_definitions: 1 / 16,
  definitions: 1 / 16,
  profiles: 1 / 16,
  streams: 1 / 8,
  programs: 1 / 8,
  plans: 1 / 4,
  metadata: 5 / 16,
};

/** A kind of kept data; `plans` includes views and histories of fetches. */
export type MemoryKind = keyof typeof SHARES;

/** All kinds, in a fixed order. */
export const MEMORY_KINDS = Object.keys(SHARES) as readonly MemoryKind[];

export function memoryShares(memoryBytes: number): Readonly<Record<MemoryKind, number>> {
  const share = (kind: MemoryKind): [MemoryKind, number] => [kind, Math.floor(memoryBytes * SHARES[kind])];
  return Object.fromEntries(MEMORY_KINDS.map(share)) as Record<MemoryKind, number>;
}
