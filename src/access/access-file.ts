import { parsePasswordHash, type PasswordHash } from './credentials.js';
import { builtInRoles, makeRole, PERMISSIONS, type Role, type RoleDefinition } from './principal.js';

export interface AccessFile {
  readonly users: ReadonlyMap<string, { readonly password: PasswordHash; readonly roles: readonly Role[] }>;
  /** Tokens by the SHA-256 of their text, in hex. */
  readonly tokens: ReadonlyMap<string, { readonly name: string; readonly roles: readonly Role[] }>;
  readonly roles: ReadonlyMap<string, Role>;
}

/** A problem of an access file; `option` is its path (`users.alice.password`), `line` its line if known. */
export interface AccessProblem {
  readonly option: string;
  readonly line?: number;
  readonly message: string;
}

/** Thrown with all problems of an access file. */
export class AccessFileError extends Error {
  override name = 'AccessFileError';

  constructor(readonly problems: readonly AccessProblem[]) {
    super(problems.map(({ option, message }) => `${option}: ${message}`).join('\n'));
  }
}

const NAME = /^[\w.@-]{1,64}$/;
const SHA256 = /^[0-9a-f]{64}$/;

/**
 * Read an access file, parsed from YAML or JSON already:
 *
 *     users:  { alice: { password: $scrypt$…, roles: [read, derive] } } tokens: { grafana: { sha256: …, roles: [web] } } roles:
 *     { web: { permissions: [read], metrics: [kernel.*, '!kernel.all.load'], hosts: [web*], archives: ['*'] } }
 *
 * Throws AccessFileError with all problems. Unknown members are problems, because they may be restrictions that someone relies on.
 */
export function readAccessFile(content: unknown): AccessFile {
  const reader = new AccessFileReader();
  const file = reader.read(content);
  if (reader.problems.length > 0) throw new AccessFileError(reader.problems);
  return file;
}

class AccessFileReader {
  readonly problems: AccessProblem[] = [];
  readonly #roles = new Map(builtInRoles().map((role) => [role.name, role]));

  read(content: unknown): AccessFile {
    const file = this.#members('', content ?? {}, ['users', 'tokens', 'roles']);
    for (const [name, entry] of this.#named('roles', file.roles)) {
      this.#roles.set(name, makeRole(name, this.#role(`roles.${name}`, entry)));
    }
    const users = new Map<string, { password: PasswordHash; roles: readonly Role[] }>();
    for (const [name, entry] of this.#named('users', file.users)) {
      const { password, roles } = this.#members(`users.${name}`, entry, ['password', 'roles']);
      const hash = typeof password === 'string' ? parsePasswordHash(password) : undefined;
      if (hash) users.set(name, { password: hash, roles: this.#rolesOf(`users.${name}.roles`, roles) });
      else
        this.#complain(
          `users.${name}.password`,
          "must be a hash printed by `pmgate passwd`, in quotes: '$scrypt$ln=15,r=8,p=1$…'",
        );
    }
    const tokens = new Map<string, { name: string; roles: readonly Role[] }>();
    for (const [name, entry] of this.#named('tokens', file.tokens)) {
      const { sha256, roles } = this.#members(`tokens.${name}`, entry, ['sha256', 'roles']);
      const place = `tokens.${name}.sha256`;
      if (typeof sha256 !== 'string' || !SHA256.test(sha256)) {
        this.#complain(place, 'must be a SHA-256 in hex, as printed by `pmgate token`');
      } else if (tokens.has(sha256)) {
        this.#complain(place, `is a duplicate of the token ${tokens.get(sha256)!.name}`);
      } else {
        tokens.set(sha256, { name, roles: this.#rolesOf(`tokens.${name}.roles`, roles) });
      }
    }
    return { users, tokens, roles: this.#roles };
  }

  #role(place: string, entry: unknown): RoleDefinition {
    const { permissions, metrics, hosts, archives } = this.#members(place, entry, [
      'permissions',
      'metrics',
      'hosts',
      'archives',
    ]);
    const words = this.#texts(`${place}.permissions`, permissions) ?? [];
    const known = PERMISSIONS.filter((permission) => words.includes(permission));
    const unknown = words.find((word) => !known.some((permission) => permission === word));
    if (words.length === 0)
      this.#complain(`${place}.permissions`, `is missing: expected some of ${PERMISSIONS.join(', ')}`);
    if (unknown !== undefined) {
      this.#complain(`${place}.permissions`, `unknown permission ${unknown} (known: ${PERMISSIONS.join(', ')})`);
    }
    return {
      permissions: known,
      metrics: this.#texts(`${place}.metrics`, metrics),
      hosts: this.#covered(`${place}.hosts`, 'hosts', hosts),
      archives: this.#covered(`${place}.archives`, 'archives', archives),
    };
  }

  /** A role's globs, without exceptions (`!`): a host has many names, so an excluded one could be reached by another. */
  #covered(place: string, noun: string, value: unknown): readonly string[] | undefined {
    const globs = this.#texts(place, value);
    for (const glob of globs ?? []) {
      if (!glob.startsWith('!')) continue;
      this.#complain(
        place,
        `${glob.slice(0, 80)} excludes nothing: '!' is for metrics only; list the ${noun} of the role`,
      );
    }
    return globs;
  }

  #rolesOf(place: string, value: unknown): readonly Role[] {
    const names = this.#texts(place, value);
    if (!names) this.#complain(place, `is missing: expected some of ${[...this.#roles.keys()].join(', ')}`);
    return (names ?? []).flatMap((name) => {
      const role = this.#roles.get(name);
      if (role) return [role];
      this.#complain(place, `unknown role ${name} (known: ${[...this.#roles.keys()].join(', ')})`);
      return [];
    });
  }

  #texts(place: string, value: unknown): readonly string[] | undefined {
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((text) => typeof text === 'string' && text !== ''))
      return value as string[];
    this.#complain(place, 'must be a list of strings');
    return [];
  }

  #named(place: string, value: unknown): readonly (readonly [string, unknown])[] {
    if (value === undefined || value === null) return [];
    if (typeof value !== 'object' || Array.isArray(value)) {
      this.#complain(place, 'must be a map of names');
      return [];
    }
    return Object.entries(value).filter(([name]) => {
      if (NAME.test(name)) return true;
      this.#complain(`${place}.${name.slice(0, 80)}`, 'invalid name: expected letters, digits and . @ _ -, at most 64');
      return false;
    });
  }

  #members(place: string, value: unknown, known: readonly string[]): Readonly<Record<string, unknown>> {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.#complain(place === '' ? 'the file' : place, `must be a map with ${known.join(', ')}`);
      return {};
    }
    for (const name of Object.keys(value)) {
      if (!known.includes(name)) {
        const dot = place === '' ? '' : `${place}.`;
        this.#complain(`${dot}${name.slice(0, 80)}`, `is unknown (known: ${known.join(', ')})`);
      }
    }
    return value as Record<string, unknown>;
  }

  #complain(option: string, message: string): void {
    this.problems.push({ option, message });
  }
}
