import type { components } from '../../../client/index.js';
import type { Item } from '../report.js';
import { notesOf } from '../report.js';
import { bounded, named, quoted, rounded, timeText, unitsText, valueText } from '../text.js';
import type { Arguments, Tool } from './tool.js';
import { HOST, hostOf, INSTANCE, instanceArgument, instanceQuery, NAMES, namesOf, textOf, TIME } from './tool.js';

type Schemas = components['schemas'];
type Metric = Schemas['WhyMetric'];
type Value = Metric['values'][number];

interface Described {
  readonly name: string;
  readonly units?: string;
}

interface Explained {
  readonly timestamp?: number;
  readonly samples?: readonly { readonly timestamp: number }[];
  /** Of a moment, and of now: with the units of rates. */
  readonly metrics?: readonly Described[];
  readonly values?: readonly Described[];
  readonly why?: { readonly metrics: readonly Metric[] };
  readonly warnings?: readonly { readonly message: string; readonly name?: string }[];
}

/** Seconds before a moment in which samples are searched for; more if there are none. A number cannot hold nine decimals of a moment. */
const BEFORE_SEC = [120, 86_400];
const MOMENT_SEC = 2e-6;

/** Where values come from: samples, rules, rates, definitions. */
export const why: Tool = {
  name: 'pcp_why',
  description: 'Why a value is what it is: samples, interpolation, rate, definition; why it is missing.',
  properties: { names: NAMES, host: HOST, at: { ...TIME, description: 'default now' }, instance: INSTANCE },
  required: ['names'],
  async run(given, gateway) {
    const host = hostOf(given, gateway);
    const at = textOf(given, 'at');
    const names = namesOf(given);
    const asked = { names: names.join(','), ...instanceQuery(given), rate: true };
    const moment = { start: at ?? '-0sec', interval: '1sec', samples: 1 };
    const ofMoment = at === undefined ? { why: true } : moment;
    let answer = (await host.ask('/pmapi/fetch', { ...asked, ...ofMoment }, () => moment)) as Explained;
    const time = answer.timestamp ?? answer.samples?.[0]?.timestamp;
    // Of a moment: the last samples before it, as the console explains it.
    for (const seconds of answer.samples && time !== undefined ? BEFORE_SEC : []) {
      const window = { start: `@${time! - seconds}`, finish: `@${time! + MOMENT_SEC}`, why: true };
      answer = (await host.ask('/pmapi/fetch', { ...asked, ...window })) as Explained;
      if (answer.why?.metrics.some(({ values }) => values.length > 0) === true) break;
    }
    const metrics = answer.why?.metrics ?? [];
    const described = answer.metrics ?? answer.values ?? [];
    const items = metrics.flatMap((metric) =>
      itemsOf(metric, described.find(({ name }) => name === metric.name)?.units ?? metric.metadata.units),
    );
    const isFirst = metrics.length > 0 && items.length === 0;
    return {
      head: `Values of ${quoted(host.name)}${time === undefined ? '' : ` at ${timeText(time)}`}`,
      items,
      notes: [
        ...(isFirst ? ['no value: the first sample of a rate has none; ask again in a second'] : []),
        ...notesOf(answer.warnings),
      ],
      narrower: (shown) => {
        const one = sourceOf(metrics, shown);
        return { tool: 'pcp_why', arguments: { ...given, ...one } };
      },
      // The console looks for samples up to it: it must not be rounded down.
      address: host.address(
        'explain',
        {
          q: explained(names[0], textOf(given, 'instance')),
          cur: time === undefined ? time : timeText(Math.ceil(time * 1000) / 1000),
        },
        time,
        time,
      ),
    };
  },
};

/** A metric, or one value of it, as the console writes it. */
function explained(name = '', instance?: string): string {
  return instance === undefined || instance.startsWith('#') ? name : `${name}[${instance}]`;
}

/** The metric and the instance of an item. */
function sourceOf(metrics: readonly Metric[], index: number): Arguments {
  const all = metrics.flatMap(({ name, meaning, values, missing }) => [
    ...(meaning.definition ? [{ names: [name] }] : []),
    ...[...values, ...missing].map((one) => ({ names: [name], ...instanceArgument(one.name, one.instance) })),
  ]);
  return all[index] ?? all[0]!;
}

function itemsOf(metric: Metric, units: string): Item[] {
  const { meaning, values, missing } = metric;
  const { definition } = meaning;
  const name = bounded(metric.name, 120);
  const defined: Item[] = definition
    ? [
        {
          line: `${named(metric.name)} is defined as ${quoted(definition.expression, 300)} (${definition.origin})`,
          data: { name, definition: bounded(definition.expression, 300) },
        },
      ]
    : [];
  return [
    ...defined,
    ...values.map((value) => ({
      line: `${named(metric.name, value.name)} = ${valueText(value.value)}${unitsText(units)}${reasonOf(value)}`,
      data: {
        name,
        ...(value.name === undefined ? {} : { instance: bounded(value.name) }),
        value: typeof value.value === 'number' ? rounded(value.value) : null,
        rule: value.from?.rule,
      },
    })),
    ...missing.map((one) => ({
      line: `${named(metric.name, one.name)} has no value: ${quoted(one.reason, 160)}`,
      data: {
        name,
        ...(one.name === undefined ? {} : { instance: bounded(one.name) }),
        missing: bounded(one.reason, 160),
      },
    })),
  ];
}

const RULES = {
  exact: 'sampled',
  earlier: 'the sample before',
  later: 'the sample after',
  line: 'on the line between samples',
};

function reasonOf({ from, rate }: Value): string {
  const parts: string[] = [];
  if (from) {
    const samples = [from.sample, from.low, from.high].filter((sample) => sample !== undefined);
    const times = samples.map(({ timestamp, value }) => `${valueText(value)} at ${timeText(Number(timestamp))}`);
    parts.push(`${RULES[from.rule]}: ${times.join(', ')}`);
  }
  if (rate) {
    const { before, after, elapsed, wraps } = rate;
    const wrapped = wraps === 0 ? '' : `, wrapped ${wraps} times`;
    parts.push(`rate: from ${valueText(before.value)} to ${valueText(after.value)} in ${rounded(elapsed)} s${wrapped}`);
  }
  return parts.length === 0 ? '' : `; ${parts.join('; ')}`;
}
