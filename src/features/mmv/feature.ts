import type { Feature } from '../feature.js';
import { MmvAgent } from './mmv-agent.js';
import { pcpDirectory } from './pcp-directory.js';

/** Files whose problems /readyz shows. */
const PROBLEMS_SHOWN = 10;

/** Metrics of applications, from memory-mapped value files. */
export const mmv: Feature = {
  name: 'mmv',
  make: ({ config: { local }, log, clock }) => {
    const directory = local.mmvDirectory === 'auto' ? pcpDirectory(process.env) : local.mmvDirectory;
    if (!local.collector || directory === undefined || directory === null) return {};
    const agent = new MmvAgent({
      directory,
      clock,
      log: (problem) => log.warn('part of an MMV file is not served', { ...problem }),
    });
    return {
      agents: [agent],
      problems: () => agent.problems.slice(0, PROBLEMS_SHOWN).map(({ file, reason }) => `${file}: ${reason}`),
      close: () => agent.close(),
    };
  },
};
