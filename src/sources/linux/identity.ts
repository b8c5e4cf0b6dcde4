import { hostname } from 'node:os';
import { makeLabel } from '../../pmapi/index.js';
import type { Clock, Label } from '../../pmapi/index.js';
import { readLocalZone } from './clusters/time-zone.js';
import type { ProcFiles } from './proc-files.js';

/** A name may change while the machine runs, but rarely: it is read at most once a second. */
const FLOOR_MS = 1000;

/**
 * The identity of the machine: its names and its time zone, which may change while it runs (hostname(1), timedatectl(1)). PCP:
 * pmcd reports changes at once, in labels and in metrics.
 */
export class HostIdentity {
  hostName = '';
  timeZone = '';
  zoneInfo = '';
  /** The labels of the context. */
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

/**
 * The labels of the context: the identity of the machine. The host name and the NIS domain come from the kernel, the machine's id
 * from /etc/machine-id or D-Bus; without one, PCP's placeholder.
 * @see pmLookupLabels(3)
 */
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
