import { useComputed, useSignal } from '@preact/signals';
import { instantText } from '../chart/axis-times.js';
import { valueText } from '../chart/axis-units.js';
import { client, troubleOf, whereOf } from '../data/gateway.js';
import { isLive, MOMENT_SEC, shownZone, viewOn, windowOn } from '../data/shown-time.js';
import { factsOf } from '../data/source-facts.js';
import { GROUPS, lastSampled, othersIn, PROCESSES, processorsIn, sampledOf } from '../data/users.js';
import { USER_METRICS, userTable, type Sampled, type UserColumn, type UserTable } from '../data/users.js';
import { Button, Failure, SearchBox, Working } from '../parts/controls.js';
import { useHeldOrder } from '../parts/held-order.js';
import { compare, SortHead } from '../parts/sort-head.js';
import { useAnswer } from '../parts/use-answer.js';
import { view } from '../state/page.js';
import { ChartScreen } from './chart.js';
import { isPlaying } from './replay.js';
import { shortName } from './short-name.js';
import { whoLink } from './who-link.js';

/** Rates need two fetches; then a machine is asked again after so long for each of its processes, between a least and a most. */
const [SOON_MS, EACH_MS, LEAST_MS, MOST_MS] = [1500, 6, 3000, 10_000];
/** A pinned instant may be dragged, and while time is played the tables go on in steps of so many seconds. */
const [DRAGGED_MS, STEP_SEC] = [300, 10];
/** Samples are searched for in so many seconds before an instant. */
const BACK_SEC = [30, 150, 900];
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

/** The processes and control groups of a source. @param most rows that are shown at first, as a part of another screen @param isSeen whether they are read again and again */
export function Users({ source, most, isSeen = true }: Pick<TableProps, 'source' | 'most'> & { isSeen?: boolean }) {
  const { isKnown, trouble: unknown } = factsOf(source).value;
  const at = useComputed(() => momentOf(source)).value;
  const key = isKnown && isSeen ? `${source} ${at ?? ''}` : undefined;
  const { answer, trouble } = useAnswer(key, (signal) => readUsers(source, at, signal), {
    afterMs: at === undefined ? 0 : DRAGGED_MS,
    isPatient: isPlaying.value,
    againMs: (found, count) => {
      const dueMs = EACH_MS * (found?.sampled.get('proc.cpu.util')?.values.length ?? 0);
      return at !== undefined ? undefined : count === 1 ? SOON_MS : Math.min(Math.max(LEAST_MS, dueMs), MOST_MS);
    },
  });
  const read = answer.value;
  const failed = trouble.value ?? unknown;
  const isPart = most !== undefined;
  if (isPart && !read) return null;
  if (!read) return failed ? <Failure trouble={failed} of={source} /> : <Working>Reading who uses {source}…</Working>;
  const { sampled, from } = read;
  const [processes, groups] = [userTable(sampled, PROCESSES), userTable(sampled, GROUPS)];
  const own = { source: from, processors: processorsIn(sampled), most, at: lastOf(sampled) };
  return (
    <>
      <div class="toolbar" hidden={processes.rows.length + groups.rows.length === 0}>
        {isPart ? null : <SearchBox label="Filter processes and groups" placeholder="name, user or group" />}
        <span class="quiet">
          {momentText(read)}
          {from === source ? '' : 'From the collector of this machine; pmcd does not show them. '}
          Processor time is in per cent of {own.processors === undefined ? 'one processor' : 'the machine'}.
        </span>
      </div>
      <Failure trouble={failed} of={source} />
      {processes.rows.length === 0 && !isPart ? (
        <p class="empty">
          {source.startsWith('archive:') || at !== undefined
            ? 'No processes were recorded just before this time.'
            : `${source} does not show its processes here.`}
        </p>
      ) : null}
      <Table {...own} title={PROCESSES.title} table={processes} others={othersIn(sampled, processes)} />
      <Table {...own} title={GROUPS.title} table={groups} note=", each with those below it" />
    </>
  );
}

/** The instant that is looked at; undefined: now. */
function momentOf(source: string): number | undefined {
  const { recorded } = factsOf(source).value;
  const { cursor: at = isLive.value ? recorded?.end : windowOn(source).end } = viewOn(source);
  return at !== undefined && isPlaying.value ? Math.floor(at / STEP_SEC) * STEP_SEC : at;
}

/** When was sampled what is shown of an instant. */
function momentText({ sampled, at }: { readonly sampled: Sampled; readonly at: number | undefined }): string {
  if (at === undefined || sampled.size === 0) return '';
  const [asked, found] = [at, lastOf(sampled)].map((each) => instantText(each, shownZone.value));
  return `${found === asked ? 'As' : `The last samples before ${asked} are`} of ${found}. `;
}

