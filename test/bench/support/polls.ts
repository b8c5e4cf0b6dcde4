import { runClients } from './clients.js';

/** What pollers are to do. */
export interface PollPlan {
  readonly port: number;
  readonly paths: readonly string[];
  readonly connections: number;
  /** Whether each connection is one client, whose requests go nowhere else; otherwise a request takes any that is free. */
  readonly isPinned: boolean;
  /** How many requests a second are due, of all clients, one after the other. */
  readonly phases: readonly { readonly rate: number; readonly seconds: number }[];
  readonly timeoutMs: number;
}

/**
 * What became of a request: when it was due since the start, and how long after that its end came. `ok`, `shed` (503 or 429 with
 * Retry-After), or what went wrong.
 */
export type PollAnswer = readonly [phase: number, dueMs: number, tookMs: number, kind: string];

/** What became of all. */
export interface PollOutcome {
  readonly answers: readonly PollAnswer[];
  readonly unanswered: number;
}

/** Have pollers ask in a process of their own; `onBegin` is called when all are connected. */
export function poll(plan: PollPlan, onBegin?: () => void): Promise<PollOutcome> {
  const program = ['--import', 'tsx', 'test/bench/support/poll-load.ts'];
  return runClients(program, { input: JSON.stringify(plan), ...(onBegin && { onBegin }) });
}

/** How many requests ended in which way. */
export function kindsOf(answers: readonly PollAnswer[]): ReadonlyMap<string, number> {
  const kinds = new Map<string, number>();
  for (const [, , , kind] of answers) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  return kinds;
}
