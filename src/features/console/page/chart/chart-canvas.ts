import type { Gap } from '../data/series-table.js';
import type { TimeZone } from '../../../../pmapi/index.js';
import type { Span } from '../state/time-window.js';
import { axisTicks, numberText, type Scale } from './axis-units.js';
import { timeTicks } from './axis-times.js';
import type { ChartColours } from './use-canvas.js';

/** The part of a canvas inside the axes, in CSS pixels, and the time that it covers. */
export interface Plot extends Span {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The width of the numbers on the left: the same in all lanes, so that times are aligned. */
export const AXIS_WIDTH = 64;
export const AXIS_HEIGHT = 34;

/** The x position of a moment. */
export function xOf({ left, right, start, end }: Plot, at: number): number {
  return left + ((at - start) / (end - start)) * (right - left);
}

/** The moment at an x position. */
export function momentAt({ left, right, start, end }: Plot, x: number): number {
  return start + ((x - left) / (right - left)) * (end - start);
}

/** What canvases are drawn with. */
export interface Brush {
  readonly context: CanvasRenderingContext2D;
  readonly plot: Plot;
  readonly colours: ChartColours;
}

/** Draw inside a rectangle only. */
export function clipped(
  context: CanvasRenderingContext2D,
  [x, y, width, height]: readonly [x: number, y: number, width: number, height: number],
  draw: () => void,
): void {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  draw();
  context.restore();
}

/** Hatch the times in which nothing was recorded. */
export function drawGaps({ context, plot, colours }: Brush, gaps: readonly Gap[]): void {
  const height = plot.bottom - plot.top;
  clipped(context, [plot.left, plot.top, plot.right - plot.left, height], () => {
    for (const { from, to } of gaps) {
      if (to < plot.start || from > plot.end) continue;
      const left = Math.max(xOf(plot, from), plot.left);
      const right = Math.max(Math.min(xOf(plot, to), plot.right), left + 1);
      context.fillStyle = colours.gap;
      context.fillRect(left, plot.top, right - left, height);
      clipped(context, [left, plot.top, right - left, height], () => {
        context.strokeStyle = colours.line;
        context.lineWidth = 1;
        context.beginPath();
        for (let x = left - height; x < right; x += 8) {
          context.moveTo(x, plot.bottom);
          context.lineTo(x + height, plot.top);
        }
        context.stroke();
      });
    }
  });
}

/** Straight lines and small texts of axes. */
function axisPen({ context, colours }: Brush, textAlign: CanvasTextAlign, textBaseline: CanvasTextBaseline) {
  const { line: strokeStyle, ink2: fillStyle } = colours;
  Object.assign(context, { strokeStyle, fillStyle, textAlign, textBaseline, lineWidth: 1 });
  return (fromX: number, fromY: number, toX: number, toY: number): void => {
    context.beginPath();
    context.moveTo(fromX, fromY);
    context.lineTo(toX, toY);
    context.stroke();
  };
}

/** Draw the time axis with its grid lines. */
export function drawTimes(brush: Brush, zone: TimeZone): void {
  const { context, plot } = brush;
  const line = axisPen(brush, 'center', 'top');
  for (const { at, label, date } of timeTicks(plot.start, plot.end, plot.right - plot.left, zone)) {
    const x = Math.round(xOf(plot, at)) + 0.5;
    line(x, plot.top, x, plot.bottom + 4);
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
  brush: Brush,
  { least, greatest, scale, y }: { least: number; greatest: number; scale: Scale; y: (value: number) => number },
): void {
  const { context, plot } = brush;
  const line = axisPen(brush, 'right', 'middle');
  // A tall chart has more, but not in proportion.
  const count = Math.max(Math.round(Math.sqrt(plot.bottom - plot.top) / 3.4), 2);
  /** Down to where the unit takes the room. */
  let taken = -Infinity;
  for (const [i, tick] of axisTicks(least, greatest, count, scale).toReversed().entries()) {
    const at = Math.round(y(tick)) + 0.5;
    line(plot.left, at, plot.right, at);
    if (at < taken + 17) continue;
    const number = numberText(tick / scale.divisor);
    // The unit once: behind the greatest number, or beneath it where there is no room.
    const full = i === 0 ? `${number} ${scale.unit}`.trimEnd() : number;
    const isBeneath = full !== number && context.measureText(full).width > plot.left - 8;
    context.fillText(isBeneath ? number : full, plot.left - 8, at);
    if (isBeneath) context.fillText(scale.unit, plot.left - 8, (taken = at + 13));
  }
}
