import { readFileSync } from 'node:fs';
import path from 'node:path';
import { attempt } from '../../kit/index.js';
import type { Feature } from '../feature.js';
import { MmvAgent } from './mmv-agent.js';

const PCP_CONF = '/etc/pcp.conf';
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

/** PCP's directory of MMV files: `mmv` in $PCP_TMP_DIR, from the environment or PCP's configuration, if any. @see mmv(5), pcp.conf(5) */
export function pcpDirectory(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const temporary = nonEmpty(environment.PCP_TMP_DIR) ?? configured(nonEmpty(environment.PCP_CONF) ?? PCP_CONF);
  return temporary === undefined ? undefined : path.join(temporary, 'mmv');
}

function configured(file: string): string | undefined {
  return attempt(() => nonEmpty(/^PCP_TMP_DIR=(.*)$/m.exec(readFileSync(file, 'utf8'))?.[1]?.trim()));
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
