import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { follow } from '../state/page.js';
import { COLOURS } from './palette.js';

/** The colours that a canvas draws with. */
export type ChartColours = ReturnType<typeof readColours>;

/** Draws on a canvas of this size in CSS pixels. */
export type Draw = (
  context: CanvasRenderingContext2D,
  size: { readonly width: number; readonly height: number },
  colours: ChartColours,
) => void;

const FONT = '12px system-ui, sans-serif';

/**
 * A canvas that is drawn in the next frame after its size, the colours, or the signals that `drawing` reads have changed.
 * @param drawing what to draw; undefined: nothing now
 */
export function useCanvas(drawing: () => Draw | undefined) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useSignal(0);
  const changes = useSignal(0);
  useEffect(() => {
    const redraw = (): void => {
      width.value = canvas.current?.clientWidth ?? 0;
      changes.value++;
    };
    const observer = new ResizeObserver(redraw);
    observer.observe(canvas.current!);
    const stop = onColours(redraw);
    return () => {
      observer.disconnect();
      stop();
    };
  }, []);
  useSignalEffect(() => {
    follow(changes);
    const draw = drawing();
    const frame = draw && requestAnimationFrame(() => canvas.current && redrawn(canvas.current, draw));
    return () => {
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  });
  return { canvas, width };
}

function redrawn(canvas: HTMLCanvasElement, draw: Draw): void {
  const { clientWidth: width, clientHeight: height } = canvas;
  const context = canvas.getContext('2d');
  if (!context || width === 0 || height === 0) return;
  const ratio = devicePixelRatio;
  const [columns, rows] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== columns || canvas.height !== rows) [canvas.width, canvas.height] = [columns, rows];
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = FONT;
  draw(context, { width, height }, readColours());
}

/** The colours of the style sheet: colour schemes and forced colours change them. */
function readColours() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  return {
    ...{ ink: colour('--ink'), ink2: colour('--ink2'), line: colour('--line'), paper: colour('--paper') },
    ...{ gap: colour('--gap'), accent: colour('--accent'), warm: colour('--warm') },
    series: Array.from({ length: COLOURS }, (_, i) => colour(`--s${i}`)),
  };
}

/** Call a function when they change. Returns a function that stops it. */
function onColours(listener: () => void): () => void {
  const queries = ['(prefers-color-scheme: dark)', '(forced-colors: active)', '(prefers-contrast: more)'];
  const lists = queries.map((query) => matchMedia(query));
  for (const list of lists) list.addEventListener('change', listener);
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => {
    for (const list of lists) list.removeEventListener('change', listener);
    observer.disconnect();
  };
}
