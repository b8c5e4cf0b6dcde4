import { useComputed, useSignal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { DerivedCheck } from '../../../../client/index.js';
import { Button, Failure, Link, TextField } from '../parts/controls.js';
import { bareValueText, unitName } from '../chart/axis-units.js';
import { SourceLanes } from '../chart/source-lanes.js';
import { catalogueOf } from '../data/catalogue.js';
import { Feed } from '../data/feed.js';
import { findMetrics } from '../data/find-metrics.js';
import { client, gatewayUrl, isHere, troubleOf, troubleText, whereOf } from '../data/gateway.js';
import { derivedFunctions, listDerived, listDerivedAgain, whoami } from '../data/check-expression.js';
import { factsOf } from '../data/source-facts.js';
import { CopyButton } from '../parts/copy-button.js';
import { useAnswer } from '../parts/use-answer.js';
import { useOwn } from '../parts/use-own.js';
import { ExpressionEditor } from '../parts/expression-editor.js';
import type { Completion } from '../parts/listbox.js';
import { change, said, view } from '../state/page.js';
import { isMetricName, laneOf, type Definition } from '../state/url-state.js';
import { Parts } from './derive-parts.js';

/** The name of a metric until it has a better one. */
const UNNAMED = 'my.metric';
const PAUSE_MS = 40;
const AGAIN_MS = 3000;
const EXAMPLES = [
  ['my.mem.free', '100 * mem.util.free / mem.physmem', 'per cent of memory that is free'],
  ['my.disk.await', 'delta(disk.dev.total_rawactive) / delta(disk.dev.total)', 'how long a request takes, each disk'],
  ['my.net.all', 'rate(network.interface.in.bytes) + rate(network.interface.out.bytes)', 'traffic of each interface'],
] as const;

/** An expression with its check and its value; it is registered only on request. */
export function DeriveScreen() {
  const { on, definitions } = view.value;
  const source = on[0]!;
  const name = useSignal(definitions[0]?.name ?? UNNAMED);
  const expression = useSignal(definitions[0]?.expression ?? '');
  const feed = useOwn(() => new Feed());
  // Of a part of an archive: its last sample, as in the chart. Between samples, values would be interpolated.
  const at = useComputed(() => {
    const { recorded } = factsOf(view.value.on[0]!).value;
    const { time } = view.value;
    if (!recorded || time.kind !== 'fixed' || time.end >= recorded.end) return undefined;
    return feed.latest.times.findLast((each) => each >= time.start && each <= time.end) ?? time.end;
  }).value;
  // What was last written to the address: anything else comes from a link, or from back and forward.
  const written = useRef(JSON.stringify(definitions));
  useEffect(() => {
    const [first] = definitions;
    if (!first || JSON.stringify(definitions) === written.current) return;
    [name.value, expression.value] = [first.name, first.expression];
  }, [definitions, name, expression]);
  useEffect(() => {
    const own = { name: isMetricName(name.value) ? name.value : UNNAMED, expression: expression.value };
    const next = own.expression.trim() === '' ? [] : [own];
    written.current = JSON.stringify(next);
    change({ definitions: next }, 'replace');
  }, [source, expression.value, name.value, at]);
  const isEmpty = expression.value.trim() === '';
  const { answer, trouble } = useAnswer(
    isEmpty ? undefined : JSON.stringify([source, expression.value, at]),
    async (signal) => {
      const when = at === undefined ? undefined : `@${at}`;
      const check = await client.derived.check(expression.value, { ...whereOf(source), at: when, signal });
      return { ...check, at, source };
    },
    { afterMs: PAUSE_MS, againMs: () => (source.startsWith('archive:') ? undefined : AGAIN_MS) },
  );
  const shown = isEmpty || answer.value?.source !== source ? undefined : answer.value;
  const isCurrent = shown?.expression === expression.value;
  // Until it is known which sample is the last, there are no values.
  const isRead = useComputed(
    () => !feed.isWaiting.value && (feed.trouble.value ?? feed.resolution.value) !== undefined,
  );
  const isFirm = at === undefined || (isRead.value && shown?.at === at);
  const repair = isCurrent ? shown.errors.find((error) => error.repair)?.repair : undefined;
  return (
    <div class={isFirm ? 'derive' : 'derive unread'}>
      <TextField class="stacked derive-name" label="Name" text={name} aria-invalid={!isMetricName(name.value)} />
      <p class="field-name">Expression</p>
      <ExpressionEditor
        value={expression.value}
        onInput={(text) => (expression.value = text)}
        errors={
          isCurrent
            ? shown.errors.map(({ position: { offset, end } }) => ({ start: offset, end: end ?? offset + 1 }))
            : []
        }
        complete={(word) => completions(source, word)}
        onRepair={() => {
          if (repair?.expression !== undefined) expression.value = repair.expression;
        }}
      />
      <Failure trouble={isEmpty ? undefined : trouble.value} of={source} />
      {isEmpty ? <Examples name={name} expression={expression} /> : null}
      {shown ? (
        <Outcome check={shown} name={name.value} feed={feed} onRepair={(text) => (expression.value = text)} />
      ) : null}
      {isHere(source) ? null : <Registered name={name} expression={expression} />}
    </div>
  );
}

function completions(source: string, word: string): readonly Completion[] {
  const functions = derivedFunctions(source)
    .value.filter(({ name }) => name.startsWith(word))
    .map(({ name, synopsis, summary }) => ({ value: name, note: `${synopsis}: ${summary}` }));
  const { catalogue } = catalogueOf(source).value;
  const metrics = findMetrics(catalogue?.metrics ?? [], word)
    .filter(({ name }) => name.includes(word))
    .map(({ name, 'text-oneline': note = '' }) => ({ value: name, note }));
  return [...functions, ...metrics].slice(0, 10);
}

function Examples({ name, expression }: { readonly name: Signal<string>; readonly expression: Signal<string> }) {
  return (
    <section class="empty" aria-label="Examples">
      <p>
        Type an expression over metrics: what it is, its value and that of each part appear below. Names complete as you
        type (arrow keys, Tab). For instance:
      </p>
      <ul class="plain">
        {EXAMPLES.map(([exampleName, text, what]) => (
          <li key={text}>
            <Button text={text} class="mono" onClick={() => ([name.value, expression.value] = [exampleName, text])} />{' '}
            <span class="quiet">{what}</span>
          </li>
        ))}
      </ul>
      <p>
        <a href="../docs/guide/language" data-leaves="">
          Guide to the language
        </a>
      </p>
    </section>
  );
}

function Outcome(props: {
  readonly check: DerivedCheck;
  readonly name: string;
  readonly feed: Feed;
  readonly onRepair: (expression: string) => void;
}) {
  const { check, name, feed, onRepair } = props;
  const { on } = view.value;
  if (!check.ok) {
    return (
      <div role="status">
        <ul class="plain problems">
          {check.errors.slice(0, 5).map(({ code, reason, explanation, excerpt, repair }, i) => (
            <li key={`${i} ${code}`}>
              <p class="trouble">
                {explanation === '' ? reason : explanation}{' '}
                {explanation === '' || explanation.includes(reason) ? null : <span class="quiet">({reason})</span>}
              </p>
              <pre>{excerpt}</pre>
              {repair ? (
                <p>
                  {repair.text.slice(0, 1).toUpperCase() + repair.text.slice(1)}{' '}
                  {repair.expression === undefined ? null : (
                    <Button onClick={() => onRepair(repair.expression!)}>
                      Use {repair.expression.length > 80 ? 'it' : repair.expression} {i === 0 ? '(Alt+Enter)' : ''}
                    </Button>
                  )}
                </p>
              ) : null}
            </li>
          ))}
        </ul>
      </div>
    );
  }
  const usable = isMetricName(name) ? name : UNNAMED;
  const definition = { name: usable, expression: check.expression };
  const lanes = [laneOf(usable), ...check.operands.slice(0, 3).map((operand) => laneOf(operand.name))];
  return (
    <>
      <Value check={check} />
      <Actions definition={definition} isHere={isHere(on[0]!)} />
      <Parts check={check} source={on[0]!} feed={feed} />
      <section aria-label="Preview">
        <h2>
          {usable} <span class="quiet">and its operands</span>
        </h2>
        <SourceLanes key={on.join(' ')} sources={on} definitions={[definition]} lanes={lanes} />
      </section>
    </>
  );
}

function Value({ check: { metadata, sample, expression } }: { readonly check: DerivedCheck }) {
  const units = metadata?.units ?? '';
  const unit = unitName(units);
  const instances = sample?.instances ?? [];
  return (
    <p class="outcome">
      <span class="values">
        {instances.slice(0, 6).map(({ instance, name = '', value }) => (
          <span key={String(instance)}>
            {name === '' ? '' : <span class="quiet">{name} </span>}
            <span class="figure" data-proof={expression}>
              {`${bareValueText(value)} ${unit}`.trimEnd()}
            </span>
          </span>
        ))}
        {instances.length > 6 ? <span class="quiet">and {instances.length - 6} more</span> : null}
        {sample?.message === undefined ? null : <span class="quiet">no values now: {sample.message}</span>}
      </span>
      <span class="quiet" role="status">
        {metadata?.type.toLowerCase()} · {metadata?.semantics} · {unit || units || 'no unit'} ·{' '}
        {metadata?.indom === null ? 'one value' : 'a value for each instance'}
      </span>
    </p>
  );
}

/** Say what is done to a global derived metric, or why that failed. */
async function saying(done: Promise<unknown>, what: string, text: string): Promise<void> {
  try {
    await done;
    said.value = `${what} ${text}`;
    await listDerivedAgain();
  } catch (error) {
    said.value = troubleText(troubleOf(error), what);
  }
}

/** What can be done with a definition; archives of this machine have only those of the address. */
function Actions({ definition, isHere }: { readonly definition: Definition; readonly isHere: boolean }) {
  const { name, expression } = definition;
  const mayDerive = isHere || whoami().value?.permissions.includes('derive');
  const register = (): Promise<void> =>
    saying(client.derived.register(name, expression), name, 'is registered: every client of this gateway has it now.');
  return (
    <p class="actions">
      <Link text="Chart" to={{ screen: 'chart', definitions: [definition], lanes: [laneOf(name)] }} class="button" />
      <CopyButton label="Copy definition" text={() => `${name} = ${expression}`} />
      {isHere ? null : (
        <>
          <Button
            class="primary"
            disabled={mayDerive === false}
            title={mayDerive === false ? 'Needs the permission derive' : 'For all clients of this gateway'}
            onClick={() => void register()}
          >
            Register as {name}
          </Button>
          <CopyButton
            label="Copy curl"
            text={() =>
              `curl -X PUT '${gatewayUrl}/derived/${encodeURIComponent(name)}' -H 'Content-Type: application/json' -d '${JSON.stringify({ expr: expression }).replaceAll("'", "'\\''")}'`
            }
          />
        </>
      )}
    </p>
  );
}

function Registered({ name, expression }: { readonly name: Signal<string>; readonly expression: Signal<string> }) {
  const entries = listDerived().value;
  const own = entries.filter(({ origin }) => origin !== 'shipped');
  const shipped = entries.length - own.length;
  const remove = (metric: string): Promise<void> => saying(client.derived.unregister(metric), metric, 'is removed.');
  return (
    <section aria-label="Registered">
      <h2>
        Registered{' '}
        <span class="quiet">
          {own.length === 0 ? 'nothing of your own yet' : own.length}, beside {shipped} that pmgate ships
        </span>
      </h2>
      <ul class="plain">
        {own.map((entry) => (
          <li key={entry.name}>
            <Button
              text={entry.name}
              class="mono"
              onClick={() => ([name.value, expression.value] = [entry.name, entry.expression])}
            />{' '}
            <code>{entry.canonical}</code>{' '}
            {entry.origin === 'api' ? (
              <Button text="Remove" aria-label={`Remove ${entry.name}`} onClick={() => void remove(entry.name)} />
            ) : (
              <span class="quiet">from a file</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
