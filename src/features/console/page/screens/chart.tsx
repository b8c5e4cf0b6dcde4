import { signal, useComputed, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { beforeText, durationText, instantText, windowText } from '../chart/axis-times.js';
import { cursor, explainAt, selection } from '../chart/pointer.js';
import { SourceLanes } from '../chart/source-lanes.js';
import { catalogueOf } from '../data/catalogue.js';
import { findMetrics, isDrawable } from '../data/find-metrics.js';
import { troubleOf } from '../data/gateway.js';
import { now } from '../data/gateway-clock.js';
import { isLive, shownWindow, shownZone } from '../data/shown-time.js';
import { factsOf, type SourceFacts } from '../data/source-facts.js';
import { VITAL_LANES } from '../data/vital-lanes.js';
import { Button, Link, Select } from '../parts/controls.js';
import { SuggestingInput } from '../parts/suggesting-input.js';
import { change, hasOwnLanes, said, view, type Step } from '../state/page.js';
import { DEFAULT_SPAN_SEC, panned, zoomed, type Span } from '../state/time-window.js';
import { decodeShift, isMetricName, laneOf, type Lane } from '../state/url-state.js';
import { useKeys } from '../state/keys.js';
import { isPlaying, Replay, togglePlay } from './replay.js';
import { Ribbon } from './ribbon.js';

/** The share of the window that each key moves it by. */
const PAN = 0.2;
const SPANS: readonly number[] = [60, 300, 900, 1800, 3600, 21_600, 86_400, 604_800];

/** The workbench: lanes over one time axis, or an overview while the address names no lanes: below its controls, or where it puts them itself. */
export function ChartScreen({
  overview,
}: { readonly overview?: JSX.Element | ((controls: JSX.Element) => JSX.Element) } = {}) {
  const { on, lanes, definitions } = view.value;
  useKeys(press);
  const shown = hasOwnLanes(view.value) ? undefined : overview;
  const isEmpty = lanes.length === 0 && !shown;
  const controls = (
    <>
      <div class="toolbar">
        <LaneAdder source={on[0]!} lanes={lanes} />
        <TimeControls />
        {isEmpty || shown ? null : <ShiftControl />}
        {isEmpty ? null : (
          <div class="instant" style={shownIf(factsOf(on[0]!).value)}>
            <Replay />
            <CursorSlider />
          </div>
        )}
      </div>
      <SelectionLine />
    </>
  );
  if (typeof shown === 'function') return <div class="chart">{shown(controls)}</div>;
  return (
    <div class="chart">
      {controls}
      <Ribbon key={on[0]} source={on[0]!} />
      {isEmpty ? <Beginning /> : null}
      {shown ?? <SourceLanes key={on.join(' ')} sources={on} definitions={definitions} lanes={lanes} />}
    </div>
  );
}

function Beginning() {
  return (
    <div class="empty">
      <p>
        Nothing is drawn yet. Type the name of a metric above, <Link text="find one" to={{ screen: 'find' }} /> by
        words, or begin with:
      </p>
      <p class="actions">
        {VITAL_LANES.map(({ title, lane }) => (
          <Link key={title} text={title} to={{ lanes: [lane] }} class="button" />
        ))}
      </p>
    </div>
  );
}

function LaneAdder({ source, lanes }: { readonly source: string; readonly lanes: readonly Lane[] }) {
  const wanted = useSignal(false);
  const suggest = (text: string): readonly { value: string; note: string }[] => {
    if (!wanted.value || text.trim() === '') return [];
    const { catalogue } = catalogueOf(source).value;
    return findMetrics(catalogue?.metrics ?? [], text)
      .filter(isDrawable)
      .slice(0, 12)
      .map(({ name, 'text-oneline': note = '' }) => ({ value: name, note }));
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

/** What the buttons beside the length of the window do to it. */
const STEPS = [
  ['◀', 'Earlier', 'a', (shown: Span) => panned(shown, -0.5)],
  ['▶', 'Later', 'd', (shown: Span) => panned(shown, 0.5)],
  ['+', 'Zoom in', 'w', (shown: Span) => zoomed(shown, 0.5)],
  ['−', 'Zoom out', 's', (shown: Span) => zoomed(shown, 2)],
] as const;

function TimeControls() {
  const { time, on } = view.value;
  const facts = factsOf(on[0]!).value;
  const { recorded } = facts;
  const live = isLive.value;
  const spanSec = time.kind === 'live' ? time.spanSec : time.kind === 'default' && !recorded ? DEFAULT_SPAN_SEC : 0;
  const spans = spanSec === 0 || SPANS.includes(spanSec) ? SPANS : [spanSec, ...SPANS];
  return (
    <div class="times" role="group" aria-label="Time" style={shownIf(facts)}>
      {STEPS.map(([sign, name, key, next]) => (
        <Button
          key={key}
          text={sign}
          aria-label={name}
          title={`${name} (${key})`}
          onClick={() => fix(next(shownWindow.peek()))}
        />
      ))}
      <Select
        label="Length of the window"
        value={live || time.kind === 'live' ? String(spanSec) : ''}
        options={[
          ...(time.kind === 'fixed' || recorded ? [['', lengthText()] as const] : []),
          ...(recorded ? [['all', 'the whole archive'] as const] : []),
          ...spans.map((each) => [String(each), `last ${durationText(each)}`] as const),
        ]}
        onChoose={(value) => {
          if (value !== '')
            change({ time: value === 'all' ? { kind: 'default' } : { kind: 'live', spanSec: Number(value) } });
        }}
      />
      {on[0]!.startsWith('archive:') ? null : (
        <Button
          text="live"
          aria-pressed={live}
          title="Follow new samples (l)"
          onClick={() => change({ time: { kind: 'default' } })}
        />
      )}
      <TimeField />
      <span class={on[0]!.startsWith('archive:') || time.kind === 'fixed' ? 'quiet range known' : 'quiet range'}>
        {useComputed(() => (isLive.value ? '' : windowText(shownWindow.value, shownZone.value)))}
      </span>
    </div>
  );
}

/** A time in words; what is not understood stays to be mended. */
function TimeField() {
  const isWrong = useSignal(false);
  const take = async (field: HTMLInputElement): Promise<void> => {
    try {
      const { parseTimeChoice } = await import('../state/parse-time-choice.js');
      const time = parseTimeChoice(field.value, shownWindow.peek(), now.peek(), shownZone.peek());
      [field.value, isWrong.value, said.value] = ['', false, ''];
      change({ time });
    } catch (error) {
      isWrong.value = true;
      said.value = `${field.value}: ${troubleOf(error).message}`;
    }
  };
  return (
    <input
      class="time-field"
      type="text"
      size={15}
      aria-label="Go to a time"
      aria-invalid={isWrong}
      title="-3h, yesterday 14:00, 2026-11-21, 14:00/14:30; or a time as PCP's tools take it"
      placeholder="yesterday 14:00"
      spellcheck={false}
      onChange={({ currentTarget }) => void take(currentTarget)}
    />
  );
}

const SHIFTS = [600, 3600, 86_400, 604_800] as const;

function ShiftControl() {
  const { shift, on } = view.value;
  const isTyping = useSignal(false);
  const put = (next: number | undefined): void => {
    isTyping.value = false;
    change({ shift: next });
  };
  return (
    <span class="shift" style={shownIf(factsOf(on[0]!).value)}>
      <Select
        label="Compare with the time before"
        value={isTyping.value ? 'own' : String(shift ?? '')}
        options={[
          ['', 'compare with…'],
          ...[...new Set([...SHIFTS, shift ?? SHIFTS[0]])].map((each) => [String(each), beforeText(each)] as const),
          ['own', 'other…'],
        ]}
        onChoose={(value) => {
          if (value === 'own') isTyping.value = true;
          else put(value === '' ? undefined : Number(value));
        }}
      />
      {isTyping.value ? (
        <input
          type="text"
          size={8}
          aria-label="How long before"
          placeholder="90min, 2d"
          ref={(element) => element?.focus()}
          onChange={({ currentTarget: { value } }) => {
            const typed = decodeShift(value.replaceAll(' ', ''));
            if (typed === undefined) said.value = `${value}: not a length of time, such as 90min, 2d or 1w`;
            else put(typed);
          }}
        />
      ) : null}
    </span>
  );
}

/** What has times is nowhere before these are known; its place is kept while they may come. */
function shownIf({ isKnown, trouble }: SourceFacts) {
  return isKnown ? {} : trouble ? { display: 'none' } : { visibility: 'hidden' };
}

function lengthText(): string {
  const { start, end } = shownWindow.value;
  return durationText(end - start);
}

function fix(span: Span, how?: Step): void {
  change({ time: { kind: 'fixed', ...span } }, how);
}

/** The instant whose values legends show, as a slider: for the keyboard and for screen readers. */
function CursorSlider() {
  const { start, end } = shownWindow.value;
  const at = view.value.cursor;
  const shown = at !== undefined && at >= start && at <= end ? at : end;
  const step = Math.max((end - start) / 300, 0.001);
  return (
    <label>
      <span>values at</span>
      <input
        type="range"
        min={start}
        max={end}
        step={step}
        value={shown}
        aria-valuetext={at === undefined ? 'the last sample' : instantText(shown, shownZone.value)}
        onInput={({ currentTarget }) => change({ cursor: Number(currentTarget.value) }, 'replace')}
      />
      <span>{at === undefined ? 'the last sample' : instantText(shown, shownZone.value)}</span>
      {at === undefined ? null : <Button text="last sample" onClick={() => change({ cursor: undefined }, 'replace')} />}
    </label>
  );
}

/** The range that the next one is compared with. */
const earlier = signal<Span | undefined>(undefined);

function SelectionLine() {
  const chosen = selection.value;
  const kept = earlier.value;
  const zone = shownZone.value;
  if (!chosen && kept) {
    return (
      <p class="selection" role="status">
        Select the time to compare with {windowText(kept, zone)}.{' '}
        <Button text="Clear" onClick={() => (earlier.value = undefined)} />
      </p>
    );
  }
  if (!chosen) return null;
  return (
    <p class="selection" role="status">
      selected {windowText(chosen, zone)} ({durationText(chosen.end - chosen.start)}){' '}
      <Button text="Zoom" onClick={zoomIn} /> <Button text="What changed" onClick={() => whatChanged(chosen)} />{' '}
      <Button
        text="Compare with another"
        title="Then select the time that is to be compared with it"
        onClick={() => {
          earlier.value = chosen;
          selection.value = undefined;
        }}
      />{' '}
      <Button text="Clear" onClick={() => (selection.value = undefined)} />
    </p>
  );
}

/** Compare the range with the one that was kept, or with the time before it. */
function whatChanged(after: Span): void {
  const before = earlier.peek();
  selection.value = undefined;
  earlier.value = undefined;
  change({ screen: 'changes', words: '', after, before });
}

function zoomIn(): void {
  const chosen = selection.peek();
  if (!chosen) return;
  selection.value = undefined;
  fix(chosen);
}

/** The cursor moves by this share of the window. */
const STEP = 1 / 100;
/** Where a selection by keyboard began. */
let anchor: number | undefined;

/** Move the pinned instant, and select the time between it and where it began to move. */
function selectTo(step: number): void {
  const { start, end } = shownWindow.peek();
  const { cursor: at = end } = view.peek();
  const chosen = selection.peek();
  if (anchor === undefined || !chosen || (anchor !== chosen.start && anchor !== chosen.end)) anchor = at;
  const to = Math.min(Math.max(at + step * (end - start), start), end);
  selection.value = to === anchor ? undefined : { start: Math.min(anchor, to), end: Math.max(anchor, to) };
  // A window that follows the clock would leave the selection behind.
  change({ time: { kind: 'fixed', start, end }, cursor: to }, 'replace');
}

function zoom(factor: number): void {
  fix(zoomed(shownWindow.peek(), factor, cursor.peek()), 'move');
}

const KEYS: Readonly<Partial<Record<string, (target: Element) => void>>> = {
  a: () => fix(panned(shownWindow.peek(), -PAN), 'move'),
  d: () => fix(panned(shownWindow.peek(), PAN), 'move'),
  w: () => zoom(0.5),
  '+': () => zoom(0.5),
  s: () => zoom(2),
  '-': () => zoom(2),
  l: () => change({ cursor: undefined, time: { kind: 'default' } }),
  c: () => whatChanged(selection.peek() ?? shownWindow.peek()),
  '?': explainAt,
  ' ': togglePlay,
  Enter: zoomIn,
  Escape: () => {
    selection.value = undefined;
    earlier.value = undefined;
    isPlaying.value = false;
  },
};

function press(event: KeyboardEvent, target: Element): boolean {
  const select = event.shiftKey ? { ArrowLeft: -STEP, ArrowRight: STEP }[event.key] : undefined;
  const run = KEYS[event.key];
  if (select !== undefined) selectTo(select);
  else if (!run || (event.key === 'Enter' && !selection.peek())) return false;
  else run(target);
  return true;
}
