import { signal, useComputed, type ReadonlySignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { durationText, instantText } from '../chart/axis-times.js';
import { drawGaps, drawTimes, momentAt, xOf, type Plot } from '../chart/chart-canvas.js';
import { useCanvas } from '../chart/use-canvas.js';
import { now } from '../data/gateway-clock.js';
import { client, whereOf } from '../data/gateway.js';
import { RESOURCE_METRICS, RESOURCES, type Resource } from '../data/resources.js';
import { SeriesTable, type Gap } from '../data/series-table.js';
import { between, gapsOf, nextOdd, oddStretches, partsOf, ribbonSpan, type KnownTime } from '../data/ribbon-parts.js';
import { lateOf, shownZone, windowOn } from '../data/shown-time.js';
import { factsOf } from '../data/source-facts.js';
import { Button } from '../parts/controls.js';
import { useAnswer } from '../parts/use-answer.js';
import { change, view } from '../state/page.js';
import { panned, type Span } from '../state/time-window.js';

/** Which resource the ribbon shows; undefined: the first that was sampled. */
const chosen = signal<string | undefined>(undefined);
/** It is asked again when so much time has passed, or a part of it. */
const AGAIN_SEC = 15;
const [TOP, BAR_PX, ORIGIN_PX] = [2, 26, 4] as const;
const EDGE_PX = 10;
/** A window that is wider cannot be moved: dragging draws another, of at least this share. */
const [NEARLY_ALL, LEAST_SHARE] = [0.9, 0.01];
/** What keys move the window by, in lengths of it. */
const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -0.5, ArrowRight: 0.5, PageUp: -4, PageDown: 4 };

/** The name of a part, different for each of several sources. */
export function labelOf(part: string, source: string): string {
  return view.value.on.length > 1 ? `${part}: ${source}` : part;
}

