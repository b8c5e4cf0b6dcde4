import { isatty } from 'node:tty';
import { pino } from 'pino';
import type { Clock } from '../pmapi/index.js';
import { NonBlockingStderr } from './non-blocking-stderr.js';
import type { LogLevel } from '../config/index.js';

/** The fields of a log line besides its message. Errors go under `err`. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The gateway's log: JSON lines on standard error, or a readable form on a terminal. */
export interface Log {
  level: LogLevel;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Like error(), but never rate-limited: for results of an operator's action. */
  reply(message: string, fields?: LogFields): void;
}

/** Lines per cause and window that are written; the rest are counted. */
const LINES_PER_WINDOW = 5;
const WINDOW_MS = 60_000;
/** Causes remembered; beyond that, all are forgotten and start over. */
const CAUSES_KEPT = 1000;

/** A destination of lines, for tests. */
export interface LogDestination {
  write(line: string): void;
}

/** Makes the log. On a terminal, lines are formatted by pino-pretty, which is loaded only then. */
export async function createLog(level: LogLevel, clock: Clock, destination?: LogDestination): Promise<Log> {
  const sink = destination ?? (isatty(2) ? await prettyDestination() : stderrPipe());
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, sink);
  const limiter = new CauseLimiter(clock);
  const write =
    (severity: 'debug' | 'info' | 'warn' | 'error', isLimited = severity === 'warn' || severity === 'error') =>
    (message: string, fields: LogFields = {}): void => {
      if (!logger.isLevelEnabled(severity)) return;
      const suppressed = limiter.admit(isLimited ? message : undefined);
      if (suppressed !== undefined) logger[severity](suppressed > 0 ? { ...fields, suppressed } : fields, message);
    };
  return {
    get level() {
      return logger.level as LogLevel;
    },
    set level(next) {
      logger.level = next;
    },
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    reply: write('error', false),
  };
}

/** Standard error that is not a terminal. Unwritten lines are written when the process ends or crashes. */
function stderrPipe(): LogDestination {
  const pipe = new NonBlockingStderr();
  process.once('exit', () => pipe.end());
  return pipe;
}

async function prettyDestination(): Promise<LogDestination> {
  const { default: pretty } = await import('pino-pretty');
  const stream = pretty({ destination: 2, sync: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' });
  return { write: (line) => void stream.write(showControls(line)) };
}

/** JSON escapes that a terminal would obey, and such characters that JSON does not escape; not an escaped backslash. */
const OBEYED = /\\\\|\\u00([01][0-9a-f])|\\([bfr])|([\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069])/gi;

/** A log line without terminal controls and direction changes: texts come from clients and hosts. Keeps line breaks. */
export function showControls(line: string): string {
  return line.replace(OBEYED, (escape, code?: string, letter?: string, character?: string) => {
    if (code !== undefined) return `\\\\x${code}`;
    if (letter !== undefined) return `\\\\${letter}`;
    if (character === undefined) return escape;
    return `\\\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** Passes a few lines per cause (constant message text) and minute, against floods; the next line has the count of others. */
class CauseLimiter {
  readonly #clock: Clock;
  readonly #causes = new Map<string, { since: number; written: number; suppressed: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The number of lines suppressed before this one if it may be written, undefined if it may not. */
  admit(cause: string | undefined): number | undefined {
    if (cause === undefined) return 0;
    const nowMs = this.#clock.monotonicMs();
    const state = this.#causes.get(cause);
    if (!state || nowMs - state.since >= WINDOW_MS) {
      if (this.#causes.size >= CAUSES_KEPT) this.#causes.clear();
      this.#causes.set(cause, { since: nowMs, written: 1, suppressed: 0 });
      return state?.suppressed ?? 0;
    }
    if (state.written < LINES_PER_WINDOW) {
      state.written++;
      return 0;
    }
    state.suppressed++;
    return undefined;
  }
}
