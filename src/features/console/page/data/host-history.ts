import type { Span } from '../state/time-window.js';
import { client } from './gateway.js';
import { numbersOf, PARTS, type Vital, type VitalHistory } from './host-vitals.js';

/** A vital of a host in the past, as far as it is recorded or remembered: means of parts of that time. */
export async function historyOf(
  hostspec: string,
  { metrics: shown, needs: names = shown, of }: Vital,
  { start, end }: Span,
  signal: AbortSignal,
): Promise<VitalHistory> {
  const window = { start, finish: end, points: PARTS, decimation: 'average' } as const;
  const read = await client.columns({ hostspec, names, rate: true, ...window, inames: true, signal });
  const { times, metrics, marks = [] } = read;
  const valuesAt = (row: number): Parameters<Vital['of']>[0] =>
    new Map(
      metrics.map(({ name, series }) => [
        name,
        numbersOf(series.map((each) => ({ ...each, value: each.values[row] }))),
      ]),
    );
  const gaps = new Set(marks.map(({ row }) => row));
  return { times, values: times.map((_, row) => (gaps.has(row) ? null : of(valuesAt(row)))) };
}
