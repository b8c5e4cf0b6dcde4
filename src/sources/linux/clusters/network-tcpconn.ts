import { createReadStream } from 'node:fs';
import { INSTANCE_NULL } from '../../../pmapi/index.js';
import { ByteScanner } from '../proc-files.js';
import { cluster, slow } from '../cluster.js';
import type { ClusterEnvironment, LocalCluster, SlowSource, SlowValues } from '../cluster.js';
import { addNumber } from '../sample.js';

const FILE = 'proc/net/tcp';
/** One reading makes the kernel walk its whole hash table, 3 to 4 ms even when that is empty. */
const SHARED_FOR_MS = 1000;

/** Metrics, and the kernel's number of the state that each one counts. @see include/net/tcp_states.h */
const STATES: ReadonlyMap<string, number> = new Map([
  ['network.tcpconn.established', 1],
  ['network.tcpconn.time_wait', 6],
  ['network.tcpconn.close_wait', 8],
]);

/** network.tcpconn.*, from /proc/net/tcp; a reading is shared for a second. */
export function networkTcpconnCluster({ files, clock }: ClusterEnvironment): LocalCluster {
  let latest: Promise<SlowValues<number>> | undefined;
  let startedMs = -Infinity;
  const source: SlowSource<number> = {
    sample() {
      const nowMs = clock.monotonicMs();
      if (latest && nowMs - startedMs < SHARED_FOR_MS) return latest;
      startedMs = nowMs;
      return (latest = readStates(files.resolve(FILE)));
    },
  };
  return cluster(
    'network-tcpconn',
    [...STATES].map(([metric, state]) => [metric, slow(source, state)] as const),
  );
}

/** Reads in the thread pool, piece by piece. No values if the file cannot be read. */
async function readStates(path: string): Promise<SlowValues<number>> {
  const counter = new TcpStateCounter();
  try {
    for await (const piece of createReadStream(path)) counter.push(piece as Buffer);
  } catch {
    return { fill: () => undefined };
  }
  return { fill: (state, set) => addNumber(set, INSTANCE_NULL, counter.counts[state]!) };
}

const NEWLINE = 10;
const STATE_COUNT = 16;
/** Words before the state on a line: number, local and remote address. */
const WORDS_BEFORE = 3;

/** Counts connections in pieces of /proc/net/tcp in any cut: `0: 0100007F:AD21 00000000:0000 0A 00000000:00000000 …` has state 0A. */
export class TcpStateCounter {
  /** Number of connections by state: 1 ESTABLISHED, 6 TIME_WAIT, 8 CLOSE_WAIT and so on. @see include/net/tcp_states.h */
  readonly counts = new Uint32Array(STATE_COUNT);
  readonly #scanner = new ByteScanner();
  /** The beginning of a line whose end is in the next piece. */
  #rest: Uint8Array = new Uint8Array(0);

  /** Takes the next piece. A line that has something else than a state there is not counted. */
  push(piece: Uint8Array): void {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      this.#scanner.start(bytes, end);
      this.#scanner.pos = start;
      this.#scanner.skipWords(WORDS_BEFORE);
      const word = this.#scanner.word();
      if (/^0[0-9a-f]$/i.test(word)) this.counts[parseInt(word, 16)]!++;
      start = end + 1;
    }
    this.#rest = Uint8Array.from(bytes.subarray(start));
  }
}
