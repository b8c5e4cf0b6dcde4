import { signal, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { TimeZone } from '../../../../pmapi/index.js';
import type { Feed } from '../data/feed.js';
import { isGatewayGone } from '../data/gateway.js';
import { shownShift } from '../data/shown-time.js';
import { factsOf } from '../data/source-facts.js';
import { plainSource } from '../data/tab-context.js';
import { vitalTitle } from '../data/vital-lanes.js';
import type { Gap } from '../data/series-table.js';
import { kindText } from '../data/find-metrics.js';
import { Working } from '../parts/working.js';
import { change, follow, hasOwnLanes, putLane, show, view } from '../state/page.js';
import { encodeView, without } from '../state/url-state.js';
import type { Lane, LaneForm } from '../state/url-state.js';
import { zoomed } from '../state/time-window.js';
import type { Span } from '../state/time-window.js';
import { beforeText, durationText, instantText } from './axis-times.js';
import { valueText } from './axis-units.js';
import { momentAt, prepare, xOf } from './chart-canvas.js';
import { onColours, readColours } from './chart-colours.js';
import { darkestOf, drawLane, heightOf, plotOf } from './draw-lane.js';
import { laneModel, titleOf } from './lane-model.js';
import type { LaneModel } from './lane-model.js';
import { cellTexts, Legend } from './legend.js';
import { Colours } from './palette.js';

/** The instant under the pointer or the keyboard's cursor, the same for all lanes; undefined: the last sample. */
export const cursor = signal<number | undefined>(undefined);
/** The selected time range. */
export const selection = signal<Span | undefined>(undefined);
/** Counts changes of the colours that canvases draw with. */
const scheme = signal(0);
/** The palette indexes of instances, the same in every lane. */
const colours = new Colours();
/** Samples of each second may be this much closer. */
const TIMER_SEC = 0.1;
/** The gateway's words for a name that the source does not have. */
const UNKNOWN_NAME = 'Unknown metric name';
/** Lanes this close to what is seen are drawn, so that they are up to date when they come into sight. */
const NEAR_PX = 300;
/** Smaller movements of the pointer are clicks. */
const CLICK_PX = 4;

/** Redraw lanes when colours change. Returns a function that stops it. */
export function watchColours(): () => void {
  return onColours(() => scheme.value++);
}

interface LaneProps {
  readonly index: number;
  readonly lane: Lane;
  /** The metrics of the lane that share this axis. */
  readonly names: readonly string[];
  readonly source: string;
  /** Whether the page shows several sources: the lane then names its own. */
  readonly namesSource: boolean;
  /** Whether an archive that has no values for the lane goes without it. */
  readonly hidesEmpty: boolean;
  readonly feed: Feed;
  /** Brings the samples of {@link shownShift} before. */
  readonly pastFeed: Feed;
  readonly window: ReadonlySignal<Span>;
  readonly zone: ReadonlySignal<TimeZone>;
  /** What to do about names that the source does not have. */
  readonly children: ComponentChildren;
}

/** A lane: a heading, a canvas and its legend. */
export function LanePanel(props: LaneProps): JSX.Element {
  const { index, lane, names, source, namesSource, hidesEmpty, feed, pastFeed, window, zone, children } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useSignal(0);
  const given = useSignal({ lane, names });
  if (given.peek().lane !== lane || given.peek().names !== names) given.value = { lane, names };

  const section = useRef<HTMLElement>(null);
  const isSeen = useSignal(true);
  const kept = useRef<LaneModel>(undefined);
  const model = useComputed(() => {
    // What is out of sight stays as it is, unless it waits for its first values.
    if (kept.current && kept.current.drawn.length > 0 && !isSeen.value) return kept.current;
    follow(feed.version);
    const shiftSec = shownShift.value;
    if (shiftSec !== undefined) follow(pastFeed.version);
    const past = shiftSec === undefined ? undefined : { table: pastFeed.table, shiftSec };
    const facts = factsOf(source).value.metrics;
    kept.current = laneModel(feed.table, { ...given.value, window: window.value, facts, past });
    return kept.current;
  });
  const gaps = useComputed((): readonly Gap[] => {
    follow(feed.version);
    const last = feed.table.times.at(-1);
    const isBroken = feed.trouble.value !== undefined || isGatewayGone.value;
    const { end } = window.value;
    const isLate = isBroken && feed.resolution.value?.isLive === true && last !== undefined && end > last;
    return isLate ? [...feed.table.gaps(), { from: last, to: end }] : feed.table.gaps();
  });
  const places = useComputed(() => {
    const isOne = given.value.names.length === 1;
    const keys = model.value.drawn.map(({ series: { metric, instance, name } }) =>
      instance === null ? metric : `${isOne ? '' : metric} ${name === '' ? `#${instance}` : name}`,
    );
    const assigned = colours.assign(keys);
    return keys.map((key) => assigned.get(key) ?? 0);
  });

  useEffect(() => {
    const element = canvas.current?.parentElement;
    if (!element) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      width.value = Math.floor(entry?.contentRect.width ?? 0);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [width]);

  useEffect(() => {
    const element = section.current!;
    const observer = new IntersectionObserver((entries) => (isSeen.value = entries.at(-1)!.isIntersecting), {
      rootMargin: `${NEAR_PX}px`,
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [isSeen]);

  useSignalEffect(() => {
    if (!isSeen.value) return undefined;
    follow(scheme);
    const drawing = {
      table: feed.table,
      model: model.value,
      gaps: gaps.value,
      window: window.value,
      zone: zone.value,
      places: places.value,
    };
    const size = width.value;
    const frame = requestAnimationFrame(() => {
      const element = canvas.current;
      if (!element) return;
      const height = heightOf(drawing.model);
      element.style.height = `${height}px`;
      const context = prepare(element, size, height);
      if (context) drawLane(context, plotOf(size, height, drawing.window), { ...drawing, colours: readColours() });
    });
    return () => cancelAnimationFrame(frame);
  });

  const title = titleOf(names);
  const facts = factsOf(source).value.metrics;
  const [first] = names;
  const kind = names.length === 1 ? facts.get(first!) : undefined;
  const oneline = kind?.['text-oneline'];
  const isHidden = useComputed(
    () => hidesEmpty && feed.resolution.value?.isLive === false && model.value.total === 0,
  ).value;
  const isOverview = view.value.screen === '' && !hasOwnLanes(view.value);
  const plain = isOverview ? vitalTitle(first) : undefined;
  return (
    <section class="lane" ref={section} aria-label={title} data-metric={first} hidden={isHidden}>
      <header class="lane-head">
        <h2>
          {plain === undefined ? (
            title
          ) : (
            <>
              <span class="plain-title">{plain}</span> <span class="quiet">{title}</span>
            </>
          )}
        </h2>
        <span class="unit">{useComputed(() => unitText(model.value))}</span>
        {namesSource ? <span class="quiet">{plainSource(source)}</span> : null}
        <LaneInfo
          feed={feed}
          pastFeed={pastFeed}
          model={model}
          lane={lane}
          isCounter={kind?.sem === 'counter'}
          hasTime={plain === undefined}
        />
        <LaneMenu index={index} lane={lane} isCounter={names.some((name) => facts.get(name)?.sem === 'counter')} />
      </header>
      {oneline === undefined || oneline === '' || plain !== undefined || view.value.screen === 'explain' ? null : (
        <p class="oneline">
          {oneline}
          {kind ? ` (${kindText(kind)})` : ''}
        </p>
      )}
      <LaneTrouble names={names} source={source} feed={feed} model={model} />
      {children}
      <div
        class={useComputed(() => bodyClass(model.value, feed.isWaiting.value))}
        hidden={useComputed(() => model.value.total === 0 && names.every((name) => isUnknown(feed, name)))}
      >
        {useComputed(() => model.value.form).value === 'table' ? (
          <Table model={model} feed={feed} zone={zone} window={window} />
        ) : (
          <div class="lane-canvas">
            <canvas ref={canvas} role="img" aria-label={useComputed(() => laneLabel(title, model.value, gaps.value))} />
            <Pointer width={width} model={model} window={window} />
          </div>
        )}
        <Legend index={index} lane={lane} model={model} places={places} feed={feed} cursor={cursor} />
      </div>
    </section>
  );
}

function isUnknown({ warnings }: Feed, name: string): boolean {
  return warnings.value.get(name) === UNKNOWN_NAME;
}

function bodyClass({ form }: LaneModel, isWaiting: boolean): string {
  const rows = form === 'heat' || form === 'state' ? ' rows' : '';
  return `lane-body${rows}${isWaiting ? ' waiting' : ''}`;
}

function unitText({ scale, form }: LaneModel): string {
  return form === 'state' ? 'state' : scale.unit;
}

/** The description of a chart for screen readers. */
function laneLabel(title: string, { drawn, quantity, form, past }: LaneModel, gaps: readonly Gap[]): string {
  const first = drawn[0];
  if (!first) return `${title}: no values in this window`;
  const { last, least, greatest } = first.summary;
  const range =
    form === 'state' || typeof last !== 'number'
      ? `last ${String(last)}`
      : `${first.label} from ${valueText(quantity, least * quantity.factor)} to ${valueText(quantity, greatest * quantity.factor)}, last ${valueText(quantity, last * quantity.factor)}`;
  const then = first.past?.summary.last;
  const before =
    past && typeof then === 'number'
      ? `, ${valueText(quantity, then * quantity.factor)} ${beforeText(past.shiftSec)}`
      : '';
  const more = drawn.length > 1 ? `, and ${drawn.length - 1} more series` : '';
  return `${title}: ${range}${before}${more}${gaps.length === 0 ? '' : `, ${gaps.length} gaps`}`;
}

/** How the values were computed, in one line. */
function LaneInfo({
  feed,
  pastFeed,
  model,
  lane,
  isCounter,
  hasTime,
}: {
  readonly feed: Feed;
  readonly pastFeed: Feed;
  readonly model: ReadonlySignal<LaneModel>;
  readonly lane: Lane;
  readonly isCounter: boolean;
  /** Whether to say how long reading took. */
  readonly hasTime: boolean;
}): JSX.Element {
  const text = useComputed(() => {
    const { resolution } = feed;
    const parts: string[] = [];
    if (isCounter) parts.push(lane.isRaw ? 'the counter itself' : 'rate of a counter');
    if (resolution.value?.partSec !== undefined) {
      parts.push(`${durationText(resolution.value.partSec)} each: mean and min–max`);
    } else if (resolution.value) parts.push('every sample');
    if (model.value.form === 'heat')
      parts.push(`shades from 0 to ${valueText(model.value.quantity, darkestOf(model.value))}`);
    if (hasTime && resolution.value && !resolution.value.isLive)
      parts.push(`read in ${durationText(resolution.value.tookMs / 1000)}`);
    const { past, drawn } = model.value;
    if (past && drawn.length > 0) {
      const before = beforeText(past.shiftSec);
      if (drawn.some((each) => each.past)) parts.push(`dashed: ${before}`);
      else if (pastFeed.isWaiting.value) parts.push(`reading ${before}…`);
      else parts.push(`${before}: ${pastFeed.trouble.value?.message ?? 'no samples'}`);
    }
    return parts.join(' · ');
  });
  return <span class="quiet info">{text}</span>;
}

const FORM_NAMES: Readonly<Record<LaneForm, string>> = {
  line: 'lines',
  heat: 'heat rows',
  state: 'states',
  table: 'table',
};

function LaneMenu({
  index,
  lane,
  isCounter,
}: {
  readonly index: number;
  readonly lane: Lane;
  readonly isCounter: boolean;
}): JSX.Element {
  const what = lane.metrics.join(' + ');
  // Lanes of other screens are changed there.
  if (!hasOwnLanes(view.value)) {
    return (
      <span class="lane-menu">
        <MoreOfLane lane={lane} />
        <a href={encodeView({ ...view.value, screen: 'chart', words: '', lanes: [lane] })}>chart</a>
      </span>
    );
  }
  return (
    <span class="lane-menu">
      <label>
        <span class="hidden">How {what} is drawn</span>
        <select
          value={lane.form ?? 'auto'}
          onChange={({ currentTarget: { value } }) => {
            const rest = without(lane, 'form');
            putLane(index, value === 'auto' ? rest : { ...rest, form: value as LaneForm });
          }}
        >
          <option value="auto">automatic</option>
          {(['line', 'heat', 'table'] as const).map((form) => (
            <option key={form} value={form}>
              {FORM_NAMES[form]}
            </option>
          ))}
        </select>
      </label>
      {isCounter ? (
        <button type="button" aria-pressed={lane.isRaw} onClick={() => putLane(index, { ...lane, isRaw: !lane.isRaw })}>
          raw
        </button>
      ) : null}
      <button
        type="button"
        aria-pressed={lane.fits}
        title="Fit the axis to the values"
        onClick={() => putLane(index, { ...lane, fits: !lane.fits })}
      >
        fit
      </button>
      <MoreOfLane lane={lane} />
      <button
        type="button"
        aria-label={`Remove ${what}`}
        onClick={() => change({ lanes: view.peek().lanes.filter((_, i) => i !== index) })}
      >
        ✕
      </button>
    </span>
  );
}

/** The links of a lane: what its metric is, and what can be computed from it. */
function MoreOfLane({ lane: { metrics } }: { readonly lane: Lane }): JSX.Element {
  const { definitions } = view.value;
  const [first = ''] = metrics;
  const own = definitions.find(({ name }) => name === first);
  const name = own?.name ?? 'my.metric';
  const expression = own?.expression ?? metrics.join(' + ');
  return (
    <>
      {view.value.screen === 'explain' ? null : (
        <a href={encodeView({ ...view.value, screen: 'explain', words: first })} title={`What ${first} is`}>
          explain
        </a>
      )}
      {view.value.cursor === undefined ? null : (
        <a
          href={encodeView({ ...view.value, screen: 'explain', words: first })}
          title={`Why the values of the pinned instant are what they are`}
        >
          why
        </a>
      )}
      <a
        href={encodeView({ ...view.value, screen: 'derive', words: '', definitions: [{ name, expression }] })}
        title="Compute something from it"
      >
        derive
      </a>
    </>
  );
}

/** Why nothing, or not everything, is shown. */
function LaneTrouble({
  names,
  source,
  feed,
  model,
}: {
  readonly names: readonly string[];
  readonly source: string;
  readonly feed: Feed;
  readonly model: ReadonlySignal<LaneModel>;
}): JSX.Element | null {
  const bad = useComputed(() => troubleText(feed, source, names)).value;
  const text = useComputed(() => {
    if (isGatewayGone.value || model.value.drawn.length > 0) return undefined;
    if (!feed.resolution.value || feed.isWaiting.value) return 'Reading…';
    if (model.value.total > 0 && model.value.matching === 0) return 'No instance matches the filter of this lane.';
    if (feed.resolution.value.isLive && feed.table.times.length < 2)
      return 'Waiting for samples. A rate needs two of them: one second.';
    return 'No values in this window.';
  }).value;
  if (bad !== undefined) {
    return (
      <p class="trouble" role="status">
        {bad}
      </p>
    );
  }
  return text === undefined ? null : <Working>{text}</Working>;
}

/** What is wrong with the values of a lane; undefined: nothing. */
function troubleText(feed: Feed, source: string, names: readonly string[]): string | undefined {
  const trouble = feed.trouble.value ?? factsOf(source).value.trouble;
  if (isGatewayGone.value) return undefined;
  if (trouble) {
    const next = trouble.retryAfterMs === undefined ? '' : ` Next try in ${durationText(trouble.retryAfterMs / 1000)}.`;
    return `${trouble.message} (${trouble.code}).${next}`;
  }
  const missing = names.filter((name) => feed.warnings.value.has(name));
  if (missing.length > 0)
    return missing.map((name) => missingText(name, feed.warnings.value.get(name)!, source)).join(' ');
  const types = names.map((name) => factsOf(source).value.metrics.get(name)?.type.toLowerCase() ?? '');
  if (types.some((type) => /event|aggregate/.test(type))) {
    return `This page draws numbers and texts. In a shell: pmgate fetch ${names.join(' ')}`;
  }
  return undefined;
}

/** Why a metric has no values; of an unknown name, which source does not have it. */
function missingText(name: string, message: string, source: string): string {
  return message === UNKNOWN_NAME ? `${plainSource(source)} has no metric ${name}.` : `${name}: ${message}.`;
}

/** The overlay that shows the cursor and handles the pointer. */
function Pointer({
  width,
  model,
  window,
}: {
  readonly width: ReadonlySignal<number>;
  readonly model: ReadonlySignal<LaneModel>;
  readonly window: ReadonlySignal<Span>;
}): JSX.Element {
  const line = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const drag = useRef<{ x: number; window: Span; pans: boolean } | undefined>(undefined);
  const plot = useMemo(() => () => plotOf(width.peek(), heightOf(model.peek()), window.peek()), [width, model, window]);

  useSignalEffect(() => {
    const at = cursor.value ?? view.value.cursor;
    const area = plotOf(width.value, heightOf(model.value), window.value);
    const element = line.current;
    if (element) {
      const isInside = at !== undefined && at >= area.start && at <= area.end;
      element.hidden = !isInside;
      if (isInside) element.style.left = `${xOf(area, at)}px`;
    }
    const marked = box.current;
    const chosen = selection.value;
    if (!marked) return;
    marked.hidden = !chosen;
    if (!chosen) return;
    const [left, right] = [xOf(area, chosen.start), xOf(area, chosen.end)].map((x) =>
      Math.min(Math.max(x, area.left), area.right),
    );
    marked.style.left = `${left}px`;
    marked.style.width = `${Math.max(right! - left!, 1)}px`;
  });

  const at = (event: { clientX: number; currentTarget: HTMLElement }): { x: number; moment: number } => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    const area = plot();
    return { x, moment: Math.min(Math.max(momentAt(area, x), area.start), area.end) };
  };
  return (
    <div
      class="pointer"
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        drag.current = { x: at(event).x, window: window.peek(), pans: event.shiftKey };
      }}
      onPointerMove={(event) => {
        const { x, moment } = at(event);
        cursor.value = moment;
        const begun = drag.current;
        if (!begun || Math.abs(x - begun.x) < CLICK_PX) return;
        const area = { ...plot(), ...begun.window };
        const first = momentAt(area, begun.x);
        if (begun.pans) {
          const by = first - momentAt(area, x);
          change({ time: { kind: 'fixed', start: begun.window.start + by, end: begun.window.end + by } }, 'replace');
        } else selection.value = { start: Math.min(first, moment), end: Math.max(first, moment) };
      }}
      onPointerUp={(event) => {
        const { x, moment } = at(event);
        const begun = drag.current;
        drag.current = undefined;
        if (!begun || Math.abs(x - begun.x) >= CLICK_PX) return;
        selection.value = undefined;
        const shown = view.peek();
        show(shown.cursor === undefined ? { ...shown, cursor: moment } : without(shown, 'cursor'), 'replace');
      }}
      onDblClick={(event) => explainAt(event.currentTarget, at(event).moment)}
      onPointerCancel={() => (drag.current = undefined)}
      onPointerLeave={() => {
        if (!drag.current) cursor.value = undefined;
      }}
      onWheel={(event) => {
        if (!event.ctrlKey && !event.altKey && !event.shiftKey) return;
        event.preventDefault();
        const { moment } = at(event);
        const { start, end } = zoomed(window.peek(), event.deltaY > 0 ? 1.25 : 0.8, moment);
        change({ time: { kind: 'fixed', start, end } }, 'replace');
      }}
    >
      <div class="selected" ref={box} hidden />
      <div class="cursor" ref={line} hidden />
    </div>
  );
}

/**
 * Explain the values at an instant: of the lane that an element is in, or of the first one. Without an instant, those at the pointer, at
 * the pinned instant, or the last ones.
 */
export function explainAt(element: Element, moment = cursor.peek() ?? view.peek().cursor): void {
  const lane = element.closest('section.lane') ?? document.querySelector('section.lane:not([hidden])');
  const words = lane?.getAttribute('data-metric') ?? '';
  if (words === '') return;
  show({ ...view.peek(), screen: 'explain', words, ...(moment === undefined ? {} : { cursor: moment }) });
}

/** The values of a lane as a table: a row for each instant, newest first. */
function Table({
  model,
  feed,
  zone,
  window,
}: {
  readonly model: ReadonlySignal<LaneModel>;
  readonly feed: Feed;
  readonly zone: ReadonlySignal<TimeZone>;
  readonly window: ReadonlySignal<Span>;
}): JSX.Element {
  const { drawn, quantity, from, to, scale } = model.value;
  const { start, end } = window.value;
  const shown = drawn.slice(0, 8);
  const rows: number[] = [];
  for (let row = to - 1; row >= from && rows.length < 500; row--) {
    const at = feed.table.times[row]!;
    if (at < start || at > end) continue;
    if (shown.some(({ series }) => series.cells[row] !== undefined)) rows.push(row);
  }
  const times = rows.map((row) => feed.table.times[row]!);
  const isFine = times.some((at, i) => i > 0 && times[i - 1]! - at < 1 - TIMER_SEC);
  const instants = times.map((at) => instantText(at, zone.value, isFine ? 0.001 : 1).split(' '));
  // A date that is the same in all rows is said once.
  const isOneDay = instants.every(
    ([date, , abbreviation]) => date === instants[0]![0] && abbreviation === instants[0]![2],
  );
  const columns = shown.map(({ series: { cells } }) =>
    cellTexts(
      rows.map((row) => (cells[row] === undefined ? '' : cells[row])),
      quantity.factor / scale.divisor,
    ),
  );
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Values">
      <table>
        <thead>
          <tr>
            <th scope="col">time{isOneDay && instants[0] ? `, ${instants[0][0]} ${instants[0][2]}` : ''}</th>
            {shown.map(({ label }) => (
              <th scope="col" key={label}>
                {label}
                {scale.unit === '' ? '' : `, ${scale.unit}`}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={feed.table.times[row]}>
              <td>{isOneDay ? instants[i]![1] : instants[i]!.join(' ')}</td>
              {shown.map(({ label }, column) => (
                <td key={label}>{columns[column]![i]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
