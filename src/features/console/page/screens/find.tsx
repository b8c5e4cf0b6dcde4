import { useComputed, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { useAnswer } from '../parts/use-answer.js';
import { useOwn } from '../parts/use-own.js';
import { nearestNames } from '../../../../pmapi/index.js';
import { quantityIn } from '../chart/lane-model.js';
import { someText, valueText } from '../chart/axis-units.js';
import { ranked, summaryOf } from '../chart/ranking.js';
import { FeedSpark } from '../chart/spark.js';
import { catalogueOf, foundMetrics } from '../data/catalogue.js';
import { Feed } from '../data/feed.js';
import { childrenOf, findMetrics, isDrawable, kindText, meantFirst } from '../data/find-metrics.js';
import { explainedOf } from '../data/explained-value.js';
import { client, whereOf, type MetricSummary, type SearchResult } from '../data/gateway.js';
import { instanceText, type Series } from '../data/series-table.js';
import { factsOf } from '../data/source-facts.js';
import { Button, Failure, SearchBox } from '../parts/controls.js';
import { change, follow, view } from '../state/page.js';
import { hasKeys } from '../state/preferences.js';
import { encodeView, laneWith } from '../state/url-state.js';
import { shortName } from './short-name.js';

const ROW_HEIGHT = 52;
/** Rows above and below those in view. */
const SPARE_ROWS = 4;
/** How long scrolling and typing must pause before values are requested. */
const PAUSE_MS = 250;
const NOTHING: readonly SearchResult[] = [];

/** The tree of names on the left, the results on the right. */
export function FindScreen() {
  const { on, words } = view.value;
  const source = on[0]!;
  const { catalogue, trouble } = catalogueOf(source).value;
  const found = useMemo(() => findMetrics(catalogue?.metrics ?? [], words), [catalogue, words]);
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => box.current?.focus(), []);
  // Instances, labels and long help texts are searched by the gateway; without its answer, there are the names.
  const { answer: extra } = useAnswer(
    words.trim() === '' ? undefined : `${source} ${words}`,
    (signal) => client.search(words, { ...whereOf(source), limit: 50, signal }),
    { afterMs: PAUSE_MS, forgets: true },
  );
  const results = extra.value?.results ?? NOTHING;
  const metrics = useMemo(
    () => meantFirst([...new Set([...(catalogue ? foundMetrics(catalogue, results) : []), ...found])], words),
    [found, results, catalogue],
  );
  /** The best instance of each domain that was found. */
  const instances = useMemo(
    () =>
      new Map(
        results
          .toReversed()
          .flatMap(({ type, indom = '', name }) => (type === 'instance' && name ? [[indom, name]] : [])),
      ),
    [results],
  );

  return (
    <div class={words === '' ? 'find' : 'find has-words'}>
      <div class="toolbar">
        <SearchBox
          box={box}
          label="Find metrics"
          placeholder="words, or the beginning of a name"
          onKeyDown={(event) => {
            if (event.key !== 'ArrowDown') return;
            event.preventDefault();
            document.querySelector<HTMLElement>('.results a')?.focus();
          }}
        />
        <span class="quiet" role="status">
          {catalogue
            ? `${metrics.length} of ${catalogue.metrics.length} metrics`
            : trouble
              ? ''
              : `Reading the names of ${source}…`}
        </span>
        {metrics.length > 0 ? (
          <span class="quiet keys">Enter or a click: chart{hasKeys.value ? ' · e: explain' : ''}</span>
        ) : null}
      </div>
      <Failure trouble={trouble} of={source} />
      <div class="find-body">
        <Tree names={catalogue?.metrics.map(({ name }) => name) ?? []} />
        {catalogue && metrics.length === 0 ? (
          <p class="empty">
            Nothing on {source} contains these words.{' '}
            {nearestNames(words, catalogue.byName.keys()).map((name) => (
              <Button key={name} text={name} onClick={() => change({ words: name })} />
            ))}{' '}
            <Button onClick={() => change({ words: '' })}>Show all {catalogue.metrics.length} metrics</Button>
          </p>
        ) : (
          <Results key={source} source={source} metrics={metrics} found={instances} />
        )}
      </div>
    </div>
  );
}

/** The tree of names: a click on a node lists the metrics below it. */
function Tree({ names }: { readonly names: readonly string[] }) {
  const open = useSignal<ReadonlySet<string>>(new Set());
  const toggle = (path: string): void => {
    const next = new Set(open.value);
    if (!next.delete(path)) next.add(path);
    open.value = next;
  };
  const level = (path: string): JSX.Element => (
    <ul>
      {childrenOf(names, path).map((node) => {
        const isLeaf = names.includes(node.path) && node.count === 1;
        return (
          <li key={node.path}>
            {isLeaf ? (
              <Button text={node.label} class="node leaf" onClick={() => change({ words: node.path })} />
            ) : (
              <>
                <Button
                  class="node"
                  aria-expanded={open.value.has(node.path)}
                  onClick={() => {
                    toggle(node.path);
                    if (open.value.has(node.path)) change({ words: `${node.path}.` }, 'replace');
                  }}
                >
                  <span aria-hidden="true">{open.value.has(node.path) ? '▾' : '▸'}</span> {node.label}{' '}
                  <span class="quiet">{node.count}</span>
                </Button>
                {open.value.has(node.path) ? level(node.path) : null}
              </>
            )}
          </li>
        );
      })}
    </ul>
  );
  return (
    <nav class="tree" aria-label="Namespace">
      {level('')}
    </nav>
  );
}

