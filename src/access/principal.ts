import path from 'node:path';
import { globMatcher } from '../kit/index.js';
import { GatewayError } from '../pmapi/index.js';
import { metricFilter, metricRule, type MetricFilter, type MetricRule, type SourceSpec } from '../sources/index.js';

/** All of a source, or what a filter leaves. */
export interface Visibility {
  readonly filter: MetricFilter | undefined;
}

export interface DescribedPrincipal {
  readonly kind: Principal['kind'];
  readonly name: string;
  readonly roles: readonly string[];
}

/** The sender of a request, with its permissions. */
export class Principal {
  readonly kind: 'anonymous' | 'user' | 'token';
  /** A user's or token's name, for logs and as the owner of contexts (`user alice`); undefined for anonymous clients. */
  readonly name: string | undefined;
  readonly #roles: readonly Role[];
  readonly #filters = new Map<string, Visibility>();

  constructor(kind: Principal['kind'], name: string, roles: readonly Role[]) {
    this.kind = kind;
    this.name = kind === 'anonymous' ? undefined : `${kind} ${name}`;
    this.#roles = roles;
  }

  /** The principal for another gateway with the same access file. */
  describe(): DescribedPrincipal {
    return { kind: this.kind, name: this.name?.slice(this.kind.length + 1) ?? '', roles: this.roleNames };
  }

  get roleNames(): readonly string[] {
    return this.#roles.map(({ name }) => name);
  }

  /** Whether any role permits it, on any host. */
  may(permission: Permission): boolean {
    return this.#roles.some(({ permissions }) => permissions.has(permission));
  }

  /** Throws FORBIDDEN, or AUTHENTICATION_REQUIRED for anonymous clients, if no role permits it. */
  require(permission: Permission): void {
    if (!this.may(permission)) throw this.#refusal(`${permission} is not permitted`, permission);
  }

  /** The visible part of a source. Throws as require() does if nothing is: the response does not reveal whether it exists. */
  see(spec: SourceSpec): Visibility {
    const roles = this.#rolesFor(spec, 'read');
    if (roles.length === 0) throw this.#refusal(`${targetOf(spec)} may not be read`, 'read');
    return this.#filtered(roles);
  }

  #filtered(roles: readonly Role[]): Visibility {
    const key = roles.map(({ name }) => name).join(' ');
    let known = this.#filters.get(key);
    if (!known) this.#filters.set(key, (known = { filter: metricFilter(roles.map(({ metrics }) => metrics)) }));
    return known;
  }

  sees(spec: SourceSpec): boolean {
    return this.#rolesFor(spec, 'read').length > 0;
  }

  /** The visible part of at least one source: for things that belong to no source, such as definitions. */
  get anywhere(): Visibility {
    return this.#filtered(this.#roles.filter(({ permissions }) => permissions.has('read')));
  }

  /** The possible operands of the principal's global definitions: visible metrics or, without `read`, those of its `derive` roles. */
  get definable(): Visibility {
    if (this.may('read')) return this.anywhere;
    return this.#filtered(this.#roles.filter(({ permissions }) => permissions.has('derive')));
  }

  /** Throws as require() does unless a role permits something on a source and, if a metric is given, on that metric. */
  requireOn(permission: Permission, spec: SourceSpec, metric?: string): void {
    const roles = this.#rolesFor(spec, permission);
    const filter = metricFilter(roles.map(({ metrics }) => metrics));
    if (roles.length > 0 && (metric === undefined || !filter || filter.allows(metric))) return;
    if (metric !== undefined) this.refuse(permission, metric);
    throw this.#refusal(`${permission} is not permitted on ${targetOf(spec)}`, permission);
  }

  /** Throws as require() does unless a role permits it on every host and archive, and on a metric (or all): it affects all clients. */
  requireEverywhere(permission: Permission, metric?: string): void {
    const roles = this.#roles.filter(({ permissions, isEverywhere }) => isEverywhere && permissions.has(permission));
    const filter = metricFilter(roles.map(({ metrics }) => metrics));
    if (roles.length > 0 && (!filter || (metric !== undefined && filter.allows(metric)))) return;
    if (roles.length === 0 || metric === undefined) {
      throw this.#refusal(`${permission} is not permitted everywhere`, permission);
    }
    this.refuse(permission, metric);
  }

  /** Throws what require() throws, for a metric. */
  refuse(permission: Permission, metric: string): never {
    throw this.#refusal(`${permission} is not permitted for ${metric.slice(0, 200)}`, permission);
  }

  #rolesFor(spec: SourceSpec, permission: Permission): readonly Role[] {
    return this.#roles.filter(
      (role) =>
        role.permissions.has(permission) &&
        (spec.kind === 'archive' ? role.coversArchive(spec.archive) : role.coversHost(spec.hostspec)),
    );
  }

  #refusal(problem: string, permission: Permission): GatewayError {
    if (this.name === undefined) {
      const reason = `${problem} without authentication: no role of access.anonymousRoles permits it`;
      return new GatewayError('AUTHENTICATION_REQUIRED', reason, {
        expected: `an Authorization header of a client with the permission ${permission}, or ${permission} in access.anonymousRoles`,
      });
    }
    const message = `${problem} to ${this.name}`;
    return new GatewayError('FORBIDDEN', message, { expected: `a role with the permission ${permission}` });
  }
}

function targetOf(spec: SourceSpec): string {
  return spec.kind === 'archive' ? `the archive ${spec.archive.slice(0, 200)}` : 'this host';
}

/** Permissions: `read`, `derive` metrics, `store` values, `push` archives, `admin` (see and end all clients' contexts). */
export const PERMISSIONS = ['read', 'derive', 'store', 'push', 'admin'] as const;
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
  readonly coversHost: (hostspec: string) => boolean;
  readonly coversArchive: (archive: string) => boolean;
  readonly isEverywhere: boolean;
}

/** A role as a file defines it; absent members mean no restriction. */
export interface RoleDefinition {
  readonly permissions: readonly Permission[];
  readonly metrics?: readonly string[] | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly archives?: readonly string[] | undefined;
}

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

/** Whether an archive was recorded or pushed here: roles restricted to hosts cover it only by name. (`..` is rejected before.) */
function isRecording(archive: string): boolean {
  const [directory = ''] = path.posix.normalize(archive).split('/');
  return directory === RECORDINGS || directory === PUSHED;
}

function covers(globs: readonly string[] | undefined, parts: (text: string) => readonly string[]): Role['coversHost'] {
  if (!globs) return () => true;
  const matchers = globs.map(globMatcher);
  return (text) => parts(text).every((part) => matchers.some((matches) => matches(part)));
}

/** Whether a spec has a user name or a password for a host. */
export function holdsCredentials(spec: SourceSpec): boolean {
  return spec.kind === 'host' && (spec.username !== undefined || /[?&](?:user|pass)/i.test(spec.hostspec));
}
