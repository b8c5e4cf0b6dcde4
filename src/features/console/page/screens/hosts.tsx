import { useComputed, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { ColumnsAnswer } from '../../../../client/index.js';
import { columnTexts, scaleOf, someText } from '../chart/axis-units.js';
import { lineOver, Spark } from '../chart/spark.js';
import { client, gatewayUrl } from '../data/gateway.js';
import { hostRows, numbersOf, PARTS, SHADES, VITAL_METRICS, VITALS } from '../data/host-vitals.js';
import type { HostRow, HostValues, Vital, VitalHistory } from '../data/host-vitals.js';
import { now } from '../data/gateway-clock.js';
import { Failure, Link, Working } from '../parts/controls.js';
import { CopyButton } from '../parts/copy-button.js';
import { useAnswer } from '../parts/use-answer.js';
import { useHeldOrder } from '../parts/held-order.js';
import { compare, SortHead } from '../parts/sort-head.js';
import { view } from '../state/page.js';
import type { Span } from '../state/time-window.js';
import { EMPTY_VIEW, encodeWords } from '../state/url-state.js';
import { HostBand } from './host-band.js';

const AGAIN_MS = 5000;
/** The first values have no rates yet, so the next ones follow soon. */
const SOON_MS = 1500;
/** The past of so many hosts is read, and how often; with the sparks, a request has as many parts as a gateway takes. */
const [MOST_PASTS, PASTS_MS] = [88, 30_000];
const PAST_SEC = 1800;
const NO_TIME: Span = { start: 0, end: 0 };
const NO_HISTORIES: ReadonlyMap<string, VitalHistory> = new Map();
/** Sparks are for the oddest ones. */
const MOST_SPARKS = 12;

/** The hosts that the gateway knows and those of the address, as a matrix of their vitals; the most unusual first. */
export function HostsScreen() {
  const { on, words } = view.value;
  const first = useRef('');
  const own = on.filter((source) => !source.startsWith('archive:'));
  const { answer: rows, trouble } = useAnswer(own.join('\n'), (signal) => readHosts(own, signal), {
    againMs: (_, count) => (count === 1 ? SOON_MS : AGAIN_MS),
  });
  const shown = rows.value ?? [];
  const answering = shown.filter(({ error }) => error === undefined);
  const [oddest] = answering;
  // It stays when another becomes odder.
  if (first.current === '' && oddest?.unlike[0] !== undefined)
    first.current = chosenText(oddest.hostspec, oddest.unlike[0]);
  const { vital, host } = readChosen(words || first.current);
  const isCompared = vital !== -1 && answering.length > 2;
  const wanted = new Set([
    ...(isCompared ? answering.slice(0, MOST_PASTS).map(({ hostspec }) => chosenText(hostspec, vital)) : []),
    ...answering
      .slice(0, MOST_SPARKS)
      .flatMap(({ hostspec, unlike: [i] }) => (i === undefined ? [] : chosenText(hostspec, i))),
  ]);
  // In whatever order hosts are: they are not read again because another one became odder.
  const pasts = useAnswer([...wanted].sort().join('\n'), (signal) => readPasts([...wanted], signal), {
    againMs: () => PASTS_MS,
  });
  const past = useComputed((): Span => pasts.answer.value?.window ?? NO_TIME);
  const histories = pasts.answer.value?.histories ?? NO_HISTORIES;
  return (
    <div class="hosts">
      {rows.value === undefined && !trouble.value ? <Working>Asking the hosts…</Working> : null}
      <Failure trouble={trouble.value ?? pasts.trouble.value} of="hosts" />
      {rows.value ? (
        <>
          <Headline rows={shown} answering={answering.length} />
          {isCompared ? (
            <HostBand
              host={host}
              vital={VITALS[vital]!}
              window={past}
              histories={
                new Map(answering.map(({ hostspec }) => [hostspec, histories.get(chosenText(hostspec, vital))]))
              }
            />
          ) : null}
          <Matrix rows={shown} chosen={words || first.current} histories={histories} />
        </>
      ) : null}
      {shown.length === 1 ? (
        <p class="empty">
          This gateway knows no other host. List hosts under <code>hosts.named</code> in its configuration to compare
          them here; <code>hosts.allow</code> says which others can be opened with the box at the top.
          <br />
          Recordings of other hosts, if there are any, are among the{' '}
          <Link text="archives" to={{ screen: 'archives' }} from={EMPTY_VIEW} />.
        </p>
      ) : null}
    </div>
  );
}

/** How the address names a cell: `disk wait of db7`. */
function chosenText(hostspec: string, vital: number): string {
  return `${VITALS[vital]!.title} of ${hostspec}`;
}

/** Reads {@link chosenText}; -1 for no vital. */
function readChosen(text: string): { readonly vital: number; readonly host: string } {
  const [, title, host = ''] = /^(.+?) of (.+)$/.exec(text) ?? [];
  return { vital: VITALS.findIndex((each) => each.title === title), host };
}

/** Which hosts are unlike the others, in what; spoken when that changes. */
function Headline({ rows, answering }: { readonly rows: readonly HostRow[]; readonly answering: number }) {
  const odd = rows.filter(({ unlike }) => unlike.length > 0);
  const silent = rows.filter(({ error }) => error !== undefined).map(({ hostspec }) => hostspec);
  const count = `${rows.length} ${rows.length === 1 ? 'host' : 'hosts'}`;
  const oddNames = odd.map(({ hostspec, unlike }) => `${hostspec} (${unlike.map((i) => VITALS[i]!.title).join(', ')})`);
  return (
    <section class="headline" aria-label="Which hosts are unusual">
      <p class="sentence" role="status">
        {odd.length > 0 ? (
          <>
            <strong>
              {odd.length} of {count}
            </strong>{' '}
            {odd.length === 1 ? 'is' : 'are'} unlike the others: {someText(oddNames, 5)}.
          </>
        ) : answering > 2 ? (
          `None of ${count} is unlike the others.`
        ) : (
          `${count}.`
        )}
        {silent.length === 0 ? '' : ` ${someText(silent, 3)} ${silent.length === 1 ? 'does' : 'do'} not answer.`}
      </p>
      <p class="quiet">
        {answering > 2
          ? 'Shade: distance from the median of all hosts, in median absolute deviations; none below 2. A value opens its last half hour. '
          : ''}
        <CopyButton
          label="Copy as curl"
          text={() => {
            const hostspec = rows.map((row) => row.hostspec).join(';');
            const query = new URLSearchParams({ hostspec, names: VITAL_METRICS.join(), rate: 'true' });
            return `curl '${gatewayUrl}/pmapi/fetch?${query}'`;
          }}
        />
      </p>
    </section>
  );
}

async function readHosts(own: readonly string[], signal: AbortSignal): Promise<readonly HostRow[]> {
  const known = await client.hosts({ signal });
  const all = [...new Set([...known.map(({ hostspec }) => hostspec), ...own])];
  const { hosts } = await client.fetchHosts(all, { names: VITAL_METRICS, rate: true, inames: true, signal });
  return hostRows(hosts);
}

/** Vitals of the last half hour, by their cells, as far as they are recorded or remembered: means of parts of that time, in one request. */
async function readPasts(wanted: readonly string[], signal: AbortSignal) {
  const window = { start: now.peek() - PAST_SEC, end: now.peek() };
  const means = { format: 'columns', points: String(PARTS), decimation: 'average', rate: 'true', inames: 'true' };
  const span = { start: String(window.start), finish: String(window.end) };
  const asked = wanted.map((text) => ({ text, ...readChosen(text) }));
  const entries = asked.map(({ vital, host: hostspec }) => {
    const { metrics, needs = metrics } = VITALS[vital]!;
    return { path: `/pmapi/fetch?${new URLSearchParams({ hostspec, names: needs.join(), ...means, ...span })}` };
  });
  const answers = await client.batch(entries, { signal });
  // Where one fails, its row says why the host does not answer.
  const histories = answers.flatMap(({ error, body }, i) =>
    error ? [] : [[asked[i]!.text, historyOf(VITALS[asked[i]!.vital]!, body as ColumnsAnswer)] as const],
  );
  return { window, histories: new Map(histories) };
}

function historyOf({ of }: Vital, { times, metrics, marks = [] }: ColumnsAnswer): VitalHistory {
  const valuesAt = (row: number): HostValues =>
    new Map(
      metrics.map(({ name, series }) => [
        name,
        numbersOf(series.map((each) => ({ ...each, value: each.values[row] }))),
      ]),
    );
  const gaps = new Set(marks.map(({ row }) => row));
  return { times, values: times.map((_, row) => (gaps.has(row) ? null : of(valuesAt(row)))) };
}

/** What rows are sorted by: their names, the place of a vital, or how odd they are. */
type Order = 'name' | 'odd' | number;

function Matrix(props: {
  readonly rows: readonly HostRow[];
  readonly chosen: string;
  readonly histories: ReadonlyMap<string, VitalHistory>;
}) {
  const { rows, chosen, histories } = props;
  const order = useSignal<Order>('odd');
  // Of hosts that are all alike, there is nothing to say.
  const hasOdd = rows.some(({ unlike }) => unlike.length > 0);
  const by = hasOdd || order.value !== 'odd' ? order.value : 'name';
  const { held, attributes } = useHeldOrder<HTMLTableSectionElement>(() => shown.map(({ hostspec }) => hostspec));
  const keep = held.value;
  const shown: readonly HostRow[] = keep
    ? rows.toSorted((a, b) => keep.indexOf(a.hostspec) - keep.indexOf(b.hostspec))
    : sorted(rows, by);
  const scales = VITALS.map(({ quantity }, i) =>
    scaleOf(quantity, Math.max(0, ...rows.flatMap(({ cells }) => cells[i]?.value ?? []))),
  );
  const columns = VITALS.map((_, i) =>
    columnTexts(shown.map(({ cells }) => (cells[i]?.value ?? 0) / scales[i]!.divisor)),
  );
  const addressOf = encodeWords(view.value);
  const head = (own: Order, text: string): JSX.Element => (
    <SortHead
      key={text}
      text={text}
      isNumber={typeof own === 'number'}
      sorts={by === own ? (own === 'name' ? 'ascending' : 'descending') : undefined}
      onSort={() => (order.value = own)}
    />
  );
  return (
    <div class="wide-table" tabIndex={0} role="region" aria-label="Hosts">
      <table class="listing cards sorted matrix">
        <thead>
          <tr>
            {head('name', 'host')}
            {VITALS.map(({ title }, i) => head(i, `${title} ${scales[i]!.unit}`.trimEnd()))}
            {hasOdd ? head('odd', 'oddest') : null}
          </tr>
        </thead>
        <tbody {...attributes}>
          {shown.map((row, place) => (
            <tr key={row.hostspec} data-source={row.hostspec}>
              <th scope="row">
                <Link text={row.hostspec} to={{ on: [row.hostspec] }} from={EMPTY_VIEW} />
              </th>
              {row.error === undefined ? (
                <>
                  {row.cells.map(({ value, odd }, i) => {
                    const words = chosenText(row.hostspec, i);
                    return (
                      <td
                        key={i}
                        data-label={`${VITALS[i]!.title} ${scales[i]!.unit}`}
                        class={`number shade${SHADES.filter((from) => odd >= from).length}`}
                      >
                        {value === undefined ? (
                          '–'
                        ) : (
                          <a
                            href={addressOf(words)}
                            aria-current={words === chosen}
                            data-proof={VITALS[i]!.from}
                            title={`${words}: ${odd.toFixed(1)} deviations from the median`}
                          >
                            {columns[i]![place]}
                          </a>
                        )}
                      </td>
                    );
                  })}
                  {hasOdd ? (
                    <td class="oddest">
                      {row.unlike[0] === undefined ? null : (
                        <Past history={histories.get(chosenText(row.hostspec, row.unlike[0]))} />
                      )}{' '}
                      <span data-proof="of the values of all hosts in this table">{row.sentence}</span>
                    </td>
                  ) : null}
                </>
              ) : (
                <td colSpan={VITALS.length + Number(hasOdd)} class="trouble">
                  does not answer: {row.error}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Past({ history }: { readonly history: VitalHistory | undefined }) {
  return <Spark lines={history ? [lineOver(history.times, history.values, 'warm')] : []} />;
}

/** Rows in an order; those without the value come last. */
function sorted(rows: readonly HostRow[], by: Order): readonly HostRow[] {
  if (by === 'odd') return rows;
  const keyOf = ({ hostspec, cells }: HostRow) => (by === 'name' ? hostspec : cells[by]?.value);
  return rows.toSorted((a, b) => compare(keyOf(a), keyOf(b)));
}
