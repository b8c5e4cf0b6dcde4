/**
 * A process with some fake pmcds, which counts what arrives at each of them. Forked; its first argument says how many. Sends the ports first,
 * and for each message that it receives the counts.
 */
import { FakePmcd } from '../../support/fake-pmcd.js';

/** What one pmcd has seen so far. */
export interface PmcdCounts {
  readonly fetches: number;
  readonly open: number;
}

const FETCHES: readonly number[] = [0x7003, 0x7014];
const NO_INDOM = 0xffffffff;
const U32 = 1;
const COUNTER = 1;

const counts: number[] = [];
const pmcds = await Promise.all(
  Array.from({ length: Number(process.argv[2]) }, async (_, i) => {
    const pmcd = await FakePmcd.start();
    counts[i] = 0;
    pmcd.metrics = [
      { name: 'fleet.fetches', descriptor: [0x3bc00401, U32, NO_INDOM, COUNTER, 0], values: () => [[-1, counts[i]!]] },
      { name: 'fleet.one', descriptor: [0x3bc00402, U32, NO_INDOM, COUNTER, 0], values: [[-1, 1]] },
      { name: 'fleet.two', descriptor: [0x3bc00403, U32, NO_INDOM, COUNTER, 0], values: [[-1, 2]] },
    ];
    pmcd.intercept = ({ type }) => {
      pmcd.requests.length = 0;
      if (FETCHES.includes(type)) {
        counts[i]!++;
        const nowMs = performance.timeOrigin + performance.now();
        // A fetch adds one second.
        const sec = Math.floor(nowMs / 1000) - 1;
        pmcd.now = { sec, nsec: Math.floor((nowMs % 1000) * 1e6) };
      }
      return undefined;
    };
    return pmcd;
  }),
);
process.on('message', () => {
  const answer: PmcdCounts[] = pmcds.map((pmcd, i) => ({ fetches: counts[i]!, open: pmcd.openConnections }));
  process.send!(answer);
});
process.on('disconnect', () => process.exit());
process.send!(pmcds.map(({ port }) => port));
