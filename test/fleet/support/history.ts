/** A change of the simulated state, as its log entry says it. */
export interface Change {
  readonly id: string;
  readonly name: string;
  /** undefined: the name is removed. */
  readonly value?: string;
}

/**
 * A change that a client asked for. `acknowledged`: it was made. `unchanged`: the name had that value already, or did not exist.
 * `duplicate`: the name had another value. `failed`: nothing was changed. `unknown`: anything may have happened.
 */
export interface Update {
  readonly change: Change;
  readonly beginMs: number;
  readonly endMs: number;
  readonly outcome: 'acknowledged' | 'unchanged' | 'duplicate' | 'failed' | 'unknown';
  readonly member?: string;
}

/** What a client read at a member that did not say that it was alone. */
export interface Read {
  readonly beginMs: number;
  readonly atMs: number;
  readonly member: string;
  /** The changes that led to what it shows. */
  readonly entries: readonly string[];
  /** The version that it waited for; 0: it did not. */
  readonly version: number;
}

/** How long a member that is not alone may not know of a change that another one acknowledged: the life of a lease, and clocks that run slowly. */
const FOLLOW_MS = 2700;

/** What a client was shown by a gateway that did not say that it was alone: all names with their values. */
export interface Shown {
  readonly beginMs: number;
  readonly endMs: number;
  readonly member: string;
  readonly values: State;
}

type State = ReadonlyMap<string, string>;

/** All that clients of a fleet saw, and where it ended. */
export interface History {
  readonly updates: readonly Update[];
  readonly reads: readonly Read[];
  readonly shown?: readonly Shown[];
  readonly logs: ReadonlyMap<string, readonly string[]>;
}

/**
 * What is wrong with a history; empty if it keeps the promises: one order of all changes at all members, which agrees with real time;
 * each change checked in its place of the order; nothing acknowledged missing, nothing refused in it; and no read that misses
 * what was acknowledged there before it began, what others acknowledged some seconds before, or what it waited for, or that has what is taken
 * back later.
 */
export function problemsOf({ updates, reads, shown = [], logs }: History): string[] {
  const [first, ...others] = [...logs];
  if (!first) return ['no member is left'];
  const [, log] = first;
  const problems = others
    .filter(([, other]) => other.join('\n') !== log.join('\n'))
    .map(([name]) => `${name} ends with another log than ${first[0]}`);
  const changes = log.map((text) => JSON.parse(text) as Change);
  const places = new Map(changes.map(({ id }, i) => [id, i + 1]));
  if (places.size < log.length) problems.push('an entry is in the log twice');
  const states = statesOf(changes, problems);
  return [
    ...problems,
    ...updates.flatMap((update) => checkOutcome(update, places, states, updates)),
    ...checkOrder(updates, places),
    ...checkReads(reads, updates, places, log),
    ...shown.flatMap((one) => checkShown(one, updates, places, states)),
  ];
}

function statesOf(changes: readonly Change[], problems: string[]): readonly State[] {
  const states: State[] = [new Map()];
  for (const { id, name, value } of changes) {
    const before = states.at(-1)!;
    const after = new Map(before);
    if (value === undefined) {
      if (!after.delete(name)) problems.push(`${id} removes ${name}, which does not exist there`);
    } else {
      if (before.has(name)) problems.push(`${id} defines ${name}, which exists there`);
      after.set(name, value);
    }
    states.push(after);
  }
  return states;
}

function checkOutcome(
  { change, beginMs, endMs, outcome }: Update,
  places: ReadonlyMap<string, number>,
  states: readonly State[],
  updates: readonly Update[],
): string[] {
  const isLogged = places.has(change.id);
  switch (outcome) {
    case 'acknowledged':
      return isLogged ? [] : [`${change.id} was acknowledged and is lost`];
    case 'unknown':
      return [];
    case 'failed':
      return isLogged ? [`${change.id} failed and is in the log`] : [];
    case 'unchanged':
    case 'duplicate': {
      if (isLogged) return [`${change.id} was ${outcome} and is in the log`];
      const possible = possibleStates(lastAcknowledged(updates, places, beginMs), endMs, updates, places, states);
      const fits = (state: State): boolean => {
        const value = state.get(change.name);
        return outcome === 'unchanged' ? value === change.value : value !== undefined && value !== change.value;
      };
      return possible.some(fits) ? [] : [`${change.id} was ${outcome}, which it was at no time`];
    }
  }
}

/** The states that something may see: it must see a place of the log, and may see what began before it ended. */
function possibleStates(
  earliest: number,
  endMs: number,
  updates: readonly Update[],
  places: ReadonlyMap<string, number>,
  states: readonly State[],
): readonly State[] {
  const begun = updates.filter((other) => other.beginMs <= endMs).map((other) => places.get(other.change.id) ?? 0);
  return states.slice(earliest, Math.max(earliest, ...begun) + 1);
}

function checkShown(
  { beginMs, endMs, member, values }: Shown,
  updates: readonly Update[],
  places: ReadonlyMap<string, number>,
  states: readonly State[],
): string[] {
  const isSame = (state: State): boolean =>
    state.size === values.size && [...state].every(([name, value]) => values.get(name) === value);
  const own = updates.filter((update) => update.member === member);
  const earliest = Math.max(
    lastAcknowledged(updates, places, beginMs - FOLLOW_MS),
    lastAcknowledged(own, places, beginMs),
  );
  if (possibleStates(earliest, endMs, updates, places, states).some(isSame)) return [];
  const when = `from ${beginMs.toFixed(1)} to ${endMs.toFixed(1)} ms`;
  return [
    `${member} shows ${JSON.stringify(Object.fromEntries(values))} ${when}, which is out of date or was never so`,
  ];
}

/** The last place in the log that was acknowledged before a time. */
function lastAcknowledged(updates: readonly Update[], places: ReadonlyMap<string, number>, beforeMs: number): number {
  const earlier = updates.filter(({ outcome, endMs }) => outcome === 'acknowledged' && endMs < beforeMs);
  return Math.max(0, ...earlier.map(({ change }) => places.get(change.id) ?? 0));
}

/** What ended before another began comes before it. */
function checkOrder(updates: readonly Update[], places: ReadonlyMap<string, number>): string[] {
  const logged = updates.filter(({ change }) => places.has(change.id));
  const acknowledged = logged.filter(({ outcome }) => outcome === 'acknowledged');
  return logged.flatMap((later) =>
    acknowledged
      .filter((one) => one.endMs < later.beginMs && places.get(one.change.id)! > places.get(later.change.id)!)
      .map((one) => `${one.change.id} was acknowledged before ${later.change.id} began, and comes after it`),
  );
}

/** A member shows what was acknowledged there at once, what it is asked to wait for, and what others acknowledged after a while. */
function checkReads(
  reads: readonly Read[],
  updates: readonly Update[],
  places: ReadonlyMap<string, number>,
  log: readonly string[],
): string[] {
  const shown = new Map<string, number>();
  return reads.flatMap(({ beginMs, atMs, member, entries, version }) => {
    const where = `${member} at ${atMs.toFixed(1)} ms`;
    if (entries.some((entry, i) => log[i] !== entry))
      return [`${where} shows version ${entries.length}, which is taken back`];
    const own = updates.filter((update) => update.member === member);
    const known = Math.max(
      version,
      shown.get(member) ?? 0,
      lastAcknowledged(updates, places, beginMs - FOLLOW_MS),
      lastAcknowledged(own, places, beginMs),
    );
    shown.set(member, entries.length);
    if (entries.length >= known) return [];
    return [`${where} shows version ${entries.length}, and ${known} was acknowledged`];
  });
}
