import { useSignal } from '@preact/signals';
import type { ChangeFinding, ChangesAnswer, ColumnsAnswer } from '../../../../client/index.js';
import type { TimeZone } from '../../../../pmapi/index.js';
import { durationText, instantText, windowText } from '../chart/axis-times.js';
import { withChartUnits } from '../chart/axis-units.js';
import { Spark, type SparkLine } from '../chart/spark.js';
import { client, whereOf } from '../data/gateway.js';
import { now } from '../data/gateway-clock.js';
import { isTimed, lateOf, movedBy, shownZone } from '../data/shown-time.js';
import { factsOf } from '../data/source-facts.js';
import { Button, Failure, Link, Select, TextField, Working } from '../parts/controls.js';
import { useAnswer } from '../parts/use-answer.js';
import { change, view } from '../state/page.js';
import { parseTimeChoice } from '../state/parse-time-choice.js';
import { windowOf, type Span } from '../state/time-window.js';
import { EMPTY_VIEW, encodeView, laneWith, type View } from '../state/url-state.js';

const DAY_SEC = 86_400;
/** The share of an archive, at its end, that is compared with the rest unless windows are chosen. */
const LAST_PART = 0.2;
/** How long reading two windows of an archive may take. */
const PATIENCE_MS = 180_000;
/** The points of a picture in each window. */
const POINTS = 60;

/** What changed between two windows of time, or between a source and others. */
export function ChangesScreen() {
  const shown = view.value;
  const { on, words } = shown;
  const [sourceTrouble] = on.flatMap((source) => factsOf(source).value.trouble ?? []);
  const { recorded } = factsOf(on[0]!).value;
  const after = shown.after ?? (recorded && on.length === 1 ? lastPartOf(recorded) : undefined);
  // Of two archives, all of each, or the same time of another day.
  const before = shown.before ?? (on.length === 2 && after ? movedBy(after, lateOf(on[1]!)) : undefined);
  const key = JSON.stringify([on, words, before, after]);
  const prefix = words.match(/[^\s,]+/g);
  const against = on.slice(1).map((each) => each.replace(/^archive:/, ''));
  const { answer, trouble, isAsking, stop } = useAnswer(on.every(isTimed) ? key : undefined, (signal) =>
    client.changes({
      ...whereOf(on[0]!),
      after: after ? `${after.start},${after.end}` : recorded && ',',
      ...(before ? { before: `${before.start},${before.end}` } : {}),
      ...(against.length === 0 ? {} : { against: against.join(';') }),
      ...(prefix ? { prefix } : {}),
      ...{ timeoutMs: PATIENCE_MS, signal },
    }),
  );
  const found = trouble.value ? undefined : answer.value;
  return (
    <div class="changes">
      <Windows key={`${key} ${shownZone.value.name}`} after={after ?? spanOf(found?.after)} />
      {isAsking.value ? (
        <Working
          onStop={() => {
            stop();
            answer.value = undefined;
          }}
        >
          Comparing all series…
        </Working>
      ) : null}
      <Failure trouble={trouble.value ?? sourceTrouble} of={on.join(' and ')} />
      {found ? <Findings answer={found} isOld={isAsking.value} /> : null}
    </div>
  );
}

function lastPartOf({ start, end }: Span): Span {
  return { start: end - (end - start) * LAST_PART, end };
}

function spanOf(window: ChangesAnswer['after'] | undefined): Span | undefined {
  return window && window.finish > window.start ? { start: window.start, end: window.finish } : undefined;
}

/** The form: what happened, and what to compare it with. */
function Windows({ after }: { readonly after: Span | undefined }) {
  const { on, words, before } = view.value;
  const zone = shownZone.value;
  const text = useSignal(view.value.after ? textOf(view.value.after, zone) : '');
  const beforeText = useSignal(before ? textOf(before, zone) : '');
  const kind = useSignal(kindOf(before, after));
  const only = useSignal(words);
  const problem = useSignal('');
  const submit = (event: Event): void => {
    event.preventDefault();
    try {
      // The text has whole seconds: the window stays unchanged until the text is edited.
      const { after: chosenBefore } = view.peek();
      const isSame = chosenBefore !== undefined && text.value === textOf(chosenBefore, zone);
      const chosen = isSame ? chosenBefore : text.value.trim() === '' ? undefined : spanTyped(text.value, on[0]!, zone);
      const earlier = beforeOf(kind.value, chosen ?? after, () => spanTyped(beforeText.value, on[0]!, zone));
      problem.value = '';
      change({ words: only.value.trim(), after: chosen, before: earlier });
    } catch (error) {
      problem.value = (error as Error).message;
    }
  };
  return (
    <form class="toolbar windows" onSubmit={submit}>
      <TextField
        label="What happened"
        class="stacked time"
        placeholder={after ? textOf(after, zone) : 'the last 5 minutes'}
        text={text}
      />
      {on.length > 1 ? (
        <span>
          on {on[0]}, compared with {on.slice(1).join(', ')}
        </span>
      ) : (
        <Select
          isStacked
          label="Compared with"
          value={kind.value}
          options={KINDS}
          onChoose={(value) => (kind.value = value)}
        />
      )}
      {kind.value === 'other' ? (
        <TextField label="The other time" class="stacked time" placeholder="14:00/14:30" text={beforeText} />
      ) : null}
      <TextField label="Only" placeholder="disk network" text={only} />
      <Button text="Compare" type="submit" class="primary" />
      {factsOf(on[0]!).value.recorded || on.length > 1 ? null : (
        <span class="presets">
          {PRESETS.map(([label, windows]) => (
            <Button key={label} text={label} onClick={() => change(windows(now.peek(), zone))} />
          ))}
        </span>
      )}
      {problem.value === '' ? null : (
        <span class="trouble" role="alert">
          {problem}
        </span>
      )}
    </form>
  );
}

