import { makeLabel } from '../../pmapi/index.js';
import type { Label } from '../../pmapi/index.js';
import type { ProcFiles } from './proc-files.js';

/**
 * The labels of the context: who the monitored machine is. The host name and the NIS domain come from the kernel, the
 * machine's id from /etc/machine-id or D-Bus; where there is none, the words that PCP uses in its place.
 * @see pmLookupLabels(3)
 */
export function contextLabels(files: ProcFiles, hostName: string): readonly Label[] {
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
