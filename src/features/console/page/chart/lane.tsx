import { useComputed, type ReadonlySignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { JoinedFeed } from '../data/joined-feed.js';
import { kindText } from '../data/find-metrics.js';
import { isGatewayGone } from '../data/gateway.js';
import { isSilent } from '../data/gateway-clock.js';
import { instanceText, type Gap, type Series } from '../data/series-table.js';
import { shownShift, shownWindow, shownZone } from '../data/shown-time.js';
import { metricsOf } from '../data/source-facts.js';
import { plainSource } from '../data/tab-context.js';
import { useGiven, useIsSeen } from '../parts/use-own.js';
import { follow, view } from '../state/page.js';
import type { Lane } from '../state/url-state.js';
import { drawLane, heightOf, plotOf } from './draw-lane.js';
import { laneModel, titleOf, type LaneModel } from './lane-model.js';
import { LaneMenu } from './lane-menu.js';
import { feedTrouble, isUnknown, laneLabel, LaneInfo, LaneTrouble, LaneWaiting } from './lane-words.js';
import { Legend } from './legend.js';
import { placesOf } from './palette.js';
import { useCanvas } from './use-canvas.js';
import { Pointer, type LaneParts } from './pointer.js';
import { ValueTable } from './value-table.js';

/** Lanes this close to what is seen are drawn, so that they are up to date when they come into sight. */
const NEAR_PX = 300;
/** Up to this width of the page, legends are below their charts: as in style/narrow.css. */
const NARROW_PX = 760;

interface LaneProps {
  readonly index: number;
  readonly lane: Lane;
  /** The metrics of the lane that share this axis. */
  readonly names: readonly string[];
  /** With the definitions that the lane needs. */
  readonly sources: readonly string[];
  readonly isAlone?: boolean;
  /** Another lane of the same feed is above. */
  readonly isRest?: boolean;
  readonly feed: JoinedFeed;
  /** Brings the samples of {@link shownShift} before; undefined: there are none. */
  readonly pastFeed?: JoinedFeed;
  /** What to do about names that the source does not have. */
  readonly children: ComponentChildren;
}

/** A lane: a heading, a canvas and its legend. */
export function LanePanel(props: LaneProps) {
  const { index, lane, names, sources, isAlone = false, isRest = false, feed, children } = props;
  const section = useRef<HTMLElement>(null);
  const isSeen = useIsSeen(section, true, NEAR_PX);
  const model = useLaneModel(props, isSeen);
  const places = useComputed(() => colouredPlaces(model.value, feed.table.series, names));
  const title = titleOf(names);
  const form = useComputed(() => model.value.form).value;
  const rows = form === 'heat' || form === 'state' ? ' rows' : '';
  return (
    <section
      class={isAlone ? 'lane alone' : 'lane'}
      ref={section}
      aria-label={title}
      data-metric={names[0]}
      data-source={plainSource(sources[0]!)}
    >
      <LaneHead {...props} title={title} model={model} />
      {feed.parts.map((part, i) => (
        <LaneTrouble key={part.source} names={names} source={sources[i]!} feed={part.feed} isRest={isRest} />
      ))}
      {children}
      <div
        class={useComputed(() => `lane-body${rows}${feed.isWaiting.value ? ' waiting' : ''}`)}
        hidden={useComputed(() => {
          const isMissing = (name: string): boolean =>
            feed.parts.every((part, i) => feedTrouble(part.feed, sources[i]!) || isUnknown(part.feed, name));
          return model.value.total === 0 && names.every(isMissing);
        })}
      >
        <div class="lane-plot">
          {form === 'table' ? (
            <ValueTable model={model} feed={feed} />
          ) : (
            <LaneCanvas {...{ feed, title, model, places, isSeen }} window={shownWindow} />
          )}
          <LaneWaiting names={names} source={sources[0]!} feed={feed.parts[0]!.feed} model={model} />
        </div>
        <Legend {...{ index, lane, names, model, places, feed }} />
      </div>
    </section>
  );
}

function useLaneModel(
  { lane, names, sources, isAlone = false, feed, pastFeed }: LaneProps,
  isSeen: ReadonlySignal<boolean>,
): ReadonlySignal<LaneModel> {
  const given = useGiven({ lane, names, isAlone });
  const kept = useRef<LaneModel>(undefined);
  return useComputed(() => {
    // What is out of sight stays as it is, unless it waits for its first values.
    if (kept.current && kept.current.drawn.length > 0 && !isSeen.value) return kept.current;
    follow(feed.version);
    const shiftSec = shownShift.value;
    if (shiftSec !== undefined && pastFeed) follow(pastFeed.version);
    const past = shiftSec === undefined || !pastFeed ? undefined : { table: pastFeed.table, shiftSec };
    const facts = metricsOf(sources);
    const { isAlone: isTall, ...wanted } = given.value;
    kept.current = { ...laneModel(feed.table, { ...wanted, window: shownWindow.value, facts, past }), isAlone: isTall };
    return kept.current;
  });
}

/** The palette indexes of the drawn series. A series that never has others beside it has the first colour. */
function colouredPlaces(
  { drawn, total }: LaneModel,
  series: readonly Series[],
  names: readonly string[],
): readonly number[] {
  if (names.length === 1 && total === 1 && drawn[0]?.series.source === undefined) return drawn.map(() => 0);
  const nameOf = (each: Series): string =>
    `${each.source ?? ''} ${names.length === 1 ? '' : each.metric} ${instanceText(each)}`;
  const all = series.filter(({ metric }) => names.includes(metric)).map(nameOf);
  return placesOf(
    all,
    drawn.map((each) => nameOf(each.series)),
  );
}

/** What the lane shows, and how it was computed. */
function LaneHead(props: LaneProps & { readonly title: string } & Pick<LaneParts, 'model'>) {
  const { index, lane, names, sources, feed, pastFeed, title, model } = props;
  const facts = metricsOf(sources);
  const kind = names.length === 1 ? facts.get(names[0]!) : undefined;
  const oneline = kind?.['text-oneline'] ?? '';
  const { screen } = view.value;
  return (
    <>
      <header class="lane-head">
        <h2>{title}</h2>
        <LaneInfo feed={feed} pastFeed={pastFeed} model={model} lane={lane} isCounter={kind?.sem === 'counter'} />
        <LaneMenu index={index} lane={lane} isCounter={names.some((name) => facts.get(name)?.sem === 'counter')} />
      </header>
      {names.length > 1 || screen === 'explain' ? null : (
        <p class="oneline">{kind && oneline !== '' ? `${oneline} (${kindText(kind)})` : ''}</p>
      )}
    </>
  );
}

/** The canvas of a lane, drawn in the next frame after a change while it is in sight. */
export function LaneCanvas(props: LaneParts & { readonly title: string; readonly isSeen: ReadonlySignal<boolean> }) {
  const { feed, window, title, model, places, isSeen, late } = props;
  const gaps = useComputed((): readonly Gap[] => {
    follow(feed.version);
    const last = feed.table.times.at(-1);
    const known = feed.table.gaps([...new Set(model.value.drawn.map(({ series }) => series.metric))]);
    const isBroken = feed.trouble.value !== undefined || isGatewayGone.value || isSilent.value;
    const { end } = window.value;
    const isLate = isBroken && feed.resolution.value?.isLive === true && last !== undefined && end > last;
    return isLate ? [...known, { from: last, to: end }] : known;
  });
  const { canvas, width } = useCanvas(() => {
    if (!isSeen.value) return undefined;
    const table = feed.table;
    const drawing = { model: model.value, gaps: gaps.value, zone: shownZone.value, places: places.value, table };
    const [span, hasNames] = [window.value, innerWidth <= NARROW_PX];
    return (context, size, colours) => {
      drawLane(context, plotOf(size.width, size.height, span), { ...drawing, colours, hasNames });
    };
  });
  const height = useComputed(() => heightOf(model.value)).value;
  return (
    <div class="lane-canvas">
      <canvas
        ref={canvas}
        style={{ height: `${height}px` }}
        role="img"
        aria-label={useComputed(() => laneLabel(title, model.value, gaps.value))}
      />
      <Pointer {...{ feed, places, width, model, late }} window={late ? shownWindow : window} />
    </div>
  );
}
