import type { ChangeFinding, ChangesAnswer } from '../../../../client/index.js';
import type { Span } from '../state/time-window.js';
import { client, whereOf } from './gateway.js';

/** What is compared. */
export interface ChangesRequest {
  /** The first is examined; others are compared with it instead of an earlier time. */
  readonly sources: readonly string[];
  /** What happened; undefined: the last five minutes. */
  readonly after: Span | undefined;
  /** The time to compare with; undefined: just before, four times as long. */
  readonly before: Span | undefined;
  /** Nodes of the namespace; empty: everything except processes. */
  readonly prefix: readonly string[];
}

/** How long reading two windows of an archive may take. */
const PATIENCE_MS = 180_000;
/** The points of a picture in each window. */
const POINTS = 60;

/** The findings, most remarkable first. */
export function findChanges(
  { sources, after, before, prefix }: ChangesRequest,
  signal: AbortSignal,
): Promise<ChangesAnswer> {
  const [source, ...others] = sources;
  return client.changes({
    ...whereOf(source!),
    ...(after ? { after: textOf(after) } : {}),
    ...(before ? { before: textOf(before) } : {}),
    ...(others.length === 0 ? {} : { against: others.map((each) => each.replace(/^archive:/, '')).join(';') }),
    ...(prefix.length === 0 ? {} : { prefix }),
    timeoutMs: PATIENCE_MS,
    signal,
  });
}

function textOf({ start, end }: Span): string {
  return `${start},${end}`;
}

/** A window in a picture: values in order of time, null where there are none. */
export type Stretch = readonly (number | null)[];

/** The values of a finding, in both windows. */
export async function pictureOf(
  source: string,
  { name = '', instance }: Pick<ChangeFinding, 'name' | 'instance'>,
  windows: readonly [ChangesAnswer['before'], ChangesAnswer['after']],
  signal: AbortSignal,
): Promise<readonly [Stretch, Stretch]> {
  const stretch = async ({ start, finish }: ChangesAnswer['before']): Promise<Stretch> => {
    const { metrics } = await client.columns({
      names: [name],
      ...(instance === undefined ? {} : { iname: instance }),
      rate: true,
      start,
      finish,
      points: POINTS,
      decimation: 'average',
      ...whereOf(source),
      signal,
    });
    const values = metrics[0]?.series[0]?.values ?? [];
    return values.map((value) => (typeof value === 'number' ? value : null));
  };
  const [before, after] = await Promise.all(windows.map(stretch));
  return [before!, after!];
}
