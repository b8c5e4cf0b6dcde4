import { useEffect } from 'preact/hooks';
import type { DerivedCheck } from '../../../../client/index.js';
import { Heads } from '../parts/controls.js';
import { partText, unitName } from '../chart/axis-units.js';
import { FeedSpark } from '../chart/spark.js';
import { partsOf, type ExpressionPart } from '../data/check-expression.js';
import type { Feed } from '../data/feed.js';
import { factsOf } from '../data/source-facts.js';
import { sourceWith } from '../data/tab-context.js';
import { view } from '../state/page.js';
import type { Definition } from '../state/url-state.js';
import { windowOf } from '../state/time-window.js';

/** How long an expression must be unchanged before it is streamed. */
const PAUSE_MS = 400;

/** The parts of an expression as a tree, each with its value in the check, and the last minute; of an archive, the time that is shown. */
export function Parts(props: { readonly check: DerivedCheck; readonly source: string; readonly feed: Feed }) {
  const { check, source, feed } = props;
  const parts = partsOf(check);
  // Each check brings new values of the same parts.
  const wanted = JSON.stringify(parts.flatMap(({ definition }) => definition ?? []));
  const { recorded, isKnown } = factsOf(source).value;
  const shown = view.value.time;
  useEffect(() => {
    const definitions = JSON.parse(wanted) as readonly Definition[];
    if (!isKnown || definitions.length === 0) return undefined;
    const time = recorded
      ? ({ kind: 'fixed', ...windowOf(shown, { now: 0, recorded }) } as const)
      : ({ kind: 'live', spanSec: 60 } as const);
    const timer = setTimeout(() => {
      const names = definitions.map(({ name }) => name);
      feed.want({ source: sourceWith(source, definitions), names, isRate: false, time });
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [wanted, source, isKnown, recorded, shown, feed]);
  return (
    <table class="listing parts cards" aria-label="Parts of the expression">
      <Heads columns={[['part'], ['unit'], ['value', 'number'], [recorded ? 'shown time' : 'last minute']]} />
      <tbody>
        {parts.map((part, i) => (
          <Part key={`${i} ${part.node.text}`} part={part} feed={feed} />
        ))}
      </tbody>
    </table>
  );
}

function Part({ part: { depth, node, definition }, feed }: { readonly part: ExpressionPart; readonly feed: Feed }) {
  return (
    <tr class={node.selected ? '' : 'quiet'}>
      <th scope="row">
        <span style={{ paddingLeft: `${depth * 16}px` }}>{node.text}</span>
        {node.selected ? '' : ' (never evaluated)'}
      </th>
      <td data-label="unit">{unitName(node.metadata?.units ?? '')}</td>
      <td data-label="value" class="number" data-proof={node.text}>
        {definition && node.sample ? partText(node.sample) : ''}
      </td>
      <td>{definition ? <FeedSpark feed={feed} name={definition.name} /> : null}</td>
    </tr>
  );
}
