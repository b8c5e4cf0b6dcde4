import { useComputed } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { nearestNames } from '../../../../pmapi/index.js';
import type { IndomAnswer, Metric } from '../../../../client/index.js';
import { instantText } from '../chart/axis-times.js';
import { lackText } from '../chart/lane-words.js';
import { SourceLanes } from '../chart/source-lanes.js';
import { catalogueOf } from '../data/catalogue.js';
import { listDerived } from '../data/check-expression.js';
import { explanationOf, mentions, relatedNames } from '../data/explain.js';
import { readExplained } from '../data/explained-value.js';
import { isDrawable } from '../data/find-metrics.js';
import { client, gatewayUrl, isHere, troubleText, whereOf } from '../data/gateway.js';
import { now } from '../data/gateway-clock.js';
import { commandsFor } from '../data/shell.js';
import { isLiveOn, isTimed, MOMENT_SEC, shownZone, viewOn, windowOn } from '../data/shown-time.js';
import { factsOf, wantMetrics } from '../data/source-facts.js';
import { whyLines, whyText, whyTree, type WhyTree } from '../data/why.js';
import { Button, Facts, Failure, Link, Working } from '../parts/controls.js';
import { CopyButton } from '../parts/copy-button.js';
import { useAnswer } from '../parts/use-answer.js';
import { view } from '../state/page.js';
import { laneOf, laneWith } from '../state/url-state.js';

const MOST_INSTANCES = 200;
const MOST_RELATED = 30;

/** What a metric is: its help, descriptor, labels and instances, and what belongs to it. */
export function ExplainScreen() {
  const { on, words } = view.value;
  const { metric: name, instance } = readExplained(words);
  const source = on[0]!;
  const { catalogue, trouble } = catalogueOf(source).value;
  const isThere = catalogue?.byName.has(name) === true;
  // The catalogue has neither help texts nor labels.
  const metric = factsOf(source).value.metrics.get(name);
  useEffect(() => void (isThere && wantMetrics(source, [name])), [source, name, isThere]);
  if (trouble) return <Failure trouble={trouble} of={source} />;
  if (name === '' || (catalogue && !isThere)) {
    const near = nearestNames(name, catalogue?.byName.keys() ?? []);
    return (
      <p class="empty">
        {name === ''
          ? 'No metric is chosen. Explain says what a metric is and why its values are what they are.'
          : `${lackText(name, source)}${near.length === 0 ? '' : ' Similar names:'}`}{' '}
        {near.map((each) => (
          <Link key={each} class="button" text={each} to={{ words: each }} />
        ))}{' '}
        <Link text="Find a metric" to={{ screen: 'find', words: '' }} />
      </p>
    );
  }
  return metric ? (
    <Explanation key={`${source} ${words}`} metric={metric} instance={instance} source={source} />
  ) : (
    <Working>Reading what {name} is…</Working>
  );
}

function Explanation(props: {
  readonly metric: Metric;
  /** The instance whose value is to be explained; undefined: all. */
  readonly instance: string | undefined;
  readonly source: string;
}) {
  const { metric, instance, source } = props;
  const { on } = view.value;
  const { name, pmid, type, sem, units, labels, indom, 'text-oneline': oneline, 'text-help': help } = metric;
  // Without an answer, its values explain it.
  const { answer: domain } = useAnswer(indom && `${name} ${source}`, async (signal) => {
    return (await client.indom(name, { ...whereOf(source), signal })).instances;
  });
  const { catalogue } = catalogueOf(source).value;
  const related = relatedNames(name, catalogue?.metrics.map((each) => each.name) ?? []);
  const facts: readonly (readonly [string, string])[] = [
    ['PMID', pmid],
    ['type', type],
    ['semantics', sem],
    ['units', units],
    ['instance domain', indom ?? 'none'],
    ...Object.entries(labels).map(([key, value]) => [`label ${key}`, String(value)] as const),
  ];
  return (
    <article class="explain">
      <h2>{name}</h2>
      <p class="oneline">{oneline}</p>
      <p>{explanationOf(metric, domain.value?.length)}</p>
      {help === '' || help === oneline ? null : <p class="help">{help}</p>}
      {isDrawable(metric) ? (
        <SourceLanes key={on.join(' ')} sources={on} definitions={[]} lanes={[laneOf(name)]} />
      ) : null}
      {on.map((each) => (
        <Why key={each} metric={metric} instance={instance} source={each} />
      ))}
      <Derivation name={name} source={source} />
      <h3>Descriptor</h3>
      <Facts facts={facts} />
      {domain.value ? <Instances metric={name} instances={domain.value} /> : null}
      {related.length === 0 ? null : (
        <>
          <h3>Others of {name.slice(0, name.lastIndexOf('.'))}</h3>
          <p class="chips">
            {related.slice(0, MOST_RELATED).map((each) => (
              <Link key={each} text={each} to={{ words: each }} />
            ))}
            {related.length > MOST_RELATED ? <span class="quiet">and {related.length - MOST_RELATED} more</span> : null}
          </p>
        </>
      )}
      <h3>
        In a shell <span class="quiet">{isHere(source) ? 'where what you opened is' : ''}</span>
      </h3>
      <p class="actions">
        {commandsFor(gatewayUrl, source, name).map(([label, command]) => (
          <CopyButton key={label} label={`Copy ${label}`} text={() => command} />
        ))}
      </p>
    </article>
  );
}

