import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { attempt, systemTimers, type Timers } from '../kit/index.js';

const STDERR = 2;
/** Maximum bytes that wait for a stalled reader. */
const WAITING_BYTES = 262_144;
/** How often writing to a stalled reader is retried. */
const RETRY_MS = 50;
/** At the end of the process: how often writing is retried, and how many retries in a row may fail. */
const END_RETRY_MS = 10;
const END_RETRIES = 100;
const NEVER_WOKEN = new Int32Array(new SharedArrayBuffer(4));

/**
 * The destination of log lines. Never blocks the gateway: lines for a slow reader wait, within a limit; others are lost, and counted in the
 * next written line.
 */
export class NonBlockingStderr {
  readonly #writeSome: (bytes: Buffer) => number;
  readonly #timers: Timers;
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #lost = 0;
  #isArmed = false;

  /** `writeSome` writes as much as possible at once and returns how much that was, or throws the error of write(2). */
  constructor(writeSome: (bytes: Buffer) => number = stderrWriter(), timers: Timers = systemTimers) {
    this.#writeSome = writeSome;
    this.#timers = timers;
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#waitingBytes + bytes.length > WAITING_BYTES) {
      this.#lost++;
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (!this.#isArmed) this.flush();
  }

  flush(): void {
    while (this.#waiting.length > 0) {
      const first = this.#waiting[0]!;
      const written = this.#try(first);
      if (written === 'later') {
        this.#arm();
        return;
      }
      this.#waitingBytes -= written;
      if (written < first.length) {
        this.#waiting[0] = first.subarray(written);
        continue;
      }
      this.#waiting.shift();
      this.#tellLost();
    }
  }

  /** Writes what waits before the process ends: as long as the reader takes something, and a second more. */
  end(): void {
    for (let retries = 0; retries < END_RETRIES; retries++) {
      const before = this.#waitingBytes;
      this.flush();
      if (this.#waitingBytes === 0) return;
      if (this.#waitingBytes < before) retries = 0;
      Atomics.wait(NEVER_WOKEN, 0, 0, END_RETRY_MS);
    }
  }

  /** The number of bytes written; a line that cannot be written is lost as a whole. */
  #try(bytes: Buffer): number | 'later' {
    try {
      return this.#writeSome(bytes);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EAGAIN') return 'later';
      if (code === 'EINTR') return 0;
      this.#lost++;
      return bytes.length;
    }
  }

  /** Called after a line was written or lost: the next written line reports the count of lost ones. */
  #tellLost(): void {
    if (this.#lost === 0 || this.#waiting.length > 0) return;
    const fields = { level: 40, time: new Date().toISOString(), lost: this.#lost, msg: 'log lines were lost' };
    try {
      if (this.#writeSome(Buffer.from(`${JSON.stringify(fields)}\n`)) > 0) this.#lost = 0;
    } catch {
      // Not yet: the next line tries again.
    }
  }

  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    this.#timers.after(RETRY_MS, () => {
      this.#isArmed = false;
      this.flush();
    });
  }
}

/** Writes to standard error; to a pipe or a socket without waiting for its reader, which could stop the whole gateway. */
function stderrWriter(): (bytes: Buffer) => number {
  const kind = fstatSync(STDERR);
  const fd = (kind.isFIFO() ? openWithoutWaiting() : undefined) ?? STDERR;
  if (fd === STDERR && (kind.isFIFO() || kind.isSocket())) stopWaiting();
  return (bytes) => writeSync(fd, bytes);
}

/** A non-blocking descriptor of the same pipe; the original one may be shared with others, whose mode must not change. */
function openWithoutWaiting(): number | undefined {
  // A pipe that another user made, as in containers, cannot be opened.
  return attempt(() => openSync(`/proc/self/fd/${STDERR}`, constants.O_WRONLY | constants.O_NONBLOCK));
}

/** Makes a socket as standard error (journald's) non-blocking: Node, without fcntl(2), sets O_NONBLOCK on Sockets until it exits. */
function stopWaiting(): void {
  try {
    new Socket({ fd: STDERR, readable: false, writable: true }).unref();
  } catch {
    // A datagram socket: it takes a line or loses it.
  }
}
