import { Session } from 'node:inspector/promises';

/**
 * Counts what code does instead of how long it takes: how often each of its blocks runs, which V8 counts, and how many characters and
 * elements the built-in functions look at that it calls.
 *
 * V8 counts blocks only in code that was compiled afterwards: start a counter first, then `await import()` what is to be counted.
 */
export class StepCounter {
  readonly #session: Session;
  readonly #counted: RegExp;

  private constructor(session: Session, counted: RegExp) {
    this.#session = session;
    this.#counted = counted;
  }

  /** @param counted the files whose blocks count, by their paths */
  static async start(counted: RegExp): Promise<StepCounter> {
    const session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    return new StepCounter(session, counted);
  }

  /** How many steps something takes that ends at once. */
  async count(run: () => unknown): Promise<number> {
    await this.#session.post('Profiler.takePreciseCoverage');
    const builtins = countingBuiltins(run);
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    let blocks = 0;
    for (const { url, functions } of result) {
      if (!this.#counted.test(url)) continue;
      for (const { ranges } of functions) for (const { count } of ranges) blocks += count;
    }
    return blocks + builtins;
  }

  async stop(): Promise<void> {
    await this.#session.post('Profiler.disable');
    this.#session.disconnect();
  }
}

type Method = (...args: never[]) => unknown;
/** What a call costs, judged by what it was called on, with what, and what came of it. */
type Cost = (self: string & readonly unknown[], args: readonly unknown[], result: unknown) => number;

const whole: Cost = ({ length }) => length;
const searched: Cost = ({ length }, [, from = 0], result) =>
  (typeof result === 'number' && result >= 0 ? result : length) - Math.min(Number(from), length);
const made: Cost = (_, __, result) => (result as string | readonly unknown[]).length;

const STRING_COSTS: Readonly<Record<string, Cost>> = {
  indexOf: searched,
  includes: whole,
  lastIndexOf: whole,
  split: whole,
  replace: whole,
  repeat: made,
  trim: whole,
  trimEnd: whole,
  trimStart: whole,
  toLowerCase: whole,
  toUpperCase: whole,
};
const ARRAY_COSTS: Readonly<Record<string, Cost>> = {
  indexOf: searched,
  includes: whole,
  concat: made,
  slice: made,
  splice: whole,
  join: made,
};

/** Run something, and say how many characters and elements the built-in functions looked at. */
function countingBuiltins(run: () => unknown): number {
  let steps = 0;
  let isCounting = true;
  const undo: (() => void)[] = [];
  const watch = (prototype: object, name: string, cost: Cost): void => {
    const original = Reflect.get(prototype, name) as Method;
    const watched = function (this: string & readonly unknown[], ...args: unknown[]): unknown {
      const result = Reflect.apply(original, this, args) as unknown;
      steps += 1 + cost(this, args, result);
      return result;
    };
    Reflect.defineProperty(prototype, name, { value: watched, writable: true, configurable: true });
    undo.push(() => Reflect.defineProperty(prototype, name, { value: original, writable: true, configurable: true }));
  };
  for (const [name, cost] of Object.entries(STRING_COSTS)) watch(String.prototype, name, cost);
  for (const [name, cost] of Object.entries(ARRAY_COSTS)) watch(Array.prototype, name, cost);
  // Whatever else matches patterns comes here once somebody has replaced it.
  const { exec } = RegExp.prototype;
  RegExp.prototype.exec = function (this: RegExp, text: string): RegExpExecArray | null {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const match = Reflect.apply(exec, this, [text]);
    if (isCounting) {
      isCounting = false;
      steps += 1 + patternCost(this, text.length - from, match && match.index + match[0].length - from);
      isCounting = true;
    }
    return match;
  };
  undo.push(() => (RegExp.prototype.exec = exec));
  try {
    run();
  } finally {
    for (const each of undo) each();
  }
  return steps;
}

/**
 * What matching a pattern costs at most, in characters that are looked at. One that searches and repeats without bound can look from each place
 * to the end, whatever it finds. One that stands at its place and repeats only at its end fails within its first few characters.
 * @param rest characters from where it begins to the end of the text
 * @param end where the match ends; null without one
 */
function patternCost({ source, sticky }: RegExp, rest: number, end: number | null): number {
  const shape = source.replace(/\\.|\[(?:\\.|[^\]\\])*\]/g, 'c');
  const repeats = /[*+]|\{\d+,\}/.test(shape);
  const searches = !sticky && !source.startsWith('^');
  if (searches) return repeats ? (rest * rest) / 2 : (end ?? rest);
  if (!repeats || /^[^*+{]*[*+]$/.test(shape)) return end ?? 1;
  return end ?? rest;
}
