import { GatewayError } from '../pmapi/index.js';
import { metricFilter } from '../sources/index.js';
import type { MetricFilter, SourceSpec } from '../sources/index.js';
import type { Permission, Role } from './role.js';

/** What a principal may see of a source: all of it, or what a filter leaves. */
export interface Visibility {
  readonly filter: MetricFilter | undefined;
}

/** The sender of a request, and what it may do. */
export class Principal {
  /** How the principal was authenticated. */
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

  /** The names of its roles. */
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

  /**
   * What of a source may be seen. Throws as require() does if nothing may be seen: the response does not reveal whether the host
   * exists.
   */
  see(spec: SourceSpec): Visibility {
    const roles = this.#rolesFor(spec, 'read');
    const target = targetOf(spec);
    if (roles.length === 0) throw this.#refusal(`${target} may not be read`, 'read');
    return this.#filtered(roles);
  }

  #filtered(roles: readonly Role[]): Visibility {
    const key = roles.map(({ name }) => name).join(' ');
    let known = this.#filters.get(key);
    if (!known) {
      known = { filter: metricFilter(roles.map(({ metrics }) => metrics)) };
      this.#filters.set(key, known);
    }
    return known;
  }

  /** Whether anything of a source may be seen. */
  sees(spec: SourceSpec): boolean {
    return this.#rolesFor(spec, 'read').length > 0;
  }

  /** What may be seen on at least one source: for things that belong to no source, such as definitions. */
  get anywhere(): Visibility {
    return this.#filtered(this.#roles.filter(({ permissions }) => permissions.has('read')));
  }

  /**
   * What global definitions of this principal may refer to: what it may see or, if it may read nothing, what its roles with
   * `derive` cover.
   */
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

  /**
   * Throws as require() does unless a role permits something on every host and archive and on a metric, or without one on all
   * metrics: roles with restrictions may not change what affects all clients.
   */
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
    return new GatewayError('FORBIDDEN', `${problem} to ${this.name}`, {
      expected: `a role with the permission ${permission}`,
    });
  }
}

function targetOf(spec: SourceSpec): string {
  return spec.kind === 'archive' ? `the archive ${spec.archive.slice(0, 200)}` : 'this host';
}
