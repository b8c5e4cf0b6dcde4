import { computed, useComputed, useSignalEffect } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { durationText } from '../chart/axis-times.js';
import { valueText } from '../chart/axis-units.js';
import { quantityIn } from '../chart/lane-model.js';
import { SparkLine } from '../chart/spark.js';
import { Feed } from '../data/feed.js';
import { median, VITAL_METRICS, VITALS, vitalsOver } from '../data/host-vitals.js';
import { feedTime, isLive, shownWindow } from '../data/shown-time.js';
import { instanceText } from '../data/series-table.js';
import { factsOf, wantMetrics } from '../data/source-facts.js';
import { VITAL_LANES } from '../data/vital-lanes.js';
import { useHeldOrder } from '../parts/held-order.js';
import { Working } from '../parts/working.js';
import { follow, view } from '../state/page.js';
import { encodeView, laneOf } from '../state/url-state.js';
import { ChartScreen } from './chart.js';

const LANES = VITAL_LANES.map(({ lane }) => lane);
/** What processes are ranked by. */
const RANKINGS = [
  { title: 'Processor time', note: '100 % is one processor', metric: 'proc.cpu.util' },
  { title: 'Memory', note: 'resident', metric: 'proc.psinfo.rss' },
  { title: 'Disk traffic', note: 'read and written', metric: 'proc.io.throughput' },
] as const;
const METRICS = RANKINGS.map(({ metric }) => metric);
const RANKED = 5;
const SPAN_SEC = 10;
const INTERVAL_SEC = 2;
/** After so many samples, a vital without a value has none. */
const KNOWN_AFTER = 3;

/** The first screen: the vitals of the source, its busiest processes, and the vitals as charts. */
export function NowScreen(): JSX.Element {
  const [source] = view.value.on;
  const isHost = !source!.startsWith('archive:');
  return (
    <ChartScreen vitals={LANES}>
      {view.value.lanes.length > 0 ? null : (
        <>
          <Vitals key={source} source={source!} />
          {isHost ? <Busiest source={source!} /> : null}
        </>
      )}
    </ChartScreen>
  );
}

/** A tile for each vital that the source has. */
function Vitals({ source }: { readonly source: string }): JSX.Element | null {
  const feed = useMemo(() => new Feed(), []);
  useEffect(() => () => feed.close(), [feed]);
  useSignalEffect(() => {
    const { isKnown, recorded } = factsOf(source).value;
    if (isKnown) feed.want({ source, names: VITAL_METRICS, isRate: true, time: feedTime(recorded) });
  });
  const over = useComputed(() => {
    follow(feed.version);
    return vitalsOver(feed.table);
  });
  // Those of a host have places from the beginning; of an archive, no one knows which there are.
  const has = useComputed(() =>
    over.value.map((values) => isUnknown(source, feed, values) || values.some((value) => value !== undefined)).join(),
  );
  const shown = has.value.split(',');
  const isAsked = useComputed(() => feed.resolution.value !== undefined || feed.trouble.value !== undefined).value;
  if (isAsked && !shown.includes('true')) return null;
  return (
    <section class="tiles" aria-label="Vitals">
      {VITALS.map((vital, i) =>
        shown[i] === 'true' ? <Tile key={vital.title} index={i} over={over} feed={feed} /> : null,
      )}
    </section>
  );
}

function isUnknown(source: string, { trouble, resolution }: Feed, { length }: readonly unknown[]): boolean {
  if (source.startsWith('archive:') || resolution.value?.isLive === false) return false;
  return length < KNOWN_AFTER && trouble.value === undefined;
}

/** A vital: its last value (the mean, where time does not go on), and how it was in the window. */
function Tile({
  index,
  over,
  feed,
}: {
  readonly index: number;
  readonly over: ReadonlySignal<readonly (readonly (number | undefined)[])[]>;
  readonly feed: Feed;
}): JSX.Element {
  const { title, quantity, metrics, peak } = VITALS[index]!;
  const text = (value: number): string => valueText(quantity, value * quantity.factor);
  const known = useComputed(() => over.value[index]!.filter((value) => value !== undefined));
  const value = useComputed(() => {
    const values = known.value;
    if (values.length === 0) return '–';
    return isLive.value ? text(values.at(-1)!) : text(values.reduce((sum, each) => sum + each, 0) / values.length);
  });
  const note = useComputed(() => {
    if (known.value.length === 0) return '';
    const partSec = feed.resolution.value?.partSec;
    const peaks = partSec === undefined || !peak ? known.value : vitalsOver(feed.table, peak)[index]!;
    const most = text(Math.max(...peaks.filter((value) => value !== undefined)));
    if (isLive.value) return `median ${text(median(known.value))}, max ${most}`;
    return partSec === undefined || peak ? `mean; max ${most}` : `mean; ${durationText(partSec)} each up to ${most}`;
  });
  const data = useComputed(() => {
    const { times, series } = feed.table;
    const isGap = (row: number): boolean => series.every(({ cells }) => cells[row] === null);
    const cells = over.value[index]!.map((cell, row) => cell ?? (isGap(row) ? null : undefined));
    return { times, cells, ...shownWindow.value };
  });
  return (
    <a class="tile" href={encodeView({ ...view.value, screen: 'chart', lanes: [laneOf(...metrics)] })}>
      <span class="tile-title">{title}</span>
      <span class="tile-value">{value}</span>
      <SparkLine data={data} kind="tile-line" />
      <span class="quiet">{note}</span>
    </a>
  );
}

