import { readable, roundNumber } from '../../culprits/index.js';
import type { ChangedSeries } from './compare-series.js';
import type { ChangeGroup } from './group-changes.js';
import type { MembershipChange } from './membership.js';
import type { MeasuredMetric, State } from './measured-window.js';

/** One finding: series that changed alike, or instances or metrics that appeared or vanished together. */
export type Finding = ChangeGroup | MembershipChange;

/** The maximum number of names in a sentence; the rest are counted. */
const NAMES_LISTED = 3;
/** The maximum number of quoted characters of a text value. */
const TEXT_LENGTH = 60;

/** What a source is called, and what those that it is compared with are. */
export type Sides = readonly [here: string, others: string];

/**
 * A finding in one sentence, without a time: "disk.dev.await of sda rose from 3 to 48 millisec (×16); 3 more alike"; between sources,
 * "disk.dev.await of sda is 48 millisec on web1, 3 on web2 (×16)".
 */
export function describeFinding(finding: Finding, sides?: Sides): string {
  return 'lead' in finding ? describeGroup(finding, sides) : describeMembership(finding, sides);
}

function describeGroup({ lead, alike }: ChangeGroup, sides?: Sides): string {
  const { metric, instance } = lead.after;
  const subject = instance === undefined ? metric.name : `${metric.name} of ${instance}`;
  const more = alike.length === 0 ? '' : `; ${alike.length} more alike`;
  return `${subject} ${describeChange(lead, sides)}${more}`;
}

function describeChange({ change, after }: ChangedSeries, sides?: Sides): string {
  const said = (how: string, from: string, to: string): string =>
    sides ? `is ${to} on ${sides[0]}, ${from} on ${sides[1]}` : `${how} from ${from} to ${to}`;
  if (change.kind === 'state') return said('changed', quote(change.before), quote(change.after));
  const [was, is] = [change.before.median, change.after.median];
  const [low, high] = [scaleFor(was === 0 ? is : was, after.metric), scaleFor(is === 0 ? was : is, after.metric)];
  const from = `${roundNumber(was / low.divisor)}${low.unit === high.unit ? '' : low.unit}`;
  const verb = change.direction === 'up' ? 'rose' : 'fell';
  const how = change.isSteady ? `${verb} steadily` : verb;
  return said(how, from, `${roundNumber(is / high.divisor)}${high.unit}`) + factor(was, is);
}

/** As {@link readable}, with a blank before the unit; shares are per cent. */
function scaleFor(value: number, { units, isShare }: MeasuredMetric): ReturnType<typeof readable> {
  const { divisor, unit } = isShare ? { divisor: 0.01, unit: '%' } : readable(value, units);
  return { divisor, unit: unit === '' ? '' : ` ${unit}` };
}

function factor(was: number, is: number): string {
  const by = is / was;
  return by > 0 && by < Infinity ? ` (${describeFactor(by)})` : '';
}

/** A positive factor: ×16, or ÷2 for a half. */
export function describeFactor(factor: number): string {
  const [sign, size] = factor >= 1 ? ['×', factor] : ['÷', 1 / factor];
  return `${sign}${roundNumber(Number(size.toPrecision(2)))}`;
}

function quote(state: State): string {
  if (typeof state === 'number') return roundNumber(state);
  return JSON.stringify(state.length > TEXT_LENGTH ? `${state.slice(0, TEXT_LENGTH)}…` : state);
}

function describeMembership({ kind, what, names, metrics, indom }: MembershipChange, sides?: Sides): string {
  const done = sides ? `only on ${sides[kind === 'appeared' ? 0 : 1]}` : kind;
  const count = `${names.length} ${names.length === 1 ? what.slice(0, -1) : what}`;
  const listed = names.slice(0, NAMES_LISTED).join(', ');
  const rest = names.length > NAMES_LISTED ? ` and ${names.length - NAMES_LISTED} more` : '';
  const where = what === 'metrics' ? '' : ` in ${metrics[0]} (instance domain ${indom})`;
  return `${count} ${done}${where}: ${listed}${rest}`;
}