/** Seconds before the instant in which samples are searched for; more if there are none. */
const [WHY_SEC, LONG_SEC] = [120, 86_400] as const;
const MOST_LINES = 24;
/** How often a live host is asked again until there is a value, and after how long. */
const TRIES = 30;
const AGAIN_MS = 2000;

/** How the last values, those at the pinned instant, or one of them, were obtained. */
function Why({ metric, instance, source }: { metric: Metric; instance: string | undefined; source: string }) {
  const { name } = metric;
  const facts = { oneline: metric['text-oneline'], unitHint: metric.display?.unit };
  const pinned = viewOn(source).cursor;
  const isNow = pinned === undefined && isLiveOn(source);
  const end = useComputed(() => (isLiveOn(source) ? undefined : windowOn(source).end)).value;
  const key = isTimed(source) ? JSON.stringify([name, instance, source, pinned ?? end]) : undefined;
  const range = (at: number, seconds: number) => {
    return { names: [name], rate: true, start: at - seconds, finish: at, ...whereOf(source) };
  };
  // A comma separates names: for an instance with a comma in its name, all instances are explained.
  const only = instance === undefined || instance.includes(',') ? {} : { iname: instance };
  const whyAt = async (at: number, seconds: number, signal: AbortSignal) => {
    const { metrics } = await client.why({ ...range(at, seconds), ...only, signal });
    const hasValue = metrics.some(({ values }) => values.length > 0);
    return { at, hasValue, lines: metrics.flatMap((each) => whyLines(each, shownZone.peek(), facts)) };
  };
  const find = async (signal: AbortSignal): ReturnType<typeof whyAt> => {
    const at = pinned ?? end ?? now.peek();
    if (!isNow) {
      // The chart shows the nearest sample that has a value.
      const finish = at + (pinned === undefined ? 0 : WHY_SEC);
      const { times, metrics } = await client.columns({ ...range(at, WHY_SEC), finish, signal });
      const series = metrics.flatMap((each) => each.series);
      const own = series.filter((each) => instance === undefined || each.name === instance);
      const [near] = times
        .filter((_, row) => own.some(({ values }) => values[row] !== null))
        .sort((a, b) => Math.abs(a - at) - Math.abs(b - at));
      if (near !== undefined) return { ...(await whyAt(near + MOMENT_SEC, WHY_SEC, signal)), at: near };
    }
    const found = await whyAt(at, WHY_SEC, signal);
    return found.lines.length === 0 ? whyAt(at, LONG_SEC, signal) : found;
  };
  // Of a metric that was never fetched before, the first samples are still to come.
  const { answer, trouble, ask } = useAnswer(key, find, {
    againMs: (found, count) => (found?.hasValue === true || !isNow || count > TRIES ? undefined : AGAIN_MS),
  });
  const why = answer.value;
  const none =
    (trouble.value && troubleText(trouble.value, source)) ??
    (why?.lines.length === 0 ? 'No sample of the day before has a value.' : undefined);
  const lines = none === undefined ? why?.lines : [{ depth: 0, text: none }];
  return (
    <>
      <h3>Why these values{view.value.on.length > 1 ? ` on ${source}` : ''}?</h3>
      <p class="quiet" role="status">
        {why ? `At ${instantText(why.at, shownZone.value)}` : lines ? '' : 'Reading the samples behind them…'}{' '}
        {isNow && lines ? <Button text="Refresh" onClick={ask} /> : null}{' '}
        {lines ? <CopyButton label="Copy as text" text={() => whyText(lines)} /> : null}
      </p>
      <div class="why">
        <WhyList lines={whyTree((lines ?? []).slice(0, MOST_LINES))} label="Why" />
      </div>
      {lines && lines.length > MOST_LINES ? (
        <p class="quiet">
          and {lines.length - MOST_LINES} more: pmgate fetch {name} --why
        </p>
      ) : null}
    </>
  );
}

