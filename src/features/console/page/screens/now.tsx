import { useComputed, useSignal, type ReadonlySignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { DiagnosisAnswer } from '../../../../client/index.js';
import { useEarlyEffect, useFlags, useGiven, useIsSeen, useOwn } from '../parts/use-own.js';
import { clockText } from '../chart/axis-times.js';
import { numberText, valueText } from '../chart/axis-units.js';
import { cellNear } from '../chart/lane-model.js';
import { LaneCanvas } from '../chart/lane.js';
import { LaneTrouble, LaneWaiting } from '../chart/lane-words.js';
import { summaryOf } from '../chart/ranking.js';
import { headlineOf, isOdd, PAST_MIN, pastOf, type Diagnosed } from '../data/diagnosis.js';
import { Feed } from '../data/feed.js';
import { client, gatewayUrl, whereOf } from '../data/gateway.js';
import { now } from '../data/gateway-clock.js';
import { median } from '../data/median.js';
import { processorsOf, readingModel, RESOURCE_METRICS, RESOURCES } from '../data/resources.js';
import type { Reading, Resource } from '../data/resources.js';
import type { Cell } from '../data/series-table.js';
import { feedTime, isLiveOn, isTimed, lateOf, lateText, shownZone, viewOn, windowOn } from '../data/shown-time.js';
import { pmgateCommand } from '../data/shell.js';
import { factsOf } from '../data/source-facts.js';
import { CopyButton } from '../parts/copy-button.js';
import { useAnswer } from '../parts/use-answer.js';
import { Link, Swatch } from '../parts/controls.js';
import { view } from '../state/page.js';
import type { Span } from '../state/time-window.js';
import { encodeWords, laneOf, momentText } from '../state/url-state.js';
import { ChartScreen } from './chart.js';
import { Devices, PEOPLE_SEC, PeopleOf, useCommands, usePeople, type People } from './people.js';
import { isPlaying } from './replay.js';
import { labelOf, Ribbon } from './ribbon.js';
import { shortName } from './short-name.js';
import { whoLink } from './who-link.js';

const NOTHING_READ: Reading = { value: [], of: '', parts: [] };
/** After so many samples, a resource without a value has none. */
const KNOWN_AFTER = 3;

/** The first screen: what is wrong, since when, who; then a card for each resource. */
export function NowScreen() {
  const { on } = view.value;
  const isOne = on.length === 1;
  return (
    <ChartScreen
      overview={(controls) => (
        <>
          {isOne ? null : controls}
          {on.map((source) => (
            <section key={source} class={isOne ? '' : 'beside'} aria-label={source} data-source={source}>
              {isOne ? null : (
                <h2 class="source">
                  {source} <span class="quiet">{lateText(source)}</span>
                </h2>
              )}
              <Overview source={source} controls={isOne ? controls : null} />
            </section>
          ))}
        </>
      )}
    />
  );
}

function Overview({ source, controls }: { readonly source: string; readonly controls: JSX.Element | null }) {
  const isHost = !source.startsWith('archive:');
  const feed = useOwn(() => new Feed());
  useEarlyEffect(() => {
    const request = { source, names: RESOURCE_METRICS, isRate: true, intervalSec: PEOPLE_SEC, time: feedTime(source) };
    if (isTimed(source)) feed.want(request);
  });
  // In what is recorded they read more than the first charts, which would come last.
  const isTurn = useComputed(() => isLiveOn(source) || (feed.resolution.value ?? feed.trouble.value) !== undefined);
  const people = usePeople(source, isTurn);
  const judged = useDiagnosis(source, isTurn.value, people.feed);
  const resources = judged?.resources;
  const blamed = resources?.flatMap(({ who = [] }) => who.flatMap(({ pid = [] }) => pid)) ?? [];
  const shownPids = useComputed(() => people.feed.latest.series.map(({ instance }) => instance)).value;
  const callOf = useCommands(people.source, [...new Set([...blamed, ...shownPids])].sort().join());
  const processors = useComputed(() => processorsOf(feed.latest)).value;
  // Those of a host have places from the beginning; of an archive, no one knows which there are.
  const readings = useComputed(() => RESOURCES.map((resource) => resource.read(feed.latest)));
  const isFull = useComputed(
    () =>
      isLiveOn(source) &&
      view.value.cursor === undefined &&
      Number(readings.value[0]?.value.findLast((cell) => cell !== undefined)) > FULL,
  ).value;
  const isAsked = useComputed(
    () => feed.resolution.value !== undefined && (!isLiveOn(source) || feed.table.times.length >= KNOWN_AFTER),
  ).value;
  const isLacking = useComputed(() => feed.trouble.value?.code === 'UNKNOWN_METRIC').value;
  const isDown = useComputed(() => feed.trouble.value !== undefined && feed.latest.times.length === 0).value;
  const shown = useFlags(() =>
    RESOURCES.map(({ title }, i) =>
      isAsked || isLacking || !isHost || title === 'Load' ? readings.value[i] !== undefined : true,
    ),
  );
  return (
    <>
      <Sentence {...{ judged, source, processors, isFull, callOf }} />
      {controls}
      <Ribbon source={source} />
      {isLacking ? null : <LaneTrouble names={[]} source={source} feed={feed} />}
      {isLacking || (isAsked && !shown.includes(true)) ? (
        <p class="empty">
          {source} has none of the usual metrics{isLacking ? '' : ' in this time'}.{' '}
          <Link text="Find" to={{ screen: 'find' }} /> lists those that it has.
        </p>
      ) : null}
      <div class="resources">
        {RESOURCES.map((resource, i) =>
          shown[i] === true && !isDown ? (
            <Card
              key={resource.title}
              {...{ resource, index: i, readings, feed, source, people, callOf }}
              diagnosed={diagnosedOf(resources, resource.title)}
            />
          ) : null,
        )}
      </div>
      {controls && (isHost || isAsked) ? <UsersBelow source={source} /> : null}
    </>
  );
}

/** The tables of processes and groups: their script is loaded, and they are read, while their place is in sight. */
function UsersBelow({ source }: { readonly source: string }) {
  const place = useRef<HTMLDivElement>(null);
  const isSeen = useIsSeen(place, false).value;
  const { answer } = useAnswer(isSeen ? '' : undefined, () => import('./others.js'));
  const { Users } = answer.value ?? {};
  return (
    <div class="users" ref={place}>
      {Users ? <Users source={source} most={8} isSeen={isSeen} /> : null}
    </div>
  );
}

/** When a last sample has more of the processors, in per cent, nothing is said to be as usual. */
const FULL = 90;
/** A command that is longer is cut in the sentence. */
const CALLED_LENGTH = 28;
/** So old an answer says when it was measured. */
const LATE_SEC = 10;
/** So long before the pinned instant is judged. */
const JUDGED_SEC = 60;
/** The instant is judged again after so long. */
const STEP_SEC = 10;
const [SOON_MS, AGAIN_MS] = [300, 2000];
/** The last half hour reads much, and only its end changes. */
const PAST_AGAIN_MS = 60_000;
/** So much later than expected a sample may come. */
const SLACK_MS = 150;

/** What the gateway says, and until when that was measured; undefined: nothing yet, null: it does not say. */
type Judged = Pick<DiagnosisAnswer, 'resources' | 'start' | 'finish' | 'sampledSince'> | undefined | null;

/** What the gateway says: of now, again and again, of the window, or of the minute before the pinned instant. */
function useDiagnosis(source: string, isTurn: boolean, processes: Feed): Judged {
  const zone = shownZone.value.name;
  const isKnown = factsOf(source).value.isKnown && isTurn;
  const span = useComputed(() => {
    const { cursor } = view.value;
    const end = cursor === undefined ? undefined : Math.ceil((cursor + lateOf(source)) / STEP_SEC) * STEP_SEC;
    if (end !== undefined) return JSON.stringify({ start: end - JUDGED_SEC, end } satisfies Span);
    return isLiveOn(source) ? '' : JSON.stringify(windowOn(source));
  }).value;
  const { start, end: finish } = span === '' ? {} : (JSON.parse(span) as Span);
  const { answer, trouble } = useAnswer<Judged>(
    isKnown ? `${source} ${zone} ${span}` : undefined,
    (signal) => client.diagnose({ ...whereOf(source), zone, start, finish, signal }),
    {
      // A window may be dragged.
      afterMs: span === '' ? 0 : SOON_MS,
      // A gateway or a role may be without it.
      againMs: (said) => (span === '' ? (said ? againMs(processes) : LATE_SEC * 1000) : undefined),
      forgets: !isPlaying.value,
      isPatient: isPlaying.value,
    },
  );
  return answer.value ?? (trouble.value ? null : undefined);
}

/** What the gateway says of the last half hour, while nothing is unusual now. */
function usePast(source: string, judged: Judged): Judged {
  const { resources = [] } = judged ?? {};
  const isCalm = resources.length > 0 && !resources.some(isOdd);
  const { answer } = useAnswer<Judged>(
    isCalm && isLiveOn(source) && view.value.cursor === undefined ? `${source} ${shownZone.value.name}` : undefined,
    (signal) => client.diagnose({ ...whereOf(source), zone: shownZone.peek().name, start: `-${PAST_MIN}min`, signal }),
    // What is now, and its charts, come first.
    { afterMs: AGAIN_MS, againMs: () => PAST_AGAIN_MS, forgets: true },
  );
  return answer.value;
}

/** Until just after the next sample of processes: one that has begun to be busy is seen in it. */
function againMs({ heardMs }: Feed): number {
  const dueMs = heardMs + AGAIN_MS + SLACK_MS - performance.now();
  return dueMs < 0 ? AGAIN_MS : Math.max(dueMs, SOON_MS);
}

/** What the gateway says of all resources, as a headline; its place is kept until it is known whether it says something. */
function Sentence(props: {
  readonly judged: Judged;
  readonly source: string;
  readonly processors: number | undefined;
  readonly isFull: boolean;
  readonly callOf: (name: string) => string;
}) {
  const { judged, source, processors, isFull, callOf } = props;
  // The answer may be late: what is said is then not of this moment.
  const isLate = useComputed(() => isLiveOn(source) && now.value - (judged?.finish ?? now.value) > LATE_SEC).value;
  const past = usePast(source, judged);
  const { isKnown, trouble } = factsOf(source).value;
  if (!isKnown) return trouble ? null : <div class="headline" />;
  if (judged === null || judged?.resources.length === 0) return null;
  const { when, over } = past ? pastOf(past) : { when: '', over: [] };
  const { odd, rest, who, also, said, rule, why } = headlineOf(judged?.resources ?? [], processors, isFull, when);
  const before = headlineOf(over, processors);
  const { until = 0, since = until } = before.worst ?? {};
  const { cursor } = view.value;
  return (
    <section class="headline" aria-label={labelOf('What is unusual', source)}>
      <p class="sentence">
        <strong data-proof={ruleText(rule)}>{odd}</strong>
        {rest}
        <Who {...{ who, source, callOf }} />
      </p>
      <p class="quiet">
        {cursor === undefined || !judged
          ? isLate
            ? `Measured at ${clockText(judged!.finish, shownZone.value, 1)}. `
            : ''
          : `Of the minute before ${clockText(judged.finish, shownZone.value, 1)}. `}
        {judged ? '' : 'Measuring what is unusual… '}
        {before.worst ? (
          <>
            <span data-proof={ruleText(before.rule)}>{before.odd}</span>
            {before.rest}
            <Who who={before.who} {...{ source, callOf }} />{' '}
            <Link
              text="look"
              to={{ time: { kind: 'fixed', start: since - JUDGED_SEC, end: until + JUDGED_SEC } }}
              aria-label="Look at that time"
            />
            {'. '}
          </>
        ) : null}
        {also.join(' ')} <Link text="what changed" to={{ ...viewOn(source), screen: 'changes', words: '' }} />{' '}
        {why === '' ? null : <Link text="why" to={{ screen: 'explain', words: why }} from={viewOn(source)} />}{' '}
        <CopyButton
          label="Copy as command"
          text={() => {
            const { start, finish } = judged ?? {};
            const isNow = isLiveOn(source) && cursor === undefined;
            const when = isNow || !start ? '' : ` --start ${momentText(start)} --finish ${momentText(finish!)}`;
            return pmgateCommand(gatewayUrl, source, `diagnose${when}`);
          }}
        />
      </p>
      <p class="hidden" role="status">
        {said !== '' && view.value.on.length > 1 ? `${source}: ${said}` : said}
      </p>
    </section>
  );
}

type WhoProps = Pick<ReturnType<typeof headlineOf>, 'who'> & Pick<Parameters<typeof Sentence>[0], 'source' | 'callOf'>;

/** Who it is, at the end of a sentence. */
function Who({ who, source, callOf }: WhoProps) {
  return who.map(({ name, of, amount, until, verb }, i) => (
    <span key={name}>
      {i === 0 ? ': ' : ', '}
      {of === undefined ? name : <a href={whoLink(source, of)}>{shortName(callOf(name), CALLED_LENGTH)}</a>}{' '}
      {verb === who[i - 1]?.verb ? '' : verb}
      {amount}
      {until === undefined ? '' : ` until ${clockText(until, shownZone.value, 1)}`}
      {i === who.length - 1 ? '.' : ''}
    </span>
  ));
}

function ruleText(rule = ''): string | undefined {
  return rule === '' ? undefined : `rule ${rule} of config/diagnosis/rules.yaml`;
}

/** A resource: how much of it is used, since when, how it was, and who uses it. */
function Card(props: {
  readonly resource: Resource;
  readonly index: number;
  readonly readings: ReadonlySignal<readonly (Reading | undefined)[]>;
  readonly diagnosed: Diagnosed | undefined;
  readonly feed: Feed;
  readonly source: string;
  readonly people: People;
  readonly callOf: (name: string) => string;
}) {
  const { resource, index, readings, diagnosed, feed, source, people, callOf } = props;
  const { title, metrics, valueQuantity, quantity, ranking, places: palette } = resource;
  const text = (value: number): string => valueText(valueQuantity, value * valueQuantity.factor);
  const odd = diagnosed && isOdd(diagnosed) ? diagnosed : undefined;
  const isSeen = useSignal(true);
  const window = useComputed(() => windowOn(source));
  const read = useComputed((): Reading => readings.value[index] ?? NOTHING_READ);
  /** The rows that are shown: there may be earlier ones. */
  const rows = useComputed(() => feed.latest.rows(window.value.start, window.value.end));
  const known = useComputed(() =>
    read.value.value.slice(rows.value.from, rows.value.to).filter((cell) => typeof cell === 'number'),
  );
  /** The value at the pinned instant; without one, the last, or the mean where time does not go on. */
  const valueOf = (cells: readonly Cell[]): number | undefined => {
    const table = feed.latest;
    const { cursor: at } = viewOn(source);
    if (at === undefined) {
      const { count, last, mean } = summaryOf({ cells }, table.times, rows.value.from, rows.value.to);
      return count === 0 ? undefined : isLiveOn(source) ? Number(last) : mean;
    }
    const pinned = cellNear(table, { cells: cells as Cell[] }, at);
    return typeof pinned === 'number' ? pinned : undefined;
  };
  const value = useComputed(() => valueOf(read.value.value));
  const given = useGiven({ since: odd?.since });
  const model = useComputed(() => ({
    ...readingModel(resource, read.value, feed.latest, window.value),
    since: given.value.since,
  }));
  const places = useComputed(() => model.value.drawn.map((_, i) => palette[i] ?? i));
  const { device, devices, besides, of } = read.value;
  const isOfInstant = isLiveOn(source) || view.value.cursor !== undefined;
  const how = isOfInstant ? '' : `mean over time of ${known.value.length} samples of `;
  const why = encodeWords({ ...viewOn(source), screen: 'explain' });
  return (
    <section
      class={odd ? 'lane resource odd' : 'lane resource'}
      aria-label={labelOf(title, source)}
      data-metric={metrics[0]}
    >
      <header>
        <h2>
          <Link text={title} to={{ screen: 'chart', words: '', lanes: [laneOf(...metrics)] }} />{' '}
          <span class="quiet">{device}</span>
        </h2>
        <a
          class={odd && isOfInstant ? 'resource-value far' : 'resource-value'}
          href={why(metrics[0]!)}
          title="Why?"
          data-proof={how + of}
        >
          {textOf(value.value, text)}
        </a>
        <span class="quiet" data-proof={besides?.of}>
          {besides?.text}
        </span>
        {odd?.since === undefined || !isOfInstant ? (
          <span class="quiet" data-proof={`of the ${known.value.length} samples that are shown of ${of}`}>
            {wasText(known.value, isOfInstant, text)}
          </span>
        ) : null}
        {odd?.since === undefined ? null : (
          <span class="quiet" data-proof={ruleText(odd.rule)}>
            {`${spanText(odd.since, odd.until)}${beforeText(odd)}`}
          </span>
        )}
      </header>
      <div class="resource-body">
        <div class="lane-plot">
          <LaneCanvas {...{ feed, window, title, model, places, isSeen }} late={lateOf(source)} />
          <LaneWaiting names={[]} source={source} feed={feed} model={model} />
          <ul class="parts-of" aria-label={`Parts of ${title}`}>
            {read.value.parts.map(({ label, cells, of: from, isRest = false }, i) => (
              <li key={label} data-proof={how + from}>
                {isRest ? null : <Swatch place={palette[i] ?? i} />}
                {label} {textOf(valueOf(cells), (cell) => valueText(quantity, cell * quantity.factor))}
              </li>
            ))}
          </ul>
        </div>
        {devices ? (
          <Devices
            devices={devices.map(({ name, cells }) => ({ name, value: valueOf(cells) }))}
            of={(name) => how + metrics.map((metric) => `${metric}[${name}]`).join(' + ')}
            text={text}
            label={`Devices: ${title}`}
          />
        ) : null}
        {ranking === undefined ? null : (
          <PeopleOf
            key={people.source}
            culprits={diagnosed?.who}
            {...{ resource, people, callOf }}
            cells={read.value.value}
            total={value.value}
            table={feed}
          />
        )}
      </div>
    </section>
  );
}

/** What is said of a resource: the worst of it. */
function diagnosedOf(all: readonly Diagnosed[] | undefined, title: string): Diagnosed | undefined {
  const own = all?.filter(({ resource }) => resource.toLowerCase().startsWith(title.toLowerCase())) ?? [];
  return own.find(isOdd) ?? own[0];
}

/** Since when it is so, or from when to when it was. */
function spanText(since: number, until: number | undefined): string {
  const [from, to] = [since, until ?? 0].map((time) => clockText(time, shownZone.value, 1));
  return until === undefined ? `since ${from}` : from === to ? `at ${from}` : `from ${from} to ${to}`;
}

/** What it was before; of other units than per cent, the sentence says so. */
function beforeText({ before, unit }: Diagnosed): string {
  return before === undefined || unit !== '%' ? '' : `, was ${numberText(Number(before.toPrecision(2)))} %`;
}

/** How a value was in the window. */
function wasText(values: readonly number[], isOfInstant: boolean, text: (value: number) => string): string {
  if (values.length === 0) return '';
  const most = text(values.reduce((a, b) => Math.max(a, b), -Infinity));
  return isOfInstant ? `median ${text(median(values))}, max ${most}` : `mean; max ${most}`;
}

function textOf(value: number | undefined, text: (value: number) => string): string {
  return value === undefined ? '–' : text(value);
}
