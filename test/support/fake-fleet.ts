import type { FleetState } from '../../src/http/index.js';

/** A fleet with nobody else in it, where everything has its home at the gateway that is asked. */
export function fakeFleet(parts: Partial<FleetState> = {}): { -readonly [K in keyof FleetState]: FleetState[K] } {
  return {
    isAlone: false,
    version: 0,
    reached: () => Promise.resolve(true),
    others: new Map(),
    owner: () => undefined,
    isHome: () => true,
    atHome: async (_, work) => work.here(),
    hand: () => Promise.resolve(undefined),
    ...parts,
  };
}