/** The results, of which only those in view exist and have values. */
function Results(props: {
  readonly source: string;
  readonly metrics: readonly MetricSummary[];
  /** Instances that were found, by their domains. */
  readonly found: ReadonlyMap<string, string>;
}) {
  const { source, metrics, found } = props;
  const list = useRef<HTMLDivElement>(null);
  const scroll = useSignal({ top: 0, height: 600 });
  const look = ({ scrollTop: top, clientHeight: height }: HTMLElement): void => void (scroll.value = { top, height });
  const feed = useOwn(() => new Feed());
  const first = Math.max(Math.floor(scroll.value.top / ROW_HEIGHT) - SPARE_ROWS, 0);
  const last = Math.min(Math.ceil((scroll.value.top + scroll.value.height) / ROW_HEIGHT) + SPARE_ROWS, metrics.length);
  const shown = metrics.slice(first, last);
  const key = shown.map(({ name }) => name).join(',');
  const { isKnown, recorded } = factsOf(source).value;

  useEffect(() => {
    const element = list.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => look(element));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    list.current?.scrollTo({ top: 0 });
  }, [metrics]);
  useEffect(() => {
    const names = shown.filter(isDrawable).map(({ name }) => name);
    if (!isKnown || names.length === 0) return undefined;
    const time = recorded
      ? ({ kind: 'fixed', start: recorded.start, end: Math.max(recorded.end, recorded.start + 1) } as const)
      : ({ kind: 'live', spanSec: 60 } as const);
    const timer = setTimeout(() => feed.want({ source, names, isRate: true, time }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [key, isKnown, recorded]);

  return (
    <div
      class="results"
      ref={list}
      role="region"
      aria-label="Results"
      tabIndex={0}
      onScroll={({ currentTarget }) => look(currentTarget)}
    >
      <Padding rows={first} />
      {shown.map((metric) => (
        <Row key={metric.name} metric={metric} feed={feed} found={found.get(metric.indom ?? '')} />
      ))}
      <Padding rows={metrics.length - last} />
    </div>
  );
}

/** A rate needs two samples; a metric without a value in three of them has none. */
const ENOUGH = 3;

/** Whether a metric has no values, and not just none yet. */
function isWithout({ table, warnings, resolution, arrived }: Feed, name: string): boolean {
  if (warnings.value.has(name)) return true;
  return table.units.has(name) && (resolution.value?.isLive === false || arrived >= ENOUGH);
}

const NAMED = 3;

function namesText(series: readonly Series[]): string {
  const names = series.map((each) => {
    const name = instanceText(each);
    return (each.metric.startsWith('proc.') ? shortName(name) : name).slice(0, 24);
  });
  return someText(names, NAMED);
}

function Padding({ rows }: { readonly rows: number }) {
  return <div aria-hidden="true" style={{ height: `${rows * ROW_HEIGHT}px` }} />;
}

function Row(props: { readonly metric: MetricSummary; readonly feed: Feed; readonly found: string | undefined }) {
  const { metric, feed, found } = props;
  const { name, indom, 'text-oneline': oneline } = metric;
  const lanes = [...view.value.lanes, laneWith(name, found)];
  const addLane = { ...view.value, screen: 'chart' as const, words: '', lanes };
  const explained = encodeView({ ...view.value, screen: 'explain', words: name });
  const instances = useComputed(() => {
    return feed.latest.series.filter((each) => each.metric === name && (found === undefined || each.name === found));
  });
  const best = useComputed(() => {
    follow(feed.version);
    return ranked(instances.value.map((series) => ({ series, summary: summaryOf(series, feed.table.times) })))[0];
  });
  const value = useComputed(() => {
    const last = best.value?.summary.last;
    if (last === undefined) return isWithout(feed, name) ? 'no value' : '';
    if (typeof last === 'string') return last.slice(0, 80);
    const quantity = quantityIn(feed.table, metric, name, false);
    return valueText(quantity, last * quantity.factor);
  });
  const names = useComputed(() => namesText(instances.value)).value;
  const facts = [kindText(metric), indom === undefined || found !== undefined ? '' : names];
  const isShown = isDrawable(metric);
  return (
    <a
      class="row"
      href={isShown ? encodeView(addLane) : explained}
      title={
        isShown ? `Show ${name} in the chart (e: explain it)` : 'What it is; the chart draws numbers and texts only'
      }
      onKeyDown={(event) => {
        if (event.key === 'e' && hasKeys.value) {
          change({ screen: 'explain', words: name });
          return;
        }
        const { nextElementSibling: next, previousElementSibling: before } = event.currentTarget;
        if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
        event.preventDefault();
        const other = event.key === 'ArrowDown' ? next : before;
        if (other instanceof HTMLAnchorElement) other.focus();
        else if (event.key === 'ArrowUp') document.querySelector<HTMLElement>('.find input')?.focus();
      }}
    >
      <span class="row-name">
        {name}
        {found === undefined ? '' : `[${found}]`}
      </span>
      <span class="row-value" data-proof={useComputed(() => best.value && explainedOf(best.value.series))}>
        {value}
      </span>
      <FeedSpark feed={feed} name={name} />
      <span class="row-text quiet">{oneline}</span>
      <span class="row-facts quiet">{facts.filter((fact) => fact !== '').join(' · ')}</span>
    </a>
  );
}
