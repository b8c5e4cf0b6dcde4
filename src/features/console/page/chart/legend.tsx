import { useComputed, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Cell } from '../data/series-table.js';
import { explainedOf } from '../data/explained-value.js';
import { viewOn } from '../data/shown-time.js';
import { Button, Swatch } from '../parts/controls.js';
import { hasOwnLanes, putLane, view } from '../state/page.js';
import { encodeWords, MAX_TOP, type Lane, type LaneForm } from '../state/url-state.js';
import { beforeText } from './axis-times.js';
import { columnTexts } from './axis-units.js';
import { cellNear, pastCell, type LaneModel } from './lane-model.js';
import { cursor, type LaneParts } from './pointer.js';

/** Fewer series need no filter. */
const FEW = 8;
/** The height of a row: places are kept for the series that there are at least. */
const ROW_PX = 22;

interface LegendProps extends Pick<LaneParts, 'feed' | 'model' | 'places'> {
  readonly index: number;
  readonly lane: Lane;
  readonly names: readonly string[];
}

/** The drawn series, with values at the cursor (or the last ones), maximum and mean; and links to show one alone, or others. */
export function Legend({ index, lane, names, model, places, feed }: LegendProps) {
  const rows = useComputed(() => rowsOf(model.value, places.value, feed));
  const { matching, drawn, form, total, past } = model.value;
  // It takes the place of the mean: names need the room.
  const before = past && drawn.some((each) => each.past) ? <th scope="col">{beforeText(past.shiftSec)}</th> : undefined;
  const hidden = matching - drawn.length;
  const filter = useSignal(lane.instances ?? '');
  const setInstances = (instances: string | undefined): void => {
    filter.value = instances ?? '';
    putLane(index, { ...lane, instances });
  };
  // The same function each time: rows whose values are the same are not drawn again.
  const choose = useRef(setInstances);
  choose.current = setInstances;
  // One stop for Tab: arrow keys go on.
  const stop = useSignal('');
  const stops = rows.value.some(({ label }) => label === stop.value) ? stop.value : rows.value[0]?.label;
  const isMany = total > 1;
  const isOwn = hasOwnLanes(view.value);
  return (
    <div class="legend" style={{ minHeight: `${ROW_PX * (1 + Math.min(names.length, lane.top))}px` }}>
      {rows.value.length === 0 ? null : (
        <div class="legend-rows">
          <table onKeyDown={moveFocus} onFocusIn={({ target }) => (stop.value = labelAt(target) ?? '')}>
            <thead>
              <tr>
                <th scope="col">
                  <span class="hidden">series</span>
                </th>
                <th scope="col">
                  {useComputed(() => ((cursor.value ?? view.value.cursor) === undefined ? 'last' : 'at cursor'))}
                </th>
                {form === 'state' ? null : (
                  <>
                    {before}
                    <th scope="col">max</th>
                    {before ? null : <th scope="col">mean</th>}
                  </>
                )}
              </tr>
            </thead>
            <tbody>
              {rows.value.map((row) => (
                <Row
                  key={row.label}
                  {...row}
                  form={form}
                  hasPast={before !== undefined}
                  isStop={row.label === stops}
                  isAlone={!isMany || row.instance === '' || lane.instances === row.instance}
                  onChoose={choose}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {isOwn && (lane.instances !== undefined || total > FEW || (hidden > 0 && form === 'line')) ? (
        <form
          class="filter"
          onSubmit={(event) => {
            event.preventDefault();
            const typed = filter.value.trim();
            setInstances(typed === '' ? undefined : /[*?]/.test(typed) ? typed : `*${typed}*`);
          }}
        >
          <input
            type="search"
            aria-label="Filter instances"
            placeholder="filter…"
            value={filter}
            onInput={({ currentTarget }) => (filter.value = currentTarget.value)}
          />
          <span class="quiet">
            {drawn.length} of {total}
          </span>
          {hidden > 0 && lane.top < MAX_TOP && form === 'line' ? (
            <Button text="more" onClick={() => putLane(index, { ...lane, top: Math.min(lane.top * 2, MAX_TOP) })} />
          ) : null}
          {lane.instances === undefined ? null : <Button text="all" onClick={() => setInstances(undefined)} />}
        </form>
      ) : !isOwn && lane.instances?.startsWith('!') === true ? (
        <p class="quiet">without {lane.instances.slice(1)}</p>
      ) : null}
    </div>
  );
}

/** The series that are drawn, each with what explains its value, and its values as texts. */
function rowsOf(model: LaneModel, places: readonly number[], feed: LegendProps['feed']) {
  const { drawn, quantity, scale } = model;
  const at = cursor.value ?? view.value.cursor;
  const addresses = new Map(
    [...new Set(drawn.map(({ series }) => series.source))].map((source) => {
      const own = source === undefined ? { ...view.value, cursor: at } : viewOn(source, at);
      return [source, encodeWords({ ...own, screen: 'explain' })];
    }),
  );
  const factor = quantity.factor / scale.divisor;
  const textsOf = (cellOf: (each: LaneModel['drawn'][number], i: number) => Cell): readonly string[] =>
    cellTexts(drawn.map(cellOf), factor);
  const greatest = textsOf(({ summary }) => (summary.count === 0 ? '' : summary.greatest));
  const means = textsOf(({ summary }) => (summary.count === 0 ? '' : summary.mean));
  const values = textsOf(({ series, summary }) => (at === undefined ? summary.last : cellNear(feed.table, series, at)));
  const pasts = textsOf((_, i) => pastCell(model, i, at));
  return drawn.map(({ series, label }, i) => ({
    ...{ label, of: explainedOf(series), source: series.source, instance: series.name, place: places[i] ?? 0 },
    why: addresses.get(series.source)!(explainedOf(series)),
    ...{ value: values[i]!, greatest: greatest[i]!, mean: means[i]!, earlier: pasts[i]! },
  }));
}

type LegendRow = ReturnType<typeof rowsOf>[number];
interface RowProps extends LegendRow {
  readonly form: LaneForm;
  readonly hasPast: boolean;
  /** Tab comes to this row, and to no other. */
  readonly isStop: boolean;
  /** Whether nothing else is shown. */
  readonly isAlone: boolean;
  readonly onChoose: { readonly current: (instance: string) => void };
}

function Row(props: RowProps) {
  const { label, of, instance, form, hasPast } = props;
  return (
    <tr data-label={label} data-source={props.source}>
      <th scope="row">
        {form === 'line' || form === 'stack' ? <Swatch place={props.place} /> : null}
        {props.isAlone ? (
          <span class="name" title={label}>
            {label}
          </span>
        ) : (
          <Button
            text={label}
            class="name"
            tabIndex={-1}
            title={`Show ${instance} alone`}
            onClick={() => props.onChoose.current(instance)}
          />
        )}
      </th>
      <td>
        <a
          class="value"
          href={props.why}
          tabIndex={props.isStop ? 0 : -1}
          aria-label={`${props.value}: why?`}
          title={`Why ${props.value}?`}
          data-proof={of}
        >
          {props.value}
        </a>
      </td>
      {form === 'state' ? null : (
        <>
          {hasPast ? <td>{props.earlier}</td> : null}
          <td data-proof={`greatest of the samples that are shown of ${of}`}>{props.greatest}</td>
          {hasPast ? null : <td data-proof={`mean over time of the samples that are shown of ${of}`}>{props.mean}</td>}
        </>
      )}
    </tr>
  );
}

function labelAt(target: EventTarget | null): string | undefined {
  return target instanceof Element ? target.closest('tr')?.dataset.label : undefined;
}

/** Arrow keys go from row to row, and from a value to the name before it. */
function moveFocus(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const { key, target, currentTarget } = event;
  const step = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -1, ArrowRight: 1 }[key];
  if (step === undefined || event.shiftKey || !(target instanceof Element)) return;
  const isAlong = key === 'ArrowLeft' || key === 'ArrowRight';
  // Of the same column, or all of the row.
  const all = [
    ...currentTarget.querySelectorAll<HTMLElement>(
      isAlong ? 'tbody :is(a, button)' : `tbody ${target.matches('a') ? 'a' : 'button'}`,
    ),
  ];
  all[all.findIndex((each) => each === target) + step]?.focus();
  event.preventDefault();
}

/** The cells of a column as texts: aligned numbers, texts as they are, and a dash where there is no value. */
export function cellTexts(cells: readonly Cell[], factor: number): readonly string[] {
  const numbers = columnTexts(cells.map((cell) => (typeof cell === 'number' ? cell * factor : 0)));
  return cells.map((cell, i) => (typeof cell === 'number' ? numbers[i]! : (cell ?? '–')));
}
