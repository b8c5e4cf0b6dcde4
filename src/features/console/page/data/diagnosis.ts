/** What the gateway says of a resource. */
export interface Diagnosed {
  readonly resource: string;
  readonly state: string;
  /** Since when it is so, in seconds since the epoch. */
  readonly since?: number;
  /** What it was before, in {@link unit}. */
  readonly before?: number;
  readonly unit?: string;
  /** Who uses it; groups and the others have no number. */
  readonly who?: readonly { readonly pid?: number }[];
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

/** Whether a resource is far from the usual. */
export function isOdd({ state }: Pick<Diagnosed, 'state'>): boolean {
  return WORST.includes(state);
}

/** The sentence of the resource that is worst off, and those of the others that are not as usual. */
export function headlineOf(resources: readonly Diagnosed[]): Headline {
  const odd = resources.filter(isOdd).sort((a, b) => WORST.indexOf(a.state) - WORST.indexOf(b.state));
  const [worst, ...others] = odd.map(({ sentence }) => sentence);
  if (worst === undefined) {
    const judged = resources.filter(({ state }) => state === 'usual').map(({ resource }) => resource);
    // It is said of what was judged, and of nothing else.
    const [rest, also] = judged.length === 0 ? ['', []] : ['Nothing unusual.', [`Judged: ${judged.join(', ')}.`]];
    return { odd: '', rest, also, said: rest };
  }
  const said = odd.map(({ resource, state }) => `${resource}: ${state}.`).join(' ');
  const [head = worst] = /^.*?(?= since |[;:(])/.exec(worst) ?? [];
  return { odd: head.trimEnd(), rest: worst.slice(head.trimEnd().length), also: others, said };
}
