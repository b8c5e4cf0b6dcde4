import { instantText } from './axis-times.js';
import { shownWindow, shownZone } from '../data/shown-time.js';
import { explainedOf } from '../data/explained-value.js';
import type { LaneParts } from './pointer.js';
import { cellTexts } from './legend.js';

/** Samples of each second may be this much closer. */
const TIMER_SEC = 0.1;

/** The values of a lane as a table: a row for each instant, newest first. */
export function ValueTable({ model, feed }: Pick<LaneParts, 'model' | 'feed'>) {
  const { drawn, quantity, from, to, scale } = model.value;
  const { start, end } = shownWindow.value;
  const shown = drawn.slice(0, 8);
  const rows: number[] = [];
  for (let row = to - 1; row >= from && rows.length < 500; row--) {
    const at = feed.table.times[row]!;
    if (at < start || at > end) continue;
    if (shown.some(({ series }) => series.cells[row] !== undefined)) rows.push(row);
  }
  const times = rows.map((row) => feed.table.times[row]!);
  const isFine = times.some((at, i) => i > 0 && times[i - 1]! - at < 1 - TIMER_SEC);
  const instants = times.map((at) => instantText(at, shownZone.value, isFine ? 0.001 : 1).split(' '));
  // A date that is the same in all rows is said once.
  const isOneDay = instants.every(
    ([date, , abbreviation]) => date === instants[0]![0] && abbreviation === instants[0]![2],
  );
  const columns = shown.map(({ series: { cells } }) =>
    cellTexts(
      rows.map((row) => (cells[row] === undefined ? '' : cells[row])),
      quantity.factor / scale.divisor,
    ),
  );
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Values">
      <table>
        <thead>
          <tr>
            <th scope="col">time{isOneDay && instants[0] ? `, ${instants[0][0]} ${instants[0][2]}` : ''}</th>
            {shown.map(({ label }) => (
              <th scope="col" key={label}>
                {label}
                {scale.unit === '' ? '' : `, ${scale.unit}`}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={feed.table.times[row]}>
              <td>{isOneDay ? instants[i]![1] : instants[i]!.join(' ')}</td>
              {shown.map(({ label, series }, column) => (
                <td
                  key={label}
                  data-proof={
                    i === 0
                      ? explainedOf(series)
                      : `of the sample at ${instants[i]!.join(' ')} of ${explainedOf(series)}`
                  }
                >
                  {columns[column]![i]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
