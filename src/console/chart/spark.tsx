import { useSignalEffect } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { Feed } from '../data/feed.js';
import { follow } from '../state/page.js';
import { prepare } from './chart-canvas.js';
import { readColours } from './chart-colours.js';
import { ranked, summaryOf } from './ranking.js';

/** A sparkline of the greatest series of a metric over all samples of its feed. */
export function Spark({ feed, name }: { readonly feed: Feed; readonly name: string }): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  useSignalEffect(() => {
    follow(feed.version);
    const element = canvas.current;
    if (element) drawSpark(element, feed, name);
  });
  return <canvas ref={canvas} class="spark" aria-hidden="true" />;
}

const SPARK = { width: 90, height: 24 };

function drawSpark(canvas: HTMLCanvasElement, { table }: Feed, name: string): void {
  const context = prepare(canvas, SPARK.width, SPARK.height);
  if (!context) return;
  const { times } = table;
  const all = table.series.filter(({ metric }) => metric === name);
  const [best] = ranked(all.map((series) => ({ series, summary: summaryOf(series, 0, times.length) })));
  if (!best || best.summary.count === 0) return;
  const [start, end] = [times[0]!, times.at(-1)!];
  const { least, greatest } = best.summary;
  const [low, high] = [Math.min(least, 0), Math.max(greatest, 0)];
  context.strokeStyle = readColours().accent;
  context.lineWidth = 1.25;
  context.beginPath();
  let isOpen = false;
  for (const [row, cell] of best.series.cells.entries()) {
    if (cell === undefined) continue;
    if (typeof cell !== 'number') {
      isOpen = false;
      continue;
    }
    const x = end > start ? 1 + ((times[row]! - start) / (end - start)) * (SPARK.width - 2) : SPARK.width / 2;
    const y = high > low ? SPARK.height - 2 - ((cell - low) / (high - low)) * (SPARK.height - 4) : SPARK.height - 2;
    if (isOpen) context.lineTo(x, y);
    else context.moveTo(x, y);
    isOpen = true;
  }
  context.stroke();
}
