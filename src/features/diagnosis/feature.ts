import { sharedMeasure } from '../../culprits/index.js';
import type { Feature } from '../feature.js';
import { diagnosisRoute } from './operations.js';
import { readRules, type Rules } from './rules.js';

/** What is wrong, since when, and who did it. */
export const diagnosis: Feature = {
  name: 'diagnosis',
  check: ({ diagnosis: { files } }) => readRules(files).problems,
  make: (surroundings) => {
    const { log, timers, clock } = surroundings;
    const load = (): Rules['rules'] => {
      const { rules, problems } = readRules(surroundings.config.diagnosis.files);
      for (const { source, message } of problems) log.warn(`a rule of diagnosis is left out: ${source}: ${message}`);
      return rules;
    };
    // Those that are shipped are known to be right: they are read at the first diagnosis.
    const loadGiven = (): Rules['rules'] | undefined =>
      surroundings.config.diagnosis.files.length > 0 ? load() : undefined;
    let rules = loadGiven();
    return {
      routes: {
        diagnose: { run: diagnosisRoute(() => (rules ??= load()), sharedMeasure({ timers, clock })), cost: 'costly' },
      },
      reload: () => (rules = loadGiven()),
    };
  },
};
