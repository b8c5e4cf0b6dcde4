import type { Clock } from '../../../pmapi/index.js';
import { inSlices } from '../slices.js';
import type { ProcessFile, ProcessFiles } from './process-files.js';
import {
  parseCmdline,
  parseIo,
  parseOomScore,
  parseSchedstat,
  parseStat,
  parseStatm,
  parseStatus,
  processColumn,
} from './process-parsers.js';
import { ProcessSnapshot } from './process-snapshot.js';
import { runQueueState } from './run-queue.js';

/** Of a longer command line only the beginning is shown; PCP: as much (measured with 6.0.3). */
const CMDLINE_MAX_BYTES = 4088;

/** What a pass reads of each process; `fd` is the folder of that name. */
export type ProcessPart = ProcessFile | 'fd';

/** What one pass over /proc is to read. */
export interface ProcessQuery {
  readonly parts: ReadonlySet<ProcessPart>;
  /** Which processes {@link parts} are read of. */
  includes(pid: number): boolean;
  /** Whether the state of every process is to be counted. */
  readonly countsStates: boolean;
}

/**
 * One pass over /proc, in slices: with many processes it takes long, and others have their turn in between. A process that
 * ends meanwhile lacks the values that were not read yet.
 */
export async function readProcesses(files: ProcessFiles, query: ProcessQuery, clock: Clock): Promise<ProcessSnapshot> {
  const snapshot = new ProcessSnapshot();
  const pids = await files.list();
  snapshot.processCount = pids.length;
  if (query.parts.size === 0 && !query.countsStates) return snapshot;
  await inSlices(pids, clock, (pid) => readProcess(files, query, pid, snapshot));
  return snapshot;
}

function readProcess(files: ProcessFiles, query: ProcessQuery, pid: number, snapshot: ProcessSnapshot): void {
  const isWanted = query.parts.size > 0 && query.includes(pid);
  if (!isWanted && !query.countsStates) return;
  const row = snapshot.addRow(pid);
  if (query.countsStates || query.parts.has('stat')) readStat(files, pid, snapshot, row);
  if (query.countsStates) countState(snapshot, row);
  if (!isWanted) return;
  for (const part of query.parts) readPart(files, part, pid, snapshot, row);
}

function readPart(files: ProcessFiles, part: ProcessPart, pid: number, snapshot: ProcessSnapshot, row: number): void {
  const { numbers } = snapshot;
  if (part === 'stat') return; // first of all
  if (part === 'fd') {
    const count = files.descriptorCount(pid);
    if (count !== undefined) numbers.set(row, processColumn('fd_count'), count);
    return;
  }
  const scanner = files.scan(pid, part);
  if (!scanner) return;
  switch (part) {
    case 'status':
      parseStatus(scanner, numbers, row);
      return;
    case 'statm':
      parseStatm(scanner, numbers, row);
      return;
    case 'io':
      parseIo(scanner, numbers, row);
      return;
    case 'schedstat':
      parseSchedstat(scanner, numbers, row);
      return;
    case 'oom_score':
      parseOomScore(scanner, numbers, row);
      return;
    case 'wchan':
      snapshot.texts[row]!.wchan = scanner.rest();
      return;
    case 'cmdline': {
      const psargs = parseCmdline(scanner, CMDLINE_MAX_BYTES);
      const texts = snapshot.texts[row]!;
      if (psargs === '' && texts.cmd === undefined) readStat(files, pid, snapshot, row);
      if (psargs !== '') texts.psargs = psargs;
      else if (texts.cmd !== undefined) texts.psargs = `(${texts.cmd})`;
    }
  }
}

function readStat(files: ProcessFiles, pid: number, snapshot: ProcessSnapshot, row: number): void {
  const scanner = files.scan(pid, 'stat');
  const state = scanner && parseStat(scanner, snapshot.numbers, row);
  if (state) Object.assign(snapshot.texts[row]!, state);
}

function countState(snapshot: ProcessSnapshot, row: number): void {
  const { sname } = snapshot.texts[row]!;
  if (sname === undefined) return; // it has ended
  const state = runQueueState(sname, snapshot.number(row, 'vsize'), snapshot.number(row, 'rss'));
  snapshot.runQueue.set(state, (snapshot.runQueue.get(state) ?? 0) + 1);
}
