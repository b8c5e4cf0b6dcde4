import type { Trouble } from '../data/gateway.js';

/** Why a screen has nothing to show; nothing while there is no trouble. */
export function Failure({ trouble }: { readonly trouble: Trouble | undefined }) {
  return trouble ? (
    <p class="trouble" role="alert">
      {trouble.message} ({trouble.code}).
    </p>
  ) : null;
}
