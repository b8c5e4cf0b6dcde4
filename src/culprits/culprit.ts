import type { DataOf, Schemas } from '../client/index.js';
import { amount } from './amount.js';

/** One that uses a resource, or all others together. Names have at most 256 characters, without control characters. */
export type Culprit = DataOf<Schemas['Culprit']>;

/** Who uses a resource. */
export interface Culprits {
  readonly resource: string;
  /** The unit of `use`: of processors, per cent of one processor. */
  readonly unit: string;
  /** What stands for the use where it is not counted itself: "by processor time, as …". */
  readonly by?: string;
  /** What shares are of: the rise since the window before, or the whole use. */
  readonly shareOf: 'rise' | 'whole';
  /** The greatest share first, others last. Empty if no one is known. */
  readonly who: readonly Culprit[];
  /** Why it is not known who, in a sentence. */
  readonly unknown?: string;
}

const LONGEST_NAME = 256;

/** A text of strangers, such as the name of a process: at most 256 characters, control and format characters replaced. */
export function harmless(text: string): string {
  return text.slice(0, LONGEST_NAME).replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\uFFFD');
}

/** How a sentence calls a culprit: "pid 15158 node (cgroup /build.service)", "group /build.service", "others". */
export function titleOf({ kind, name, pid, group }: Culprit): string {
  if (kind === 'others') return name;
  return kind === 'group' ? `group ${name}` : `pid ${pid} ${name}${group === undefined ? '' : ` (cgroup ${group})`}`;
}

/** How a sentence names the culprits: whether all of it is over, and how a time in seconds since the epoch is written. */
export interface Telling {
  readonly wasBefore: boolean;
  timeOf(sec: number): string;
}

/** Who it is, for the end of a sentence: ": pid 15158 node takes 80 %, pid 7 sh took 30 % until 02:31:10, and ended, others 40 %." */
export function describeCulprits(culprits: Culprits | undefined, telling: Telling): string {
  if (!culprits) return '.';
  if (culprits.unknown !== undefined) return `. ${culprits.unknown}`;
  const { unit, by } = culprits;
  const who = culprits.who.filter(({ kind, use }) => kind !== 'others' || use > 0);
  if (who.length === 0) return '.';
  let said = '';
  const parts = who.map((culprit) => {
    const { kind, use, ofChildren = 0, gone, lastSeen = 0 } = culprit;
    const verb = kind === 'others' ? said : telling.wasBefore || gone ? 'took' : 'takes';
    const takes = verb === said ? '' : ` ${(said = verb)}`;
    const until = gone ? ` until ${telling.timeOf(lastSeen)}${gone === 'ended' ? ', and ended' : ''}` : '';
    const children = ofChildren > use / 2 ? ', mostly by children that ended' : '';
    return `${titleOf(culprit)}${takes} ${amount(use, unit)}${until}${children}`;
  });
  return `${by === undefined ? '' : `; ${by}`}: ${parts.join(', ')}.`;
}
