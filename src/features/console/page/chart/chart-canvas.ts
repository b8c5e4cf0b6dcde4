import type { Gap } from '../data/series-table.js';
import type { TimeZone } from '../../../../pmapi/index.js';
import { axisTicks, numberText, type Scale } from './axis-units.js';
import { timeTicks } from './axis-times.js';
import type { ChartColours } from './chart-colours.js';

/** The part of a canvas inside the axes, in CSS pixels, and the time that it covers. */
export interface Plot {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly start: number;
  readonly end: number;
}

/** The width of the numbers on the left: the same in all lanes, so that times are aligned. */
export const AXIS_WIDTH = 64;
export const AXIS_HEIGHT = 34;
const FONT = '12px system-ui, sans-serif';

/** The x position of a moment. */
export function xOf({ left, right, start, end }: Plot, at: number): number {
  return left + ((at - start) / (end - start)) * (right - left);
}

/** The moment at an x position. */
export function momentAt({ left, right, start, end }: Plot, x: number): number {
  return start + ((x - left) / (right - left)) * (end - start);
}

/** Prepare a canvas for the pixels of the screen; undefined when it has no size. */
export function prepare(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D | undefined {
  const context = canvas.getContext('2d');
  if (!context || width <= 0 || height <= 0) return undefined;
  const ratio = devicePixelRatio;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = FONT;
  return context;
}

/** Hatch the times in which nothing was recorded. */
export function drawGaps(
  context: CanvasRenderingContext2D,
  plot: Plot,
  gaps: readonly Gap[],
  colours: ChartColours,
): void {
  context.save();
  context.beginPath();
  context.rect(plot.left, plot.top, plot.right - plot.left, plot.bottom - plot.top);
  context.clip();
  for (const { from, to } of gaps) {
    if (to < plot.start || from > plot.end) continue;
    const left = Math.max(xOf(plot, from), plot.left);
    const right = Math.max(Math.min(xOf(plot, to), plot.right), left + 1);
    context.fillStyle = colours.gap;
    context.fillRect(left, plot.top, right - left, plot.bottom - plot.top);
    context.save();
    context.beginPath();
    context.rect(left, plot.top, right - left, plot.bottom - plot.top);
    context.clip();
    context.strokeStyle = colours.line;
    context.lineWidth = 1;
    context.beginPath();
    const height = plot.bottom - plot.top;
    for (let x = left - height; x < right; x += 8) {
      context.moveTo(x, plot.bottom);
      context.lineTo(x + height, plot.top);
    }
    context.stroke();
    context.restore();
  }
  context.restore();
}

/** Draw the time axis with its grid lines. */
export function drawTimes(context: CanvasRenderingContext2D, plot: Plot, zone: TimeZone, colours: ChartColours): void {
  context.strokeStyle = colours.line;
  context.lineWidth = 1;
  context.fillStyle = colours.ink2;
  context.textAlign = 'center';
  context.textBaseline = 'top';
  for (const { at, label, date } of timeTicks(plot.start, plot.end, plot.right - plot.left, zone)) {
    const x = Math.round(xOf(plot, at)) + 0.5;
    context.beginPath();
    context.moveTo(x, plot.top);
    context.lineTo(x, plot.bottom + 4);
    context.stroke();
    // No text may cross the edges of the canvas.
    const middle = (text: string): number => {
      const half = context.measureText(text).width / 2;
      return Math.max(Math.min(x, plot.right + 10 - half), half);
    };
    context.fillText(label, middle(label), plot.bottom + 6);
    if (date !== undefined) context.fillText(date, middle(date), plot.bottom + 20);
  }
}

/** Draw the value axis. `y` gives the position of a value. */
export function drawValues(
  context: CanvasRenderingContext2D,
  plot: Plot,
  { least, greatest, scale, y }: { least: number; greatest: number; scale: Scale; y: (value: number) => number },
  colours: ChartColours,
): void {
  const room = Math.max(Math.floor((plot.bottom - plot.top) / 34), 2);
  context.strokeStyle = colours.line;
  context.lineWidth = 1;
  context.fillStyle = colours.ink2;
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  const ticks = axisTicks(least, greatest, room, scale);
  for (const tick of ticks) {
    const at = Math.round(y(tick)) + 0.5;
    context.beginPath();
    context.moveTo(plot.left, at);
    context.lineTo(plot.right, at);
    context.stroke();
    const number = numberText(tick / scale.divisor);
    // The unit once: behind the greatest number, or beneath it where there is no room.
    const full = tick === ticks.at(-1) ? `${number} ${scale.unit}`.trimEnd() : number;
    const fits = context.measureText(full).width <= plot.left - 8;
    context.fillText(fits ? full : number, plot.left - 8, at);
    if (!fits) context.fillText(scale.unit, plot.left - 8, at + 13);
  }
}
