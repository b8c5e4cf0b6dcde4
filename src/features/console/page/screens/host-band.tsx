import { useGiven } from '../parts/use-own.js';
import { useComputed, useSignal, type ReadonlySignal } from '@preact/signals';
import { scaleOf } from '../chart/axis-units.js';
import { laneModel } from '../chart/lane-model.js';
import { LaneCanvas } from '../chart/lane.js';
import { bandOf, type Vital, type VitalHistory } from '../data/host-vitals.js';
import { SeriesTable } from '../data/series-table.js';
import { Link, Swatch } from '../parts/controls.js';
import { EMPTY_VIEW, laneOf } from '../state/url-state.js';
import type { Span } from '../state/time-window.js';

const OTHERS = 'middle half of the others';

/** A vital of a host in the last half hour, before the middle half of the other hosts. */
export function HostBand(props: {
  readonly host: string;
  readonly vital: Vital;
  readonly window: ReadonlySignal<Span>;
  /** By host; undefined while it is read, or where there is none. */
  readonly histories: ReadonlyMap<string, VitalHistory | undefined>;
}) {
  const { host, vital, window, histories } = props;
  const given = useGiven({ host, histories });
  const table = useComputed(() => {
    const others = [...given.value.histories].flatMap(([name, each]) =>
      each && name !== given.value.host ? each : [],
    );
    const { times = [], values = [] } = given.value.histories.get(given.value.host) ?? {};
    const { low, middle, high, ...band } = bandOf(others, window.value);
    return SeriesTable.join([
      { source: '', table: tableOf(given.value.host, times, { values }) },
      { source: '', table: tableOf(OTHERS, band.times, { values: middle, min: low, max: high }) },
    ]);
  });
  const model = useComputed(() => {
    const names = [given.value.host, OTHERS];
    const made = laneModel(table.value, { lane: laneOf(...names), names, window: window.value, facts: new Map() });
    const drawn = made.drawn.map((each) => ({ ...each, label: each.series.metric }));
    return { ...made, drawn, quantity: vital.quantity, scale: scaleOf(vital.quantity, made.greatest) };
  });
  const places = useComputed(() => model.value.drawn.map(({ label }) => (label === OTHERS ? 4 : 0)));
  const title = `${vital.title} of ${host}`;
  const samples = {
    get table() {
      return table.value;
    },
    version: useComputed(() => table.value.times.at(-1) ?? 0),
    ...{ isWaiting: useSignal(false), resolution: useSignal(undefined), trouble: useSignal(undefined) },
  };
  return (
    <section class="host-band" aria-label={title}>
      <h2>
        <Swatch place={0} />
        {title}{' '}
        <span class="quiet">
          before the <Swatch place={4} />
          {OTHERS}, last 30 minutes ·{' '}
          <Link
            text="chart"
            to={{ screen: 'chart', on: [host], lanes: [laneOf(...vital.metrics)] }}
            from={EMPTY_VIEW}
          />
        </span>
      </h2>
      <LaneCanvas {...{ window, title, model, places }} feed={samples} isSeen={useSignal(true)} />
    </section>
  );
}

function tableOf(
  name: string,
  times: readonly number[],
  series: Readonly<Record<string, readonly (number | null | undefined)[]>> & {
    readonly values: VitalHistory['values'];
  },
): SeriesTable {
  const table = new SeriesTable();
  const marks = series.values.flatMap((value, row) => (value === null ? { row } : []));
  const known = Object.entries(series).map(([key, values]) => [key, values.map((value) => value ?? null)] as const);
  table.fill({
    times,
    marks,
    metrics: [{ name, units: '', series: [{ instance: null, values: [], ...Object.fromEntries(known) }] }],
  });
  return table;
}
