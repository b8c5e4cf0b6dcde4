import { createHash } from 'node:crypto';

/** The token of a name in {@link tokensOf}. */
export const tokenOf = (name: string): string => `${name}-token-${name}`;

/** The tokens of an access file: one for each name, with these roles or with the role of that name. */
export function tokensOf(names: readonly string[], roles: Readonly<Record<string, readonly string[]>> = {}): object {
  const sha256 = (name: string): string => createHash('sha256').update(tokenOf(name)).digest('hex');
  return Object.fromEntries(names.map((name) => [name, { sha256: sha256(name), roles: roles[name] ?? [name] }]));
}
