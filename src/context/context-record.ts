import { helpOf, type KeptDefinition } from '../derived/index.js';
import { GatewayError, timestampFromNanoseconds, timestampToNanoseconds, type Timestamp } from '../pmapi/index.js';
import { InstanceProfile, type RecordedModeChange, type RecordedPosition } from '../sources/index.js';
import type { Context } from './context.js';

/** Records contexts for the other gateways of a fleet: see {@link ContextManager.record}. */
export interface ContextDirectory {
  /** Notes a context that was opened. Throws GatewayError UNAVAILABLE: the context must be closed. */
  create(id: number): Promise<void>;
  /** Notes that a context has changed. Throws GatewayError UNAVAILABLE if it is no longer here, OUTCOME_UNKNOWN. */
  save(id: number): Promise<void>;
  /** Notes that a context ended. Throws GatewayError OUTCOME_UNKNOWN. */
  end(id: number, how: string): Promise<void>;
  /** For shared contexts; absent: they are known at their gateways only. */
  readonly shared?: {
    /** The number of a key's context at all gateways; undefined until they have agreed on numbers. */
    idOf(key: string): number | undefined;
    /** Notes a context that was opened, so that any gateway can open it. Never rejects. */
    note(id: number): Promise<void>;
  };
}

export interface RecordedContext {
  /** The archive, or the hostspec without passwords. */
  readonly target: { readonly kind: 'host' | 'archive'; readonly name: string };
  /** The user at pmcd; the password comes with each request. */
  readonly username: string | undefined;
  /** Other gateways can open it: the hostspec is whole, and means the same there. */
  readonly isComplete: boolean;
  readonly filterKey: string | undefined;
  /** It belongs to all who may see the same. */
  readonly isShared: boolean;
  readonly owner: string | undefined;
  readonly pollTimeoutMs: number;
  readonly profile: InstanceProfile;
  readonly definitions: readonly KeptDefinition[];
  readonly mode: RecordedModeChange | undefined;
  /** Members of a later release, written back unchanged. */
  readonly unknown: Readonly<Record<string, unknown>>;
}

/** Attributes that hold a password, in any spelling that pmcd's hostspecs allow. */
const PASSWORD = /([?&])pass(?:word)?=[^&]*/gi;

interface RecordMore {
  /** Other gateways would open something else by the spec. */
  readonly isOnlyHere?: boolean | undefined;
  readonly unknown?: RecordedContext['unknown'] | undefined;
}

export function writeRecord(context: Context, { isOnlyHere = false, unknown }: RecordMore = {}): string {
  const { spec, owner, pollTimeoutMs, archive } = context;
  const name = spec.kind === 'host' ? spec.hostspec : spec.archive;
  const withoutPassword = name.replaceAll(PASSWORD, '$1');
  const profile = context.copyProfile();
  return JSON.stringify({
    ...unknown,
    v: 1,
    kind: spec.kind,
    name: withoutPassword,
    username: spec.kind === 'host' ? spec.username : undefined,
    isComplete: withoutPassword === name && !isOnlyHere,
    filterKey: spec.filter?.key,
    isShared: context.isShared || undefined,
    owner,
    pollTimeoutMs,
    isAll: profile.defaultIncluded,
    indoms: profile.indoms.map(({ indom, state, listed }) => ({ indom, state, listed: [...listed] })),
    definitions: context.derived
      .own()
      .map((definition) => ({ name: definition.name, expression: definition.expression, ...helpOf(definition) })),
    mode: archive && modeOf(archive.position),
  });
}

/** @throws GatewayError UNAVAILABLE for a record that this release cannot read */
export function readRecord(text: string): RecordedContext {
  try {
    const record = JSON.parse(text) as Partial<Written>;
    const { v, kind, name, username, isComplete, filterKey, isShared, owner, pollTimeoutMs, ...rest } = record;
    const { isAll, indoms = [], definitions = [], mode, ...unknown } = rest;
    const isKnown = v === 1 && (kind === 'host' || kind === 'archive') && typeof name === 'string';
    if (!isKnown || typeof pollTimeoutMs !== 'number') throw new Error('a record of another release');
    const profile = new InstanceProfile();
    if (isAll !== true) profile.delete();
    for (const { indom, state, listed } of indoms) {
      // An empty rule for the whole domain first, then its exceptions.
      profile[state === 'include' ? 'add' : 'delete'](indom);
      if (listed.length > 0) profile[state === 'include' ? 'delete' : 'add'](indom, listed);
    }
    return {
      target: { kind, name },
      username,
      isComplete: isComplete === true,
      filterKey,
      isShared: isShared === true,
      owner,
      pollTimeoutMs,
      profile,
      definitions,
      mode,
      unknown,
    };
  } catch (error) {
    const message = 'the context was created by a gateway of another release';
    throw new GatewayError('UNAVAILABLE', message, {}, { cause: error });
  }
}

interface Written extends Omit<RecordedContext, 'target' | 'profile' | 'unknown'> {
  readonly v: 1;
  readonly kind: 'host' | 'archive';
  readonly name: string;
  readonly isAll: boolean;
  readonly indoms: readonly { readonly indom: number; readonly state: string; readonly listed: readonly number[] }[];
}

/** The mode that continues behind the record fetched last. */
function modeOf({ mode, time, intervalSec, isRead }: RecordedPosition): RecordedModeChange {
  return { mode, intervalSec, time: isRead === true ? behind(time, mode) : time };
}

function behind(time: Timestamp, mode: RecordedPosition['mode']): Timestamp {
  return timestampFromNanoseconds(timestampToNanoseconds(time) + (mode === 'backward' ? -1n : 1n));
}
