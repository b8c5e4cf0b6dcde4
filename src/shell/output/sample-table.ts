import type { NamedInstance, NamedSample, NamedValues } from '../metric-directory.js';
import { plainValue } from './numbers.js';
import { padEnd, padStart, printable, textWidth, type Colours } from './terminal-text.js';

/** The width assumed without a terminal. */
const DEFAULT_WIDTH = 120;
const GAP = '  ';
const NO_VALUE = '-';
const MIN_COLUMN = 6;

interface SampleColumn {
  readonly metric: string;
  readonly instance: string;
  readonly units: string;
  width: number;
}

interface Cell extends Omit<SampleColumn, 'width'> {
  readonly key: string;
  readonly text: string;
}

/** Samples as a growing table: a column per metric and instance if they fit, otherwise a line per value. Repeats titles. */
export function sampleTable(colours: Colours, width = DEFAULT_WIDTH, rows = Infinity) {
  const known = new Map<string, SampleColumn>();
  let timeWidth = 0;
  let isLong = false;
  /** The times of samples without values before there were columns. */
  let early: string[] = [];
  /** Lines that still fit on the screen below the titles. */
  let linesLeft = 0;

  function add(sample: NamedSample): string {
    const time = tableTime(sample.timestamp);
    const cells = sample.values.flatMap(cellsOf);
    // Before there are columns, as for the first sample of rates, there are no titles to write.
    if (cells.length === 0 && known.size === 0) {
      early.push(time);
      return '';
    }
    const isNew = learn(time, cells);
    const lines = [...early.flatMap((at) => linesOf(at, [])), ...linesOf(time, cells)];
    early = [];
    let text = '';
    if (isNew || linesLeft < lines.length) {
      const titles = isLong ? longTitles() : wideTitles();
      text = titles.map((line) => `${colours.bold(line)}\n`).join('');
      linesLeft = rows - titles.length - 1;
    }
    linesLeft -= lines.length;
    return text + lines.map((line) => `${line}\n`).join('');
  }

  function learn(time: string, cells: readonly Cell[]): boolean {
    let isNew = timeWidth === 0;
    timeWidth = Math.max(timeWidth, time.length);
    for (const { key, metric, instance, units, text } of cells) {
      const column = known.get(key);
      const width = Math.max(MIN_COLUMN, ...[text, metric, instance, units].map(textWidth));
      if (!column) known.set(key, { metric, instance, units, width });
      isNew ||= !column;
      // A longer value may require a wider column: the titles are then repeated.
      if (column && textWidth(text) > column.width) {
        column.width = textWidth(text);
        isNew ||= !isLong;
      }
    }
    const widths = [...known.values()].reduce((sum, { width }) => sum + GAP.length + width, timeWidth);
    isLong ||= widths > width;
    return isNew;
  }

  function wideTitles(): string[] {
    const columns = [...known.values()];
    const line = (first: string, part: 'metric' | 'instance' | 'units'): string => {
      const titles = columns.map((column) => padStart(column[part], column.width));
      return [padEnd(first, timeWidth), ...titles].join(GAP).trimEnd();
    };
    const below = (['instance', 'units'] as const).filter((part) => columns.some((column) => column[part] !== ''));
    return [line('TIME', 'metric'), ...below.map((part) => line('', part))];
  }

  function linesOf(time: string, cells: readonly Cell[]): string[] {
    return isLong ? longLines(time, cells) : [wideLine(time, cells)];
  }

  function wideLine(time: string, cells: readonly Cell[]): string {
    const texts = new Map(cells.map(({ key, text }) => [key, text]));
    return [
      padEnd(time, timeWidth),
      ...[...known].map(([key, { width }]) => padStart(texts.get(key) ?? NO_VALUE, width)),
    ].join(GAP);
  }

  function longTitles(): string[] {
    const [metric, instance, value] = longWidths();
    const titles = [padEnd('TIME', timeWidth), padEnd('METRIC', metric), padEnd('INSTANCE', instance)];
    return [[...titles, 'VALUE'.padStart(value), 'UNITS'].join(GAP)];
  }

  function longLines(time: string, cells: readonly Cell[]): string[] {
    const [metricWidth, instanceWidth, valueWidth] = longWidths();
    const first = padEnd(time, timeWidth);
    if (cells.length === 0) return [`${first}${GAP}${NO_VALUE}`];
    return cells.map(({ metric, instance, text, units }) =>
      [first, padEnd(metric, metricWidth), padEnd(instance, instanceWidth), padStart(text, valueWidth), units]
        .join(GAP)
        .trimEnd(),
    );
  }

  function longWidths(): [metric: number, instance: number, value: number] {
    const longest = (part: 'metric' | 'instance', least: number): number =>
      [...known.values()].reduce((most, column) => Math.max(most, textWidth(column[part])), least);
    return [longest('metric', 'METRIC'.length), longest('instance', 'INSTANCE'.length), 12];
  }
  return { add };
}

function cellsOf({ name, units, instances }: NamedValues): Cell[] {
  return instances.map((instance) => ({
    key: `${name}\u0000${instance.instance ?? ''}`,
    metric: printable(name),
    instance: printable(instanceTitle(instance)),
    units,
    text: valueText(instance.value, units),
  }));
}

/** The name of an instance, or its identifier if it no longer has a name; '' for a metric without instances. */
export function instanceTitle({ instance, name }: Pick<NamedInstance, 'instance' | 'name'>): string {
  if (instance === null) return '';
  return name ?? `#${instance}`;
}

/** A value in its own units; a dash if absent. */
export function valueText(value: NamedInstance['value'], units: string): string {
  return value === null ? NO_VALUE : printable(plainValue(value, units).text);
}

/** An ISO 8601 moment for tables: with a blank, to the millisecond. */
export function tableTime(iso: string): string {
  return iso.replace('T', ' ').replace(/(\.\d{3})\d+/, '$1');
}