/** What each line comes from, below it: the parts of an expression with their values, down to what was read. */
function WhyList({ lines, label }: { readonly lines: readonly WhyTree[]; readonly label?: string }): JSX.Element {
  return (
    <ul class="plain mono" role="list" aria-label={label}>
      {lines.map(({ text, part, value, from, children }, i) => (
        <li key={`${i} ${text}`}>
          {part === undefined ? (
            text
          ) : (
            <>
              <span class="quiet">{part} = </span>
              <strong>{value}</strong>
              <span class="quiet">{from}</span>
            </>
          )}
          {children.length === 0 ? null : <WhyList lines={children} />}
        </li>
      ))}
    </ul>
  );
}

function Instances({ metric, instances }: { readonly metric: string; readonly instances: IndomAnswer['instances'] }) {
  return (
    <>
      <h3>
        Instances <span class="quiet">{instances.length}</span>
      </h3>
      <p class="chips">
        {instances.slice(0, MOST_INSTANCES).map(({ instance, name }) => (
          <Link key={instance} text={name} to={{ screen: 'chart', words: '', lanes: [laneWith(metric, name)] }} />
        ))}
        {instances.length > MOST_INSTANCES ? (
          <span class="quiet">
            and {instances.length - MOST_INSTANCES} more:{' '}
            <Link text="its chart" to={{ screen: 'chart', words: '', lanes: [laneOf(metric)] }} /> has a filter
          </span>
        ) : null}
      </p>
    </>
  );
}

/** How a derived metric is computed and what masks it, and which derived metrics are computed from this one. */
function Derivation({ name, source }: { readonly name: string; readonly source: string }) {
  const all = listDerived(source).value;
  const own = all.find((entry) => entry.name === name);
  const users = all.filter(({ canonical }) => mentions(canonical, name));
  // What masks a definition is known only for hosts.
  const isAsked = own !== undefined && !source.startsWith('archive:');
  const { answer: definition } = useAnswer(isAsked ? `${name} ${source}` : undefined, (signal) =>
    client.derived.get(name, { hostspec: source, signal }),
  );
  if (!own && users.length === 0) return null;
  const binding = definition.value?.binding;
  return (
    <>
      {own ? (
        <>
          <h3>Derived</h3>
          <p>
            <code>
              {name} = {own.canonical}
            </code>{' '}
            <span class="quiet">{ORIGINS[own.origin] ?? own.origin}</span>{' '}
            <Link
              text="Open in Derive"
              to={{ screen: 'derive', words: '', definitions: [{ name, expression: own.expression }] }}
            />
          </p>
          {binding?.maskedBy === undefined ? null : (
            <p class="trouble">Masked on {source}: the source has a metric of that name itself, which is shown here.</p>
          )}
          {binding?.reason === undefined ? null : <p class="trouble">{binding.reason}</p>}
        </>
      ) : null}
      {users.length === 0 ? null : (
        <>
          <h3>Computed from it</h3>
          <p class="chips">
            {users.map((user) => (
              <Link key={user.name} text={user.name} to={{ words: user.name }} title={user.canonical} />
            ))}
          </p>
        </>
      )}
    </>
  );
}

const ORIGINS: Readonly<Record<string, string>> = {
  shipped: 'shipped with pmgate',
  file: 'from a file of the gateway',
  api: 'registered by a client',
};
