/** One thing wrong with the configuration. */
export interface ConfigProblem {
  /** Where the value came from: the file's path, the name of the environment variable, or the flag. */
  readonly source: string;
  /** The option, as in `listen.port`; '' for the whole document. */
  readonly option: string;
  /** What is wrong and what was expected. */
  readonly message: string;
}

/** The configuration cannot be used; `problems` holds all of them, not only the first. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map((p) => `${p.source}: ${p.option === '' ? '' : `${p.option}: `}${p.message}`).join('\n'));
    this.problems = problems;
  }
}
