import type { Cell, Gap, SeriesTable } from '../data/series-table.js';
import type { TimeZone } from '../../../../pmapi/index.js';
import { clockText } from './axis-times.js';
import { AXIS_HEIGHT, AXIS_WIDTH, clipped, drawGaps, drawTimes, drawValues, xOf } from './chart-canvas.js';
import type { Brush, Plot } from './chart-canvas.js';
import type { LaneModel, LaneSeries } from './lane-model.js';
import { DASHES } from './palette.js';
import { stateRuns } from './ranking.js';
import type { Span } from '../state/time-window.js';

/** The height of rows of shades and of texts. */
const ROW_HEIGHT = 22;
/** So many characters of the name of such a row are shown. */
const NAME_LENGTH = 40;
const LINE_HEIGHT = 130;
const ALONE_HEIGHT = 380;
/** From so many points on, lines are hairlines: distinguishable where many are close, and drawn in a tenth of the time. */
const DENSE_POINTS = 10_000;
/** The line hides bands that are no wider. */
const THIN_PX = 0.5;
/** The number of shades of one hue; zero is the faintest. */
const SHADES = 12;

/** What is drawn, and how. */
export interface Drawing extends Brush {
  readonly table: SeriesTable;
  readonly model: LaneModel;
  readonly gaps: readonly Gap[];
  readonly zone: TimeZone;
  readonly places: readonly number[];
  /** Whether rows of shades and of texts have their names in the chart: the legend is not beside it. */
  readonly hasNames: boolean;
}

/** The height of a lane's canvas in CSS pixels. */
export function heightOf({ form, drawn, isAlone }: Pick<LaneModel, 'form' | 'drawn' | 'isAlone'>): number {
  const line = isAlone === true ? ALONE_HEIGHT : LINE_HEIGHT;
  const inside = form === 'heat' || form === 'state' ? Math.max(drawn.length, 1) * ROW_HEIGHT : line;
  return inside + AXIS_HEIGHT + 8;
}

/** The part of a canvas of this size that is inside the axes. */
export function plotOf(width: number, height: number, { start, end }: Span): Plot {
  const left = width < 480 ? 48 : AXIS_WIDTH;
  return { left, right: Math.max(width - 12, left + 10), top: 8, bottom: height - AXIS_HEIGHT, start, end };
}

/** Draw a lane. */
export function drawLane(
  context: CanvasRenderingContext2D,
  plot: Plot,
  given: Omit<Drawing, 'context' | 'plot'>,
): void {
  const drawing = { ...given, context, plot };
  const { model } = drawing;
  drawGaps(drawing, drawing.gaps);
  drawTimes(drawing, drawing.zone);
  // Without values, numbers on the axis would mean nothing.
  if ((model.form === 'line' || model.form === 'stack') && model.drawn.length > 0) {
    drawValues(drawing, { ...model, y: yOf(plot, model) });
  }
  // A little more, for the dots of single samples at the edges.
  const { left, top, right, bottom } = plot;
  clipped(context, [left - 3, top - 3, right - left + 6, bottom - top + 6], () => {
    if (model.form === 'heat') drawHeat(drawing);
    else if (model.form === 'state') drawStates(drawing);
    else if (model.form === 'stack') drawStack(drawing);
    else drawLines(drawing);
    // Rows have their names there.
    if (model.form === 'line' || model.form === 'stack') drawBeginning(drawing);
    drawSince(drawing);
  });
}

/** Narrower than this, an empty beginning needs no words. */
const WORDS_PX = 180;

/** Say why a chart is empty on the left. */
function drawBeginning({ context, plot, table, model, zone, colours }: Drawing): void {
  let row = model.from;
  while (row < model.to && model.drawn.every(({ series }) => (series.cells[row] ?? null) === null)) row++;
  const begins = table.times[row];
  if (row >= model.to || begins === undefined || xOf(plot, begins) - plot.left < WORDS_PX) return;
  context.fillStyle = colours.ink2;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  const text = `no samples before ${clockText(begins, zone, 1)}`;
  const middle = Math.min((plot.top + plot.bottom) / 2, plot.top + LINE_HEIGHT / 2);
  context.fillText(text, (plot.left + xOf(plot, begins)) / 2, middle);
}

