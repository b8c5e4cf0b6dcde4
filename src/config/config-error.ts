/** One problem of the configuration. */
export interface ConfigProblem {
  /** The origin of the value: the file's path, the name of the environment variable, or the flag. */
  readonly source: string;
  /** The option, as in `listen.port`; '' for the whole document. */
  readonly option: string;
  /** The line of the option in the file, from 1; absent if it is not in a file. */
  readonly line?: number;
  /** What is wrong and what was expected. */
  readonly message: string;
}

/** One problem of an option; the caller knows the origin of its value unless it is given. */
export type OptionFault = Omit<ConfigProblem, 'source'> & Partial<Pick<ConfigProblem, 'source'>>;

/** The configuration is invalid; `problems` has all problems, not only the first. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map((p) => `${placeOf(p)}: ${p.message}`).join('\n'));
    this.problems = problems;
  }
}

/** The location of a problem: `pmgate.yaml:12: listen.port`, `PMGATE_LISTEN_PORT: listen.port`. */
export function placeOf({ source, line, option }: ConfigProblem): string {
  const place = line === undefined ? source : `${source}:${line}`;
  return option === '' ? place : `${place}: ${option}`;
}