const KINDS = [
  ['', 'the time before, four times as long'],
  ['day', 'the same time a day before'],
  ['week', 'the same time a week before'],
  ['other', 'another time'],
] as const;

/** Windows that are often compared, and how to find them. */
const PRESETS: readonly (readonly [string, (at: number, zone: TimeZone) => Pick<View, 'after' | 'before'>])[] = [
  [
    'now against 10 minutes ago',
    (at) => ({ after: { start: at - 300, end: at }, before: { start: at - 900, end: at - 600 } }),
  ],
  [
    'today against yesterday',
    (at, zone) => {
      const [today, yesterday] = ['today', 'yesterday'].map((day) => spanTyped(day, view.peek().on[0]!, zone).start);
      return { after: { start: today!, end: at }, before: { start: yesterday!, end: yesterday! + at - today! } };
    },
  ],
];

function kindOf(before: Span | undefined, after: Span | undefined): string {
  if (!before) return '';
  const by = after ? after.start - before.start : 0;
  const isSameLength = after !== undefined && Math.abs(after.end - before.end - by) < 0.01;
  return isSameLength && by === DAY_SEC ? 'day' : isSameLength && by === 7 * DAY_SEC ? 'week' : 'other';
}

function beforeOf(kind: string, after: Span | undefined, typed: () => Span): Span | undefined {
  if (kind === '') return undefined;
  if (kind === 'other') return typed();
  if (!after) throw new Error('Enter the time of what happened first, as START/END.');
  return movedBy(after, -(kind === 'day' ? 1 : 7) * DAY_SEC);
}

function spanTyped(text: string, source: string, zone: TimeZone): Span {
  const reference = { now: now.peek(), recorded: factsOf(source).peek().recorded };
  const shown = windowOf({ kind: 'default' }, reference);
  return windowOf(parseTimeChoice(text, shown, now.peek(), zone), reference);
}

function textOf({ start, end }: Span, zone: TimeZone): string {
  const text = (at: number): string => instantText(at, zone).split(' ').slice(0, 2).join(' ');
  return `${text(start)} / ${text(end)}`;
}

/** `2026-11-23 12:20:00 – 12:25:00 UTC (5 min)`. */
function withLength({ start, finish }: ChangesAnswer['after'], zone: TimeZone): string {
  return `${windowText({ start, end: finish }, zone)} (${durationText(finish - start)})`;
}

function Findings({ answer, isOld }: { readonly answer: ChangesAnswer; readonly isOld: boolean }) {
  const { compared, total, findings, before, after, tooFew, note, warnings = [] } = answer;
  const { on } = view.value;
  const sides = on.length > 1 ? [`${on[0]}, `, `${on.slice(1).join(', ')}, `] : ['', ''];
  const zone = shownZone.value;
  if (compared + tooFew === 0) return <Nothing answer={answer} />;
  const more = total > findings.length ? `, the first ${findings.length} of them here` : '';
  return (
    <>
      <p
        class="quiet"
        role="status"
        data-proof="series with enough samples in both times, as the gateway compared them"
      >
        {[after, before].map((each, i) => sides[i]! + withLength(each, zone)).join(' compared with ')}: {compared}{' '}
        series
        {tooFew > 0 ? ` (${tooFew} more have too few samples)` : ''}, {total === 0 ? 'no' : total}{' '}
        {total === 1 ? 'difference' : 'differences'}
        {more}.{note === undefined ? '' : ` ${note}.`}
      </p>
      {warnings.length === 0 ? null : (
        <p class="quiet">
          {warnings
            .slice(0, 5)
            .map(({ name = '', message }) => `${name} ${message}`.trim())
            .join(' · ')}
        </p>
      )}
      {findings.length === 0 ? <Nothing answer={answer} /> : null}
      <ol class={isOld ? 'findings waiting' : 'findings'}>
        {findings.map((finding, i) => (
          <Finding key={`${i} ${finding.sentence}`} finding={finding} answer={answer} />
        ))}
      </ol>
    </>
  );
}