const lastOf = (sampled: Sampled): number => Math.max(...[...sampled.values()].map(({ at }) => at));

/** Who uses a source: of this machine as the collector sees it, where pmcd does not show processes. */
async function readUsers(source: string, at: number | undefined, signal: AbortSignal) {
  const hasProcesses = (read: Sampled): boolean => userTable(read, PROCESSES).rows.length > 0;
  const own = await readSamples(source, at, signal);
  if (source === 'localhost' && !hasProcesses(own)) {
    const other = await readSamples('embedded', at, signal).catch(() => own);
    if (hasProcesses(other)) return { sampled: other, at, from: 'embedded' };
  }
  return { sampled: own, at, from: source };
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
  readonly title: string;
  readonly table: UserTable;
  readonly processors: number | undefined;
  /** What the processors do besides, in per cent of the machine. */
  readonly others?: number | undefined;
  readonly note?: string;
  readonly most?: number | undefined;
  /** When it was sampled. */
  readonly at: number;
}

function Table({ source, title, table, processors, others, note = '', most = MOST, at }: TableProps) {
  const { columns, rows } = table;
  const isAll = useSignal(false);
  /** The title of a column. */
  const order = useSignal('processor');
  const { held, attributes } = useHeldOrder<HTMLTableSectionElement>(() => shown.map(({ who }) => who));
  if (rows.length === 0) return null;
  const words = view.value.words.toLowerCase().split(/\s+/);
  const matching = rows.filter(({ name, cells }) => {
    const text = `${name} ${cells.filter((cell) => typeof cell === 'string').join(' ')}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const place = columns.findIndex((column) => column.title === order.value);
  const keyOf = ({ name, cells }: UserTable['rows'][number]) => (place === -1 ? shortName(name) : cells[place]);
  // Of those that do nothing, the greatest come first.
  const memory = columns.findIndex(({ title: head }) => head === 'memory');
  const memoryOf = ({ cells }: UserTable['rows'][number]) => cells[memory];
  const keep = held.value;
  // In an order that is held, those that came since are last.
  const placeIn = (who: string): number => keep!.indexOf(who) >>> 0;
  const sorted = matching.toSorted((a, b) =>
    keep ? placeIn(a.who) - placeIn(b.who) : compare(keyOf(a), keyOf(b)) || compare(memoryOf(a), memoryOf(b)),
  );
  const shown = isAll.value ? sorted : sorted.slice(0, most);
  return (
    <section aria-label={title} data-source={source}>
      <h2>
        {title}{' '}
        <span class="quiet">
          {matching.length === rows.length ? rows.length : `${matching.length} of ${rows.length}`}
          {note}
        </span>
      </h2>
      <div class="wide-table" tabIndex={0} role="region" aria-label={`Table of ${title.toLowerCase()}`}>
        <table class="listing cards sorted">
          <thead>
            <tr>
              {[{ title: 'name', form: 'text' }, ...columns].map(({ title: head, form }) => (
                <SortHead
                  key={head}
                  text={head}
                  isNumber={form !== 'text'}
                  sorts={order.value !== head ? undefined : form === 'text' ? 'ascending' : 'descending'}
                  onSort={() => (order.value = head)}
                />
              ))}
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
                    <span data-proof={column.quantity && `${column.metric}[${name}]${factorOf(column, processors)}`}>
                      {cellText(column, cells[i], at)}
                    </span>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
          {others === undefined || matching.length < rows.length ? null : (
            <tfoot>
              <tr class="quiet">
                <th scope="row">others: ended, hidden or not recorded</th>
                {columns.map(({ title: head, form }) => (
                  <td key={head} data-label={head} class="number" data-proof="the processors, without those above">
                    {form === 'percent' ? `${others.toFixed(1)} %` : ''}
                  </td>
                ))}
              </tr>
            </tfoot>
          )}
        </table>
      </div>
      {sorted.length > shown.length ? (
        <Button text={`all ${sorted.length}`} onClick={() => (isAll.value = true)} />
      ) : null}
    </section>
  );
}

/** What turns processor time into a share of the machine. */
function factorOf({ form }: UserColumn, processors: number | undefined): string {
  const isShare = processors !== undefined && (form === 'percent' || form === 'share');
  return isShare ? `${form === 'share' ? ' * 100' : ''} / hinv.ncpu` : '';
}

/** A moment has its date if it is not of the day of the sample. */
function cellText({ quantity }: UserColumn, cell: string | number | undefined, at: number): string {
  if (typeof cell !== 'number') return cell ?? '–';
  if (quantity) return valueText(quantity, cell);
  const [text, day] = [instantText(cell, shownZone.value), instantText(at, shownZone.value)];
  return text.slice(0, 'YYYY-MM-DD hh:mm:ss'.length).replace(day.slice(0, 'YYYY-MM-DD '.length), '');
}
