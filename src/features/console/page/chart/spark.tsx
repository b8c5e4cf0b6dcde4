import { useComputed } from '@preact/signals';
import type { Feed } from '../data/feed.js';
import type { Cell } from '../data/series-table.js';
import { useGiven } from '../parts/use-own.js';
import { ranked, summaryOf } from './ranking.js';
import { useCanvas } from './use-canvas.js';

/** A line of a small picture: values at places from 0 (left) to 1. */
export interface SparkLine {
  readonly places: readonly number[];
  readonly cells: readonly Cell[];
  readonly colour?: 'accent' | 'ink2' | 'warm';
}

/** Values over their times as the line of a picture. */
export function lineOver(times: readonly number[], cells: readonly Cell[], colour?: SparkLine['colour']): SparkLine {
  const [start = 0, end = start] = [times[0], times.at(-1)];
  const places = times.map((at) => (end > start ? (at - start) / (end - start) : 0.5));
  return { places, cells, ...(colour === undefined ? {} : { colour }) };
}

/** A sparkline of the greatest series of a metric over all samples of its feed. */
export function FeedSpark({ feed, name }: { readonly feed: Feed; readonly name: string }) {
  const lines = useComputed(() => {
    const { times, series } = feed.latest;
    const all = series.filter(({ metric }) => metric === name);
    const [best] = ranked(all.map((each) => ({ series: each, summary: summaryOf(each, times) })));
    return !best || best.summary.count === 0 ? [] : [lineOver(times, best.series.cells)];
  });
  return <Spark lines={lines.value} />;
}

/** Lines over one scale, which contains zero, as large as the element. @param shadedFrom the place where another time begins */
export function Spark({ lines, shadedFrom }: { lines: readonly SparkLine[]; shadedFrom?: number }) {
  const given = useGiven({ lines });
  const { canvas } = useCanvas(() => {
    const shown = given.value.lines;
    const numbers = shown.flatMap(({ cells }) => cells.filter((cell) => typeof cell === 'number'));
    const low = numbers.reduce((a, b) => Math.min(a, b), 0);
    const high = numbers.reduce((a, b) => Math.max(a, b), 0);
    return (context, { width, height }, colours) => {
      if (numbers.length === 0) return;
      if (shadedFrom !== undefined) {
        context.fillStyle = colours.gap;
        context.fillRect(shadedFrom * width, 0, width, height);
      }
      context.lineWidth = 1.25;
      for (const { places, cells, colour = 'accent' } of shown) {
        context.strokeStyle = colours[colour];
        context.beginPath();
        let isOpen = false;
        for (const [row, cell] of cells.entries()) {
          if (cell === undefined) continue;
          const x = 1 + places[row]! * (width - 2);
          if (typeof cell === 'number') {
            const y = height - 2 - (high > low ? ((cell - low) / (high - low)) * (height - 4) : 0);
            if (isOpen) context.lineTo(x, y);
            else context.moveTo(x, y);
          }
          isOpen = typeof cell === 'number';
        }
        context.stroke();
      }
    };
  });
  return <canvas ref={canvas} class={shadedFrom === undefined ? 'spark' : 'spark picture'} aria-hidden="true" />;
}
