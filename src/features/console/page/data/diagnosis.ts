import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { readJson, whereOf } from './gateway.js';

/** What the gateway says of a resource. */
export interface Diagnosed {
  readonly resource: string;
  readonly state: string;
  /** Since when it is so, in seconds since the epoch. */
  readonly since?: number;
  readonly sentence: string;
}

/** What is said in the size of a headline, and what in a quiet line below. */
export interface Headline {
  /** What is wrong; '' if nothing is. */
  readonly odd: string;
  readonly rest: string;
  readonly also: readonly string[];
  /** What is said to those who do not see it: it changes only when a state does. */
  readonly said: string;
}

/** The states of a resource, the worst first; others are as usual. */
const WORST = ['failing', 'saturated', 'busy'];
const AGAIN_MS = 3000;

/** Whether a resource is far from the usual. */
export function isOdd({ state }: Pick<Diagnosed, 'state'>): boolean {
  return WORST.includes(state);
}

/** The sentence of the resource that is worst off, and those of the others that are not as usual. */
export function headlineOf(resources: readonly Diagnosed[]): Headline {
  const odd = resources.filter(isOdd).sort((a, b) => WORST.indexOf(a.state) - WORST.indexOf(b.state));
  const [worst, ...others] = odd.map(({ sentence }) => sentence);
  if (worst === undefined) {
    const isKnown = resources.some(({ state }) => state === 'usual');
    return { odd: '', rest: isKnown ? 'Nothing unusual in the last half hour.' : '', also: [], said: isKnown ? 'Nothing unusual.' : '' };
  }
  const said = odd.map(({ resource, state }) => `${resource}: ${state}.`).join(' ');
  const [head = worst] = /^.*?(?= since |[;:(])/.exec(worst) ?? [];
  return { odd: head.trimEnd(), rest: worst.slice(head.trimEnd().length), also: others, said };
}

/** What the gateway says of a host, again and again; undefined: nothing yet, null: it does not say. */
export function watchDiagnosis(source: string): {
  readonly resources: Signal<readonly Diagnosed[] | undefined | null>;
  readonly stop: () => void;
} {
  const resources = signal<readonly Diagnosed[] | undefined | null>(undefined);
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ask = async (): Promise<void> => {
    const isLooked = !document.hidden;
    const answer = isLooked
      ? await readJson<{ readonly resources: readonly Diagnosed[] }>('/diagnosis', whereOf(source), controller.signal)
      : undefined;
    if (controller.signal.aborted) return;
    // What was said before is not of this moment.
    if (isLooked) resources.value = answer?.resources ?? null;
    // A gateway or role without the route will have none in a moment, either.
    if (!isLooked || answer) timer = setTimeout(() => void ask(), AGAIN_MS);
  };
  void ask();
  return {
    resources,
    stop: () => {
      clearTimeout(timer);
      controller.abort();
    },
  };
}
