import { computed, effect, useComputed, type ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { useOwn } from '../parts/use-own.js';
import { durationText, windowText } from '../chart/axis-times.js';
import { valueText } from '../chart/axis-units.js';
import { cellNear, quantityIn } from '../chart/lane-model.js';
import { meanOverTime } from '../chart/ranking.js';
import type { Diagnosed } from '../data/diagnosis.js';
import { Feed } from '../data/feed.js';
import { client, whereOf } from '../data/gateway.js';
import { processorsOf, type Resource } from '../data/resources.js';
import { instanceText, type Cell, type SeriesTable } from '../data/series-table.js';
import { feedTime, isLiveOn, shownZone, viewOn, windowOn } from '../data/shown-time.js';
import { factsOf, wantMetrics } from '../data/source-facts.js';
import { Link } from '../parts/controls.js';
import { useHeldOrder } from '../parts/held-order.js';
import { useAnswer } from '../parts/use-answer.js';
import { view } from '../state/page.js';
import type { Span } from '../state/time-window.js';
import { shortName } from './short-name.js';
import { whoLink } from './who-link.js';

const PEOPLE_METRICS: readonly string[] = ['proc.cpu.util', 'proc.psinfo.rss', 'proc.io.throughput'];
const RANKED = 5;
/** A command that is longer is cut, so that its number is seen. */
const NAME_LENGTH = 19;
/** The distance of their samples, and of those of the resources: they are of the same time, and shares add up. */
export const PEOPLE_SEC = 2;

/** The processes of a source. */
export interface People {
  readonly source: string;
  readonly feed: Feed;
  /** Why they are of another source, or that there are none. */
  readonly note: string;
}

/** The processes that use most of a source's resources: at this moment, or in the window that is shown. @param isTurn whether to ask for them */
export function usePeople(source: string, isTurn: ReadonlySignal<boolean>): People {
  const own = useFeed(source, isTurn);
  // pmcd shows processes only to authenticated clients; the embedded collector shows those of this machine, too.
  const isRefused = useIsEmpty(own);
  const other = useFeed(isRefused && source === 'localhost' ? 'embedded' : undefined, isTurn);
  const isOtherEmpty = useIsEmpty(other);
  const isOther = isRefused && source === 'localhost' && !isOtherEmpty;
  if (isOther)
    return { source: 'embedded', feed: other, note: 'from the collector of this machine; pmcd does not show them' };
  const refused = isLiveOn(source) ? `${source} does not show its processes here.` : 'No processes were recorded.';
  return { source, feed: own, note: isRefused ? refused : '' };
}

/** A feed of the processes of a source; idle while it is undefined. */
function useFeed(source: string | undefined, isTurn: ReadonlySignal<boolean>): Feed {
  const feed = useOwn(() => new Feed(), source);
  useEffect(() => {
    if (source === undefined) return undefined;
    void wantMetrics(source, PEOPLE_METRICS);
    return effect(() => {
      const time = feedTime(source);
      if (!factsOf(source).value.isKnown || !isTurn.value) return;
      feed.want({
        ...{ source, names: PEOPLE_METRICS, isRate: true, top: RANKED, intervalSec: PEOPLE_SEC },
        time: time.kind === 'live' ? { kind: 'live', spanSec: 10 } : time,
      });
    });
  }, [feed, source]);
  return feed;
}

/** {@link isEmpty}, of the current feed. */
function useIsEmpty(feed: Feed): boolean {
  return useMemo(() => computed(() => isEmpty(feed)), [feed]).value;
}

/** What a process of a live host is called, by its number and name: by its command line as far as there is one for this role. */
export function useCommands(source: string, pids: string): (name: string) => string {
  const { answer } = useAnswer(
    (isLiveOn(source) && pids) || undefined,
    async (signal) => {
      const wanted = { names: ['proc.psinfo.psargs'], instance: pids.split(',').map(Number) };
      const { values } = await client.fetch({ ...wanted, ...whereOf(source), signal });
      return new Map(values[0]?.instances.map(({ instance, value }) => [instance, String(value)]));
    },
    { isPatient: true },
  );
  return (name) => {
    const [, pid, own = ''] = /^(\d+) (.+)/.exec(name) ?? [];
    const command = answer.value?.get(Number(pid));
    // The number may have come to another process.
    return command?.includes(own) ? `${pid} ${command}` : name;
  };
}

/** Whether there are samples, but nothing in them. */
function isEmpty(feed: Feed): boolean {
  const { series, times } = feed.latest;
  if (feed.trouble.value?.code === 'UNKNOWN_METRIC' || feed.trouble.value?.code === 'FORBIDDEN') return true;
  const isRead = feed.resolution.value?.isLive === false || times.length > 2;
  return (feed.warnings.value.size === PEOPLE_METRICS.length || isRead) && series.length === 0;
}

/** A process, and how much it uses; undefined: it has ended, or is not among the greatest any more. */
interface Used {
  readonly name: string;
  readonly value: number | undefined;
  /** It may be more. */
  readonly isLeast?: boolean;
}

/** The processes that use most of a resource, and what the others use. */
export function PeopleOf({
  resource: { ranking: metric = '', title, valueQuantity },
  cells,
  people: { source, feed, note },
  total,
  table,
  culprits = [],
  callOf,
}: {
  readonly resource: Resource;
  /** How much of it is used over time, and at the time that is shown. */
  readonly cells: readonly Cell[];
  readonly people: People;
  readonly total: number | undefined;
  readonly table: Feed;
  readonly culprits?: Diagnosed['who'];
  readonly callOf: (name: string) => string;
}) {
  const { held, attributes } = useHeldOrder<HTMLOListElement>(() => rows.peek().map(({ name }) => name));
  const isFollowed = useComputed(() => isLiveOn(source));
  const isMean = useComputed(() => !isFollowed.value && view.value.cursor === undefined);
  const all = useComputed(() => feed.latest.series.filter((each) => each.metric === metric));
  /** The samples of the window, each with how many of the greatest it has. */
  const samples = useComputed(() =>
    rowsIn(feed.latest, windowOn(source)).flatMap((row) => {
      const count = all.value.filter(({ cells }) => typeof cells[row] === 'number').length;
      return count === 0 ? [] : [{ row, count }];
    }),
  );
  const rows: ReadonlySignal<readonly Used[]> = useComputed(() => {
    const { table } = feed;
    const sampled = samples.value.map(({ row }) => table.times[row]!);
    const used = all.value.flatMap((each) => {
      const { cells } = each;
      const { cursor } = viewOn(source);
      // Where time does not go on: the value at the pinned instant, or the mean, with nothing for when it was not among the greatest.
      const value = isFollowed.value
        ? cells[table.times.length - 1]
        : cursor !== undefined
          ? cellNear(table, each, cursor)
          : meanOverTime(
              sampled,
              samples.value.map(({ row }) => cells[row] ?? 0),
            );
      // What it used while others were greater is not known.
      const isLeast =
        isMean.value && samples.value.some(({ row, count }) => count >= RANKED && typeof cells[row] !== 'number');
      return typeof value === 'number' && value > 0 ? [{ name: instanceText(each), value, isLeast }] : [];
    });
    used.sort((a, b) => b.value - a.value);
    const shown = held.value?.map((name) => used.find((each) => each.name === name) ?? { name, value: undefined });
    return shown ?? used.slice(0, RANKED);
  });
  const processors = processorsOf(table.latest);
  // Shares of the machine, so that they add up to what stands above them.
  const isShare = metric === 'proc.cpu.util' && processors !== undefined;
  const quantity = isShare
    ? ({ kind: 'percent', factor: 1 / processors } as const)
    : quantityIn(feed.table, factsOf(source).value.metrics.get(metric), metric, false);
  const text = (value: number): string => valueText(quantity, value * quantity.factor);
  const most = Math.max(...rows.value.map(({ value = 0 }) => value));
  const listed = rows.value.reduce((sum, { value = 0 }) => sum + value * quantity.factor, 0);
  // While time goes on, of when they were sampled: their resource may be a sample ahead.
  const own = isFollowed.value
    ? cellNear(table.table, { cells: cells as Cell[] }, feed.table.times.at(-1) ?? 0)
    : total;
  const isPart = rows.value.length > 0 && (isShare || title === 'Memory');
  const others = isPart ? Number(own ?? total) * valueQuantity.factor - listed : 0;
  const [least, excess] = isShare ? [0.1, 'read one after another'] : [2 ** 20, 'each has what they share'];
  const unlike = useComputed(() => {
    const own = samples.value.map(({ row }) => feed.table.times[row]!);
    const others = rowsIn(table.latest, windowOn(source)).map((row) => table.table.times[row]!);
    return isFollowed.value ? '' : unlikeText(own, others);
  }).value;
  const { times } = feed.table;
  // The last sample may be without it: a rate takes two.
  const isRead = isFollowed.value
    ? all.value.some(({ cells }) => typeof cells[times.length - 1] === 'number')
    : times.length > 2;
  const none = isRead ? 'None at the moment.' : 'Measuring…';
  const about =
    note !== '' ? (metric === PEOPLE_METRICS[0] ? note : '') : rows.value.length > 0 || feed.trouble.value ? '' : none;
  return (
    <div class="people" data-source={source}>
      <ol {...attributes} aria-label={`Processes: ${title}`} hidden={note !== '' && rows.value.length === 0}>
        {rows.value.map(({ name, value, isLeast = false }) => {
          const culprit = culprits.find(({ pid }) => String(pid) === pidOf(name));
          const called = callOf(name);
          return (
            <li key={name} class={culprit ? 'culprit' : undefined}>
              <a href={whoLink(source, pidOf(name))} title={called}>
                {shortName(called, NAME_LENGTH)}
              </a>
              {culprit ? <span class="quiet whose">{whoseText(culprit)}</span> : null}
              <Bar
                {...{ value, most, text, isLeast }}
                of={`${isMean.value ? 'mean over time of ' : ''}${metric}[${name}]${isShare ? ' / hinv.ncpu' : ''}`}
              />
            </li>
          );
        })}
        {others >= least ? (
          <li>
            <span class="quiet">others</span>
            <span class="figure" data-proof={`${title}, without those above`}>
              {valueText(quantity, others)}
            </span>
          </li>
        ) : null}
      </ol>
      <p class="quiet">
        {view.value.cursor !== undefined && isFollowed.value ? 'Of this moment, not of the pinned instant. ' : unlike}
        {others < -10 * least ? `Together more than ${title}: ${excess}. ` : ''}
        {about}
        {rows.value.length > 0 ? <Link text="all processes" to={{ screen: 'processes', words: '' }} /> : null}
      </p>
    </div>
  );
}

/** The rows of a window. */
function rowsIn({ times }: SeriesTable, { start, end }: Span): readonly number[] {
  return [...times.keys()].filter((row) => times[row]! >= start && times[row]! <= end);
}

/** When processes were sampled, where that is seldomer than their resource, or not in all of its time: then shares do not add up. */
function unlikeText(own: readonly number[], others: readonly number[]): string {
  const [[start, end, step], [first, last, usual]] = [own, others].map((times) => {
    const [from = 0, to = 0] = [times[0], times.at(-1)];
    return [from, to, (to - from) / Math.max(times.length - 1, 1)] as const;
  }) as [Times, Times];
  const isAlike = step < 1.5 * usual && end - start > 0.9 * (last - first);
  if (own.length === 0 || isAlike) return '';
  return `Sampled ${windowText({ start, end }, shownZone.value)}, every ${durationText(step)}. `;
}
type Times = readonly [start: number, end: number, step: number];

/** The devices of a resource, the most used first. */
export function Devices(props: {
  readonly devices: readonly Used[];
  readonly label: string;
  /** What the value of a device is computed from. */
  readonly of: (name: string) => string;
  readonly text: (value: number) => string;
}) {
  const { devices, label, of, text } = props;
  const most = Math.max(...devices.map(({ value = 0 }) => value)) || 1;
  return (
    <div class="people">
      <ol aria-label={label}>
        {devices.slice(0, RANKED).map(({ name, value }) => (
          <li key={name}>
            <span>{name}</span>
            <Bar {...{ value, most, text }} of={of(name)} />
          </li>
        ))}
      </ol>
      {devices.length > RANKED ? <p class="quiet">and {devices.length - RANKED} more</p> : null}
    </div>
  );
}

interface BarProps {
  readonly value: number | undefined;
  readonly most: number;
  readonly of: string;
  readonly text: (value: number) => string;
  readonly isLeast?: boolean;
}

/** A use in a list of them, as a bar and a number. */
function Bar({ value, most, of, text, isLeast = false }: BarProps) {
  return (
    <>
      <span class="bar" aria-hidden="true">
        <span style={{ width: `${Math.round((100 * (value ?? 0)) / most)}%` }} />
      </span>
      <span class="figure" data-proof={of}>
        {isLeast ? '≥ ' : ''}
        {value === undefined ? '–' : text(value)}
      </span>
    </>
  );
}

/** Whose a process is, and where it belongs to. */
function whoseText({ user, group = '', container }: NonNullable<Diagnosed['who']>[number]): string {
  return [user, container ?? group.split('/').at(-1)].filter(Boolean).join(' · ');
}

/** The number in `004711 node`, or in `ended process 4711`. */
function pidOf(name: string): string {
  return String(Number(/\d+/.exec(name)?.[0]));
}