/** The processes that use most processor time, memory and disk bandwidth. */
function Busiest({ source }: { readonly source: string }): JSX.Element {
  const own = useFeed(source);
  // pmcd shows processes only to authenticated clients; the embedded collector shows those of this machine, too.
  const isRefused = useIsEmpty(own);
  const other = useFeed(isRefused && source === 'localhost' ? 'embedded' : undefined);
  const isOtherEmpty = useIsEmpty(other);
  const isOther = isRefused && !isOtherEmpty && source === 'localhost';
  return (
    <section class="busiest" aria-label="Busiest processes">
      <h2>
        Busiest processes
        {isOther ? <span class="quiet"> from the collector of this machine; pmcd does not show them</span> : null}
      </h2>
      {isRefused && !isOther ? (
        <p class="quiet">{source} does not show its processes to this gateway.</p>
      ) : (
        <div class="rankings">
          {RANKINGS.map(({ title, note, metric }) => (
            <Ranking
              key={`${metric} ${isOther}`}
              title={title}
              note={note}
              metric={metric}
              source={isOther ? 'embedded' : source}
              feed={isOther ? other : own}
            />
          ))}
        </div>
      )}
    </section>
  );
}

/** A feed of the processes of a source; idle while `source` is undefined. */
function useFeed(source: string | undefined): Feed {
  const feed = useMemo(() => new Feed(), [source]);
  useEffect(() => {
    if (source !== undefined) {
      feed.want({
        source,
        names: METRICS,
        isRate: true,
        top: RANKED,
        intervalSec: INTERVAL_SEC,
        time: { kind: 'live', spanSec: SPAN_SEC },
      });
      void wantMetrics(source, METRICS);
    }
    return () => feed.close();
  }, [feed, source]);
  return feed;
}

/** {@link isEmpty}, of the current feed. */
function useIsEmpty(feed: Feed): boolean {
  return useMemo(() => computed(() => isEmpty(feed)), [feed]).value;
}

/** Whether there are samples, but nothing in them. */
function isEmpty(feed: Feed): boolean {
  follow(feed.version);
  const { series, times } = feed.table;
  if (feed.trouble.value?.code === 'UNKNOWN_METRIC' || feed.trouble.value?.code === 'FORBIDDEN') return true;
  return (feed.warnings.value.size === METRICS.length || times.length > 2) && series.length === 0;
}

interface RankingProps {
  readonly title: string;
  readonly note: string;
  readonly metric: string;
  readonly source: string;
  readonly feed: Feed;
}

interface RankedProcess {
  readonly name: string;
  readonly text: string;
  /** Of the greatest. */
  readonly share: number;
}

function Ranking({ title, note, metric, source, feed }: RankingProps): JSX.Element {
  const { held, attributes } = useHeldOrder<HTMLOListElement>(() => rows.peek().map(({ name }) => name));
  const rows: ReadonlySignal<readonly RankedProcess[]> = useComputed(() => {
    follow(feed.version);
    const { series, times } = feed.table;
    const quantity = quantityIn(feed.table, factsOf(source).value.metrics.get(metric), metric, false);
    const now = series.flatMap((each) => {
      const cell = each.metric === metric ? each.cells[times.length - 1] : undefined;
      // What does nothing is not busy.
      return typeof cell === 'number' && cell > 0 ? [{ name: instanceText(each), value: cell }] : [];
    });
    now.sort((a, b) => b.value - a.value);
    const most = now[0]?.value ?? 0;
    const shown = held.value?.map((name) => now.find((each) => each.name === name) ?? { name, value: undefined });
    return (shown ?? now.slice(0, RANKED)).map(({ name, value }) => ({
      name,
      text: value === undefined ? '–' : valueText(quantity, value * quantity.factor),
      share: value === undefined ? 0 : value / most,
    }));
  });
  const isAsked = useComputed(() => {
    follow(feed.version);
    return feed.table.times.length > 2;
  }).value;
  const lane = { ...view.value, screen: 'chart' as const, on: [source], lanes: [laneOf(metric)] };
  return (
    <div class="ranking">
      <h3>
        <a href={encodeView(lane)}>{title}</a> <span class="quiet">{note}</span>
      </h3>
      <ol {...attributes}>
        {rows.value.map(({ name, text, share }) => (
          <li key={name}>
            <a href={encodeView({ ...lane, lanes: [{ ...laneOf(metric), instances: escapeGlob(name) }] })} title={name}>
              {withoutFolders(name)}
            </a>
            <span class="bar" aria-hidden="true">
              <span style={{ width: `${Math.round(share * 100)}%` }} />
            </span>
            <span class="figure">{text}</span>
          </li>
        ))}
      </ol>
      {rows.value.length > 0 ? null : isAsked ? (
        <p class="quiet">None at the moment.</p>
      ) : (
        <Working>{feed.trouble.value?.message ?? `Measuring for ${INTERVAL_SEC} seconds…`}</Working>
      )}
    </div>
  );
}

/** A readable name of a process, with paths shortened: `001 /usr/bin/python3 /srv/app.py` is `001 python3 app.py`. */
function withoutFolders(name: string): string {
  return name.replaceAll(/(?<=^| )\/(?:[^ /]+\/)+(?=[^ ])/g, '');
}

/** A glob that also matches names with `*` and `?` in them; `?` stands for either. */
function escapeGlob(name: string): string {
  return name.replaceAll('*', '?').replace(/^!/, '?');
}
