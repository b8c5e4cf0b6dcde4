import { signal, useComputed, useSignalEffect, type ReadonlySignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Swatch } from '../parts/controls.js';
import { change, show, view } from '../state/page.js';
import { zoomed, type Span } from '../state/time-window.js';
import type { Samples } from '../data/joined-feed.js';
import { movedBy, shownZone, viewOn } from '../data/shown-time.js';
import { clockText, instantText } from './axis-times.js';
import { momentAt, xOf } from './chart-canvas.js';
import { heightOf, plotOf } from './draw-lane.js';
import { valuesAt, type LaneModel } from './lane-model.js';

/** The instant under the pointer or the keyboard's cursor, the same for all lanes; undefined: the last sample. */
export const cursor = signal<number | undefined>(undefined);
/** The selected time range. */
export const selection = signal<Span | undefined>(undefined);
/** Smaller movements of the pointer are clicks. */
const CLICK_PX = 4;
/** So many values fit beside the pointer, and how far from it they stand. */
const [MOST, DISTANCE_PX] = [5, 10];
/** In windows shorter than this, instants are written with tenths of seconds. */
const FINE_SEC = 60;

/** What the parts of a lane show. */
export interface LaneParts {
  readonly feed: Samples;
  readonly model: ReadonlySignal<LaneModel>;
  readonly places: ReadonlySignal<readonly number[]>;
  readonly window: ReadonlySignal<Span>;
  /** So many seconds later than what is pointed at are the samples. */
  readonly late?: number | undefined;
}

/** The overlay that shows the cursor and handles the pointer. */
export function Pointer({ width, ...props }: LaneParts & { width: ReadonlySignal<number> }) {
  const { model, window, late = 0 } = props;
  const line = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const drag = useRef<{ x: number; window: Span; pans: boolean } | undefined>(undefined);
  const plot = () => plotOf(width.peek(), heightOf(model.peek()), window.peek());

  const time = useRef<HTMLSpanElement>(null);
  useSignalEffect(() => {
    const at = cursor.value ?? view.value.cursor;
    const area = plotOf(width.value, heightOf(model.value), window.value);
    const [element, label] = [line.current, time.current];
    if (element && label) {
      const isInside = at !== undefined && at >= area.start && at <= area.end;
      element.hidden = label.hidden = !isInside;
      if (isInside) {
        element.style.left = `${xOf(area, at)}px`;
        label.textContent = instantText(at + late, shownZone.value, area.end - area.start < FINE_SEC ? 0.1 : 1);
        // No text may cross the edges of the canvas.
        const half = label.offsetWidth / 2;
        label.style.left = `${Math.min(Math.max(xOf(area, at), half), Math.max(width.value - half, half))}px`;
      }
    }
    const marked = box.current;
    const chosen = selection.value;
    if (!marked) return;
    marked.hidden = !chosen;
    if (!chosen) return;
    const [left, right] = [xOf(area, chosen.start), xOf(area, chosen.end)].map((x) =>
      Math.min(Math.max(x, area.left), area.right),
    );
    marked.style.left = `${left}px`;
    marked.style.width = `${Math.max(right! - left!, 1)}px`;
  });

  const at = (event: { clientX: number; currentTarget: HTMLElement }): { x: number; moment: number } => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    const area = plot();
    return { x, moment: Math.min(Math.max(momentAt(area, x), area.start), area.end) };
  };
  return (
    <div
      class="pointer"
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        drag.current = { x: at(event).x, window: window.peek(), pans: event.shiftKey };
      }}
      onPointerMove={(event) => {
        const { x, moment } = at(event);
        cursor.value = moment;
        const begun = drag.current;
        if (!begun || Math.abs(x - begun.x) < CLICK_PX) return;
        const area = { ...plot(), ...begun.window };
        const first = momentAt(area, begun.x);
        if (begun.pans) {
          const moved = movedBy(begun.window, first - momentAt(area, x));
          change({ time: { kind: 'fixed', ...moved } }, 'replace');
        } else selection.value = { start: Math.min(first, moment), end: Math.max(first, moment) };
      }}
      onPointerUp={(event) => {
        const { x, moment } = at(event);
        const begun = drag.current;
        drag.current = undefined;
        if (!begun || Math.abs(x - begun.x) >= CLICK_PX) return;
        selection.value = undefined;
        change({ cursor: view.peek().cursor === undefined ? moment : undefined }, 'replace');
      }}
      onDblClick={(event) => explainAt(event.currentTarget, at(event).moment)}
      onPointerCancel={() => (drag.current = undefined)}
      onPointerLeave={() => {
        if (!drag.current) cursor.value = undefined;
      }}
      onWheel={(event) => {
        if (!event.ctrlKey && !event.altKey && !event.shiftKey) return;
        event.preventDefault();
        const next = zoomed(window.peek(), event.deltaY > 0 ? 1.25 : 0.8, at(event).moment);
        change({ time: { kind: 'fixed', ...next } }, 'replace');
      }}
    >
      <div class="selected" ref={box} hidden />
      <div class="cursor" ref={line} hidden />
      <PointerValues {...props} width={width} />
      <span class="cursor-time" ref={time} aria-hidden="true" hidden />
    </div>
  );
}

/**
 * Explain the values at an instant: of the lane that an element is in, or of the first one. Without an instant, those at the pointer, at
 * the pinned instant, or the last ones.
 */
export function explainAt(element: Element, moment = cursor.peek() ?? view.peek().cursor): void {
  const lane = element.closest('section.lane') ?? document.querySelector('section.lane:not([hidden])');
  const words = lane?.getAttribute('data-metric') ?? '';
  const { source = view.peek().on[0]! } = lane?.closest<HTMLElement>('[data-source]')?.dataset ?? {};
  if (words !== '') show({ ...viewOn(source, moment), screen: 'explain', words });
}

/** The time and the greatest values at the instant that is pointed at, beside it, in each lane; legends have all of them. */
function PointerValues(props: LaneParts & { width: ReadonlySignal<number> }) {
  const { feed, model, places, width, window, late = 0 } = props;
  return useComputed(() => {
    const at = cursor.value;
    const area = plotOf(width.value, heightOf(model.value), window.value);
    if (at === undefined || at < area.start || at > area.end) return null;
    const values = valuesAt(model.value, feed.table, at + late, places.value);
    const x = xOf(area, at);
    const isLeft = x > width.value / 2;
    return (
      <div
        class="pointer-values"
        aria-hidden="true"
        style={isLeft ? { right: `${width.value - x + DISTANCE_PX}px` } : { left: `${x + DISTANCE_PX}px` }}
      >
        <strong>{clockText(at + late, shownZone.value, area.end - area.start < FINE_SEC ? 0.1 : 1)}</strong>
        {values.length === 0 ? <span class="quiet">nothing was sampled here</span> : null}
        {values.slice(0, MOST).map(({ label, text, place }) => (
          <span key={label}>
            <Swatch place={place} />
            <span class="pointed">{label}</span> <span class="figure">{text}</span>
          </span>
        ))}
        {values.length > MOST ? <span class="quiet">and {values.length - MOST} more</span> : null}
      </div>
    );
  }).value;
}
