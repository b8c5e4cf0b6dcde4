import { signal } from '@preact/signals';

/** The credentials of a signed-in user. */
export type Credentials =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'password'; readonly username: string; readonly password: string };

const KEY = 'pmgate.credentials';

/** The credentials of this tab; undefined: anonymous. */
export const credentials = signal<Credentials | undefined>(read());
/** Why the gateway requires credentials; undefined: it does not, or the dialog was closed. */
export const signInReason = signal<string | undefined>(undefined);

/** Use credentials from now on, and keep them until the tab is closed. */
export function signIn(given: Credentials): void {
  credentials.value = given;
  signInReason.value = undefined;
  store(JSON.stringify(given));
}

/** Be anonymous again. */
export function signOut(): void {
  credentials.value = undefined;
  store(undefined);
}

/** The value of the header Authorization. */
export function authorization(given: Credentials): string {
  if (given.kind === 'token') return `Bearer ${given.token}`;
  const bytes = new TextEncoder().encode(`${given.username}:${given.password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

// sessionStorage lasts as long as the tab; if the browser denies it, credentials last as long as the page.
function read(): Credentials | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Credentials | null) ?? undefined;
  } catch {
    return undefined;
  }
}

function store(text: string | undefined): void {
  try {
    if (text === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, text);
  } catch {
    // As above.
  }
}