/** Mark since when something is far from the usual. */
function drawSince({ context, plot, model: { since }, colours }: Drawing): void {
  if (since === undefined || since < plot.start || since > plot.end) return;
  context.fillStyle = colours.warm;
  const x = Math.round(xOf(plot, since));
  for (let y = plot.top; y < plot.bottom; y += 5) context.fillRect(x, y, 1.5, 3);
}

function yOf(plot: Plot, { least, greatest }: LaneModel): (value: number) => number {
  return (value) => plot.bottom - ((value - least) / (greatest - least)) * (plot.bottom - plot.top);
}

function drawLines(drawing: Drawing): void {
  const { context, model, colours, places } = drawing;
  const colourOf = (i: number): string => colours.series[(places[i] ?? 0) % colours.series.length]!;
  drawPast(drawing, colourOf);
  const isDense = (model.to - model.from) * model.drawn.length > DENSE_POINTS;
  // The greatest is drawn last, on top.
  for (let i = model.drawn.length - 1; i >= 0; i--) {
    const { series } = model.drawn[i]!;
    const place = places[i] ?? 0;
    const colour = colourOf(i);
    if (series.least && series.greatest) {
      context.fillStyle = colour;
      context.globalAlpha = 0.18;
      drawBand(drawing, series);
      context.globalAlpha = 1;
    }
    context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = isDense ? 1 : 1.5;
    context.lineJoin = isDense ? 'bevel' : 'round';
    context.setLineDash([...DASHES[Math.floor(place / colours.series.length) % DASHES.length]!]);
    drawLine(drawing, series.cells);
    context.setLineDash([]);
  }
}

/**
 * Draw areas on top of one another, the first at the bottom; where nothing was recorded, there is none. An instance that was absent adds
 * nothing; without a metric that has no instances, the sum is not known.
 */
function drawStack({ context, plot, table, model, colours, places }: Drawing): void {
  const y = yOf(plot, model);
  const stretches: number[][] = [[]];
  const begins = model.drawn.map(({ series: { instance, cells } }) =>
    instance === null ? 0 : cells.findIndex((cell) => cell !== undefined),
  );
  for (let row = model.from; row < model.to; row++) {
    const cells = model.drawn.map(({ series }) => series.cells[row]);
    const isUnknown = model.drawn.some(({ series }) => series.instance === null && series.cells[row] === null);
    if (isUnknown || cells.every((cell) => cell === null)) stretches.push([]);
    // Between two samples of a series, it is not known what it adds.
    else if (cells.every((cell, i) => cell !== undefined || row < begins[i]!)) stretches.at(-1)!.push(row);
  }
  const sums = new Map<number, number>();
  const add = (row: number): void => context.lineTo(xOf(plot, table.times[row]!), y(sums.get(row) ?? 0));
  model.drawn.forEach(({ series }, i) => {
    context.fillStyle = colours.series[(places[i] ?? 0) % colours.series.length]!;
    const below = new Map(sums);
    for (const rows of stretches) {
      for (const row of rows) {
        const cell = series.cells[row];
        sums.set(row, (below.get(row) ?? 0) + (typeof cell === 'number' ? cell * model.quantity.factor : 0));
      }
      context.beginPath();
      for (const row of rows) add(row);
      for (const row of rows.toReversed()) context.lineTo(xOf(plot, table.times[row]!), y(below.get(row) ?? 0));
      context.fill();
    }
  });
}

/** Draw earlier samples: thin and dashed, in the colours of their series. Paler ones would not stand out from the paper. */
function drawPast({ context, plot, model }: Drawing, colourOf: (series: number) => string): void {
  const { past, drawn } = model;
  if (!past) return;
  const then = { ...plot, start: plot.start - past.shiftSec, end: plot.end - past.shiftSec };
  context.lineWidth = 1;
  context.setLineDash([4, 3]);
  for (const [i, { past: earlier }] of drawn.entries()) {
    if (!earlier) continue;
    context.strokeStyle = context.fillStyle = colourOf(i);
    drawLine({ context, plot: then, table: past.table, model }, earlier.series.cells, past);
  }
  context.setLineDash([]);
}

