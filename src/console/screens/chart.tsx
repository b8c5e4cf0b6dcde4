import { computed, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { UTC_ZONE, makeTimeZone, nearestNames } from '../../pmapi/index.js';
import type { TimeZone } from '../../pmapi/index.js';
import { durationText, instantText } from '../chart/axis-times.js';
import { cursor, LanePanel, selection, watchColours } from '../chart/lane.js';
import { laneGroups, quantityIn } from '../chart/lane-model.js';
import { catalogueOf } from '../data/catalogue.js';
import { Feed } from '../data/feed.js';
import { findMetrics, isDrawable } from '../data/find-metrics.js';
import { now } from '../data/gateway-clock.js';
import { factsOf, wantMetrics } from '../data/source-facts.js';
import { SuggestingInput } from '../parts/suggesting-input.js';
import { change, said, show, view } from '../state/page.js';
import { DEFAULT_SPAN_SEC, isFollowing, panned, windowOf, zoomed } from '../state/time-window.js';
import type { Span } from '../state/time-window.js';
import { isMetricName, laneOf, without } from '../state/url-state.js';
import type { Lane } from '../state/url-state.js';
import { hasKeys } from '../state/preferences.js';

/** The lanes of the first screen, for what the source has of them. */
const VITALS = [
  laneOf('kernel.cpu.util.user', 'kernel.cpu.util.sys', 'kernel.cpu.util.wait'),
  laneOf('kernel.all.load'),
  laneOf('mem.util.available', 'mem.util.used', 'mem.util.free'),
  laneOf('disk.dev.read_bytes', 'disk.dev.write_bytes'),
  laneOf('network.interface.in.bytes', 'network.interface.out.bytes'),
];
/** A part of the window to move by with each key. */
const PAN = 0.2;
const SPANS = [60, 300, 900, 1800] as const;

/** The window that is shown: of the first source, which the others are in step with. */
const shownWindow = computed((): Span => {
  const { on, time } = view.value;
  return windowOf(time, { now: now.value, recorded: factsOf(on[0]!).value.recorded });
});
const isLive = computed(() => isFollowing(view.value.time, { recorded: factsOf(view.value.on[0]!).value.recorded }));

/** The zone that is chosen, or that of the source: an archive's own, the browser's for a live host. */
const shownZone = computed((): TimeZone => {
  const { on, zone } = view.value;
  const text = zone ?? factsOf(on[0]!).value.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  try {
    return makeTimeZone(text);
  } catch {
    return UTC_ZONE;
  }
});

/** The workbench: lanes over one time axis. On the first screen (`isStart`) they are the vitals of the source. */
export function ChartScreen({ isStart }: { readonly isStart: boolean }): JSX.Element {
  const { on, lanes: chosen } = view.value;
  const lanes = isStart && chosen.length === 0 ? VITALS : chosen;
  const area = useRef<HTMLDivElement>(null);
  useEffect(watchColours, []);
  // On the first screen metrics that the source lacks are left out instead of being errors.
  const isShowing = isStart && chosen.length === 0;
  return (
    <div class="chart" ref={area} onKeyDown={(event) => onKey(event)}>
      <div class="toolbar">
        <LaneAdder source={on[0]!} lanes={lanes} />
        <TimeControls />
      </div>
      <CursorSlider />
      <SelectionLine />
      {lanes.length === 0 ? (
        <p class="empty">
          No lanes yet. Type the name of a metric above, or <a href="find">find one</a>.
        </p>
      ) : null}
      {on.map((source) => (
        <SourceLanes key={source} source={source} lanes={lanes} namesSource={on.length > 1} hidesMissing={isShowing} />
      ))}
    </div>
  );
}

/** All lanes of a source, with the feeds that they share: one for rates, one for raw counters. */
function SourceLanes({
  source,
  lanes,
  namesSource,
  hidesMissing,
}: {
  readonly source: string;
  readonly lanes: readonly Lane[];
  readonly namesSource: boolean;
  readonly hidesMissing: boolean;
}): JSX.Element {
  const feeds = useMemo(() => ({ rates: new Feed(), raw: new Feed() }), []);
  const given = useSignal(lanes);
  if (given.peek() !== lanes) given.value = lanes;
  useEffect(
    () => () => {
      feeds.rates.close();
      feeds.raw.close();
    },
    [feeds],
  );
  useSignalEffect(() => {
    const facts = factsOf(source).value;
    if (!facts.isKnown) return;
    const { time } = view.value;
    const follows = isFollowing(time, { recorded: facts.recorded });
    const { start, end } = shownWindow.value;
    const request = follows
      ? ({ kind: 'live', spanSec: time.kind === 'live' ? time.spanSec : DEFAULT_SPAN_SEC } as const)
      : ({ kind: 'fixed', start, end } as const);
    for (const [isRate, feed] of [
      [true, feeds.rates],
      [false, feeds.raw],
    ] as const) {
      const names = new Set(given.value.filter(({ isRaw }) => isRaw !== isRate).flatMap(({ metrics }) => metrics));
      feed.want({ source, names: [...names], isRate, time: request });
    }
  });
  useEffect(
    () =>
      void wantMetrics(
        source,
        lanes.flatMap(({ metrics }) => metrics),
      ),
    [source, lanes],
  );

  const facts = factsOf(source).value;
  const shown = lanes.flatMap((lane, index) => {
    const feed = lane.isRaw ? feeds.raw : feeds.rates;
    const names =
      hidesMissing && facts.metrics.size > 0 ? lane.metrics.filter((name) => facts.metrics.has(name)) : lane.metrics;
    const groups = laneGroups(names, (name) => {
      const metric = facts.metrics.get(name);
      return metric?.type.toLowerCase() === 'string' ? 'text' : quantityIn(feed.table, metric, name, lane.isRaw);
    });
    return groups.map((group) => ({ lane, index, feed, names: group }));
  });
  return (
    <>
      {shown.map(({ lane, index, feed, names }) => (
        <div key={`${index} ${names.join('+')} ${String(lane.isRaw)}`}>
          <LanePanel
            index={index}
            lane={lane}
            names={names}
            source={source}
            namesSource={namesSource}
            feed={feed}
            window={shownWindow}
            zone={shownZone}
          />
          <Nearest source={source} names={names} index={index} feed={feed} />
        </div>
      ))}
    </>
  );
}

/** Names like the one that the source does not know. */
function Nearest({
  source,
  names,
  index,
  feed,
}: {
  readonly source: string;
  readonly names: readonly string[];
  readonly index: number;
  readonly feed: Feed;
}): JSX.Element | null {
  const missing = useComputed(() => names.find((name) => feed.warnings.value.has(name))).value;
  if (missing === undefined) return null;
  const all = catalogueOf(source).value.catalogue?.metrics.map(({ name }) => name) ?? [];
  const near = nearestNames(missing, all).slice(0, 4);
  if (near.length === 0) return null;
  return (
    <p class="near">
      Did you mean{' '}
      {near.map((name) => (
        <button
          type="button"
          key={name}
          onClick={() => {
            const lanes = view
              .peek()
              .lanes.map((lane, i) =>
                i === index ? { ...lane, metrics: lane.metrics.map((each) => (each === missing ? name : each)) } : lane,
              );
            change({ lanes });
          }}
        >
          {name}
        </button>
      ))}
      ?
    </p>
  );
}

/** The box that lanes are added with. */
function LaneAdder({ source, lanes }: { readonly source: string; readonly lanes: readonly Lane[] }): JSX.Element {
  const wanted = useSignal(false);
  const suggest = (text: string): readonly { value: string; note: string }[] => {
    if (!wanted.value || text.trim() === '') return [];
    const { catalogue } = catalogueOf(source).value;
    return findMetrics(catalogue?.metrics ?? [], text)
      .filter(isDrawable)
      .slice(0, 12)
      .map(({ name, 'text-oneline': oneline }) => ({ value: name, note: oneline }));
  };
  return (
    <SuggestingInput
      label="Add a lane"
      placeholder="find a metric…"
      suggest={suggest}
      onFocus={() => (wanted.value = true)}
      onChoose={(text) => {
        const names = text.split('+').map((part) => part.trim());
        if (!names.every(isMetricName)) {
          said.value = `${text}: not the name of a metric`;
          return false;
        }
        change({ screen: 'chart', lanes: [...lanes, laneOf(...new Set(names))] });
        return true;
      }}
    />
  );
}

function TimeControls(): JSX.Element {
  const { time, on } = view.value;
  const { recorded } = factsOf(on[0]!).value;
  const live = isLive.value;
  const spanSec = time.kind === 'live' ? time.spanSec : time.kind === 'default' && !recorded ? DEFAULT_SPAN_SEC : 0;
  const pan = (part: number): void => fix(panned(shownWindow.peek(), part));
  return (
    <div class="times" role="group" aria-label="Time">
      <button type="button" aria-label="Earlier" title="Earlier (a)" onClick={() => pan(-0.5)}>
        ◀
      </button>
      <button type="button" aria-label="Later" title="Later (d)" onClick={() => pan(0.5)}>
        ▶
      </button>
      <button
        type="button"
        aria-label="Zoom in"
        title="Zoom in (w)"
        onClick={() => fix(zoomed(shownWindow.peek(), 0.5))}
      >
        +
      </button>
      <button
        type="button"
        aria-label="Zoom out"
        title="Zoom out (s)"
        onClick={() => fix(zoomed(shownWindow.peek(), 2))}
      >
        −
      </button>
      <label>
        <span class="hidden">Length of the window</span>
        <select
          value={live || time.kind === 'live' ? String(spanSec) : ''}
          onChange={({ currentTarget: { value } }) => {
            if (value !== '')
              change({ time: value === 'all' ? { kind: 'default' } : { kind: 'live', spanSec: Number(value) } });
          }}
        >
          {time.kind === 'fixed' || recorded ? <option value="">{lengthText()}</option> : null}
          {recorded ? <option value="all">the whole archive</option> : null}
          {SPANS.some((each) => each === spanSec) || spanSec === 0 ? null : (
            <option value={String(spanSec)}>last {durationText(spanSec)}</option>
          )}
          {SPANS.map((each) => (
            <option key={each} value={String(each)}>
              last {durationText(each)}
            </option>
          ))}
        </select>
      </label>
      {recorded ? null : (
        <button
          type="button"
          aria-pressed={live}
          title="Follow what comes (l)"
          onClick={() => change({ time: { kind: 'default' } })}
        >
          live
        </button>
      )}
      <span class="quiet range">
        {useComputed(() =>
          isLive.value
            ? 'live'
            : `${instantText(shownWindow.value.start, shownZone.value)} – ${instantText(shownWindow.value.end, shownZone.value)}`,
        )}
      </span>
    </div>
  );
}

function lengthText(): string {
  const { start, end } = shownWindow.value;
  return durationText(end - start);
}

function fix({ start, end }: Span): void {
  change({ time: { kind: 'fixed', start, end } });
}

/** The instant that legends tell the values of, as a slider: for the keyboard and for those who do not see the charts. */
function CursorSlider(): JSX.Element {
  const { start, end } = shownWindow.value;
  const at = view.value.cursor;
  const shown = at !== undefined && at >= start && at <= end ? at : end;
  const step = Math.max((end - start) / 300, 0.001);
  return (
    <label class="instant">
      <span>instant</span>
      <input
        type="range"
        min={start}
        max={end}
        step={step}
        value={shown}
        aria-valuetext={at === undefined ? 'the last sample' : instantText(shown, shownZone.value)}
        onInput={({ currentTarget }) => change({ cursor: Number(currentTarget.value) }, 'replace')}
      />
      <output>{at === undefined ? 'last sample' : instantText(shown, shownZone.value)}</output>
      {at === undefined ? null : (
        <button
          type="button"
          onClick={() => {
            show(without(view.peek(), 'cursor'), 'replace');
          }}
        >
          last sample
        </button>
      )}
    </label>
  );
}

/** What can be done with what is selected. */
function SelectionLine(): JSX.Element | null {
  const chosen = selection.value;
  if (!chosen) return null;
  const zone = shownZone.value;
  return (
    <p class="selection" role="status">
      selected {instantText(chosen.start, zone)} – {instantText(chosen.end, zone)} (
      {durationText(chosen.end - chosen.start)}){' '}
      <button type="button" onClick={zoomIn}>
        Zoom
      </button>{' '}
      <button type="button" onClick={() => (selection.value = undefined)}>
        Clear
      </button>
    </p>
  );
}

function zoomIn(): void {
  const chosen = selection.peek();
  if (!chosen) return;
  selection.value = undefined;
  fix(chosen);
}

/** Keys of the chart; texts that are typed keep theirs. */
function onKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey || !hasKeys.value) return;
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
  const window = shownWindow.peek();
  switch (event.key) {
    case 'a':
      fix(panned(window, -PAN));
      break;
    case 'd':
      fix(panned(window, PAN));
      break;
    case 'w':
    case '+':
      fix(zoomed(window, 0.5, cursor.peek()));
      break;
    case 's':
    case '-':
      fix(zoomed(window, 2, cursor.peek()));
      break;
    case 'l':
      change({ time: { kind: 'default' } });
      break;
    case 'Enter':
      if (target.tagName === 'BUTTON' || target.tagName === 'A' || !selection.peek()) return;
      zoomIn();
      break;
    case 'Escape':
      selection.value = undefined;
      break;
    case 'u':
      history.back();
      break;
    case '/':
      document.querySelector<HTMLInputElement>('.toolbar input')?.focus();
      break;
    default:
      return;
  }
  event.preventDefault();
}
