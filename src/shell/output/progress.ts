import type { Terminal } from '../terminal.js';

/** A range that finishes sooner shows no progress. */
const QUIET_MS = 1000;

export interface Progress {
  /** @param done from 0 to 1, or undefined if the total is unknown; `note` follows the bar. */
  report(done: number | undefined, note: string): Promise<void>;
  end(): void;
}

const NO_PROGRESS: Progress = { report: () => Promise.resolve(), end: () => undefined };

/** A bar on standard error after a second, if that is a terminal and standard output is not. */
export function progressOn({ stdout, stderr }: Terminal, nowMs: () => number): Progress {
  const { stream } = stderr;
  if (!stderr.isTerminal || stdout.isTerminal || !stream) return NO_PROGRESS;
  const startMs = nowMs();
  let bar: { update(value: number, payload: object): void; stop(): void } | undefined;
  return {
    async report(done, note) {
      if (nowMs() - startMs < QUIET_MS) return;
      if (!bar) {
        const { default: progress } = await import('cli-progress');
        const shape = done === undefined ? '{note}' : '{bar} {percentage}% {note}';
        const options = { stream, format: shape, clearOnComplete: true, hideCursor: true };
        const made = new progress.SingleBar(options);
        made.start(1000, 0, { note });
        bar = made;
      }
      bar.update(Math.round((done ?? 0) * 1000), { note });
    },
    end: () => bar?.stop(),
  };
}