/** All that is known of a source's time, with one resource as its height: what is pointed at becomes the window. */
export function Ribbon({ source }: { readonly source: string }) {
  const shownWindow = useComputed(() => windowOn(source));
  const { known, span, trouble } = useKnown(source, shownWindow);
  const plotRef = useRef<HTMLDivElement>(null);
  /** Moves the window, or draws a new one where that is all of the ribbon. */
  const drag = useRef<((at: number) => void) | undefined>(undefined);
  const { canvas } = useCanvas(() => {
    const [time, shown, zone] = [known.value, span.value, shownZone.value];
    return (context, { width }, colours) => {
      const plot = plotOf(shown, width);
      if (time) drawGaps({ context, plot, colours }, gapsOf(time, shown));
      drawTimes({ context, plot, colours }, zone);
      const bottom = plot.bottom - ORIGIN_PX;
      for (const { start, end, value, isOdd } of time?.parts ?? []) {
        // Whole pixels: no seams.
        const left = Math.round(Math.max(xOf(plot, start), plot.left));
        const right = Math.round(Math.min(xOf(plot, end), plot.right));
        const height = Math.max((value / (time!.most || 1)) * (bottom - plot.top), 1);
        context.fillStyle = isOdd ? colours.warm : colours.accent;
        context.globalAlpha = isOdd ? 1 : 0.65;
        if (right > left) context.fillRect(left, bottom - height, right - left, height);
      }
      context.globalAlpha = 1;
      context.fillStyle = colours.ink2;
      for (const { start, end, isRemembered } of time?.segments ?? []) {
        const [left, right] = [Math.max(xOf(plot, start), plot.left), Math.min(xOf(plot, end), plot.right)];
        // What is only remembered is a thinner line.
        if (right > left)
          context.fillRect(left, plot.bottom - (isRemembered ? 1 : 3), right - left, isRemembered ? 1 : 3);
      }
    };
  });
  const area = (): Plot => plotOf(span.peek(), plotRef.current?.clientWidth ?? 0);
  const momentOf = (event: PointerEvent): number =>
    momentAt(area(), event.clientX - (plotRef.current?.getBoundingClientRect().left ?? 0));
  const centre = (at: number, how: 'push' | 'replace'): void => {
    const half = (shownWindow.peek().end - shownWindow.peek().start) / 2;
    goTo({ start: at - half, end: at + half }, source, how);
  };
  const shownPart = useComputed(() => {
    const { start, end } = shownWindow.value;
    const { start: first, end: last } = span.value;
    const share = (at: number): number => Math.min(Math.max((at - first) / (last - first), 0), 1);
    return { left: share(start), width: share(end) - share(start) };
  });
  const { left, width } = shownPart.value;
  // Its place is kept.
  const { isKnown, trouble: none } = factsOf(source).value;
  const odd = useComputed(() => oddStretches(known.value?.parts ?? [])).value;
  const { start, end } = shownWindow.value;
  return (
    <section
      class="time-ribbon"
      aria-label={labelOf('Known time', source)}
      hidden={none !== undefined}
      style={{ visibility: isKnown ? 'visible' : 'hidden' }}
    >
      <p class="quiet">
        <select
          aria-label="What the ribbon shows"
          value={chosen.value ?? known.value?.title ?? RESOURCES[0]!.title}
          onChange={({ currentTarget: { value } }) => (chosen.value = value)}
        >
          {RESOURCES.map(({ title }) => (
            <option key={title}>{title}</option>
          ))}
        </select>{' '}
        {trouble ? (
          'What is recorded could not be read.'
        ) : (
          <span class="key" aria-hidden="true">
            <span class="recorded" /> recorded <span class="remembered" /> remembered only <span class="nothing" />{' '}
            nothing
          </span>
        )}
        {odd.length === 0 ? null : (
          <Button
            class="key"
            title="Far above the median of this time: go to the next"
            data-proof="stretches far above the median of this time"
            onClick={() => {
              const next = nextOdd(odd, shownWindow.peek());
              if (next) goTo(next, source, 'push');
            }}
          >
            <span class="unusual" /> {odd.length} unusual ›
          </Button>
        )}
      </p>
      <div
        class="ribbon-plot"
        ref={plotRef}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          const at = momentOf(event);
          const isIn = at >= start && at <= end;
          if (width > NEARLY_ALL) {
            drag.current = (to) => {
              const drawn = { start: Math.min(at, to), end: Math.max(at, to) };
              if (drawn.end - drawn.start > LEAST_SHARE * (end - start)) goTo(drawn, source, 'replace');
            };
            return;
          }
          const grip = isIn ? (start + end) / 2 - at : 0;
          if (!isIn) centre(at, 'push');
          drag.current = (to) => centre(to + grip, 'replace');
        }}
        onPointerMove={(event) => drag.current?.(momentOf(event))}
        onPointerUp={() => (drag.current = undefined)}
        onPointerCancel={() => (drag.current = undefined)}
      >
        <canvas ref={canvas} aria-hidden="true" />
        <div
          class="ribbon-window"
          hidden={!known.value && !trouble}
          role="slider"
          tabIndex={0}
          aria-label="The time that is shown"
          aria-valuemin={Math.round(span.value.start)}
          aria-valuemax={Math.round(span.value.end)}
          aria-valuenow={Math.round(end)}
          aria-valuetext={`${instantText(start, shownZone.value)}, ${durationText(end - start)}`}
          title="Drag it, or press arrow keys"
          style={{
            left: `calc(${EDGE_PX}px + (100% - ${2 * EDGE_PX}px) * ${left})`,
            width: `calc((100% - ${2 * EDGE_PX}px) * ${width})`,
          }}
          onKeyDown={(event) => {
            const step = STEPS[event.key];
            const length = end - start;
            const { start: first, end: last } = span.peek();
            if (step !== undefined) goTo(panned(shownWindow.peek(), step), source, 'replace');
            else if (event.key === 'Home') goTo({ start: first, end: first + length }, source, 'replace');
            else if (event.key === 'End') goTo({ start: last - length, end: last }, source, 'replace');
            else return;
            event.preventDefault();
            event.stopPropagation();
          }}
        />
      </div>
    </section>
  );
}

