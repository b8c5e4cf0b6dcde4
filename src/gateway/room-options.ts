import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config/index.js';
import type { ContextLimits, ContextMemoryLimits } from '../context/index.js';
import type { StreamLimits } from '../context/stream/index.js';
import type { OverloadLimits, ServerTimeouts } from '../http/index.js';
import type { Log } from '../log/index.js';
import type { DerivedRegistryOptions } from './derived-registry.js';
import { isLocal } from './security.js';
import type { LocalMeaning } from './targets/source-resolver.js';

const SHIPPED_DEFINITIONS = fileURLToPath(new URL('../../config/derived', import.meta.url));

/** Where state lives: @see file-hierarchy(7) and the XDG base directories. */
export function stateDirectory({ state }: Config): string {
  if (state.directory !== null) return state.directory;
  if (process.getuid?.() === 0) return '/var/lib/pmgate';
  return path.join(process.env.XDG_STATE_HOME ?? path.join(os.homedir(), '.local/state'), 'pmgate');
}

/** The root of the recorder's archives, which are in `recorded` there: clients know them by that name. */
export function recordedRoot(config: Config): string {
  return path.join(stateDirectory(config), 'archives');
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
  const { plans, ...shares } = memoryShares(memoryBytes);
  return { ...shares, kept: plans };
}

export function derivedOptions(config: Config, log: Log): DerivedRegistryOptions {
  const { derived, limits } = config;
  return {
    memoryBytes: memoryShares(limits.memoryBytes).global_definitions,
    shippedDirectory: derived.shipped ? SHIPPED_DEFINITIONS : undefined,
    files: derived.files,
    stateFile: derived.stateFile ?? path.join(stateDirectory(config), 'derived.json'),
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
  const { lingerSec, minIntervalMsec, heartbeatSec, ...same } = streams;
  return { ...same, lingerMs: lingerSec * 1000, minIntervalMs: minIntervalMsec, heartbeatMs: heartbeatSec * 1000 };
}

export function overloadLimits({ limits, hosts }: Config): OverloadLimits {
  return { ...limits, hostRequests: hosts.requests };
}

export function serverTimeouts(limits: Config['limits']): ServerTimeouts {
  return {
    headersMs: limits.headersTimeoutSec * 1000,
    requestMs: limits.requestTimeoutSec * 1000,
    keepAliveMs: limits.keepAliveTimeoutSec * 1000,
    writeMs: limits.writeTimeoutSec * 1000,
  };
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

export const MEMORY_KINDS = Object.keys(SHARES) as readonly MemoryKind[];

export function memoryShares(memoryBytes: number): Readonly<Record<MemoryKind, number>> {
  const share = (kind: MemoryKind): [MemoryKind, number] => [kind, Math.floor(memoryBytes * SHARES[kind])];
  return Object.fromEntries(MEMORY_KINDS.map(share)) as Record<MemoryKind, number>;
}
