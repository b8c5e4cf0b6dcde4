import { containerOf } from './cgroup-files.js';
import type { ByteScanner } from '../byte-scanner.js';
import type { NumberGrid } from '../sample.js';

/** Numbers that are read of a process: columns of a grid, which has a row for each process. */
export const PROCESS_COLUMNS = [
  // stat
  'ppid',
  'tty',
  'minflt',
  'maj_flt',
  'utime',
  'stime',
  'cutime',
  'cstime',
  'priority',
  'nice',
  'start_time',
  'vsize',
  'rss',
  'processor',
  'rt_priority',
  'policy',
  'guest_time',
  // statm
  'share',
  // status
  'uid',
  'euid',
  'gid',
  'vmsize',
  'vmrss',
  'vmdata',
  'vmstack',
  'vmexe',
  'vmlib',
  'vmswap',
  'threads',
  'vctxsw',
  'nvctxsw',
  // io
  'rchar',
  'wchar',
  'syscr',
  'syscw',
  'read_bytes',
  'write_bytes',
  'cancelled_write_bytes',
  // schedstat
  'cpu_time',
  'run_delay',
  'pcount',
  // oom_score, fd
  'oom_score',
  'fd_count',
] as const;
export type ProcessColumn = (typeof PROCESS_COLUMNS)[number];

const COLUMN = Object.fromEntries(PROCESS_COLUMNS.map((name, column) => [name, column])) as Readonly<
  Record<ProcessColumn, number>
>;

/** Where a column is in the grid. */
export function processColumn(name: ProcessColumn): number {
  return COLUMN[name];
}

/** What /proc/PID/stat says in words. */
export interface ProcessState {
  /** The command name, as the kernel escapes it. */
  readonly cmd: string;
  /** One letter. */
  readonly sname: string;
}

const OPENING = 40;
const CLOSING = 41;
const FIRST_NUMBER_FIELD = 4;

/** Fields of /proc/PID/stat, numbered from 1 as in the man page. */
const STAT_FIELDS: readonly (readonly [field: number, column: ProcessColumn])[] = [
  [4, 'ppid'],
  [7, 'tty'],
  [10, 'minflt'],
  [12, 'maj_flt'],
  [14, 'utime'],
  [15, 'stime'],
  [16, 'cutime'],
  [17, 'cstime'],
  [18, 'priority'],
  [19, 'nice'],
  [22, 'start_time'],
  [23, 'vsize'],
  [24, 'rss'],
  [39, 'processor'],
  [40, 'rt_priority'],
  [41, 'policy'],
  [43, 'guest_time'],
];

/**
 * Read /proc/PID/stat. The command name stands in parentheses and may itself hold blanks and parentheses: it ends at the last
 * closing one. Undefined when this is no such line. @see proc_pid_stat(5)
 */
export function parseStat(scanner: ByteScanner, grid: NumberGrid, row: number): ProcessState | undefined {
  const { bytes, end } = scanner;
  const opening = bytes.subarray(0, end).indexOf(OPENING);
  const closing = bytes.subarray(0, end).lastIndexOf(CLOSING);
  if (opening < 0 || closing < opening) return undefined;
  const cmd = scanner.text(opening + 1, closing);
  scanner.pos = closing + 1;
  const sname = scanner.word();
  if (sname.length !== 1) return undefined;
  let next = FIRST_NUMBER_FIELD;
  for (const [field, column] of STAT_FIELDS) {
    scanner.skipWords(field - next);
    if (!scanner.integer()) break;
    grid.store(row, COLUMN[column], scanner);
    next = field + 1;
  }
  return { cmd, sname };
}

/** Lines of /proc/PID/status: the key, and the columns for its numbers from the first one on. */
const STATUS_LINES = keyedLines([
  ['Uid', ['uid', 'euid']],
  ['Gid', ['gid']],
  ['VmSize', ['vmsize']],
  ['VmRSS', ['vmrss']],
  ['VmData', ['vmdata']],
  ['VmStk', ['vmstack']],
  ['VmExe', ['vmexe']],
  ['VmLib', ['vmlib']],
  ['VmSwap', ['vmswap']],
  ['Threads', ['threads']],
  ['voluntary_ctxt_switches', ['vctxsw']],
  ['nonvoluntary_ctxt_switches', ['nvctxsw']],
]);
const MEMORY_COLUMNS = ['vmsize', 'vmrss', 'vmdata', 'vmstack', 'vmexe', 'vmlib', 'vmswap'] as const;

