/** How a sub-command ended; scripts may trust these. `pmgate --help` tells them too. */
export const EXIT = {
  /** All that was asked for was had. */
  OK: 0,
  /** The gateway answered with an error, nothing of what was asked for could be had, or it could not be written. */
  FAILED: 1,
  /** The command line or the configuration is wrong; nothing was asked of a gateway. */
  USAGE: 2,
  /** No gateway answered. */
  UNREACHABLE: 3,
  /** Some of the metrics, hosts or archives asked for could not be had; the others were written. */
  PARTIAL: 4,
  /** Ctrl-C before the answer was complete. Streams end with 0: Ctrl-C is how they end. */
  INTERRUPTED: 130,
} as const;

/** One of {@link EXIT}. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The exit codes as a part of help texts. */
export const EXIT_CODES_HELP = `Exit codes:
  0    all that was asked for was had; also when the reader of a pipe leaves, and for Ctrl-C in a stream
  1    the gateway answered with an error, could give nothing of what was asked for, or it could not be written
  2    the command line or the configuration is wrong
  3    no gateway answered
  4    some of what was asked for could not be had (see standard error); the rest was written
  130  Ctrl-C before the answer was complete
`;
