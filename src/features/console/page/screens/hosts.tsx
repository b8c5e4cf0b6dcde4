import { useComputed, useSignal, type Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { again } from '../data/again.js';
import { columnTexts, scaleOf } from '../chart/axis-units.js';
import { lineOver, Spark } from '../chart/spark.js';
import { client, gatewayUrl, troubleOf, type Trouble } from '../data/gateway.js';
import { historyOf } from '../data/host-history.js';
import { byName, hostRows, SHADES, VITAL_METRICS, VITALS } from '../data/host-vitals.js';
import type { HostRow, VitalHistory } from '../data/host-vitals.js';
import { now } from '../data/gateway-clock.js';
import { Link } from '../parts/link.js';
import { Button } from '../parts/button.js';
import { CopyButton } from '../parts/copy-button.js';
import { Failure } from '../parts/failure.js';
import { useHeldOrder } from '../parts/held-order.js';
import { Working } from '../parts/working.js';
import { view } from '../state/page.js';
import type { Span } from '../state/time-window.js';
import { EMPTY_VIEW, encodeWords } from '../state/url-state.js';
import { HostBand } from './host-band.js';

const AGAIN_MS = 5000;
/** The first values have no rates yet, so the next ones follow soon. */
const SOON_MS = 1500;
/** The past of so many hosts is read, and how often. */
const [MOST_PASTS, PASTS_MS] = [100, 30_000];
const PAST_SEC = 1800;
/** Sparks are for the oddest ones. */
const MOST_SPARKS = 12;

/** The hosts that the gateway knows and those of the address, as a matrix of their vitals; the most unusual first. */
export function HostsScreen() {
  const { on, words } = view.value;
  const rows = useSignal<readonly HostRow[] | undefined>(undefined);
  const trouble = useSignal<Trouble | undefined>(undefined);
  const first = useRef('');
  const own = on.filter((source) => !source.startsWith('archive:'));
  useEffect(() => watchHosts(own, rows, trouble), [own.join('\n')]);
  const shown = rows.value ?? [];
  const answering = shown.filter(({ error }) => error === undefined);
  const [oddest] = answering;
  // It stays when another becomes odder.
  if (first.current === '' && oddest?.unlike[0] !== undefined)
    first.current = chosenText(oddest.hostspec, oddest.unlike[0]);
  const { vital, host } = readChosen(words || first.current);
  const past = useSignal<Span>({ start: 0, end: 0 });
  const histories = useSignal<ReadonlyMap<string, VitalHistory>>(new Map());
  const isCompared = vital !== -1 && answering.length > 2;
  const wanted = new Set([
    ...(isCompared ? answering.slice(0, MOST_PASTS).map(({ hostspec }) => chosenText(hostspec, vital)) : []),
    ...answering
      .slice(0, MOST_SPARKS)
      .flatMap(({ hostspec, unlike: [i] }) => (i === undefined ? [] : chosenText(hostspec, i))),
  ]);
  // In whatever order hosts are: they are not read again because another one became odder.
  useEffect(() => watchPasts([...wanted], past, histories), [[...wanted].sort().join('\n')]);
  return (
    <div class="hosts">
      {rows.value === undefined && !trouble.value ? <Working>Asking the hosts…</Working> : null}
      <Failure trouble={trouble.value} />
      {rows.value ? (
        <>
          <Headline rows={shown} answering={answering.length} />
          {isCompared ? (
            <HostBand
              host={host}
              vital={VITALS[vital]!}
              window={past}
              histories={
                new Map(answering.map(({ hostspec }) => [hostspec, histories.value.get(chosenText(hostspec, vital))]))
              }
            />
          ) : null}
          <Matrix rows={shown} chosen={words || first.current} histories={histories.value} />
        </>
      ) : null}
      {shown.length === 1 ? (
        <p class="empty">
          This gateway knows no other host. List hosts under <code>hosts.named</code> in its configuration to compare
          them here; <code>hosts.allow</code> says which others can be opened with the box at the top.
          <br />
          The <Link text="archives" to={{ screen: 'archives' }} from={EMPTY_VIEW} /> have recordings of other hosts.
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
  const silent = rows.filter(({ error }) => error !== undefined);
  const count = `${rows.length} ${rows.length === 1 ? 'host' : 'hosts'}`;
  return (
    <section class="headline" aria-label="Which hosts are unusual">
      <p class="sentence" role="status">
        {odd.length === 0 ? (
          answering > 2 ? (
            `None of ${count} is unlike the others.`
          ) : (
            `${count}.`
          )
        ) : (
          <>
            <strong>
              {odd.length} of {count}
            </strong>{' '}
            {odd.length === 1 ? 'is' : 'are'} unlike the others:{' '}
            {odd
              .slice(0, 5)
              .map(({ hostspec, unlike }) => `${hostspec} (${unlike.map((i) => VITALS[i]!.title).join(', ')})`)
              .join(', ')}
            {odd.length > 5 ? ` and ${odd.length - 5} more` : ''}.
          </>
        )}
        {silent.length === 0
          ? ''
          : ` ${silent
              .slice(0, 3)
              .map(({ hostspec }) => hostspec)
              .join(
                ', ',
              )}${silent.length > 3 ? ` and ${silent.length - 3} more do` : silent.length === 1 ? ' does' : ' do'} not answer.`}
      </p>
      <p class="quiet">
        {answering > 2
          ? 'Shade: distance from the median of all hosts, in median absolute deviations; none below 2. '
          : ''}
        <CopyButton
          label="Copy as curl"
          text={() =>
            `curl '${gatewayUrl}/pmapi/fetch?${new URLSearchParams({
              ...{
                hostspec: rows.map(({ hostspec }) => hostspec).join(';'),
                names: VITAL_METRICS.join(),
                rate: 'true',
              },
            })}'`
          }
        />
      </p>
    </section>
  );
}

/** Poll the hosts; returns a function that stops it. */
function watchHosts(
  own: readonly string[],
  rows: Signal<readonly HostRow[] | undefined>,
  trouble: Signal<Trouble | undefined>,
): () => void {
  let rounds = 0;
  return again(async (signal) => {
    try {
      const known = await client.hosts({ signal });
      const all = [...new Set([...known.map(({ hostspec }) => hostspec), ...own])];
      const { hosts } = await client.fetchHosts(all, { names: VITAL_METRICS, rate: true, inames: true, signal });
      rows.value = hostRows(hosts);
      trouble.value = undefined;
    } catch (error) {
      if (!signal.aborted) trouble.value = troubleOf(error);
    }
    return rounds++ === 0 ? SOON_MS : AGAIN_MS;
  });
}

/** Read vitals of the last half hour, again and again; returns a function that stops it. */
function watchPasts(
  wanted: readonly string[],
  past: Signal<Span>,
  histories: Signal<ReadonlyMap<string, VitalHistory>>,
): () => void {
  return again(async (signal) => {
    const window = { start: now.peek() - PAST_SEC, end: now.peek() };
    const read = await Promise.all(
      wanted.map((text) => {
        const { vital, host } = readChosen(text);
        return historyOf(host, VITALS[vital]!, window, signal).then(
          (history) => [[text, history] as const],
          // Its row says why it does not answer.
          () => [],
        );
      }),
    );
    if (!signal.aborted) [past.value, histories.value] = [window, new Map(read.flat())];
    return PASTS_MS;
  });
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
  const { held, attributes } = useHeldOrder<HTMLTableSectionElement>(() => shown.map(({ hostspec }) => hostspec));
  const keep = held.value;
  const shown: readonly HostRow[] = keep
    ? rows.toSorted((a, b) => keep.indexOf(a.hostspec) - keep.indexOf(b.hostspec))
    : sorted(rows, order.value);
  const scales = VITALS.map(({ quantity }, i) =>
    scaleOf(quantity, Math.max(0, ...rows.flatMap(({ cells }) => cells[i]?.value ?? []))),
  );
  const columns = VITALS.map((_, i) =>
    columnTexts(shown.map(({ cells }) => (cells[i]?.value ?? 0) / scales[i]!.divisor)),
  );
  const addressOf = encodeWords(view.value);
  const head = (by: Order, text: string, unit = ''): JSX.Element => (
    <th
      scope="col"
      key={text}
      class={typeof by === 'number' ? 'number' : ''}
      aria-sort={order.value === by ? (by === 'name' ? 'ascending' : 'descending') : undefined}
    >
      <Button onClick={() => (order.value = by)}>
        {text} {unit}
        <span aria-hidden="true">{order.value === by ? (by === 'name' ? ' ▴' : ' ▾') : ''}</span>
      </Button>
    </th>
  );
  return (
    <div class="wide-table" tabIndex={0} role="region" aria-label="Hosts">
      <table class="listing cards matrix">
        <thead>
          <tr>
            {head('name', 'host')}
            {VITALS.map(({ title }, i) => head(i, title, scales[i]!.unit))}
            {head('odd', 'oddest')}
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
                  <td class="oddest">
                    {row.unlike[0] === undefined ? null : (
                      <Past history={histories.get(chosenText(row.hostspec, row.unlike[0]))} />
                    )}{' '}
                    <span>{row.sentence}</span>
                  </td>
                </>
              ) : (
                <td colSpan={VITALS.length + 1} class="trouble">
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
  const given = useSignal(history);
  given.value = history;
  return (
    <Spark lines={useComputed(() => (given.value ? [lineOver(given.value.times, given.value.values, 'warm')] : []))} />
  );
}

/** Rows in an order; those without the value come last. */
function sorted(rows: readonly HostRow[], by: Order): readonly HostRow[] {
  if (by === 'odd') return rows;
  if (by === 'name') return rows.toSorted(byName);
  const valueOf = ({ cells }: HostRow): number => cells[by]?.value ?? Number.NEGATIVE_INFINITY;
  return rows.toSorted((a, b) => (valueOf(a) === valueOf(b) ? 0 : valueOf(b) - valueOf(a)));
}
