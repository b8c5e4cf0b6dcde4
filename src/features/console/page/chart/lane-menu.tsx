import { Button, Link, Select } from '../parts/controls.js';
import { change, hasOwnLanes, putLane, view } from '../state/page.js';
import { type Lane, type LaneForm } from '../state/url-state.js';

const FORMS = [
  ['auto', 'automatic'],
  ['line', 'lines'],
  ['stack', 'stacked'],
  ['heat', 'heat rows'],
  ['table', 'table'],
] as const;

/** How a lane is drawn, and what leads from it to other screens. */
export function LaneMenu({ index, lane, isCounter }: { index: number; lane: Lane; isCounter: boolean }) {
  const what = lane.metrics.join(' + ');
  // Lanes of other screens are changed there.
  if (!hasOwnLanes(view.value)) {
    return (
      <span class="lane-menu">
        <MoreOfLane lane={lane} />
        <Link text="chart" to={{ screen: 'chart', words: '', lanes: [lane] }} />
      </span>
    );
  }
  return (
    <span class="lane-menu">
      <Select
        label={`How ${what} is drawn`}
        value={lane.form ?? 'auto'}
        options={FORMS}
        onChoose={(value) => putLane(index, { ...lane, form: value === 'auto' ? undefined : (value as LaneForm) })}
      />
      {isCounter ? (
        <Button text="raw" aria-pressed={lane.isRaw} onClick={() => putLane(index, { ...lane, isRaw: !lane.isRaw })} />
      ) : null}
      <Button
        text="fit"
        aria-pressed={lane.fits}
        title="Fit the axis to the values"
        onClick={() => putLane(index, { ...lane, fits: !lane.fits })}
      />
      <MoreOfLane lane={lane} />
      <Button
        text="✕"
        aria-label={`Remove ${what}`}
        onClick={() => change({ lanes: view.peek().lanes.filter((_, i) => i !== index) })}
      />
    </span>
  );
}

/** The links of a lane: what its metric is, and what can be computed from it. */
function MoreOfLane({ lane: { metrics } }: { readonly lane: Lane }) {
  const { definitions } = view.value;
  const [first = ''] = metrics;
  const own = definitions.find(({ name }) => name === first);
  const name = own?.name ?? 'my.metric';
  const expression = own?.expression ?? metrics.join(' + ');
  return (
    <>
      {view.value.screen === 'explain' ? null : (
        <Link text="explain" to={{ screen: 'explain', words: first }} title={`What ${first} is`} />
      )}
      {view.value.cursor === undefined ? null : (
        <Link
          text="why"
          to={{ screen: 'explain', words: first }}
          title={`Why the values of the pinned instant are what they are`}
        />
      )}
      <Link
        text="derive"
        to={{ screen: 'derive', words: '', definitions: [{ name, expression }] }}
        title="Compute something from it"
      />
    </>
  );
}
