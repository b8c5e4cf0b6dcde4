import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { nearestNames } from '../../pmapi/index.js';
import type { DerivedDefinition, IndomAnswer, Metric } from '../../client/index.js';
import { watchColours } from '../chart/lane.js';
import { SourceLanes } from '../chart/source-lanes.js';
import { catalogueOf } from '../data/catalogue.js';
import { listDerived } from '../data/check-expression.js';
import { commandsFor, explanationOf, mentions, relatedNames } from '../data/explain.js';
import { isDrawable } from '../data/find-metrics.js';
import { client, gatewayUrl, whereOf } from '../data/gateway.js';
import { CopyButton } from '../parts/copy-button.js';
import { view } from '../state/page.js';
import { encodeView, laneOf } from '../state/url-state.js';

const MOST_INSTANCES = 200;
const MOST_RELATED = 30;

/** What a metric is: its help, descriptor, labels and instances, and what belongs to it. */
export function ExplainScreen(): JSX.Element {
  const { on, words: name } = view.value;
  const source = on[0]!;
  const { catalogue, trouble } = catalogueOf(source).value;
  useEffect(watchColours, []);
  const metric = catalogue?.byName.get(name);
  if (trouble) {
    return (
      <p class="trouble" role="alert">
        {trouble.message} ({trouble.code}).
      </p>
    );
  }
  if (name === '' || (catalogue && !metric)) {
    const near = nearestNames(name, catalogue?.byName.keys() ?? []).slice(0, 6);
    return (
      <p class="empty">
        {name === ''
          ? 'Choose a metric in Find: each one explains itself.'
          : `There is no metric ${name} on ${source}.`}{' '}
        {near.map((each) => (
          <a key={each} class="button" href={explainLink(each)}>
            {each}
          </a>
        ))}{' '}
        <a href={encodeView({ ...view.value, screen: 'find', words: name })}>Find</a>
      </p>
    );
  }
  return metric ? (
    <Explanation key={`${source} ${name}`} metric={metric} source={source} />
  ) : (
    <p class="empty">Reading…</p>
  );
}

function explainLink(name: string): string {
  return encodeView({ ...view.value, screen: 'explain', words: name });
}

function Explanation({ metric, source }: { readonly metric: Metric; readonly source: string }): JSX.Element {
  const { name, pmid, type, sem, units, labels, indom, 'text-oneline': oneline, 'text-help': help } = metric;
  const domain = useSignal<IndomAnswer['instances'] | undefined>(undefined);
  useEffect(() => {
    if (indom === undefined) return undefined;
    const controller = new AbortController();
    client.indom(name, { ...whereOf(source), signal: controller.signal }).then(
      ({ instances }) => (domain.value = instances),
      // Its values say why.
      () => undefined,
    );
    return () => controller.abort();
  }, [name, source, indom, domain]);
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
      <p>{oneline}</p>
      <p>{explanationOf(metric, domain.value?.length)}</p>
      {help === '' || help === oneline ? null : <p class="help">{help}</p>}
      {isDrawable(metric) ? (
        <SourceLanes source={source} definitions={[]} lanes={[laneOf(name)]} namesSource={false} hidesMissing={false} />
      ) : null}
      <Derivation name={name} source={source} />
      <h3>Descriptor</h3>
      <dl>
        {facts.map(([key, value]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {domain.value ? <Instances metric={name} instances={domain.value} /> : null}
      {related.length === 0 ? null : (
        <>
          <h3>Beside it</h3>
          <p class="chips">
            {related.slice(0, MOST_RELATED).map((each) => (
              <a key={each} href={explainLink(each)}>
                {each}
              </a>
            ))}
            {related.length > MOST_RELATED ? <span class="quiet">and {related.length - MOST_RELATED} more</span> : null}
          </p>
        </>
      )}
      <h3>Elsewhere</h3>
      <p class="actions">
        {commandsFor(gatewayUrl, source, name).map(([label, command]) => (
          <CopyButton key={label} label={`Copy ${label}`} text={() => command} />
        ))}
      </p>
    </article>
  );
}

function Instances({
  metric,
  instances,
}: {
  readonly metric: string;
  readonly instances: IndomAnswer['instances'];
}): JSX.Element {
  const lane = (instance: string): string =>
    encodeView({
      ...view.value,
      screen: 'chart',
      words: '',
      lanes: [{ ...laneOf(metric), instances: instance.replaceAll('*', '?') }],
    });
  return (
    <>
      <h3>
        Instances <span class="quiet">{instances.length}</span>
      </h3>
      <p class="chips">
        {instances.slice(0, MOST_INSTANCES).map(({ instance, name }) => (
          <a key={instance} href={lane(name)}>
            {name}
          </a>
        ))}
      </p>
    </>
  );
}

/** How a derived metric is computed and what masks it, and which derived metrics are computed from this one. */
function Derivation({ name, source }: { readonly name: string; readonly source: string }): JSX.Element | null {
  const all = listDerived().value;
  const own = all.find((entry) => entry.name === name);
  const users = all.filter(({ canonical }) => mentions(canonical, name));
  const definition = useSignal<DerivedDefinition | undefined>(undefined);
  useEffect(() => {
    // Only of hosts is it known what masks a definition.
    if (!own || source.startsWith('archive:')) return undefined;
    const controller = new AbortController();
    client.derived.get(name, { hostspec: source, signal: controller.signal }).then(
      (found) => (definition.value = found),
      () => undefined,
    );
    return () => controller.abort();
  }, [own, name, source, definition]);
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
            <a
              href={encodeView({
                ...view.value,
                screen: 'derive',
                words: '',
                definitions: [{ name, expression: own.expression }],
              })}
            >
              Open in Derive
            </a>
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
              <a key={user.name} href={explainLink(user.name)} title={user.canonical}>
                {user.name}
              </a>
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
