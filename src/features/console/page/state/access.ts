import { signal } from '@preact/signals';
import { readStored, store } from './storage.js';

/** The credentials of a signed-in user. */
export type Credentials =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'password'; readonly username: string; readonly password: string };

const KEY = 'pmgate.credentials';

/** The credentials of this tab; null: anonymous. */
export const credentials = signal(JSON.parse(readStored('sessionStorage', KEY) ?? 'null') as Credentials | null);
/** Why the gateway requires credentials; undefined: it does not, or the dialog was closed. */
export const signInReason = signal<string | undefined>(undefined);

/** Use credentials from now on, and keep them until the tab is closed. */
export function signIn(given: Credentials): void {
  credentials.value = given;
  signInReason.value = undefined;
  store('sessionStorage', KEY, JSON.stringify(given));
}

/** Be anonymous again. */
export function signOut(): void {
  credentials.value = null;
  store('sessionStorage', KEY, undefined);
}

/** The value of the header Authorization. */
export function authorization(given: Credentials): string {
  if (given.kind === 'token') return `Bearer ${given.token}`;
  const bytes = new TextEncoder().encode(`${given.username}:${given.password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}
