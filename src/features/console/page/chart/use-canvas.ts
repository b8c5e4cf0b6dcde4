import { useSignal, useSignalEffect } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { follow } from '../state/page.js';
import { prepare } from './chart-canvas.js';
import { onColours, readColours, type ChartColours } from './chart-colours.js';

/** Draws on a canvas of this size in CSS pixels. */
export type Draw = (
  context: CanvasRenderingContext2D,
  size: { readonly width: number; readonly height: number },
  colours: ChartColours,
) => void;

/** A canvas that is drawn again when its size, the colours, or the signals that `draw` reads change. */
export function useCanvas(draw: Draw): RefObject<HTMLCanvasElement | null> {
  const canvas = useRef<HTMLCanvasElement>(null);
  const changes = useSignal(0);
  useEffect(() => {
    const redraw = (): void => {
      changes.value++;
    };
    const observer = new ResizeObserver(redraw);
    observer.observe(canvas.current!);
    const stop = onColours(redraw);
    return () => {
      observer.disconnect();
      stop();
    };
  }, [changes]);
  useSignalEffect(() => {
    follow(changes);
    const element = canvas.current;
    if (!element) return;
    const [width, height] = [element.clientWidth, element.clientHeight];
    const context = prepare(element, width, height);
    if (context) draw(context, { width, height }, readColours());
  });
  return canvas;
}
