import type { Config, ConfigProblem } from '../config/index.js';
import { FEATURES } from '../features/index.js';

/** What is wrong with the files that features read, as their options name them. */
export function checkFeatures(config: Config): readonly ConfigProblem[] {
  return FEATURES.flatMap(({ check }) => check?.(config) ?? []);
}
