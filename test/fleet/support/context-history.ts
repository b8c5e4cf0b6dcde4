/** A call to a context, and how it went. */
export interface ContextCall {
  readonly id: number;
  readonly kind: 'create' | 'change' | 'read' | 'destroy';
  readonly change: string | undefined;
  readonly member: string;
  readonly beginMs: number;
  readonly endMs: number;
  /** `failed`: nothing was done, or the client has to ask again; `unknown`: anything may have happened. */
  readonly outcome: 'answered' | 'failed' | 'unknown';
  /** What was answered: the definitions in order, on whose places PMIDs depend, if it shows them; undefined: there is no such context. */
  readonly definitions?: readonly string[] | 'not shown' | undefined;
  /** Whether the answer said that its member was alone. */
  readonly isAlone?: boolean | undefined;
}

/**
 * What is wrong with the calls to contexts; empty if each of them was one list that every member agreed on: what was acknowledged before a
 * call began is in its answer, definitions keep their places, and what is open can be reached in the end.
 * @param lastReadsMs from here on, reads find a fleet that has recovered
 */
export function contextProblems(calls: readonly ContextCall[], lastReadsMs: number): string[] {
  const ids = [...new Set(calls.map(({ id }) => id))];
  return ids.flatMap((id) =>
    problemsOf(
      calls.filter((call) => call.id === id),
      lastReadsMs,
    ),
  );
}

function problemsOf(calls: readonly ContextCall[], lastReadsMs: number): string[] {
  // What a member acknowledges while it is alone may be lost, and is said to.
  const promised = calls.filter(({ outcome, isAlone }) => outcome === 'answered' && isAlone === false);
  const created = promised.find(({ kind }) => kind === 'create');
  if (!created) return [];
  const changes = promised.filter(({ kind, definitions }) => kind === 'change' && definitions);
  const places = new Map(changes.map(({ change, definitions }) => [change!, definitions!.indexOf(change!)]));
  const destroyed = calls.filter(({ kind }) => kind === 'destroy');
  return [
    ...promised.flatMap((call) => checkAnswer(call, changes, places, destroyed)),
    ...calls
      .filter(({ beginMs, kind }) => kind === 'read' && beginMs >= lastReadsMs)
      .flatMap((call) => (call.outcome === 'answered' ? [] : [`${nameOf(call)}: cannot be reached in the end`])),
  ];
}

function checkAnswer(
  call: ContextCall,
  changes: readonly ContextCall[],
  places: ReadonlyMap<string, number>,
  destroyed: readonly ContextCall[],
): string[] {
  const { definitions, beginMs, endMs, kind } = call;
  if (kind === 'create') return [];
  const gone = destroyed.filter(({ outcome, definitions: last }) => outcome === 'answered' && last);
  if (!definitions) {
    return destroyed.some((one) => one !== call && one.beginMs <= endMs) ? [] : [`${nameOf(call)}: is not known`];
  }
  const problems = gone
    .filter((one) => one !== call && one.isAlone === false && one.endMs < beginMs)
    .map(() => `${nameOf(call)}: was destroyed before`);
  if (definitions === 'not shown') return problems;
  for (const { change, endMs: acknowledgedMs } of changes) {
    const place = definitions.indexOf(change!);
    if (place < 0 ? acknowledgedMs < beginMs : place !== places.get(change!)) {
      problems.push(`${nameOf(call)}: ${place < 0 ? 'misses' : 'moves'} ${change}`);
    }
  }
  return problems;
}

function nameOf({ id, kind, member, beginMs }: ContextCall): string {
  return `${kind} of context ${id} at ${member} at ${beginMs.toFixed(1)} ms`;
}