/** Read /proc/PID/status. Kernel threads have no memory and no lines about it: theirs is 0. @see proc_pid_status(5) */
export function parseStatus(scanner: ByteScanner, grid: NumberGrid, row: number): void {
  for (const column of MEMORY_COLUMNS) grid.set(row, COLUMN[column], 0);
  parseKeyedLines(scanner, STATUS_LINES, grid, row);
}

const IO_LINES = keyedLines(
  (['rchar', 'wchar', 'syscr', 'syscw', 'read_bytes', 'write_bytes', 'cancelled_write_bytes'] as const).map((name) => [
    name,
    [name],
  ]),
);

/** Read /proc/PID/io. @see proc_pid_io(5) */
export function parseIo(scanner: ByteScanner, grid: NumberGrid, row: number): void {
  parseKeyedLines(scanner, IO_LINES, grid, row);
}

/** Read /proc/PID/statm: of its numbers, in pages, the third. @see proc_pid_statm(5) */
export function parseStatm(scanner: ByteScanner, grid: NumberGrid, row: number): void {
  scanner.skipWords(2);
  if (scanner.integer()) grid.store(row, COLUMN.share, scanner);
}

/** Read /proc/PID/schedstat: nanoseconds on a CPU, nanoseconds waiting for one, turns. */
export function parseSchedstat(scanner: ByteScanner, grid: NumberGrid, row: number): void {
  grid.storeLine(row, COLUMN.cpu_time, 3, scanner);
}

/** Read /proc/PID/oom_score: one number. */
export function parseOomScore(scanner: ByteScanner, grid: NumberGrid, row: number): void {
  if (scanner.integer()) grid.store(row, COLUMN.oom_score, scanner);
}

/**
 * Read /proc/PID/cmdline: arguments, each ended by a NUL, joined by blanks; '' for kernel threads and zombies. A process may
 * have written anything over it. @see proc_pid_cmdline(5)
 */
export function parseCmdline(scanner: ByteScanner, maxBytes: number): string {
  const bytes = scanner.bytes.subarray(0, Math.min(scanner.end, maxBytes));
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  const text = scanner.text(0, end).replaceAll('\0', ' ');
  return end === maxBytes ? text.replace(/\ufffd$/, '') : text; // cut off within a character
}

/**
 * Read /proc/PID/cgroup: a line for each hierarchy, without its number, and the container that one of them names; '' for none. No
 * values where it is empty.
 * PCP: only lines of cpuset name containers: none does in version 2. Differs from PCP: any line.
 * @see proc_pid_cgroup(5)
 */
export function parseCgroups(text: string): { readonly cgroups?: string; readonly container?: string } {
  const lines = text.split('\n').filter((line) => line !== '');
  if (lines.length === 0) return {};
  const containers = lines.map((line) => containerOf(line.replace(/ \(deleted\)$/, '')));
  return {
    cgroups: lines.map((line) => line.slice(line.indexOf(':') + 1)).join(';'),
    container: containers.find((container) => container !== '') ?? '',
  };
}

type KeyedLines = ReadonlyMap<number, readonly { readonly key: Uint8Array; readonly columns: readonly number[] }[]>;

/** Lines to look for, by the first byte of their keys, which rules out most lines. */
function keyedLines(lines: readonly (readonly [key: string, columns: readonly ProcessColumn[]])[]): KeyedLines {
  const byFirstByte = new Map<number, { key: Uint8Array; columns: readonly number[] }[]>();
  for (const [name, columns] of lines) {
    const key = Buffer.from(`${name}:`);
    const line = { key, columns: columns.map((column) => COLUMN[column]) };
    byFirstByte.set(key[0]!, [...(byFirstByte.get(key[0]!) ?? []), line]);
  }
  return byFirstByte;
}

function parseKeyedLines(scanner: ByteScanner, lines: KeyedLines, grid: NumberGrid, row: number): void {
  if (scanner.atEnd) return;
  do {
    const line = lines.get(scanner.bytes[scanner.pos]!)?.find(({ key }) => scanner.startsWith(key));
    if (!line) continue;
    scanner.pos += line.key.length;
    for (const column of line.columns) {
      if (!scanner.integer()) break;
      grid.store(row, column, scanner);
    }
  } while (scanner.nextLine());
}

/** User names by number, from the text of /etc/passwd. Lines that are not understood are left out. @see passwd(5) */
export function parseUserNames(text: string): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const line of text.split('\n')) {
    const [name, , uid] = line.split(':');
    if (name === undefined || name === '' || uid === undefined || !/^\d{1,10}$/.test(uid)) continue;
    if (!names.has(Number(uid))) names.set(Number(uid), name);
  }
  return names;
}
