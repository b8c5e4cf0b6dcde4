import { useComputed } from '@preact/signals';
import type { JSX } from 'preact';
import type { Feed } from '../data/feed.js';
import type { Cell } from '../data/series-table.js';
import { follow } from '../state/page.js';
import type { Span } from '../state/time-window.js';
import { ranked, summaryOf } from './ranking.js';
import { useCanvas } from './use-canvas.js';

/** What a sparkline shows: values over a time. */
interface SparkData extends Span {
  readonly times: readonly number[];
  readonly cells: readonly Cell[];
}

/** A sparkline of the greatest series of a metric over all samples of its feed. */
export function Spark({ feed, name }: { readonly feed: Feed; readonly name: string }): JSX.Element {
  const data = useComputed((): SparkData | undefined => {
    follow(feed.version);
    const { times, series } = feed.table;
    const all = series.filter(({ metric }) => metric === name);
    const [best] = ranked(all.map((each) => ({ series: each, summary: summaryOf(each, 0, times.length) })));
    if (!best || best.summary.count === 0) return undefined;
    return { times, cells: best.series.cells, start: times[0]!, end: times.at(-1)! };
  });
  const canvas = useCanvas((context, size, { accent }) => {
    if (data.value) drawSpark(context, size, data.value, accent);
  });
  return <canvas ref={canvas} class="spark" aria-hidden="true" />;
}

/** Draw a line from zero, over all of the canvas. */
function drawSpark(
  context: CanvasRenderingContext2D,
  { width, height }: { readonly width: number; readonly height: number },
  { times, cells, start, end }: SparkData,
  colour: string,
): void {
  const { least, greatest } = summaryOf({ cells: [...cells] }, 0, times.length);
  const [low, high] = [Math.min(least, 0), Math.max(greatest, 0)];
  context.strokeStyle = colour;
  context.lineWidth = 1.25;
  context.beginPath();
  let isOpen = false;
  for (const [row, cell] of cells.entries()) {
    if (cell === undefined) continue;
    if (typeof cell !== 'number') {
      isOpen = false;
      continue;
    }
    const x = end > start ? 1 + ((times[row]! - start) / (end - start)) * (width - 2) : width / 2;
    const y = high > low ? height - 2 - ((cell - low) / (high - low)) * (height - 4) : height - 2;
    if (isOpen) context.lineTo(x, y);
    else context.moveTo(x, y);
    isOpen = true;
  }
  context.stroke();
}
