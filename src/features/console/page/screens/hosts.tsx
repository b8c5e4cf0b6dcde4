import { useSignal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { valueText } from '../chart/axis-units.js';
import { client, troubleOf } from '../data/gateway.js';
import type { Trouble } from '../data/gateway.js';
import { hostRows, VITAL_METRICS, VITALS } from '../data/host-vitals.js';
import type { HostRow } from '../data/host-vitals.js';
import { useHeldOrder } from '../parts/held-order.js';
import { Working } from '../parts/working.js';
import { view } from '../state/page.js';
import { EMPTY_VIEW, encodeView, laneOf } from '../state/url-state.js';

const AGAIN_MS = 5000;
/** The first values have no rates yet, so the next ones follow soon. */
const SOON_MS = 1500;
/** Values with at least this deviation are marked. */
const ODD = 3;

/** The hosts that the gateway knows and those of the address, with their vitals; the most unusual first. */
export function HostsScreen(): JSX.Element {
  const { on } = view.value;
  const rows = useSignal<readonly HostRow[] | undefined>(undefined);
  const trouble = useSignal<Trouble | undefined>(undefined);
  const own = on.filter((source) => !source.startsWith('archive:'));
  const key = own.join('\n');
  useEffect(() => watchHosts(own, rows, trouble), [key]);
  const shown = rows.value;
  const answering = shown?.filter(({ error }) => error === undefined).length ?? 0;
  return (
    <div class="hosts">
      <p class="quiet" role="status">
        {shown === undefined ? '' : answeringText(shown.length, answering)}
        {shown && shown.length >= ODD
          ? '. The most unusual come first; ▲ marks values that are far from those of the other hosts.'
          : ''}
      </p>
      {shown === undefined && !trouble.value ? <Working>Asking the hosts…</Working> : null}
      {trouble.value ? (
        <p class="trouble" role="alert">
          {trouble.value.message} ({trouble.value.code}).
        </p>
      ) : null}
      {shown ? <Table rows={shown} /> : null}
      {shown && shown.length === 1 ? (
        <p class="empty">
          This gateway knows no other host. List hosts under <code>hosts.named</code> in its configuration to compare
          them here; <code>hosts.allow</code> says which others can be opened with the box at the top.
          <br />
          The <a href={encodeView({ ...EMPTY_VIEW, screen: 'archives' })}>archives</a> have recordings of other hosts.
        </p>
      ) : null}
    </div>
  );
}

function answeringText(hosts: number, answering: number): string {
  if (hosts === 1) return answering === 1 ? '1 host' : '1 host, which does not answer';
  return `${hosts} hosts, ${answering === hosts ? `all ${answering} answer` : `${answering} ${answering === 1 ? 'answers' : 'answer'}`}`;
}

/** Poll the hosts; returns a function that stops it. */
function watchHosts(
  own: readonly string[],
  rows: Signal<readonly HostRow[] | undefined>,
  trouble: Signal<Trouble | undefined>,
): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let rounds = 0;
  const run = async (): Promise<void> => {
    try {
      if (!document.hidden) {
        const known = await client.hosts({ signal });
        const all = [...new Set([...known.map(({ hostspec }) => hostspec), ...own])];
        const { hosts } = await client.fetchHosts(all, { names: VITAL_METRICS, rate: true, inames: true, signal });
        rows.value = hostRows(hosts);
        trouble.value = undefined;
      }
    } catch (error) {
      if (!signal.aborted) trouble.value = troubleOf(error);
    }
    if (!signal.aborted) timer = setTimeout(() => void run(), rounds++ === 0 ? SOON_MS : AGAIN_MS);
  };
  void run();
  return () => {
    clearTimeout(timer);
    controller.abort();
  };
}

function Table({ rows }: { readonly rows: readonly HostRow[] }): JSX.Element {
  const { held, attributes } = useHeldOrder<HTMLTableSectionElement>(() => shown.map(({ hostspec }) => hostspec));
  const order = held.value;
  const shown: readonly HostRow[] = order
    ? rows.toSorted((a, b) => order.indexOf(a.hostspec) - order.indexOf(b.hostspec))
    : rows;
  return (
    <div class="wide-table" tabIndex={0} role="region" aria-label="Hosts">
      <table class="listing cards">
        <thead>
          <tr>
            <th scope="col">host</th>
            {VITALS.map(({ title }) => (
              <th scope="col" class="number" key={title}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody {...attributes}>
          {shown.map((row) => (
            <Host key={row.hostspec} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Host({ row: { hostspec, cells, error } }: { readonly row: HostRow }): JSX.Element {
  const on = [hostspec];
  return (
    <tr>
      <th scope="row">
        <a href={encodeView({ ...EMPTY_VIEW, on })}>{hostspec}</a>
      </th>
      {error === undefined ? (
        VITALS.map(({ title, quantity, metrics }, i) => {
          const { value, odd } = cells[i]!;
          return (
            <td key={title} data-label={title} class={odd >= ODD ? 'number odd' : 'number'}>
              {value === undefined ? (
                '–'
              ) : (
                <a
                  href={encodeView({ ...EMPTY_VIEW, screen: 'chart', on, lanes: [laneOf(...metrics)] })}
                  title={odd >= ODD ? `${odd.toFixed(1)} deviations from the median of the hosts` : `Chart of ${title}`}
                >
                  {odd >= ODD ? '▲ ' : ''}
                  {valueText(quantity, value * quantity.factor)}
                </a>
              )}
            </td>
          );
        })
      ) : (
        <td colSpan={VITALS.length} class="trouble">
          {error}
        </td>
      )}
    </tr>
  );
}
