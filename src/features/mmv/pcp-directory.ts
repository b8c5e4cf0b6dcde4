import { readFileSync } from 'node:fs';
import path from 'node:path';

const PCP_CONF = '/etc/pcp.conf';

/** PCP's directory of MMV files: `mmv` in $PCP_TMP_DIR, from the environment or PCP's configuration, if any. @see mmv(5), pcp.conf(5) */
export function pcpDirectory(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const temporary = nonEmpty(environment.PCP_TMP_DIR) ?? configured(nonEmpty(environment.PCP_CONF) ?? PCP_CONF);
  return temporary === undefined ? undefined : path.join(temporary, 'mmv');
}

function configured(file: string): string | undefined {
  try {
    return nonEmpty(/^PCP_TMP_DIR=(.*)$/m.exec(readFileSync(file, 'utf8'))?.[1]?.trim());
  } catch {
    return undefined;
  }
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
