import type { components } from '../../../client/index.js';
import type { Gateway, Host, Query } from '../gateway.js';
import { notesOf, type Item } from '../report.js';
import {
  bounded,
  boundedOr,
  named,
  quoted,
  rounded,
  sparkline,
  timeText,
  unitsText,
  valueText,
  windowText,
} from '../text.js';
import type { Arguments, Tool } from './tool.js';
import {
  COUNT,
  HOST,
  hostOf,
  INSTANCE,
  instanceArgument,
  instanceQuery,
  NAMES,
  namesOf,
  numberOf,
  textOf,
  TIME,
  WORDS,
} from './tool.js';

type Columns = components['schemas']['RangeColumns'];
type Metric = Columns['metrics'][number];

const POINTS = 24;
/** The name of an expression's metric while it is evaluated. */
const EXPRESSION = 'assistant.expression';

/** The name that the console shows it under; how many lanes an address has, and how many series each has by default. */
const LANE = 'query';
const MOST_LANES = 4;
const CONSOLE_TOP = 8;

/** Values of metrics, or of an expression, over a window of time. */
export const query: Tool = {
  name: 'pcp_query',
  description:
    'Values over a window (default: the last 10 minutes) of metrics or one expression: last, median, min, max and a sparkline of 24 points; counters as rates; the top instances.',
  properties: {
    names: NAMES,
    expr: { ...WORDS, description: 'instead of names; needs the permission derive' },
    host: HOST,
    start: TIME,
    finish: TIME,
    instance: INSTANCE,
    top: COUNT,
  },
  async run(given, gateway) {
    const host = hostOf(given, gateway);
    const expr = textOf(given, 'expr');
    const { times, metrics, warnings } = await rangeOf(given, gateway, host);
    const span = spanOf(times.map(Number));
    const items = metrics.flatMap((metric) => itemsOf(metric, expr));
    const total = items.length + metrics.reduce((sum, { rest }) => sum + (rest?.count ?? 0), 0);
    const empty = metrics.filter(({ series }) => series.length === 0).map(({ name }) => `${named(name)}: no values`);
    const hint = items.length > 0 ? [] : [`when there is data: pcp_hosts ${JSON.stringify({ host: host.name })}`];
    const def = expr === undefined ? undefined : `${LANE}:${expr}`;
    const shown = { t: span.window && windowText(...span.window), lane: lanesOf(given, metrics), def };
    return {
      head: `${quoted(host.name)}, ${span.words}`,
      items,
      total,
      isLimited: given.top !== undefined,
      notes: [...empty.slice(0, 1), ...hint, ...notesOf(warnings)],
      narrower: (shown) => ({ tool: 'pcp_query', arguments: narrowed(given, metrics, shown) }),
      address: host.address('chart', shown, ...(span.window ?? [])),
    };
  },
};

/** Lanes of the console with the same: the instance, or the top ones. */
function lanesOf(given: Arguments, metrics: readonly Metric[]): readonly string[] {
  const instance = textOf(given, 'instance');
  const top = Math.max(CONSOLE_TOP, numberOf(given, 'top', 0));
  // There, an instance is a glob.
  const isGlob = instance === undefined || /^#|[*?[\\%~]/.test(instance);
  const options = `${isGlob ? '' : `~i:${instance}`}${top === CONSOLE_TOP ? '' : `~top:${top}`}`;
  const names = given.expr !== undefined ? [LANE] : metrics.slice(0, MOST_LANES).map(({ name }) => name);
  return names.map((name) => name + options);
}

/** The parts with samples, in words; and from when to when, with a second for a part that is alone. */
function spanOf(times: readonly number[]): { readonly words: string; readonly window?: readonly [number, number] } {
  const [start, second] = times;
  if (start === undefined) return { words: 'no samples in the window' };
  const last = times.at(-1)!;
  return {
    words: `parts at ${timeText(start)} to ${timeText(last)}: last and median of their means, min and max of all samples`,
    window: [start, last + (second === undefined ? 1 : second - start)],
  };
}

/** The call for the first series that was left out; if that is not known, for the last that was not. */
function narrowed(given: Arguments, metrics: readonly Metric[], shown: number): Arguments {
  const all = metrics.flatMap(({ name, series }) => series.map((one) => ({ name, one })));
  const { name, one } = all[shown] ?? all.at(-1)!;
  const names = given.expr === undefined ? { names: [name] } : {};
  return { ...given, ...names, ...instanceArgument(one.name, one.instance) };
}

async function rangeOf(given: Arguments, gateway: Gateway, host: Host): Promise<Columns> {
  const expr = textOf(given, 'expr');
  const selected: Query = {
    start: textOf(given, 'start') ?? '-10min',
    finish: textOf(given, 'finish'),
    points: POINTS,
    format: 'columns',
    decimation: 'envelope',
    rate: true,
    top: numberOf(given, 'top', 5),
    rest: 'sum',
    ...instanceQuery(given),
  };
  if (expr === undefined) {
    return (await host.ask('/pmapi/fetch', { ...selected, names: namesOf(given).join(',') })) as Columns;
  }
  const { context } = (await host.ask('/pmapi/context')) as { readonly context: number };
  try {
    await gateway.ask('/pmapi/derive', { context, name: EXPRESSION, expr }, 'POST');
    return (await gateway.ask('/pmapi/fetch', { ...selected, context, names: EXPRESSION })) as Columns;
  } finally {
    await gateway.ask(`/pmapi/${context}`, {}, 'DELETE').catch(() => undefined);
  }
}

/** The series of a metric, one item each. */
function itemsOf(metric: Metric, expr: string | undefined): Item[] {
  const { name, units, series } = metric;
  const shownName = expr === undefined ? named(name) : quoted(expr, 160);
  return series.map(({ name: instance, values, min, max }, i) => {
    const numbers = values.map((value) => (typeof value === 'number' ? value : null));
    const known = numbers.filter((value) => value !== null);
    // Units once: with the first series of a metric.
    const head = i === 0 ? `${shownName}${unitsText(units)} ` : '  ';
    const at = instance === undefined ? '' : `[${quoted(instance)}] `;
    const ids = { name: expr === undefined ? bounded(name, 120) : 'expr', instance: boundedOr(instance) };
    if (known.length === 0) {
      const last = values.findLast((value) => value !== null);
      return {
        line: `${head}${at}last ${valueText(last)}`,
        data: { ...ids, last: typeof last === 'string' ? bounded(last) : null },
      };
    }
    const figures = {
      last: rounded(known.at(-1)!),
      median: rounded(medianOf(known)),
      min: rounded(Math.min(...numbersOf(min ?? values))),
      max: rounded(Math.max(...numbersOf(max ?? values))),
    };
    const text = `last ${figures.last}, median ${figures.median}, min ${figures.min}, max ${figures.max}`;
    return {
      line: `${head}${at}${text} ${sparkline(numbers)}`,
      data: { ...ids, ...(i === 0 ? { units } : {}), ...figures },
    };
  });
}

function numbersOf(values: readonly unknown[]): number[] {
  return values.filter((value) => typeof value === 'number');
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
