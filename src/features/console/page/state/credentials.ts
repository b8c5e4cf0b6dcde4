import { attempt } from '../../../../kit/index.js';

/** The credentials of a signed-in user. */
export type Credentials =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'password'; readonly username: string; readonly password: string };

/** The credentials in a text that a tab kept; null: there are none. */
export function credentialsIn(text = ''): Credentials | null {
  const kept = attempt(() => JSON.parse(text) as Readonly<Record<string, unknown>> | null) ?? {};
  const { token, username, password } = kept;
  if (typeof token === 'string') return { kind: 'token', token };
  if (typeof username !== 'string' || typeof password !== 'string') return null;
  return { kind: 'password', username, password };
}

/** The value of the header Authorization. */
export function authorization(given: Credentials): string {
  if (given.kind === 'token') return `Bearer ${given.token}`;
  const bytes = new TextEncoder().encode(`${given.username}:${given.password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}