type Rows = Pick<LaneModel, 'from' | 'to'>;
type Lines = Pick<Drawing, 'context' | 'plot' | 'table' | 'model'>;

/** A line that is interrupted where nothing was recorded; a single sample is a dot. */
function drawLine({ context, plot, table, model }: Lines, cells: readonly Cell[], rows: Rows = model): void {
  const y = yOf(plot, model);
  const { factor } = model.quantity;
  const dots: (readonly [number, number])[] = [];
  const pen = new Pen(context, model.isStepped);
  const end = (): void => {
    const alone = pen.end();
    if (alone) dots.push(alone);
  };
  context.beginPath();
  for (let row = rows.from; row < rows.to; row++) {
    const cell = cells[row];
    if (cell === undefined) continue;
    if (typeof cell === 'number') pen.add(xOf(plot, table.times[row]!), y(cell * factor));
    else end();
  }
  end();
  context.stroke();
  for (const [px, py] of dots) {
    context.beginPath();
    context.arc(px, py, 2, 0, Math.PI * 2);
    context.fill();
  }
}

/**
 * Adds points to a path. Of those in one column of pixels only the first, the extremes and the last are drawn: the picture is the same,
 * and 100,000 points cost what a few thousand do.
 */
class Pen {
  /** The points since the last gap. */
  #length = 0;
  /** The column of pixels, how many points are in it, and their extremes. */
  #column = 0;
  #count = 0;
  #low = 0;
  #high = 0;
  #last: readonly [x: number, y: number] = [0, 0];

  constructor(
    readonly context: CanvasRenderingContext2D,
    readonly isStepped: boolean,
  ) {}

