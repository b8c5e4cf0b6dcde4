import type { DiagnosisAnswer } from '../../../../client/index.js';
import { plainValueText, withChartUnits } from '../chart/axis-units.js';

/** What the gateway says of a resource. */
export type Diagnosed = Pick<
  DiagnosisAnswer['resources'][number],
  'resource' | 'state' | 'since' | 'until' | 'before' | 'unit' | 'who' | 'whoUnit' | 'rule' | 'sentence' | 'evidence'
>;

/** The states of a resource, the worst first; others are as usual. */
const WORST = ['failing', 'saturated', 'busy'];
/** So many are named; the cards have more. */
const NAMED = 3;

/** So long before now is judged as well, while nothing is unusual. */
export const PAST_MIN = 30;

/** Whether a resource is far from the usual. */
export function isOdd({ state }: Pick<Diagnosed, 'state'>): boolean {
  return WORST.includes(state);
}

/**
 * The sentence of the resource that is worst off, and those of the others that are not as usual: `odd` (what is wrong, '' if nothing is)
 * and `rest` in the size of a headline, `also` and what is as usual in a quiet line below, `why` the metric that tells why; `said` to
 * those who do not see it changes only when a state does.
 * @param processors how many there are: shares are of the machine; undefined: not known, they are of one processor
 * @param isFull whether the processors are full now, which was not judged yet if nothing is wrong
 * @param when nothing was unusual: ' in the last half hour'
 */
export function headlineOf(resources: readonly Diagnosed[], processors: number | undefined, isFull = false, when = '') {
  const odd = resources.filter(isOdd).sort((a, b) => WORST.indexOf(a.state) - WORST.indexOf(b.state));
  const [worst, ...others] = odd;
  // It is said of what was judged, and of nothing else.
  const judged = resources.filter(({ state }) => state === 'usual').map(({ resource }) => resource);
  const usual = judged.length === 0 ? [] : [`As usual: ${judged.join(', ')}.`];
  if (worst === undefined) {
    const said = judged.length === 0 ? '' : 'Nothing unusual.';
    const rest = said === '' ? '' : `Nothing unusual${when}.${isFull ? ' But the processors are full now.' : ''}`;
    return { worst, odd: '', rest, who: [], also: usual, said, rule: '', why: '' };
  }
  const said = odd.map(({ resource, state }) => `${resource}: ${state}.`).join(' ');
  const sentence = withoutWho(worst);
  const [head = sentence] = /^.*?(?= (?:since|from|at|until) \d\d:|[;:(])/.exec(sentence) ?? [];
  return {
    ...{ worst, odd: head.trimEnd(), rest: sentence.slice(head.trimEnd().length), said, rule: worst.rule ?? '' },
    why: worst.evidence?.[0]?.metric ?? '',
    who: namedOf(worst, processors),
    also: [...others.map((each) => `${withoutWho(each)}${each.who?.length ? '.' : ''}`), ...usual],
  };
}

/** What the last half hour was like, while nothing is unusual now: `when` nothing was ('' if that is not known), and what was `over`. */
export function pastOf(past: Pick<DiagnosisAnswer, 'finish' | 'sampledSince'> & { resources: readonly Diagnosed[] }) {
  const { resources, finish, sampledSince = finish } = past;
  const odd = resources.filter(isOdd);
  const over = odd.filter(({ until }) => until !== undefined);
  const minutes = Math.floor((finish - sampledSince) / 60);
  const all = minutes < PAST_MIN ? `${minutes} min` : 'half hour';
  // What is not over in it is said by the diagnosis of now.
  return { over, when: over.length > 0 ? ' now' : odd.length > 0 || minutes < 2 ? '' : ` in the last ${all}` };
}

/** A sentence without those whom it names in the gateway's units, and its end. */
function withoutWho({ sentence, who = [] }: Diagnosed): string {
  return withChartUnits(who.length === 0 ? sentence : sentence.replace(/(?:: (?:pid \d|group |others ).*)?\.?$/s, ''));
}

/** Who it is, the greatest first, with amounts of the machine as the values of the cards are; those who are not named are among the others. */
function namedOf({ who = [], whoUnit = '', sentence }: Diagnosed, processors: number | undefined) {
  // A number stays with its unit.
  const amountOf = (use: number): string => amountText(use, whoUnit, processors).replace(' ', '\u00a0');
  const verb = sentence.includes(' takes ') ? 'takes ' : 'took ';
  const known = who.filter(({ kind }) => kind !== 'others');
  const named = known.slice(0, NAMED);
  const sumOf = (all: typeof who): number => all.reduce((sum, { use }) => sum + use, 0);
  // They are not measured at one instant: of the machine, together they may be a little more.
  const most = whoUnit === '%' && processors !== undefined ? 100 * processors : Infinity;
  const others = Math.min(sumOf(who.filter((each) => !named.includes(each))), most - sumOf(named));
  return [
    ...named.map(({ name, pid, use, ofChildren = 0, gone, lastSeen }) => ({
      name: pid === undefined ? `group ${name}` : `${pid} ${name}`,
      of: pid === undefined ? name : String(pid),
      amount: amountOf(use) + (ofChildren > use / 2 ? ', by its children' : ''),
      until: gone && lastSeen,
      verb: gone ? 'took ' : verb,
    })),
    ...(others > 0 && named.length < who.length
      ? [{ name: 'others', of: undefined, until: undefined, amount: amountOf(others), verb }]
      : []),
  ];
}

function amountText(use: number, unit: string, processors: number | undefined): string {
  if (unit === '%') {
    return processors === undefined ? `${use.toFixed(1)} % of one processor` : `${(use / processors).toFixed(1)} %`;
  }
  return plainValueText(unit, use);
}
