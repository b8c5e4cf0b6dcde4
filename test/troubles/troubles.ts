import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmdirSync, statfsSync, symlinkSync, writeFileSync } from 'node:fs';
import { randomFillSync } from 'node:crypto';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const MIB = 2 ** 20;
/** The file that a reader with cold caches reads. */
const LARGE_BYTES = 256 * MIB;
const LIMIT_BYTES = 64 * MIB;
/** Memory is to be full in so long: slower leaks are no trouble yet. */
const FULL_IN_SEC = 300;
/** A fifth of a processor. */
const QUOTA = { quotaUs: 20_000, periodUs: 100_000 };
const TMPFS = 0x01021994;
const CGROUPS = '/sys/fs/cgroup';
const MAKER = path.resolve(import.meta.dirname, 'make-trouble.js');

/** Trouble that goes on. */
export interface Culprit {
  /** As the kernel has it. */
  readonly name: string;
  readonly pid: number;
  /** The control group that it runs in, if it was made for it. */
  readonly group?: string;
  end(): Promise<void>;
}

/** One kind of trouble. */
export interface Trouble {
  readonly kind: string;
  readonly about: string;
  /** Any of these is right. */
  readonly resources: readonly string[];
  /** Why this machine cannot do it; undefined if it can. */
  readonly cannot?: (directory: string) => string | undefined;
  /** What takes time before: not part of the trouble. */
  readonly prepare?: (directory: string) => void;
  readonly begin: (directory: string) => Promise<Culprit>;
}

/** The processor may be blamed too where the work of the kernel takes all of one. */
export const TROUBLES: readonly Trouble[] = [
  {
    kind: 'hog',
    about: 'a process that computes',
    resources: ['processor'],
    begin: (directory) => make('hog', directory),
  },
  {
    kind: 'forks',
    about: 'a storm of children that live for a millisecond',
    resources: ['processes', 'processor'],
    begin: (directory) => startAs('trouble-forks', '/bin/sh', ['-c', 'while :; do /bin/true; done'], directory),
  },
  {
    kind: 'leak',
    about: `memory that grows and would be full in ${FULL_IN_SEC / 60} minutes`,
    resources: ['memory'],
    begin: (directory) => make('leak', directory, Math.round(availableBytes() / FULL_IN_SEC)),
  },
  {
    kind: 'limit',
    about: 'a group whose processes are killed at its memory limit',
    resources: ['memory'],
    cannot: () => noGroups('memory'),
    begin: (directory) => {
      const loop = `while :; do "${linkTo('trouble-limit', process.execPath, directory)}" "${MAKER}" allocate . ${4 * LIMIT_BYTES}; done`;
      const limit = isUnified() ? 'memory.max' : 'memory.limit_in_bytes';
      return inGroup('memory', { [limit]: LIMIT_BYTES }, (before) =>
        startAs(
          'trouble-limit',
          '/bin/sh',
          ['-c', `${before}; exec 2>/dev/null; ${loop}`],
          directory,
          'trouble-limit-sh',
        ),
      );
    },
  },
  {
    kind: 'fsync',
    about: 'small writes that each wait for the disk',
    resources: ['disk'],
    cannot: noDisk,
    begin: (directory) => make('fsync', directory),
  },
  {
    kind: 'reader',
    about: 'reads past the cache',
    resources: ['disk'],
    cannot: noDisk,
    prepare: (directory) => {
      const bytes = randomFillSync(Buffer.alloc(LARGE_BYTES));
      writeFileSync(path.join(directory, 'large'), bytes, { flush: true });
    },
    begin: (directory) => make('reader', directory),
  },
  {
    kind: 'files',
    about: 'many small files',
    resources: ['disk', 'processor'],
    cannot: noDisk,
    begin: (directory) => make('files', directory),
  },
  {
    kind: 'switches',
    about: 'threads that wake each other',
    resources: ['processor'],
    begin: (directory) => make('switches', directory),
  },
  {
    kind: 'flood',
    about: 'datagrams that nobody reads',
    resources: ['network'],
    begin: (directory) => make('flood', directory),
  },
  {
    kind: 'connections',
    about: 'connections that nobody closes',
    resources: ['network', 'descriptors'],
    begin: (directory) => make('connections', directory),
  },
  {
    kind: 'throttled',
    about: 'a group with a quota that it has used up',
    resources: ['group'],
    cannot: () => noGroups('cpu'),
    begin: (directory) => {
      const { quotaUs, periodUs } = QUOTA;
      const files = isUnified()
        ? { 'cpu.max': `${quotaUs} ${periodUs}` }
        : { 'cpu.cfs_period_us': periodUs, 'cpu.cfs_quota_us': quotaUs };
      const maker = linkTo('trouble-throttled', process.execPath, directory);
      return inGroup('cpu', files, (before) =>
        startAs('trouble-throttled', '/bin/sh', ['-c', `${before}; exec "${maker}" "${MAKER}" hog`], directory, 'sh'),
      );
    },
  },
  {
    kind: 'descriptors',
    about: 'files that nobody closes',
    resources: ['descriptors'],
    begin: (directory) => make('descriptors', directory),
  },
];