  add(x: number, y: number): void {
    const column = Math.floor(x);
    if (this.#count > 0 && column === this.#column) {
      this.#count++;
      this.#low = Math.min(this.#low, y);
      this.#high = Math.max(this.#high, y);
    } else {
      this.#leaveColumn();
      if (this.#length === 0) this.context.moveTo(x, y);
      else if (this.isStepped) this.context.lineTo(x, this.#last[1]);
      if (this.#length > 0) this.context.lineTo(x, y);
      [this.#column, this.#count, this.#low, this.#high] = [column, 1, y, y];
    }
    this.#length++;
    this.#last = [x, y];
  }

  /** Ends the line. Returns its last point if it is the only one. */
  end(): readonly [x: number, y: number] | undefined {
    this.#leaveColumn();
    const isAlone = this.#length === 1;
    this.#length = 0;
    return isAlone ? this.#last : undefined;
  }

  #leaveColumn(): void {
    const middle = this.#column + 0.5;
    if (this.#count > 2) {
      this.context.lineTo(middle, this.#low);
      this.context.lineTo(middle, this.#high);
    }
    if (this.#count > 1) this.context.lineTo(...this.#last);
    this.#count = 0;
  }
}

/** A soft band from the minimum to the maximum of each part. */
function drawBand({ context, plot, table, model }: Lines, { least = [], greatest = [] }: LaneSeries['series']): void {
  const y = yOf(plot, model);
  const { factor } = model.quantity;
  const add = (row: number, cells: readonly Cell[]): void => {
    const cell = cells[row];
    if (typeof cell === 'number') context.lineTo(xOf(plot, table.times[row]!), y(cell * factor));
  };
  const isWide = (row: number): boolean => {
    const [low, high] = [least[row], greatest[row]];
    return typeof low === 'number' && typeof high === 'number' && y(low * factor) - y(high * factor) > THIN_PX;
  };
  let from = model.from;
  for (let row = from; row <= model.to; row++) {
    // A stretch ends where nothing was recorded.
    if (row < model.to && least[row] !== null) continue;
    let wide = from;
    while (wide < row && !isWide(wide)) wide++;
    if (wide < row) {
      context.beginPath();
      for (let i = from; i < row; i++) add(i, least);
      for (let i = row - 1; i >= from; i--) add(i, greatest);
      context.fill();
    }
    from = row + 1;
  }
}

/** The value that heat rows draw in full colour, in the base unit. */
export function darkestOf({ drawn, quantity }: Pick<LaneModel, 'drawn' | 'quantity'>): number {
  const greatest = Math.max(0, ...drawn.map(({ summary }) => summary.greatest)) * quantity.factor;
  return greatest > 0 ? greatest : 1;
}

/** A row for each instance: the greater the value, the darker. */
function drawHeat({ context, plot, table, model, colours, hasNames }: Drawing): void {
  const most = darkestOf(model);
  model.drawn.forEach(({ series: { cells }, label }, i) => {
    const top = plot.top + i * ROW_HEIGHT;
    context.fillStyle = colours.accent;
    let before: { at: number; shade: number } | undefined;
    const paint = (to: number): void => {
      if (!before) return;
      // Whole pixels: neither seams nor overlaps.
      const left = Math.round(xOf(plot, before.at));
      context.globalAlpha = before.shade;
      context.fillRect(left, top + 1, Math.max(Math.round(xOf(plot, to)) - left, 1), ROW_HEIGHT - 2);
    };
    for (let row = model.from; row < model.to; row++) {
      const cell = cells[row];
      if (cell === undefined) continue;
      const at = table.times[row]!;
      // Until when a value lasted that none follows is not known.
      paint(typeof cell === 'number' ? at : (before?.at ?? at));
      if (typeof cell !== 'number') {
        before = undefined;
        continue;
      }
      const share = Math.min(Math.max((cell * model.quantity.factor) / most, 0), 1);
      before = { at, shade: 0.06 + (Math.round(share * SHADES) / SHADES) * 0.94 };
    }
    if (before) paint(before.at);
    context.globalAlpha = 1;
    if (hasNames) rowLabel({ context, plot, colours }, top, label);
  });
}

/** A bar as long as a value lasted, with the value inside. */
function drawStates({ context, plot, table, model, colours, hasNames }: Drawing): void {
  const isNamed = hasNames && model.drawn.length > 1;
  const known = new Map<string, number>();
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  model.drawn.forEach(({ series, label }: LaneSeries, i) => {
    const top = plot.top + i * ROW_HEIGHT;
    // Texts begin where the name of the row ends.
    const begin = plot.left + (isNamed ? 14 + context.measureText(label.slice(0, NAME_LENGTH)).width : 0);
    for (const { from, to, text } of stateRuns(table.times, series.cells, model.from, model.to)) {
      if (!known.has(text)) known.set(text, known.size % colours.series.length);
      const left = Math.max(xOf(plot, from), plot.left);
      const right = Math.min(Math.max(xOf(plot, to), left + 2), plot.right);
      const colour = colours.series[known.get(text)!]!;
      context.globalAlpha = 0.2;
      context.fillStyle = colour;
      context.fillRect(left, top + 2, right - left, ROW_HEIGHT - 4);
      context.globalAlpha = 1;
      context.fillRect(left, top + 2, 2, ROW_HEIGHT - 4);
      context.fillStyle = colours.ink;
      clipped(context, [left, top, right - left - 2, ROW_HEIGHT], () => {
        context.fillText(text.slice(0, 200), Math.max(left + 8, begin), top + ROW_HEIGHT / 2);
      });
    }
    if (isNamed) rowLabel({ context, plot, colours }, top, label);
  });
}

function rowLabel({ context, plot, colours }: Brush, top: number, label: string): void {
  clipped(context, [plot.left, top, plot.right - plot.left, ROW_HEIGHT], () => {
    const place = [label.slice(0, NAME_LENGTH), plot.left + 6, top + ROW_HEIGHT / 2] as const;
    const { paper: strokeStyle, ink: fillStyle } = colours;
    Object.assign(context, { strokeStyle, fillStyle, lineWidth: 3, textAlign: 'left', textBaseline: 'middle' });
    context.strokeText(...place);
    context.fillText(...place);
  });
}
