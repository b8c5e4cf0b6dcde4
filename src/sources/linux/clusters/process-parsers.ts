import { containerOf } from './cgroup-files.js';
import type { ByteScanner } from '../proc-files.js';
import { LINUX_CATALOG } from '../catalog/linux-catalog.js';
import type { NumberGrid } from '../sample.js';

/** Files of a process with columns of numbers that metrics are read from. */
const FILES = ['stat', 'statm', 'status', 'io', 'schedstat', 'oom_score', 'fd'] as const;
type NumbersFile = (typeof FILES)[number];

/** Numbers that are read of a process, `FILE:COLUMN` of readings: columns of a grid, which has a row for each process. */
export const PROCESS_COLUMNS = FILES.flatMap((file) => columnsOf(file).map((column) => `${file}:${column}`));

function columnsOf(file: NumbersFile): readonly string[] {
  return LINUX_CATALOG.columnsOf(`proc/PID/${file}`);
}

/** Where a column is in the grid. Throws for one that no metric is read from. */
export function processColumn(name: string): number {
  const column = PROCESS_COLUMNS.indexOf(name);
  if (column < 0) throw new Error(`no metric is read from ${name} of a process`);
  return column;
}

type Parse = (scanner: ByteScanner, grid: NumberGrid, row: number) => void;

export interface ProcessState {
  /** The command name, as the kernel escapes it. */
  readonly cmd: string;
  readonly sname: string;
}

const OPENING = 40;
const CLOSING = 41;
/** The fields of /proc/PID/stat, numbered from 1 as in the man page, that are numbers. */
const parseStatNumbers = positions('stat', 4);

/** Reads /proc/PID/stat. The name ends at the last closing parenthesis. Undefined when it is no such line. @see proc_pid_stat(5) */
export function parseStat(scanner: ByteScanner, grid: NumberGrid, row: number): ProcessState | undefined {
  const { bytes, end } = scanner;
  const opening = bytes.subarray(0, end).indexOf(OPENING);
  const closing = bytes.subarray(0, end).lastIndexOf(CLOSING);
  if (opening < 0 || closing < opening) return undefined;
  const cmd = scanner.text(opening + 1, closing);
  scanner.pos = closing + 1;
  const sname = scanner.word();
  if (sname.length !== 1) return undefined;
  parseStatNumbers(scanner, grid, row);
  return { cmd, sname };
}

/** Reads /proc/PID/statm, in pages. @see proc_pid_statm(5) */
export const parseStatm = positions('statm');

/** Reads /proc/PID/schedstat: nanoseconds on a CPU, nanoseconds waiting for one, turns. */
export const parseSchedstat = positions('schedstat');

export const parseOomScore = positions('oom_score');

/** Reads /proc/PID/io. @see proc_pid_io(5) */
export const parseIo = keyedLines('io');

const parseStatusLines = keyedLines('status');
const MEMORY_COLUMNS = [...PROCESS_COLUMNS.keys()].filter((column) => PROCESS_COLUMNS[column]!.startsWith('status:Vm'));

/** Reads /proc/PID/status. Kernel threads have no memory and no lines about it: theirs is 0. @see proc_pid_status(5) */
export function parseStatus(scanner: ByteScanner, grid: NumberGrid, row: number): void {
  for (const column of MEMORY_COLUMNS) grid.set(row, column, 0);
  parseStatusLines(scanner, grid, row);
}

/** The numbers of a line by their positions, that of the scanner being `first`. */
function positions(file: NumbersFile, first = 1): Parse {
  const wanted = columnsOf(file).map((position) => [Number(position), processColumn(`${file}:${position}`)] as const);
  wanted.sort(([a], [b]) => a - b);
  return (scanner, grid, row) => {
    let next = first;
    for (const [position, column] of wanted) {
      scanner.skipWords(position - next);
      if (!scanner.integer()) return;
      grid.store(row, column, scanner);
      next = position + 1;
    }
  };
}

/** Lines of a key and numbers, of which `KEY` is the first, `KEY.2` the second. */
function keyedLines(file: NumbersFile): Parse {
  // By the first byte of their keys, which rules out most lines.
  const lines = new Map<number, { key: Uint8Array; columns: number[] }[]>();
  for (const name of columnsOf(file)) {
    const [key = '', position = '1'] = name.split('.');
    const bytes = Buffer.from(`${key}:`);
    const alike = lines.get(bytes[0]!) ?? [];
    let line = alike.find((other) => bytes.equals(other.key));
    if (!line) alike.push((line = { key: bytes, columns: [] }));
    line.columns[Number(position) - 1] = processColumn(`${file}:${name}`);
    lines.set(bytes[0]!, alike);
  }
  return (scanner, grid, row) => {
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
  };
}

/** Arguments, joined by blanks; '' for kernel threads and zombies. A process may have written anything there. @see proc_pid_cmdline(5) */
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
