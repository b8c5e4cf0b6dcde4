import type { Config, OptionFault } from '../config/index.js';
import { FEATURES } from '../features/index.js';

/** What is wrong with the files that features read at the start. */
export function checkFeatures(config: Config): readonly OptionFault[] {
  return FEATURES.flatMap((feature) => feature.check?.(config) ?? []);
}