function Nothing({ answer: { compared, tooFew } }: { readonly answer: ChangesAnswer }) {
  const { on } = view.value;
  const isArchive = on[0]!.startsWith('archive:');
  if (compared + tooFew === 0 && !isArchive) {
    return (
      <p class="empty">
        There is nothing to compare yet: a gateway that has just started remembers nothing of this host. Come back in a
        few minutes, or compare two times of an <Link text="archive" to={{ screen: 'archives', words: '' }} />.
      </p>
    );
  }
  return (
    <p class="empty">
      {compared + tooFew === 0
        ? 'Nothing was recorded in both times.'
        : tooFew > compared
          ? 'Most series have too few samples in one of the two times to tell a change from chance: choose longer times.'
          : 'There is no remarkable difference. One must last for most of the later time: try a shorter one.'}{' '}
      You can also select a stretch in <Link text="the charts" to={{ on }} from={EMPTY_VIEW} /> and choose{' '}
      <em>What changed</em>.
    </p>
  );
}

function Finding({ finding, answer }: { readonly finding: ChangeFinding; readonly answer: ChangesAnswer }) {
  const { sentence, kind, name, since, alike = [], alikeCount = 0, names = [], metrics = [], who = [] } = finding;
  const named = who.map(culpritText).filter((text) => !text.endsWith(' 0 %'));
  const shown = name ?? metrics[0];
  const instance = finding.instance === undefined ? '' : `[${finding.instance}]`;
  return (
    <li>
      <div class="finding">
        {kind === 'number' ? <Picture finding={finding} answer={answer} /> : <span />}
        <div>
          <p
            class="sentence"
            data-proof={kind === 'number' ? `of the samples in both times of ${name}${instance}` : undefined}
          >
            {withChartUnits(sentence.replace(/; (?:of the rise|\d+ more alike).*/s, ''))}
          </p>
          {named.length === 0 ? null : (
            <p class="who" data-proof="of the rise, the shares of those who made it">
              {named.join(', ')}
            </p>
          )}
          <p class="quiet">
            {since === undefined ? null : <>since {instantText(since, shownZone.value)} · </>}
            {shown === undefined ? null : <a href={chartOf(finding.instance, answer, shown)}>chart</a>}
            {names.length === 0 ? null : <> · {names.slice(0, 5).join(', ')}</>}
          </p>
          {alikeCount === 0 ? null : (
            <details>
              <summary>{alikeCount} more alike</summary>
              <ul>
                {alike.map(({ name: other, instance }) => (
                  <li key={`${other} ${instance}`}>
                    <a href={chartOf(instance, answer, other)}>
                      {other}
                      {instance === undefined ? '' : `[${instance}]`}
                    </a>
                  </li>
                ))}
              </ul>
            </details>
          )}
        </div>
      </div>
    </li>
  );
}

/** `node (4711) 62 %`, `group build.service 20 %`, `others 18 %`: shares of the change. */
function culpritText({ kind, name, pid, share }: NonNullable<ChangeFinding['who']>[number]): string {
  const what = kind === 'group' ? `group ${name}` : pid === undefined ? name : `${name} (${pid})`;
  return `${what} ${Math.round(share * 100)} %`;
}

/** The address of a chart of both windows if they are adjacent, otherwise of the later one. */
function chartOf(instance: string | undefined, { before, after }: ChangesAnswer, metric: string): string {
  const isJoined = before.finish <= after.start + 1 && after.start - before.finish < (after.finish - after.start) * 4;
  return encodeView({
    ...view.value,
    screen: 'chart',
    words: '',
    time: { kind: 'fixed', start: isJoined ? before.start : after.start, end: after.finish },
    lanes: [laneWith(metric, instance)],
  });
}

/** The place where the later window begins in a picture. */
const LATER = 0.6;

/** Both windows of a finding, side by side: grey before, or the others; in colour after. */
function Picture({ finding: { name = '', instance, href }, answer }: Parameters<typeof Finding>[0]) {
  const { before, after } = answer;
  // Where it fails, the sentence says the same.
  const { answer: both } = useAnswer(`${href} ${answer.after.finish}`, (signal) => {
    const base = { names: [name], rate: true, points: POINTS, decimation: 'average', signal } as const;
    const [own, ...others] = view.peek().on;
    const read = (source: string, { start, finish }: ChangesAnswer['after']) =>
      client.columns({
        ...{ ...base, ...whereOf(source), start, finish },
        ...(instance === undefined ? {} : { iname: instance }),
      });
    return Promise.all([read(own!, after), ...(others[0] ? others : [own!]).map((source) => read(source, before))]);
  });
  const lines = (both.value ?? []).map((columns, i): SparkLine =>
    i === 0 ? lineIn(columns, after, LATER, 1) : { ...lineIn(columns, before, 0, LATER - 0.01), colour: 'ink2' },
  );
  return <Spark lines={lines} shadedFrom={LATER} />;
}

/** The samples of a window, each at its time, from one place of a picture to another. */
function lineIn(
  { times, metrics }: ColumnsAnswer,
  { start, finish }: ChangesAnswer['after'],
  from: number,
  to: number,
): SparkLine {
  const values = metrics[0]?.series[0]?.values ?? [];
  return {
    places: times.map((at) => from + ((to - from) * (at - start)) / (finish - start)),
    cells: values.map((value) => (typeof value === 'number' ? value : null)),
  };
}
