import path from 'node:path';
import { globMatcher } from '../kit/index.js';
import { metricRule } from '../sources/index.js';
import type { MetricRule } from '../sources/index.js';

/**
 * What can be permitted: `read` values and metadata, `derive` metrics (for a context or globally), `store` values, `push` archives,
 * and `admin`: see and end the contexts of all clients.
 */
export const PERMISSIONS = ['read', 'derive', 'store', 'push', 'admin'] as const;
/** One of {@link PERMISSIONS}. */
export type Permission = (typeof PERMISSIONS)[number];

/** The directory of the gateway's own recordings, below the roots of archives. */
export const RECORDINGS = 'recorded';

/** The directory of archives that clients push, beside it. */
export const PUSHED = 'pushed';

/** A role: what it permits, on which metrics, of which hosts and archives. */
export interface Role {
  readonly name: string;
  readonly permissions: ReadonlySet<Permission>;
  readonly metrics: MetricRule;
  /** Whether it covers a hostspec, or an archive's name. */
  readonly coversHost: (hostspec: string) => boolean;
  readonly coversArchive: (archive: string) => boolean;
  /** Whether it covers every host and archive. */
  readonly isEverywhere: boolean;
}

/** A role as a file defines it; absent members mean no restriction. */
export interface RoleDefinition {
  readonly permissions: readonly Permission[];
  readonly metrics?: readonly string[] | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly archives?: readonly string[] | undefined;
}

/** Makes a role from its definition. */
export function makeRole(name: string, { permissions, metrics = ['*'], hosts, archives }: RoleDefinition): Role {
  return {
    name,
    permissions: new Set(permissions),
    metrics: metricRule(metrics),
    // Attributes of a hostspec (`?container=`) are ignored.
    coversHost: covers(hosts, (hostspec) => [hostspec.replace(/\?.*$/s, '')]),
    coversArchive: archives || !hosts ? covers(archives, namesIn) : (list) => !namesIn(list).some(isRecording),
    isEverywhere: hosts === undefined && archives === undefined,
  };
}

/** The predefined roles: each permits what its name says. `admin` permits everything. */
export function builtInRoles(): readonly Role[] {
  return PERMISSIONS.map((permission) =>
    makeRole(permission, { permissions: permission === 'admin' ? PERMISSIONS : [permission] }),
  );
}

/** A list of archives is covered if each of them is. */
function namesIn(list: string): readonly string[] {
  return list.split(',').map((archive) => archive.trim());
}

/**
 * Whether an archive is one of this gateway's recordings, or was pushed to it: a role restricted to hosts covers it only if it lists
 * it. Names with `..` are rejected, so a path cannot lead up from an archive's name.
 */
function isRecording(archive: string): boolean {
  const [directory = ''] = path.posix.normalize(archive).split('/');
  return directory === RECORDINGS || directory === PUSHED;
}

/** Whether every part of a text matches one of some globs. */
function covers(globs: readonly string[] | undefined, parts: (text: string) => readonly string[]): Role['coversHost'] {
  if (!globs) return () => true;
  const matchers = globs.map(globMatcher);
  return (text) => parts(text).every((part) => matchers.some((matches) => matches(part)));
}
