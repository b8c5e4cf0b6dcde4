import { signal } from '@preact/signals';
import { credentialsIn, type Credentials } from './credentials.js';
import { readStored, store } from './storage.js';

const KEY = 'pmgate.credentials';

/** The credentials of this tab; null: anonymous. */
export const credentials = signal(credentialsIn(readStored('sessionStorage', KEY)));
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

/** Counts sign-ins, and the like: requests that were refused before are repeated. */
export const session = signal(0);
