import { hostname } from 'node:os';
import { attempt } from '../../kit/index.js';
import { makeLabel, makeTimeZone, type Clock, type Label } from '../../pmapi/index.js';
import type { ProcFiles } from './proc-files.js';

/** A name may change while the machine runs, but rarely: it is read at most once a second. */
const FLOOR_MS = 1000;

/** The machine's names and time zone, which may change while it runs. PCP: pmcd reports changes at once, in labels and metrics. */
export class HostIdentity {
  hostName = '';
  timeZone = '';
  zoneInfo = '';
  labels: readonly Label[] = [];
  readonly #files: ProcFiles;
  readonly #clock: Clock;
  #readAtMs = -Infinity;

  constructor(files: ProcFiles, clock: Clock) {
    this.#files = files;
    this.#clock = clock;
    this.refresh();
  }

  /** Reads everything again, unless that was done within the last second; returns whether it has changed. */
  refresh(): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#readAtMs < FLOOR_MS) return false;
    this.#readAtMs = nowMs;
    const before = JSON.stringify(this);
    this.hostName = this.#files.text('proc/sys/kernel/hostname') ?? hostname();
    Object.assign(this, readLocalZone(this.#files));
    this.labels = contextLabels(this.#files, this.hostName);
    return JSON.stringify(this) !== before;
  }
}

/** The machine's identity, with PCP's placeholder where it has no id. @see pmLookupLabels(3) */
function contextLabels(files: ProcFiles, hostName: string): readonly Label[] {
  const domain = files.text('proc/sys/kernel/domainname') ?? '';
  const machineId = firstLine(files.text('etc/machine-id')) ?? firstLine(files.text('var/lib/dbus/machine-id'));
  return [
    makeLabel('domainname', domain === '' || domain === '(none)' ? 'localdomain' : domain),
    makeLabel('hostname', hostName),
    makeLabel('machineid', machineId ?? 'localmachine'),
  ];
}

function firstLine(text: string | undefined): string | undefined {
  const line = text?.split('\n', 1)[0]?.trim();
  return line === '' ? undefined : line;
}

/** A POSIX TZ string, as the last line of a zone's file. @see tzset(3) */
const POSIX_ZONE = /^(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)[+-]?\d[^\s\0]*$/;
const MAX_LENGTH = 128;

interface LocalZone {
  /** What clients want from pmcd.timezone: $TZ unchanged, else a POSIX TZ string (`UTC`, `CET-1CEST,M3.5.0,M10.5.0/3`). */
  readonly timeZone: string;
  /** A colon and a file below /usr/share/zoneinfo, for pmcd.zoneinfo. */
  readonly zoneInfo: string;
}

/**
 * Read the zone from $TZ or /etc/localtime, as it is now: the name from where the link leads, the rules from the end of the file.
 *
 * PCP: pmcd follows /etc/localtime, too (seen in 6.0.3), and tells the name and offset of the moment (`CET-1`, in summer `CEST-2`).
 * Differs from PCP: with the rules, for clients tell the time of samples of other seasons by it.
 * @see tzfile(5)
 */
export function readLocalZone(files: ProcFiles, environment: NodeJS.ProcessEnv = process.env): LocalZone {
  const name = /zoneinfo\/(?:posix\/|right\/)?(.+)$/.exec(files.link('etc/localtime') ?? '')?.[1];
  const { TZ } = environment;
  const isSet = TZ !== undefined && TZ !== '';
  // It loads ICU, which takes a while.
  const ofProcess = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
  return {
    timeZone: isSet ? TZ : (rulesOf(files.text('etc/localtime')) ?? attempt(() => makeTimeZone(name!).name) ?? 'UTC'),
    zoneInfo: `:${isSet ? ofProcess() : (name ?? ofProcess())}`,
  };
}

function rulesOf(file: string | undefined): string | undefined {
  if (file?.startsWith('TZif') !== true) return undefined;
  const last = file.slice(file.lastIndexOf('\n') + 1);
  if (last.length > MAX_LENGTH || !POSIX_ZONE.test(last)) return undefined;
  return last.replace(/^([A-Z]{3,})0$/, '$1'); // PCP: UTC, not UTC0
}
