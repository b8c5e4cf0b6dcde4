import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { nearestNames } from '../../../../pmapi/index.js';
import { catalogueOf } from '../data/catalogue.js';
import { Feed } from '../data/feed.js';
import { feedTime, shiftedFeedTime, shownShift, shownWindow, shownZone } from '../data/shown-time.js';
import { factsOf, wantMetrics } from '../data/source-facts.js';
import { plainSource, sourceWith } from '../data/tab-context.js';
import { putLane, view } from '../state/page.js';
import { encodeView } from '../state/url-state.js';
import type { Definition, Lane } from '../state/url-state.js';
import { LanePanel } from './lane.js';
import { laneGroups, quantityIn } from './lane-model.js';

/** All lanes of a source, with the feeds that they share: one with rates, one with raw counters, and both for earlier samples. */
export function SourceLanes({
  source: plain,
  definitions,
  lanes,
  namesSource,
  hidesMissing,
}: {
  readonly source: string;
  /** Derived metrics that the source has for this page only. */
  readonly definitions: readonly Definition[];
  readonly lanes: readonly Lane[];
  readonly namesSource: boolean;
  readonly hidesMissing: boolean;
}): JSX.Element {
  const source = sourceWith(plain, definitions);
  const feeds = useMemo(() => ({ rates: newFeeds(), raw: newFeeds() }), []);
  const given = useSignal(lanes);
  const wanted = useSignal(source);
  if (wanted.peek() !== source) wanted.value = source;
  if (given.peek() !== lanes) given.value = lanes;
  useEffect(
    () => () => {
      for (const { now, past } of [feeds.rates, feeds.raw]) {
        now.close();
        past.close();
      }
    },
    [feeds],
  );
  useSignalEffect(() => {
    const facts = factsOf(wanted.value).value;
    if (!facts.isKnown) return;
    const time = feedTime(facts.recorded);
    const shift = shownShift.value;
    for (const [isRate, { now, past }] of [
      [true, feeds.rates],
      [false, feeds.raw],
    ] as const) {
      const names = new Set(given.value.filter(({ isRaw }) => isRaw !== isRate).flatMap(({ metrics }) => metrics));
      const request = { source: wanted.value, names: [...names], isRate };
      now.want({ ...request, time });
      past.want(shift === undefined ? { ...request, names: [], time } : { ...request, time: shiftedFeedTime(shift) });
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
    const { now: feed, past } = lane.isRaw ? feeds.raw : feeds.rates;
    const names = hidesMissing ? lane.metrics.filter((name) => !facts.unknown.has(name)) : lane.metrics;
    const groups = laneGroups(names, (name) => {
      const metric = facts.metrics.get(name);
      return metric?.type.toLowerCase() === 'string' ? 'text' : quantityIn(feed.table, metric, name, lane.isRaw);
    });
    return groups.map((group) => ({ lane, index, feed, past, names: group }));
  });
  const isBare = lanes.length > 0 && shown.length === 0;
  return (
    <div class="lanes">
      {isBare ? (
        <p class="empty">
          {plain} has none of the usual metrics. <a href={encodeView({ ...view.value, screen: 'find' })}>Find</a> lists
          those that it has.
        </p>
      ) : null}
      {shown.map(({ lane, index, feed, past, names }) => (
        <div key={`${index} ${names.join('+')} ${String(lane.isRaw)} ${source}`}>
          <LanePanel
            index={index}
            lane={lane}
            names={names}
            source={source}
            namesSource={namesSource}
            hidesEmpty={hidesMissing}
            feed={feed}
            pastFeed={past}
            window={shownWindow}
            zone={shownZone}
          >
            <Nearest source={source} lane={lane} names={names} index={index} feed={feed} />
          </LanePanel>
        </div>
      ))}
    </div>
  );
}

function newFeeds(): { readonly now: Feed; readonly past: Feed } {
  return { now: new Feed(), past: new Feed() };
}

/** Names like the one that the source does not know. */
function Nearest({
  source,
  names,
  lane,
  index,
  feed,
}: {
  readonly source: string;
  readonly lane: Lane;
  readonly names: readonly string[];
  readonly index: number;
  readonly feed: Feed;
}): JSX.Element | null {
  const missing = useComputed(() => names.find((name) => feed.warnings.value.has(name))).value;
  if (missing === undefined || factsOf(source).value.metrics.has(missing)) return null;
  const all = catalogueOf(plainSource(source)).value.catalogue?.metrics.map(({ name }) => name) ?? [];
  const near = nearestNames(missing, all).slice(0, 4);
  return (
    <p class="near">
      {near.length === 0 ? '' : 'Did you mean '}
      {near.map((name) => (
        <button
          type="button"
          key={name}
          onClick={() => {
            putLane(index, { ...lane, metrics: lane.metrics.map((each) => (each === missing ? name : each)) });
          }}
        >
          {name}
        </button>
      ))}
      {near.length === 0 ? '' : '? '}
      <a href={encodeView({ ...view.value, screen: 'find', words: '' })}>Find</a> lists the metrics of{' '}
      {plainSource(source)}.
    </p>
  );
}
