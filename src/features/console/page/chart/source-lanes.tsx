import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { nearestNames } from '../../../../pmapi/index.js';
import { catalogueOf } from '../data/catalogue.js';
import { Feed } from '../data/feed.js';
import { feedTime, shiftedFeedTime, shownShift, shownWindow, shownZone } from '../data/shown-time.js';
import { factsOf, wantMetrics } from '../data/source-facts.js';
import { plainSource, sourceWith } from '../data/tab-context.js';
import { hasOwnLanes, putLane, view } from '../state/page.js';
import { encodeView } from '../state/url-state.js';
import type { Definition, Lane } from '../state/url-state.js';
import { LanePanel } from './lane.js';
import { laneGroups, quantityIn } from './lane-model.js';

const FEEDS = [true, false].flatMap((isRate) => [true, false].map((isOwn) => ({ isRate, isOwn })));

/** All lanes of a source, with the feeds that they share: of rates and of raw counters, with and without definitions of the page. */
export function SourceLanes({
  source: plain,
  definitions,
  lanes,
  namesSource,
}: {
  readonly source: string;
  /** Derived metrics that the source has for this page only. */
  readonly definitions: readonly Definition[];
  readonly lanes: readonly Lane[];
  readonly namesSource: boolean;
}): JSX.Element {
  const source = sourceWith(plain, definitions);
  const feeds = useMemo(
    () => FEEDS.map(({ isRate, isOwn }) => ({ isRate, isOwn, now: new Feed(), past: new Feed() })),
    [],
  );
  const given = useSignal({ lanes, plain, definitions });
  if (given.peek().lanes !== lanes || given.peek().plain !== plain || given.peek().definitions !== definitions)
    given.value = { lanes, plain, definitions };
  useEffect(
    () => () => {
      for (const { now, past } of feeds) {
        now.close();
        past.close();
      }
    },
    [feeds],
  );
  const sourceOf = (lane: Lane): string => (hasOwn(lane, definitions) ? source : plain);
  useSignalEffect(() => {
    const wanted = given.value;
    const { isKnown, recorded } = factsOf(wanted.plain).value;
    if (!isKnown) return;
    const time = feedTime(recorded);
    const shift = shownShift.value;
    for (const { isRate, isOwn, now, past } of feeds) {
      const own = wanted.lanes.filter((lane) => lane.isRaw !== isRate && hasOwn(lane, wanted.definitions) === isOwn);
      const names = [...new Set(own.flatMap(({ metrics }) => metrics))];
      const request = { source: sourceWith(wanted.plain, isOwn ? wanted.definitions : []), names, isRate };
      now.want({ ...request, time });
      past.want(shift === undefined ? { ...request, names: [], time } : { ...request, time: shiftedFeedTime(shift) });
    }
  });
  useEffect(() => {
    for (const lane of lanes) void wantMetrics(sourceOf(lane), lane.metrics);
  }, [source, lanes]);

  const shown = lanes.flatMap((lane, index) => {
    const facts = factsOf(sourceOf(lane)).value;
    const { now: feed, past } = feeds.find(
      (each) => each.isRate !== lane.isRaw && each.isOwn === hasOwn(lane, definitions),
    )!;
    const groups = laneGroups(lane.metrics, (name) => {
      const metric = facts.metrics.get(name);
      return metric?.type.toLowerCase() === 'string' ? 'text' : quantityIn(feed.table, metric, name, lane.isRaw);
    });
    return groups.map((group) => ({ lane, index, feed, past, names: group, source: sourceOf(lane) }));
  });
  return (
    <div class="lanes">
      {shown.map(({ lane, index, feed, past, names, source: own }) => (
        <LanePanel
          key={`${index} ${names.join('+')} ${String(lane.isRaw)} ${own}`}
          index={index}
          lane={lane}
          names={names}
          source={own}
          namesSource={namesSource}
          isAlone={shown.length === 1 && !namesSource && hasOwnLanes(view.value)}
          feed={feed}
          pastFeed={past}
          window={shownWindow}
          zone={shownZone}
        >
          <Nearest source={own} lane={lane} names={names} index={index} feed={feed} />
        </LanePanel>
      ))}
    </div>
  );
}

/** Whether a lane shows a definition of the page. The others do not need the right to define something. */
function hasOwn({ metrics }: Lane, definitions: readonly Definition[]): boolean {
  return definitions.some(({ name }) => metrics.includes(name));
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
