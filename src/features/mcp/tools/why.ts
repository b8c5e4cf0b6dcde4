import type { components } from '../../../client/index.js';
import { notesOf, type Item } from '../report.js';
import { bounded, boundedOr, named, quoted, rounded, timeText, unitsText, valueText, windowText } from '../text.js';
import {
  HOST,
  hostOf,
  INSTANCE,
  instanceArgument,
  instanceQuery,
  NAMES,
  namesOf,
  textOf,
  TIME,
  WORDS,
} from './tool.js';
import type { Arguments, Tool } from './tool.js';

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
    const first = isFirst ? ['no value: the first sample of a rate has none; ask again in a second'] : [];
    const instance = textOf(given, 'instance');
    const shown = {
      q: instance === undefined || instance.startsWith('#') ? names[0] : `${names[0]}[${instance}]`,
      // The console looks for samples up to it: it must not be rounded down.
      cur: time === undefined ? time : timeText(Math.ceil(time * 1000) / 1000),
    };
    return {
      head: `Values of ${quoted(host.name)}${time === undefined ? '' : ` at ${timeText(time)}`}`,
      items,
      notes: [...first, ...notesOf(answer.warnings)],
      narrower: (count) => ({ tool: 'pcp_why', arguments: { ...given, ...sourceOf(metrics, count) } }),
      address: host.address('explain', shown, time, time),
    };
  },
};

/** The metric and the instance of an item. */
function sourceOf(metrics: readonly Metric[], index: number): Arguments {
  const all = metrics.flatMap(({ name, meaning, values, missing }) => [
    ...(meaning.definition ? [{ names: [name] }] : []),
    ...[...values, ...missing].map((one) => ({ names: [name], ...instanceArgument(one.name, one.instance) })),
  ]);
  return all[index] ?? all[0]!;
}

function itemsOf({ name, meaning: { definition }, values, missing }: Metric, units: string): Item[] {
  const of = (one: { readonly name?: string } = {}) => ({ name: bounded(name, 120), instance: boundedOr(one.name) });
  const text =
    definition && `${named(name)} is defined as ${quoted(definition.expression, 300)} (${definition.origin})`;
  return [
    ...(definition ? [{ line: text!, data: { ...of(), definition: bounded(definition.expression, 300) } }] : []),
    ...values.map((one) => ({
      line: `${named(name, one.name)} = ${valueText(one.value)}${unitsText(units)}${reasonOf(one)}`,
      data: { ...of(one), value: typeof one.value === 'number' ? rounded(one.value) : null, rule: one.from?.rule },
    })),
    ...missing.map((one) => ({
      line: `${named(name, one.name)} has no value: ${quoted(one.reason, 160)}`,
      data: { ...of(one), missing: bounded(one.reason, 160) },
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

/** The console shows an expression under a name, and the time before the moment of its value. */
const SHOWN_NAME = 'my.metric';
const SHOWN_SEC = 600;

/** An expression, checked without registering it. */
export const check: Tool = {
  name: 'pcp_check_expression',
  description:
    'Checks an expression of metrics, e.g. 100 * mem.util.free / mem.physmem: its value and units, or errors with repairs.',
  properties: { expr: WORDS, host: HOST, at: { ...TIME, description: 'default now' } },
  required: ['expr'],
  async run(given, gateway) {
    const host = hostOf(given, gateway);
    const expr = textOf(given, 'expr') ?? '';
    const at = textOf(given, 'at');
    const checked = (await host.ask('/derived/check', { expr, at }, () => ({
      at: at ?? '-0sec',
    }))) as components['schemas']['DerivedCheck'];
    const { ok, errors, metadata, sample } = checked;
    const moment = sample?.timestamp;
    const shown = moment === undefined ? undefined : windowText(moment - SHOWN_SEC, moment);
    const meant = metadata ? `; ${metadata.type}, ${metadata.semantics}${unitsText(metadata.units)}` : '';
    const faults: Item[] = errors.map(({ reason, explanation, position, repair }) => {
      const better = repair?.expression;
      const call = better === undefined ? '' : `; repair: pcp_check_expression ${JSON.stringify({ expr: better })}`;
      return {
        line: `column ${position.column}: ${quoted(`${reason}: ${explanation}`, 220)}${call}`,
        data: { column: position.column, reason: bounded(reason), repair: better },
      };
    });
    const values: Item[] = (sample?.instances ?? []).map(({ name, value }) => ({
      line: `${name === undefined ? 'value' : quoted(name)}: ${valueText(value)}`,
      data: { instance: boundedOr(name), value },
    }));
    return {
      head: `${quoted(expr, 300)} on ${quoted(host.name)} is ${ok ? 'valid' : 'invalid'}${meant}`,
      items: [...faults, ...values],
      narrower: () => ({ tool: 'pcp_check_expression', arguments: { ...given, expr: `count(${expr})` } }),
      address: host.address('derive', { t: shown, def: `${SHOWN_NAME}:${expr}` }, moment, moment),
    };
  },
};
