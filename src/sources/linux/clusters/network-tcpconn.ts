import { open } from 'node:fs/promises';
import { INSTANCE_NULL, type Clock, type ValueSet } from '../../../pmapi/index.js';
import { ByteScanner } from '../byte-scanner.js';
import { cluster, type ClusterEnvironment, type LocalCluster, type SlowSource, type SlowValues } from '../cluster.js';
import { addNumber } from '../sample.js';

const FILE = 'proc/net/tcp';
/** One reading makes the kernel walk its whole hash table, 3 to 4 ms even when that is empty. */
const SHARED_FOR_MS = 1000;
const STEP_BYTES = 64 * 1024;

/** By state; undefined when the file cannot be read. */
class TcpStates implements SlowValues {
  readonly #counts: Uint32Array | undefined;

  constructor(counts: Uint32Array | undefined) {
    this.#counts = counts;
  }

  fill(item: number, set: ValueSet): void {
    const count = this.#counts?.[item];
    if (count !== undefined) addNumber(set, INSTANCE_NULL, count);
  }
}

/** /proc/net/tcp, read in the thread pool, piece by piece; a reading is shared for a second. */
class TcpTable implements SlowSource {
  readonly #path: string;
  readonly #clock: Clock;
  #latest: Promise<TcpStates> | undefined;
  #startedMs = -Infinity;

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
  }

  sample(): Promise<TcpStates> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#latest === undefined || nowMs - this.#startedMs >= SHARED_FOR_MS) {
      this.#startedMs = nowMs;
      this.#latest = this.#read();
    }
    return this.#latest;
  }

  async #read(): Promise<TcpStates> {
    const counter = new TcpStateCounter();
    try {
      const file = await open(this.#path);
      try {
        const buffer = Buffer.allocUnsafe(STEP_BYTES);
        for (;;) {
          const { bytesRead } = await file.read(buffer, 0, STEP_BYTES, null);
          if (bytesRead === 0) break;
          counter.push(buffer.subarray(0, bytesRead));
        }
      } finally {
        await file.close();
      }
    } catch {
      return new TcpStates(undefined);
    }
    return new TcpStates(counter.counts);
  }
}

/** Metrics, and the kernel's number of the state that each one counts. @see include/net/tcp_states.h */
const STATES: ReadonlyMap<string, number> = new Map([
  ['network.tcpconn.established', 1],
  ['network.tcpconn.time_wait', 6],
  ['network.tcpconn.close_wait', 8],
]);

/** network.tcpconn.*, from /proc/net/tcp. */
export function networkTcpconnCluster({ files, clock }: ClusterEnvironment): LocalCluster {
  const source = new TcpTable(files.resolve(FILE), clock);
  return cluster(
    'network-tcpconn',
    [...STATES].map(([metric, item]) => [metric, { kind: 'slow', source, item }] as const),
  );
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
