/** One thing wrong with the configuration. */
export interface ConfigProblem {
  /** Where the value came from: the file's path, the name of the environment variable, or the flag. */
  readonly source: string;
  /** The option, as in `listen.port`; '' for the whole document. */
  readonly option: string;
  /** The line of the file where the option stands, from 1; absent where it does not stand in a file. */
  readonly line?: number;
  /** What is wrong and what was expected. */
  readonly message: string;
}

/** One thing wrong with an option; where its value came from is known elsewhere, unless it is told. */
export type OptionFault = Omit<ConfigProblem, 'source'> & Partial<Pick<ConfigProblem, 'source'>>;

/** The configuration cannot be used; `problems` holds all of them, not only the first. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map((p) => `${placeOf(p)}: ${p.message}`).join('\n'));
    this.problems = problems;
  }
}

/** Where a problem lies: `pmgate.yaml:12: listen.port`, `PMGATE_LISTEN_PORT: listen.port`. */
export function placeOf({ source, line, option }: ConfigProblem): string {
  const place = line === undefined ? source : `${source}:${line}`;
  return option === '' ? place : `${place}: ${option}`;
}
