import { sharedMeasure } from '../../culprits/index.js';
import type { Feature } from '../feature.js';
import { diagnosisRoute } from './operations.js';
import { readRules } from './rules.js';
import type { Rules } from './rules.js';

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
    let rules = load();
    return {
      routes: {
        diagnose: { run: diagnosisRoute(() => rules, sharedMeasure({ timers, clock })), cost: 'costly' },
      },
      reload: () => (rules = load()),
    };
  },
};
