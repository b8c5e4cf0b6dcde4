/** What was made, and when: seconds since the epoch. */
export interface Truth {
  readonly kind: string;
  /** Any of these is right. */
  readonly resources: readonly string[];
  /** Who did it; absent if nothing was made. */
  readonly name?: string;
  readonly pid?: number;
  readonly group?: string;
  readonly begin: number;
  readonly end: number;
}

/** Who is named, as `/diagnosis` writes it. */
interface Named {
  readonly kind: string;
  readonly name: string;
  readonly pid?: number;
  readonly group?: string;
}

/** What is read of an answer of `/diagnosis`. */
export interface Answer {
  readonly resources: readonly {
    readonly resource: string;
    readonly state: string;
    readonly sentence: string;
    readonly who?: readonly Named[];
  }[];
}

/** What an answer is worth. */
export interface Verdict {
  readonly isResourceRight: boolean;
  readonly isCulpritNamed: boolean;
  /** Of the resource that was right. */
  readonly sentence: string;
  /** What was said of other resources. */
  readonly others: readonly string[];
}

/** One run of one kind. */
export type Run =
  | { readonly kind: string; readonly skipped: string }
  | { readonly kind: string; readonly truth: Truth; readonly during: Verdict; readonly recorded: Verdict };

/** How many of those that are named count. */
const FIRST = 3;
/** Characters of sentences in the table. */
const SHOWN = 160;
const [LEAST_DURING, LEAST_RECORDED] = [0.95, 0.9];

/** Is the resource right, and the culprit among the first three? Of nothing, nothing is right but silence. */
export function judge(answer: Answer | undefined, truth: Truth): Verdict {
  const wrong = (answer?.resources ?? []).filter(({ state }) => state !== 'usual');
  const right = wrong.filter(({ resource }) => truth.resources.includes(resource));
  const isNothing = truth.name === undefined;
  const isNamed = right.some(({ who = [] }) =>
    who
      .filter(({ kind }) => kind !== 'others')
      .slice(0, FIRST)
      .some((one) => isCulprit(one, truth)),
  );
  return {
    isResourceRight: isNothing ? wrong.length === 0 : right.length > 0,
    isCulpritNamed: isNothing ? wrong.every(({ who = [] }) => who.length === 0) : isNamed,
    sentence: right.map(({ sentence }) => sentence).join(' '),
    others: wrong.filter((one) => !right.includes(one)).map(({ sentence }) => sentence),
  };
}

function isCulprit({ name, pid, group }: Named, truth: Truth): boolean {
  return pid === truth.pid || name === truth.name || (truth.group !== undefined && group === truth.group);
}

/** A row of the table. */
export function rowOf(run: Run): readonly string[] {
  if ('skipped' in run) return [run.kind, 'skipped', '', '', '', run.skipped, ''];
  const { kind, during, recorded } = run;
  const text = (isRight: boolean): string => (isRight ? 'right' : 'WRONG');
  return [
    kind,
    ...[during, recorded].flatMap(({ isResourceRight, isCulpritNamed }) => [
      text(isResourceRight),
      text(isCulpritNamed),
    ]),
    shortened(during.sentence === '' ? recorded.sentence : during.sentence),
    shortened(during.others.join(' ')),
  ];
}

function shortened(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

/** How many were right, and whether that is enough: all resources, culprits of 95 % during the trouble and 90 % from the recording. */
export function summaryOf(runs: readonly Run[]): { readonly text: string; readonly isGood: boolean } {
  const made = runs.flatMap((run) => ('skipped' in run ? [] : [run]));
  const count = (isRight: (run: (typeof made)[number]) => boolean): number => made.filter(isRight).length;
  const resources = count(({ during, recorded }) => during.isResourceRight && recorded.isResourceRight);
  const during = count((run) => run.during.isCulpritNamed);
  const recorded = count((run) => run.recorded.isCulpritNamed);
  return {
    text: `Of ${made.length} runs, the resource was right in ${resources}; who it was, during the trouble in ${during}, from the recording in ${recorded}. ${runs.length - made.length} were skipped.`,
    isGood:
      resources === made.length && during >= LEAST_DURING * made.length && recorded >= LEAST_RECORDED * made.length,
  };
}