function make(kind: string, directory: string, number = 0): Promise<Culprit> {
  return startAs(`trouble-${kind}`, process.execPath, [MAKER, kind, directory, String(number)], directory);
}

/** Starts a program by a link of that name, which the kernel takes for its name. */
async function startAs(
  name: string,
  program: string,
  parameters: readonly string[],
  directory: string,
  linkName = name,
): Promise<Culprit> {
  const link = linkTo(linkName, program, directory);
  const child = spawn(link, parameters, { stdio: ['ignore', 'ignore', 'inherit'], detached: true });
  await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  return { name: name.slice(0, 15), pid: child.pid!, end: () => endOf(child) };
}

function linkTo(name: string, program: string, directory: string): string {
  const link = path.join(directory, name);
  if (!existsSync(link)) symlinkSync(program, link);
  return link;
}

/** Ends a process with its children: it leads a group of processes. */
async function endOf(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  process.kill(-child.pid!, 'SIGKILL');
  await ended;
}

/**
 * Makes a control group, and starts something in it.
 * @param files what is written into files of the group
 * @param start is given a shell command that puts the shell into the group
 */
async function inGroup(
  controller: string,
  files: Readonly<Record<string, string | number>>,
  start: (before: string) => Promise<Culprit>,
): Promise<Culprit> {
  const group = `/trouble-${process.pid}-${controller}`;
  const folder = path.join(folderOf(controller), group);
  mkdirSync(folder);
  for (const [file, content] of Object.entries(files)) writeFileSync(path.join(folder, file), String(content));
  const culprit = await start(`echo $$ > "${folder}/cgroup.procs"`);
  return {
    ...culprit,
    group,
    end: async () => {
      await culprit.end();
      // The kernel takes a moment to see that the group is empty.
      for (let tries = 0; tries < 50; tries++) {
        try {
          rmdirSync(folder);
          return;
        } catch {
          await pause(100);
        }
      }
    },
  };
}

function isUnified(): boolean {
  return existsSync(path.join(CGROUPS, 'cgroup.controllers'));
}

function folderOf(controller: string): string {
  return isUnified() ? CGROUPS : path.join(CGROUPS, controller);
}

function noGroups(controller: string): string | undefined {
  const folder = path.join(folderOf(controller), `trouble-${process.pid}-try`);
  const file = { memory: ['memory.max', 'memory.limit_in_bytes'], cpu: ['cpu.max', 'cpu.cfs_quota_us'] }[controller]!;
  try {
    if (isUnified()) writeFileSync(path.join(CGROUPS, 'cgroup.subtree_control'), `+${controller}`);
    mkdirSync(folder);
    const isThere = file.some((name) => existsSync(path.join(folder, name)));
    rmdirSync(folder);
    return isThere ? undefined : `control groups have no ${controller} controller here`;
  } catch (error) {
    return `control groups cannot be made: ${(error as Error).message}`;
  }
}

function noDisk(directory: string): string | undefined {
  return statfsSync(directory).type === TMPFS ? `${directory} is in memory: choose another with TMPDIR` : undefined;
}

function availableBytes(): number {
  return Number(/MemAvailable:\s+(\d+)/.exec(readFileSync('/proc/meminfo', 'latin1'))![1]) * 1024;
}
