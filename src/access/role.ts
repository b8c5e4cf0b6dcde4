import path from 'node:path';
import { globMatcher } from '../kit/index.js';
import { metricRule } from '../sources/index.js';
import type { MetricRule } from '../sources/index.js';

/**
 * What can be permitted: `read` values and metadata, `derive` metrics (for a context or globally), `store` values, and `admin`: see
 * and end everybody's contexts.
 */
export const PERMISSIONS = ['read', 'derive', 'store', 'admin'] as const;
/** One of {@link PERMISSIONS}. */
export type Permission = (typeof PERMISSIONS)[number];

/** The directory of the gateway's own recordings, below the roots of archives. */
export const RECORDINGS = 'recorded';

/** A role: what it permits, on which metrics, of which hosts and archives. */
export interface Role {
  readonly name: string;
  readonly permissions: ReadonlySet<Permission>;
  readonly metrics: MetricRule;
  /** Whether it speaks of a hostspec, or of an archive's name. */
  readonly coversHost: (hostspec: string) => boolean;
  readonly coversArchive: (archive: string) => boolean;
  /** Whether it speaks of every host and archive. */
  readonly isEverywhere: boolean;
}

/** A role as a file writes it; what is left out is not restricted. */
export interface RoleDefinition {
  readonly permissions: readonly Permission[];
  readonly metrics?: readonly string[] | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly archives?: readonly string[] | undefined;
}

/** Make a role of its definition. */
export function makeRole(name: string, { permissions, metrics = ['*'], hosts, archives }: RoleDefinition): Role {
  return {
    name,
    permissions: new Set(permissions),
    metrics: metricRule(metrics),
    // Attributes of a hostspec (`?container=`) do not count.
    coversHost: covers(hosts, (hostspec) => [hostspec.replace(/\?.*$/s, '')]),
    coversArchive: archives || !hosts ? covers(archives, namesIn) : (list) => !namesIn(list).some(isRecording),
    isEverywhere: hosts === undefined && archives === undefined,
  };
}

/** Roles that need no definition: each permits what it is called. `admin` permits everything. */
export function builtInRoles(): readonly Role[] {
  return PERMISSIONS.map((permission) =>
    makeRole(permission, { permissions: permission === 'admin' ? PERMISSIONS : [permission] }),
  );
}

/** A list of archives is covered when each of them is. */
function namesIn(list: string): readonly string[] {
  return list.split(',').map((archive) => archive.trim());
}

/**
 * Whether an archive is one that the gateway records of this machine: a role that is limited to other hosts covers it only if it lists it.
 * Nothing leads up from an archive's name: names with `..` are refused.
 */
function isRecording(archive: string): boolean {
  return path.posix.normalize(archive).split('/')[0] === RECORDINGS;
}

/** Whether every part of a text matches one of some globs. */
function covers(globs: readonly string[] | undefined, parts: (text: string) => readonly string[]): Role['coversHost'] {
  if (!globs) return () => true;
  const matchers = globs.map(globMatcher);
  return (text) => parts(text).every((part) => matchers.some((matches) => matches(part)));
}
