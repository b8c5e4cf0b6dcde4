import { useComputed, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { instantText } from '../chart/axis-times.js';
import { valueText } from '../chart/axis-units.js';
import { client, troubleOf, whereOf } from '../data/gateway.js';
import { isLive, shownWindow, shownZone } from '../data/shown-time.js';
import { factsOf } from '../data/source-facts.js';
import { GROUPS, lastSampled, othersIn, PROCESSES, processorsIn, sampledOf, USER_METRICS, userTable } from '../data/users.js';
import type { Sampled, UserColumn, UserKind, UserTable } from '../data/users.js';
import { Button, Failure, SearchBox, Working } from '../parts/controls.js';
import { useHeldOrder } from '../parts/held-order.js';
import { SortHead } from '../parts/sort-head.js';
import { useAnswer } from '../parts/use-answer.js';
import { view } from '../state/page.js';
import { ChartScreen } from './chart.js';
import { isPlaying } from './replay.js';
import { shortName } from './short-name.js';
import { whoLink } from './who-link.js';

/** Rates need two fetches; then a machine with thousands of processes is asked this often. */
const [SOON_MS, AGAIN_MS] = [1500, 3000];
/** A pinned instant may be dragged. */
const DRAGGED_MS = 300;
/** While time is played, the tables go on in steps of so many seconds. */
const STEP_SEC = 10;
/** Samples are searched for in so many seconds before an instant. */
const BACK_SEC = [30, 150, 900];
/** A number cannot hold the nine decimals of an instant: this much later is surely not before it. */
const MOMENT_SEC = 2e-6;
/** So many rows are shown at first. */
const MOST = 50;

/** All processes and control groups of the sources: of this moment, of the pinned instant, or of the end of the window. */
export function ProcessesScreen() {
  const { on } = view.value;
  const overview = on.map((source) => (
    <section key={source} class="users" aria-label={on.length > 1 ? source : undefined}>
      {on.length > 1 ? <h2 class="source">{source}</h2> : null}
      <Users source={source} />
    </section>
  ));
  return <ChartScreen overview={<>{overview}</>} />;
}

function Users({ source }: { readonly source: string }) {
  const { isKnown } = factsOf(source).value;
  const at = useComputed(() => momentOf(source)).value;
  const { answer, trouble } = useAnswer(
    isKnown ? `${source} ${at ?? ''}` : undefined,
    (signal) => readUsers(source, at, signal),
    {
      afterMs: at === undefined ? 0 : DRAGGED_MS,
      againMs: (_, count) => (at !== undefined ? undefined : count === 1 ? SOON_MS : AGAIN_MS),
    },
  );
  const read = answer.value;
  const failure = <Failure trouble={trouble.value ?? factsOf(source).value.trouble} />;
  if (!read) return trouble.value ? failure : <Working>Reading who uses {source}…</Working>;
  const { sampled, from, note } = read;
  const processes = userTable(sampled, PROCESSES);
  const others = othersIn(sampled, processes);
  const times = [...sampled.values()].map((each) => each.at);
  return (
    <>
      <div class="toolbar">
        <SearchBox label="Filter processes and groups" placeholder="name, user or group" />
        <span class="quiet">
          {read.at === undefined || times.length === 0
            ? ''
            : `The last samples before ${instantText(read.at, shownZone.value)}: of ${instantText(Math.max(...times), shownZone.value)}. `}
          {note} Processor time is in per cent of {processorsIn(sampled) === undefined ? 'one processor' : 'the machine'}.
        </span>
      </div>
      {failure}
      {processes.rows.length === 0 ? (
        <p class="empty">
          {source.startsWith('archive:') || at !== undefined
            ? 'No processes were recorded just before this time.'
            : `${source} does not show its processes to this gateway.`}
        </p>
      ) : null}
      {[PROCESSES, GROUPS].map((kind) => (
        <Table
          key={kind.title}
          source={from}
          kind={kind}
          table={kind === PROCESSES ? processes : userTable(sampled, kind)}
          others={kind === PROCESSES ? others : undefined}
        />
      ))}
    </>
  );
}

/** The instant that is looked at; undefined: now. */
function momentOf(source: string): number | undefined {
  const { recorded } = factsOf(source).value;
  const { cursor: at = isLive.value ? recorded?.end : shownWindow.value.end } = view.value;
  return at !== undefined && isPlaying.value ? Math.floor(at / STEP_SEC) * STEP_SEC : at;
}

/** Who uses a source: of this machine as the collector sees it, where pmcd does not show processes. */
async function readUsers(source: string, at: number | undefined, signal: AbortSignal) {
  const sampled = await readSamples(source, at, signal);
  if (source === 'localhost' && userTable(sampled, PROCESSES).rows.length === 0) {
    const other = await readSamples('embedded', at, signal).catch(() => sampled);
    if (userTable(other, PROCESSES).rows.length > 0) {
      return { sampled: other, at, from: 'embedded', note: 'From the collector of this machine; pmcd does not show them.' };
    }
  }
  return { sampled, at, from: source, note: '' };
}

async function readSamples(source: string, at: number | undefined, signal: AbortSignal): Promise<Sampled> {
  const wanted = { names: USER_METRICS, rate: true, ...whereOf(source), signal };
  try {
    if (at === undefined) return sampledOf(await client.fetch({ ...wanted, inames: true }));
    for (const seconds of BACK_SEC) {
      const found = lastSampled(await client.columns({ ...wanted, start: at - seconds, finish: at + MOMENT_SEC }));
      if (found.has('proc.cpu.util') || seconds === BACK_SEC.at(-1)) return found;
    }
  } catch (error) {
    const { code } = troubleOf(error);
    if (code !== 'UNKNOWN_METRIC' && code !== 'FORBIDDEN') throw error;
  }
  return new Map();
}

interface TableProps {
  /** Whose pages rows lead to. */
  readonly source: string;
  readonly kind: UserKind;
  readonly table: UserTable;
  /** What the processors do besides, in per cent of the machine. */
  readonly others: number | undefined;
}

function Table({ source, kind: { title }, table: { columns, rows }, others }: TableProps) {
  const isAll = useSignal(false);
  /** The title of a column; '' is the first one, of names. */
  const order = useSignal('processor');
  const { held, attributes } = useHeldOrder<HTMLTableSectionElement>(() => shown.map(({ who }) => who));
  const words = view.value.words.toLowerCase().split(/\s+/);
  const matching = rows.filter(({ name, cells }) => {
    const text = `${name} ${cells.filter((cell) => typeof cell === 'string').join(' ')}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const place = columns.findIndex((column) => column.title === order.value);
  const keyOf = ({ name, cells }: UserTable['rows'][number]): string | number | undefined =>
    order.value === '' ? shortName(name) : cells[place];
  const keep = held.value;
  const sorted = keep
    ? matching.toSorted((a, b) => placeIn(keep, a.who) - placeIn(keep, b.who))
    : matching.toSorted((a, b) => compare(keyOf(a), keyOf(b)));
  const shown = isAll.value ? sorted : sorted.slice(0, MOST);
  if (rows.length === 0) return null;
  const head = (text: string, label: string, form: UserColumn['form']): JSX.Element => (
    <SortHead
      key={text}
      text={label}
      isNumber={form !== 'text'}
      sorts={order.value !== text ? undefined : form === 'text' ? 'ascending' : 'descending'}
      onSort={() => (order.value = text)}
    />
  );
  return (
    <section aria-label={title} data-source={source}>
      <h2>
        {title}{' '}
        <span class="quiet">
          {matching.length === rows.length ? rows.length : `${matching.length} of ${rows.length}`}
          {title === 'Control groups' ? ', each with those below it' : ''}
        </span>
      </h2>
      <div class="wide-table" tabIndex={0} role="region" aria-label={`Table of ${title.toLowerCase()}`}>
        <table class="listing cards sorted">
          <thead>
            <tr>
              {head('', 'name', 'text')}
              {columns.map((column) => head(column.title, column.title, column.form))}
            </tr>
          </thead>
          <tbody {...attributes}>
            {shown.map(({ who, name, cells }) => (
              <tr key={who}>
                <th scope="row">
                  <a href={whoLink(source, who)} title={name}>
                    {shortName(name)}
                  </a>
                </th>
                {columns.map((column, i) => (
                  <td key={column.title} data-label={column.title} class={column.form === 'text' ? '' : 'number'}>
                    {cells[i] === undefined ? '–' : <CellText column={column} cell={cells[i]} name={name} />}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
          {others === undefined || matching.length < rows.length ? null : (
            <tfoot>
              <tr>
                <th scope="row" class="quiet">
                  others: ended, hidden or not recorded
                </th>
                {columns.map(({ title: head_, form }) => (
                  <td key={head_} data-label={head_} class="number">
                    {form === 'percent' ? <span data-proof="kernel.cpu.util, without those above">{others.toFixed(1)} %</span> : ''}
                  </td>
                ))}
              </tr>
            </tfoot>
          )}
        </table>
      </div>
      {sorted.length > MOST && !isAll.value ? (
        <Button text={`all ${sorted.length}`} onClick={() => (isAll.value = true)} />
      ) : null}
    </section>
  );
}

function CellText(props: { readonly column: UserColumn; readonly cell: string | number; readonly name: string }) {
  const { column, cell, name } = props;
  if (typeof cell === 'string') return <>{cell}</>;
  if (!column.quantity) return <>{instantText(cell, shownZone.value).replace(/ \S+$/, '')}</>;
  return <span data-proof={`${column.metric}[${name}]`}>{valueText(column.quantity, cell)}</span>;
}

/** Where a row is in an order that is held; those that came since are last. */
function placeIn(keep: readonly string[], who: string): number {
  return keep.includes(who) ? keep.indexOf(who) : keep.length;
}

/** Numbers with the greatest first, texts by the alphabet, what is not known last. */
function compare(a: string | number | undefined, b: string | number | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return typeof a === 'number' && typeof b === 'number' ? b - a : String(a).localeCompare(String(b), 'en', { numeric: true });
}
