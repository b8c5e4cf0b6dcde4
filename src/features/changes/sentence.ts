import { readable, roundNumber, findCulprits, titleOf } from '../../culprits/index.js';
import type { CulpritResource, Culprits } from '../../culprits/index.js';
import type { ChangedSeries } from './compare-series.js';
import type { ChangeGroup } from './group-changes.js';
import type { MembershipChange } from './membership.js';
import type { MeasuredMetric, State, MeasuredWindow } from './measured-window.js';
import type { Context, RangeSettings } from '../../context/index.js';
import { addSeconds, earlier, GatewayError, later } from '../../pmapi/index.js';
import { resourceOf } from './importance.js';

/** One finding: series that changed alike, or instances or metrics that appeared or vanished together. */
export type Finding = ChangeGroup | MembershipChange;

/** The maximum number of names in a sentence; the rest are counted. */
const NAMES_LISTED = 3;
/** The maximum number of quoted characters of a text value. */
const TEXT_LENGTH = 60;

/** A finding in one sentence, without a time: "disk.dev.await of sda rose from 3 to 48 millisec (×16); 3 more alike". */
export function describeFinding(finding: Finding): string {
  return 'lead' in finding ? describeGroup(finding) : describeMembership(finding);
}

function describeGroup({ lead, alike }: ChangeGroup): string {
  const { metric, instance } = lead.after;
  const subject = instance === undefined ? metric.name : `${metric.name} of ${instance}`;
  const more = alike.length === 0 ? '' : `; ${alike.length} more alike`;
  return `${subject} ${describeChange(lead)}${more}`;
}

function describeChange({ change, after }: ChangedSeries): string {
  if (change.kind === 'state') return `changed from ${quote(change.before)} to ${quote(change.after)}`;
  const [was, is] = [change.before.median, change.after.median];
  const [low, high] = [scaleFor(was === 0 ? is : was, after.metric), scaleFor(is === 0 ? was : is, after.metric)];
  const from = `${roundNumber(was / low.divisor)}${low.unit === high.unit ? '' : low.unit}`;
  const verb = change.direction === 'up' ? 'rose' : 'fell';
  const how = change.isSteady ? `${verb} steadily` : verb;
  return `${how} from ${from} to ${roundNumber(is / high.divisor)}${high.unit}${factor(was, is)}`;
}

/** As {@link readable}, with a blank before the unit; shares are per cent. */
function scaleFor(value: number, { units, isShare }: MeasuredMetric): ReturnType<typeof readable> {
  const { divisor, unit } = isShare ? { divisor: 0.01, unit: '%' } : readable(value, units);
  return { divisor, unit: unit === '' ? '' : ` ${unit}` };
}

function factor(was: number, is: number): string {
  if (was === 0 || is === 0 || was > 0 !== is > 0) return '';
  return ` (${describeFactor(is / was)})`;
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

function describeMembership({ kind, what, names, metrics, indom }: MembershipChange): string {
  const count = `${names.length} ${names.length === 1 ? what.slice(0, -1) : what}`;
  const listed = names.slice(0, NAMES_LISTED).join(', ');
  const rest = names.length > NAMES_LISTED ? ` and ${names.length - NAMES_LISTED} more` : '';
  if (what === 'metrics') return `${count} ${kind}: ${listed}${rest}`;
  return `${count} ${kind} in ${metrics[0]} (instance domain ${indom}): ${listed}${rest}`;
}

/** So much of each window says who it is: the first of the later one, and the last before it. */
const LONGEST_SEC = 3600;

/** Who has the rise of each resource that findings are about. Where nothing rose, a resource is left out. Throws as a range does. */
export async function findWho(
  context: Context,
  findings: readonly Finding[],
  { before, after }: { readonly before: MeasuredWindow; readonly after: MeasuredWindow },
  settings: RangeSettings,
): Promise<ReadonlyMap<CulpritResource, Culprits>> {
  const window = { start: after.start, finish: earlier(after.finish, addSeconds(after.start, LONGEST_SEC)) };
  const last = { start: later(before.start, addSeconds(before.finish, -LONGEST_SEC)), finish: before.finish };
  const found = new Map<CulpritResource, Culprits>();
  for (const resource of new Set(findings.map(resourceOf))) {
    if (resource === undefined) continue;
    try {
      const culprits = await findCulprits(context, { resource, window, before: last }, settings);
      if (culprits.shareOf === 'rise' || culprits.unknown !== undefined) found.set(resource, culprits);
    } catch (error) {
      if (!(error instanceof GatewayError && error.code === 'LIMIT_EXCEEDED')) throw error;
      const unknown = 'Who it is is not known: there are too many samples of processes in these windows.';
      found.set(resource, { resource, unit: '', shareOf: 'whole', who: [], unknown });
    }
  }
  return found;
}

/** Who has which part of the rise, in words for the end of a sentence; empty if it is not known. */
export function describeWho(culprits: Culprits | undefined): string {
  if (!culprits || culprits.who.length === 0) return '';
  const { who, by } = culprits;
  const shares = who.map((one) => `${titleOf(one)} ${Math.round(one.share * 100)} %`).join(', ');
  return `; of the rise${by === undefined ? '' : `, ${by}`}: ${shares}`;
}
