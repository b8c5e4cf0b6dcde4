import type { Span } from '../state/time-window.js';
import { client, whereOf } from './gateway.js';
import { RESOURCE_METRICS, type Resource } from './resources.js';
import { partsOf, type KnownTime } from './ribbon-parts.js';
import { SeriesTable } from './series-table.js';

/** So many parts: more would be narrower than what can be pointed at. */
const PARTS = 288;
/** So much of nothing is shown before what is known. */
const MARGIN = 0.05;

/**
 * What is known of a source in a time, which is cut where that begins, with the first of some resources that was sampled; rejects as the
 * client does.
 */
export async function knownTime(
  source: string,
  resources: readonly Resource[],
  { start: earliest, end }: Span,
  signal: AbortSignal,
): Promise<KnownTime> {
  const timeline = source.startsWith('archive:')
    ? undefined
    : await client.timeline({ names: RESOURCE_METRICS, hostspec: source, start: earliest, finish: end, signal });
  const first = Math.min(...(timeline?.segments ?? []).map(({ from }) => from));
  const begin = first - (end - first) * MARGIN;
  const span = { start: timeline ? Math.max(earliest, Math.min(begin, end - (end - earliest) / 8)) : earliest, end };
  const window = { start: span.start, finish: end };
  let found: Pick<KnownTime, 'title' | 'parts' | 'most'> = { title: undefined, parts: [], most: 0 };
  for (const { title, metrics, needs = [], read } of resources) {
    const names = [...metrics, ...needs];
    const columns = await client.columns({ names, rate: true, ...whereOf(source), ...window, points: PARTS, signal });
    const table = new SeriesTable();
    table.fill(columns);
    const reading = read(table);
    if (!reading) continue;
    found = { title, ...partsOf(table.times, reading.value, reading.whole) };
    break;
  }
  const segments = timeline?.segments.map(({ from, to, origin }) => {
    return { start: from, end: to, isRemembered: origin === 'memory' };
  });
  return { ...span, ...found, segments: segments ?? [{ ...span, isRemembered: false }] };
}
