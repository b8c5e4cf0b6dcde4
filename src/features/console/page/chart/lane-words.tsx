import { useComputed, type ReadonlySignal } from '@preact/signals';
import type { Feed } from '../data/feed.js';
import type { JoinedFeed } from '../data/joined-feed.js';
import { whoami } from '../data/check-expression.js';
import { isGatewayGone, troubleText, type Trouble } from '../data/gateway.js';
import type { Gap } from '../data/series-table.js';
import { lateText } from '../data/shown-time.js';
import { factsOf } from '../data/source-facts.js';
import { plainSource } from '../data/tab-context.js';
import type { Lane } from '../state/url-state.js';
import { beforeText, durationText } from './axis-times.js';
import { valueText } from './axis-units.js';
import { darkestOf } from './draw-lane.js';
import type { LaneModel } from './lane-model.js';

/** The gateway's first words for a name that the source does not have; similar ones may follow. */
const UNKNOWN_NAME = 'Unknown metric name';

/** Whether the source of a feed does not have a metric. */
export function isUnknown({ warnings }: Feed, name: string): boolean {
  return warnings.value.get(name)?.startsWith(UNKNOWN_NAME) === true;
}

/** The description of a chart for screen readers. */
export function laneLabel(title: string, { drawn, quantity, form, past }: LaneModel, gaps: readonly Gap[]): string {
  const first = drawn[0];
  if (!first) return `${title}: no values in this window`;
  const { last, least, greatest } = first.summary;
  const text = (value: number): string => valueText(quantity, value * quantity.factor);
  const range =
    form === 'state' || typeof last !== 'number'
      ? `last ${String(last)}`
      : `${first.label} from ${text(least)} to ${text(greatest)}, last ${text(last)}`;
  const then = first.past?.summary.last;
  const before = past && typeof then === 'number' ? `, ${text(then)} ${beforeText(past.shiftSec)}` : '';
  const more = drawn.length > 1 ? `, and ${drawn.length - 1} more series` : '';
  return `${title}: ${range}${before}${more}${gaps.length === 0 ? '' : `, ${gaps.length} gaps`}`;
}

/** How the values were computed, in one line. */
export function LaneInfo(props: {
  readonly feed: JoinedFeed;
  readonly pastFeed: JoinedFeed | undefined;
  readonly model: ReadonlySignal<LaneModel>;
  readonly lane: Lane;
  readonly isCounter: boolean;
}) {
  const { feed, pastFeed, model, lane, isCounter } = props;
  const text = useComputed(() => {
    const { resolution } = feed;
    const parts: string[] = [];
    if (isCounter) parts.push(lane.isRaw ? 'the counter itself' : 'rate of a counter');
    if (resolution.value?.partSec !== undefined) {
      parts.push(`${durationText(resolution.value.partSec)} each: mean and min–max`);
    }
    const { past, drawn, form } = model.value;
    if (form === 'heat' && drawn.length > 0)
      parts.push(`shades from 0 to ${valueText(model.value.quantity, darkestOf(model.value))}`);
    const { from, to } = model.value;
    for (const { source, feed: part } of feed.parts) {
      const own = feed.table.series.filter((each) => each.source === source && lane.metrics.includes(each.metric));
      const isThere = own.some(({ cells }) => cells.slice(from, to).some((cell) => (cell ?? undefined) !== undefined));
      if (feed.parts.length > 1 && part.resolution.value && !isThere) parts.push(`nothing of ${source} in this window`);
      if (lateText(source) !== '') parts.push(`${source} ${lateText(source)}`);
    }
    if (past && drawn.length > 0) {
      const before = beforeText(past.shiftSec);
      if (drawn.some((each) => each.past)) parts.push(`dashed: ${before}`);
      else if (pastFeed?.isWaiting.value === true) parts.push(`reading ${before}…`);
      else parts.push(`${before}: ${pastFeed?.trouble.value?.message ?? 'no samples'}`);
    }
    return parts.join(' · ');
  });
  return <span class="quiet info">{text}</span>;
}

interface TroubleProps {
  readonly names: readonly string[];
  readonly source: string;
  readonly feed: Feed;
  /** What is wrong with all of the feed is said already, by a lane before this one. */
  readonly isRest?: boolean;
}

/** Why not everything is shown. */
export function LaneTrouble({ names, source, feed, isRest = false }: TroubleProps) {
  const bad = useComputed(() => whyNothing(feed, source, names)).value;
  const isOfAll = useComputed(() => feedTrouble(feed, source) !== undefined).value;
  return bad === undefined || (isRest && isOfAll) ? null : (
    <p class="trouble" role="status">
      {bad}
    </p>
  );
}

/** Why nothing is shown yet, or at all, in the place of the chart. */
export function LaneWaiting(props: TroubleProps & { readonly model: ReadonlySignal<LaneModel> }) {
  const { names, source, feed, model } = props;
  const text = useComputed(() => {
    if (isGatewayGone.value || model.value.drawn.length > 0 || whyNothing(feed, source, names) !== undefined)
      return undefined;
    if (!feed.resolution.value || feed.isWaiting.value) return 'Reading…';
    if (model.value.total > 0 && model.value.matching === 0) return 'No instance matches the filter of this lane.';
    if (feed.resolution.value.isLive && feed.table.times.length < 2)
      return 'Waiting for samples. A rate needs two of them: one second.';
    return 'No values in this window.';
  }).value;
  return text === undefined ? null : <p class="lane-waiting">{text}</p>;
}

/** What is wrong with all values of a source. */
export function feedTrouble(feed: Feed, source: string): Trouble | undefined {
  return feed.trouble.value ?? factsOf(source).value.trouble;
}

/** What is wrong with the values of a lane; undefined: nothing. */
function whyNothing(feed: Feed, source: string, names: readonly string[]): string | undefined {
  const trouble = feedTrouble(feed, source);
  if (isGatewayGone.value) return undefined;
  if (trouble) return troubleText(trouble, plainSource(source));
  const missing = names.filter((name) => feed.warnings.value.has(name));
  if (missing.length > 0)
    return missing.map((name) => missingText(name, feed.warnings.value.get(name)!, source)).join(' ');
  const types = names.map((name) => factsOf(source).value.metrics.get(name)?.type.toLowerCase() ?? '');
  if (types.some((type) => /event|aggregate/.test(type))) {
    return `This page draws numbers and texts. In a shell: pmgate fetch ${names.join(' ')}`;
  }
  return undefined;
}

/** That a source lacks a metric, or may hide it: roles of an access file have names of their own. */
export function lackText(name: string, source: string): string {
  const { roles = [], permissions = [] } = whoami(source).value ?? {};
  const isOpen = roles.every((role) => (permissions as readonly string[]).includes(role));
  return `${plainSource(source)} has no metric ${name}${isOpen ? '' : ' that you may see'}.`;
}

/** Why a metric of a source has no values. */
function missingText(name: string, message: string, source: string): string {
  return message.startsWith(UNKNOWN_NAME) ? lackText(name, source) : `${name} of ${plainSource(source)}: ${message}.`;
}
