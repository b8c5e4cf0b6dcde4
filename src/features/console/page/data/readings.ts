import type { WhyAnswer } from '../../../../client/index.js';
import type { TimeZone } from '../../../../pmapi/index.js';
import { client, troubleOf, whereOf } from './gateway.js';
import { lateOf, MOMENT_SEC } from './shown-time.js';
import { whyLines } from './why.js';

/** A number on the screen. */
export interface Shown {
  /** Its place: `Processor · node (4711)`. */
  readonly label: string;
  readonly text: string;
  /** What it is computed from: metrics with their instances, and words. */
  readonly of: string;
  readonly source: string;
}

/** A number with the readings that it came from, a line for each. */
export interface Proven extends Shown {
  readonly readings: readonly string[];
}

type WhyMetric = WhyAnswer['metrics'][number];
type Part = NonNullable<WhyMetric['expression']>;

/** Samples are searched for in so many seconds before the instant. */
const BACK_SEC = 120;
/** `disk.dev.read[sda]`, `kernel.all.load`. */
const OPERAND = /([A-Za-z]\w*(?:\.\w+)+)(?:\[(.*?)\](?=$| [-+/] ))?/g;
/** Numbers of several samples have no single readings. */
const OF_MANY = /^(?:mean|greatest|of the|rule)\b/;

/** Numbers with the readings of their metrics at an instant: one request for each source, with and without instances. */
export async function withReadings(
  shown: readonly Shown[],
  at: number,
  zone: TimeZone,
  signal: AbortSignal,
): Promise<readonly Proven[]> {
  const operands = shown.map(({ of }) => (OF_MANY.test(of) ? [] : [...of.matchAll(OPERAND)]));
  const found = new Map<string, readonly WhyMetric[] | string>();
  const ask = async (source: string, hasInstance: boolean): Promise<void> => {
    const own = shown.flatMap((each, i) => (each.source === source ? operands[i]! : []));
    const wanted = own.filter(([, , instance]) => (instance !== undefined) === hasInstance);
    if (wanted.length === 0) return;
    const names = [...new Set(wanted.map(([, name]) => name!))];
    const inames = [...new Set(wanted.flatMap(([, , instance = '']) => (instance.includes(',') ? [] : [instance])))];
    const then = at + lateOf(source);
    const of = { names, rate: true, start: then - BACK_SEC, finish: then + MOMENT_SEC, ...whereOf(source), signal };
    const answer = client.why(hasInstance ? { ...of, iname: inames } : of);
    found.set(
      `${source} ${hasInstance}`,
      await answer.then(
        ({ metrics }) => metrics,
        (error: unknown) => troubleOf(error).message,
      ),
    );
  };
  const sources = [...new Set(shown.map(({ source }) => source))];
  await Promise.all(sources.flatMap((source) => [ask(source, true), ask(source, false)]));
  return shown.map((each, i) => ({
    ...each,
    readings: operands[i]!.flatMap(([operand, name = '', instance]) => {
      // A comma separates names.
      if (instance?.includes(',') === true) return [`${operand}: not asked`];
      const metrics = found.get(`${each.source} ${instance !== undefined}`) ?? [];
      if (typeof metrics === 'string') return [`${operand}: ${metrics}`];
      const metric = metrics.find((one) => one.name === name);
      if (!metric) return [`${operand}: no reading in the ${BACK_SEC} seconds before`];
      const lines = whyLines(instance === undefined ? metric : onlyOf(metric, instance), zone);
      return lines.map(({ depth, text }, line) => {
        const own = instance !== undefined && text.startsWith(`${instance}: `) ? text.slice(instance.length + 2) : text;
        return line === 0 ? `${operand} = ${own}` : `${'  '.repeat(depth + 1)}${text}`;
      });
    }),
  }));
}

/** Of one instance; what has none is of all. */
function onlyOf({ values, missing, expression, ...rest }: WhyMetric, instance: string): WhyMetric {
  const isOwn = ({ name = instance }: { readonly name?: string }): boolean => name === instance;
  const part = ({ values: all, previous, children, ...node }: Part): Part => ({
    ...node,
    ...(all ? { values: all.filter(isOwn) } : {}),
    ...(previous ? { previous: { ...previous, values: previous.values.filter(isOwn) } } : {}),
    children: children.map(part),
  });
  return {
    ...rest,
    values: values.filter(isOwn),
    missing: missing.filter(isOwn),
    ...(expression ? { expression: part(expression) } : {}),
  };
}
