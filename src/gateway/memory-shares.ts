/** What the gateway keeps for clients, and the share of each in `limits.memoryBytes`. The shares add up to 1. */
const SHARES = {
  global_definitions: 1 / 16,
  definitions: 1 / 16,
  profiles: 1 / 16,
  streams: 1 / 8,
  programs: 1 / 8,
  plans: 1 / 4,
  metadata: 5 / 16,
};

/** A kind of kept data; `plans` includes views and histories of fetches. */
export type MemoryKind = keyof typeof SHARES;

/** All kinds, in a fixed order. */
export const MEMORY_KINDS = Object.keys(SHARES) as readonly MemoryKind[];

/** The budget of each kind, in bytes. */
export function memoryShares(memoryBytes: number): Readonly<Record<MemoryKind, number>> {
  const share = (kind: MemoryKind): [MemoryKind, number] => [kind, Math.floor(memoryBytes * SHARES[kind])];
  return Object.fromEntries(MEMORY_KINDS.map(share)) as Record<MemoryKind, number>;
}
