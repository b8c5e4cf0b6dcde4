import { useComputed } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useEarlyEffect, useGiven, useOwn } from '../parts/use-own.js';
import { nearestNames } from '../../../../pmapi/index.js';
import { catalogueOf } from '../data/catalogue.js';
import type { Feed, FeedRequest } from '../data/feed.js';
import { JoinedFeed } from '../data/joined-feed.js';
import { feedTime, shiftedFeedTime, shownShift } from '../data/shown-time.js';
import { factsOf, metricsOf, wantMetrics } from '../data/source-facts.js';
import { plainSource, sourceWith } from '../data/tab-context.js';
import { Button, Link } from '../parts/controls.js';
import { hasOwnLanes, putLane, view } from '../state/page.js';
import type { Definition, Lane } from '../state/url-state.js';
import { LanePanel } from './lane.js';
import { laneGroups, quantityIn } from './lane-model.js';

const FEEDS = [true, false].flatMap((isRate) => [true, false].map((isOwn) => ({ isRate, isOwn })));

/**
 * The lanes of some sources: each lane has the series of all of them over one time and one axis. Lanes share feeds: of rates and of raw
 * counters, with and without definitions of the page. Other sources need another instance (`key`).
 */
export function SourceLanes(props: {
  readonly sources: readonly string[];
  /** Derived metrics that the sources have for this page only. */
  readonly definitions: readonly Definition[];
  readonly lanes: readonly Lane[];
}) {
  const { sources, definitions, lanes } = props;
  const { feeds } = useOwn(() => {
    const made = FEEDS.map((kind) => ({ ...kind, now: new JoinedFeed(sources), past: new JoinedFeed(sources) }));
    return { feeds: made, close: () => made.forEach(({ now, past }) => [now, past].forEach((each) => each.close())) };
  });
  const given = useGiven({ lanes, definitions });
  const sourcesOf = (lane: Lane): readonly string[] =>
    hasOwn(lane, definitions) ? sources.map((source) => sourceWith(source, definitions)) : sources;
  useEarlyEffect(() => {
    const wanted = given.value;
    // Its window is that of all.
    if (!factsOf(sources[0]!).value.isKnown) return;
    const shift = shownShift.value;
    for (const { isRate, isOwn, now, past } of feeds) {
      const own = wanted.lanes.filter((lane) => lane.isRaw !== isRate && hasOwn(lane, wanted.definitions) === isOwn);
      const names = [...new Set(own.flatMap(({ metrics }) => metrics))];
      const of = (plain: string): Omit<FeedRequest, 'time'> => {
        return { source: sourceWith(plain, isOwn ? wanted.definitions : []), names, isRate };
      };
      now.want((plain) => {
        return factsOf(plain).value.isKnown ? { ...of(plain), time: feedTime(plain) } : undefined;
      });
      past.want((plain) =>
        shift === undefined
          ? { ...of(plain), names: [], time: { kind: 'fixed', start: 0, end: 0 } }
          : { ...of(plain), time: shiftedFeedTime(plain, shift) },
      );
    }
  });
  useEffect(() => {
    for (const lane of lanes) for (const source of sourcesOf(lane)) void wantMetrics(source, lane.metrics);
  }, [definitions, lanes]);

  const shown = lanes.flatMap((lane, index) => {
    const facts = metricsOf(sourcesOf(lane));
    const { now: feed, past } = feeds.find(
      (each) => each.isRate !== lane.isRaw && each.isOwn === hasOwn(lane, definitions),
    )!;
    const groups = laneGroups(lane.metrics, (name) => {
      const metric = facts.get(name);
      return metric?.type.toLowerCase() === 'string' ? 'text' : quantityIn(feed.table, metric, name, lane.isRaw);
    });
    return groups.map((group) => ({ lane, index, feed, past, names: group, own: sourcesOf(lane) }));
  });
  return (
    <div class="lanes">
      {shown.map(({ lane, index, feed, past, names, own }, place) => (
        <LanePanel
          key={`${index} ${names.join('+')} ${String(lane.isRaw)} ${own.join(' ')}`}
          index={index}
          lane={lane}
          names={names}
          sources={own}
          isAlone={shown.length === 1 && hasOwnLanes(view.value)}
          isRest={shown.findIndex((each) => each.feed === feed) < place}
          feed={feed}
          pastFeed={past}
        >
          {feed.parts.map((part, i) => (
            <Nearest key={part.source} source={own[i]!} lane={lane} names={names} index={index} feed={part.feed} />
          ))}
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
function Nearest(props: {
  readonly source: string;
  readonly lane: Lane;
  readonly names: readonly string[];
  readonly index: number;
  readonly feed: Feed;
}) {
  const { source, names, lane, index, feed } = props;
  const missing = useComputed(() => names.find((name) => feed.warnings.value.has(name))).value;
  if (missing === undefined || factsOf(source).value.metrics.has(missing)) return null;
  const near = nearestNames(missing, catalogueOf(plainSource(source)).value.catalogue?.byName.keys() ?? []);
  return (
    <p class="near">
      {near.length === 0 ? '' : 'Did you mean '}
      {near.map((name) => (
        <Button
          key={name}
          text={name}
          onClick={() => {
            putLane(index, { ...lane, metrics: lane.metrics.map((each) => (each === missing ? name : each)) });
          }}
        />
      ))}
      {near.length === 0 ? '' : '? '}
      <Link text="Find" to={{ screen: 'find', words: '' }} /> lists the metrics of {plainSource(source)}.
    </p>
  );
}
