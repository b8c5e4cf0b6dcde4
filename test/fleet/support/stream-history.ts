/** What a client of a stream received, in order. Times are in nanoseconds. */
export type StreamEvent =
  | { readonly kind: 'sample'; readonly id: bigint }
  /** Samples between the two are missing. */
  | { readonly kind: 'gap'; readonly from: bigint; readonly to: bigint }
  /** The connection ended, and the client resumed. */
  | { readonly kind: 'reconnected' };

/** Samples that are farther apart are missing some. */
const INTERVALS = 4;

/**
 * What is wrong with a stream; empty if its ids grow, no sample comes twice, and whatever is missing after the client reconnected
 * is told by a gap. A sampler that paused while its client was connected missed nothing; nor did one that skipped some ticks, as on a busy machine.
 */
export function streamProblems(events: readonly StreamEvent[], intervalMs: number): string[] {
  const problems: string[] = [];
  const mostNs = BigInt(Math.ceil(INTERVALS * intervalMs * 1e6));
  let last: bigint | undefined;
  let isResumed = false;
  let gaps: (StreamEvent & { kind: 'gap' })[] = [];
  for (const event of events) {
    if (event.kind === 'reconnected') isResumed = true;
    if (event.kind === 'gap') gaps.push(event);
    if (event.kind !== 'sample') continue;
    const { id } = event;
    if (last !== undefined && id <= last)
      problems.push(`the sample ${id} comes ${id === last ? 'twice' : `after ${last}`}`);
    const isHole = last !== undefined && id - last > mostNs;
    const isTold = gaps.some(({ from, to }) => from <= last! + mostNs && to >= id - mostNs);
    if (isHole && isResumed && !isTold) problems.push(`nothing tells of the samples between ${last} and ${id}`);
    last = id;
    isResumed = false;
    gaps = [];
  }
  return problems;
}
