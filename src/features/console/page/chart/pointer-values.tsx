import { useComputed, type ReadonlySignal } from '@preact/signals';
import type { TimeZone } from '../../../../pmapi/index.js';
import type { Samples } from '../data/joined-feed.js';
import type { Span } from '../state/time-window.js';
import { clockText } from './axis-times.js';
import { xOf } from './chart-canvas.js';
import { heightOf, plotOf } from './draw-lane.js';
import { valuesAt, type LaneModel } from './lane-model.js';

/** So many values fit beside the pointer. */
const MOST = 5;
const DISTANCE_PX = 10;
/** In windows shorter than this, instants are written with tenths of seconds. */
export const FINE_SEC = 60;

/** What the parts of a lane show. */
export interface LaneParts {
  readonly feed: Samples;
  readonly model: ReadonlySignal<LaneModel>;
  /** The palette index of each drawn series. */
  readonly places: ReadonlySignal<readonly number[]>;
  readonly window: ReadonlySignal<Span>;
  readonly zone: ReadonlySignal<TimeZone>;
}

interface ValuesProps extends LaneParts {
  readonly cursor: ReadonlySignal<number | undefined>;
  readonly width: ReadonlySignal<number>;
}

/** The time and the greatest values at the instant that is pointed at, beside it, in each lane; legends have all of them. */
export function PointerValues(props: ValuesProps) {
  const { cursor, feed, model, places, width, window, zone } = props;
  return useComputed(() => {
    const at = cursor.value;
    const area = plotOf(width.value, heightOf(model.value), window.value);
    if (at === undefined || at < area.start || at > area.end) return null;
    const values = valuesAt(model.value, feed.table, at, places.value);
    const x = xOf(area, at);
    const isLeft = x > width.value / 2;
    return (
      <div
        class="pointer-values"
        aria-hidden="true"
        style={isLeft ? { right: `${width.value - x + DISTANCE_PX}px` } : { left: `${x + DISTANCE_PX}px` }}
      >
        <strong>{clockText(at, zone.value, area.end - area.start < FINE_SEC ? 0.1 : 1)}</strong>
        {values.length === 0 ? <span class="quiet">nothing was sampled here</span> : null}
        {values.slice(0, MOST).map(({ label, text, place }) => (
          <span key={label}>
            <span class="swatch" style={{ background: `var(--s${place % 8})` }} />
            <span class="pointed">{label}</span> <span class="figure">{text}</span>
          </span>
        ))}
        {values.length > MOST ? <span class="quiet">and {values.length - MOST} more</span> : null}
      </div>
    );
  }).value;
}