function plotOf({ start, end }: Span, width: number): Plot {
  const right = Math.max(width - EDGE_PX, EDGE_PX + 1);
  return { left: EDGE_PX, right, top: TOP, bottom: TOP + BAR_PX + ORIGIN_PX, start, end };
}

/** Show a window of a source; one that reaches the present of a host follows it. */
function goTo({ start, end }: Span, source: string, how: 'push' | 'replace'): void {
  const { recorded } = factsOf(source).peek();
  const last = recorded?.end ?? now.peek();
  const length = end - start;
  const to = Math.min(end, last) - lateOf(source);
  const isLast = end >= last && recorded === undefined;
  if (isLast) change({ time: { kind: 'live', spanSec: Math.max(Math.round(length), 1) } }, how);
  else change({ time: { kind: 'fixed', start: to - length, end: to } }, how);
}

/** So many parts: more would be narrower than what can be pointed at. */
const PARTS = 288;
/** So much of nothing is shown before what is known. */
const MARGIN = 0.05;

/**
 * What is known of a source in a time, which is cut where that begins, with the first of some resources that was sampled; rejects as the
 * client does.
 */
async function knownTime(
  source: string,
  resources: readonly Resource[],
  { start: earliest, end }: Span,
  signal: AbortSignal,
): Promise<KnownTime> {
  const timeline = source.startsWith('archive:')
    ? undefined
    : await client.timeline({ names: RESOURCE_METRICS, hostspec: source, start: earliest, finish: end, signal });
  const first = Math.min(...(timeline?.segments ?? []).map(({ from }) => from));
  const begin = first - (end - first) * MARGIN;
  const span = { start: timeline ? Math.max(earliest, Math.min(begin, end - (end - earliest) / 8)) : earliest, end };
  const window = { start: span.start, finish: end };
  let found: Pick<KnownTime, 'title' | 'parts' | 'most'> = { title: undefined, parts: [], most: 0 };
  let gaps: readonly Gap[] = [];
  for (const { title, metrics, needs = [], read } of resources) {
    const names = [...metrics, ...needs];
    const columns = await client.columns({ names, rate: true, ...whereOf(source), ...window, points: PARTS, signal });
    const table = new SeriesTable();
    table.fill(columns);
    const reading = read(table);
    if (!reading) continue;
    found = { title, ...partsOf(table.times, reading.value, reading.whole) };
    gaps = table.gaps();
    break;
  }
  const segments = timeline?.segments.map(({ from, to, origin }) => {
    return { start: from, end: to, isRemembered: origin === 'memory' };
  });
  return { ...span, ...found, segments: segments ?? between(gaps, span) };
}

/** What is known of the time around the window, asked again as time goes on. */
function useKnown(source: string, shownWindow: ReadonlySignal<Span>) {
  const kept = useRef<Span>(undefined);
  const asked = useRef<Span & { readonly key: string }>(undefined);
  const wide = useComputed(() => {
    const { recorded } = factsOf(source).value;
    return (kept.current = ribbonSpan(shownWindow.value, now.value, recorded, kept.current));
  });
  const question = useComputed(() => {
    const { start, end } = wide.value;
    // As the present goes on, the length differs by what a number cannot hold.
    const key = `${String(chosen.value)} ${Math.round(end - start)}`;
    const late = Math.max(AGAIN_SEC, (end - start) / 200);
    const before = asked.current;
    const isSame = before?.key === key && end - before.end < late && Math.abs(start - before.start) < late;
    if (!isSame && factsOf(source).value.isKnown) asked.current = { key, start, end };
    return asked.current;
  }).value;
  const { answer, trouble } = useAnswer(question && JSON.stringify(question), (signal) => {
    const wanted = RESOURCES.filter(({ title }) => chosen.value === undefined || title === chosen.value);
    return knownTime(source, wanted, question!, signal);
  });
  const known = useComputed(() => (trouble.value ? undefined : answer.value));
  const span = useComputed(() => {
    const { start, end } = wide.value;
    const first = Math.min(known.value?.start ?? start, shownWindow.value.start);
    return { start: Math.max(first, start), end };
  });
  return { known, span, trouble: trouble.value };
}
