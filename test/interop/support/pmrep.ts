import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** A table that pmrep(1) wrote as CSV: seconds, and per column the numbers, undefined where there is none. */
export interface PmrepTable {
  readonly times: readonly number[];
  readonly columns: ReadonlyMap<string, readonly (number | undefined)[]>;
}

/** Whether pmrep(1) and pmval(1) can be run; pmrep through the interpreter that has PCP's modules. */
export function hasReportingTools(): boolean {
  return ['/usr/bin/python3', '/usr/bin/pmrep', '/usr/bin/pmval'].every((tool) => existsSync(tool));
}

/** Run pmrep for numbers in full precision and in UTC; columns are headed `metric` or `metric-instance`. */
export function pmrep(options: readonly string[], metrics: readonly string[]): PmrepTable {
  const fixed = ['/usr/bin/pmrep', '-o', 'csv', '-Z', 'UTC', '-P', '9', '-f', '%s.%f'];
  const env = { ...process.env, TZ: 'UTC', PCP_DERIVED_CONFIG: '' };
  const text = execFileSync('/usr/bin/python3', [...fixed, ...options, ...metrics], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  });
  const [header = '', ...lines] = text.trim().split('\n');
  const [, ...names] = splitCsv(header);
  const cells = lines.map(splitCsv);
  const numberOf = (cell: string | undefined): number | undefined =>
    cell === undefined || cell === '' ? undefined : Number(cell);
  return {
    times: cells.map(([time]) => Number(time)),
    columns: new Map(names.map((name, i) => [name, cells.map((row) => numberOf(row[i + 1]))])),
  };
}

/** A table that pmgate wrote as CSV, with columns headed as pmrep(1) does. */
export function tableOfCsv(text: string): PmrepTable {
  const [header = [], ...rows] = text.trim().split('\r\n').map(splitCsv);
  const columns = header.slice(1).map((heading, i) => {
    const cells = rows.map((row) => row[i + 1]!);
    const values = cells.map((cell) => (cell === '' ? undefined : Number(cell)));
    return [heading.replace(/\[(.*)\]$/, '-$1'), values] as const;
  });
  return { times: rows.map(([time]) => Date.parse(time!) / 1000), columns: new Map(columns) };
}

function splitCsv(line: string): string[] {
  return Array.from(line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g), (cell) => cell[1] ?? cell[2] ?? '');
}

/** One line of pmval(1): milliseconds since midnight, and the value. */
export interface PmvalRow {
  readonly dayMs: number;
  /** Undefined for "No values available" and for `!` (the counter went down) and `?` (no value). */
  readonly value: number | undefined;
}

/** The values of a singular metric as pmval(1) prints them, times in UTC. */
export function pmval(
  options: readonly string[],
  metric: string,
  environment: Readonly<Record<string, string>> = {},
): readonly PmvalRow[] {
  const env = { ...process.env, TZ: 'UTC', ...environment };
  const text = execFileSync('/usr/bin/pmval', ['-w', '40', '-f', '12', ...options, metric], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return text.split('\n').flatMap((line) => {
    const found = /^(\d\d):(\d\d):(\d\d\.\d{3})\s+(.*)$/.exec(line);
    if (!found) return [];
    const [hour, minute, second] = [Number(found[1]), Number(found[2]), Number(found[3])];
    const value = /^[\d.e+-]+\s*$/.test(found[4]!) ? Number(found[4]) : undefined;
    return [{ dayMs: Math.round(((hour * 60 + minute) * 60 + second) * 1000), value }];
  });
}
