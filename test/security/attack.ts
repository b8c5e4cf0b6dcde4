import type { Target } from './target.js';

/** What became of an attack; `how` says by what it was refused, or what it achieved. */
export type Verdict =
  | { readonly outcome: 'refused' | 'open'; readonly how: string }
  /** It makes no sense against this target. */
  | { readonly outcome: 'skipped'; readonly how: string };

/** One attack over HTTP: it runs against a gateway in a test and against any URL alike. */
export interface Attack {
  readonly area: string;
  readonly name: string;
  run(target: Target): Promise<Verdict>;
}

/** The verdict on a refusal. */
export const refused = (how: string): Verdict => ({ outcome: 'refused', how });
/** The verdict on a success of the attacker's. */
export const open = (how: string): Verdict => ({ outcome: 'open', how });
/** The verdict on an attack that was not made. */
export const skipped = (how: string): Verdict => ({ outcome: 'skipped', how });

/** Refused when nothing of a list of findings is left: each says what went wrong. */
export function verdictOf(findings: readonly (string | undefined)[], how: string): Verdict {
  const wrong = findings.filter((finding) => finding !== undefined);
  return wrong.length === 0 ? refused(how) : open(wrong.slice(0, 5).join('; '));
}
