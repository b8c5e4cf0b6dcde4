import path from 'node:path';
import { RECORDINGS } from '../../access/index.js';
import type { Config } from '../../config/index.js';
import { shippedText } from '../../kit/node/index.js';
import type { SourceSpec } from '../../sources/index.js';
import type { Feature } from '../feature.js';
import { OwnContext } from './own-context.js';
import { Recorder, type RecordedGroup } from './recorder.js';
import { shareAllowance } from './who/byte-allowance.js';
import { ProcessSampler } from './who/process-sampler.js';

const DEFAULT_INTERVAL_MS = 10_000;
const OF_PROCESSES = /^proc\./;

/** Records the metrics of a host into archives. */
export const recorder: Feature = {
  name: 'recorder',
  keepsArchives: ({ record }) => record.enabled,
  make: ({ config: { record, local }, log, clock, timers, contexts, recordedRoot, ownHost }) => {
    if (!record.enabled) return {};
    const hostspec = record.host ?? (local.collector ? 'embedded' : ownHost);
    const spec: SourceSpec = { kind: 'host', hostspec };
    const who = record.who ? namesIn('who.txt') : [];
    const ofProcesses = who.filter((name) => OF_PROCESSES.test(name));
    const ofGroups = who.filter((name) => !OF_PROCESSES.test(name));
    // Who switches processes off does not want to read that they are missing.
    const hasProcesses = ofProcesses.length > 0 && (hostspec !== 'embedded' || local.processes);
    const processes = hasProcesses
      ? new ProcessSampler({
          context: new OwnContext(contexts, spec),
          metrics: ofProcesses,
          besides: namesIn('who-besides.txt'),
          commandLines: record.commandLines,
          log,
        })
      : undefined;
    const ofWho = [
      ...(processes ? [{ metrics: ofProcesses, sampler: processes }] : []),
      ...(ofGroups.length > 0 ? [{ metrics: ofGroups, isOptional: true }] : []),
    ];
    const whoBytes = Math.min(record.whoBytes, record.keepBytes);
    const allowances = shareAllowance(whoBytes, ofWho.length, () => clock.monotonicMs());
    const recorder = new Recorder({
      contexts,
      spec,
      groups: [
        ...recordedGroups(record.groups),
        ...ofWho.map((group, i) => ({ ...group, intervalMs: record.whoSec * 1000, allowance: allowances[i]! })),
      ],
      recordsDerived: (name) => contexts.definitions.get(name)?.origin !== 'api',
      directory: path.join(recordedRoot, RECORDINGS),
      keepDays: record.keepDays,
      keepBytes: record.keepBytes,
      volumeBytes: record.volumeBytes,
      clock,
      timers,
      log,
    });
    return {
      metrics: {
        'pmgate.record.active': () => (recorder.isRecording ? 1 : 0),
        'pmgate.record.samples': () => recorder.statistics.samples,
        'pmgate.record.values': () => recorder.statistics.values,
        'pmgate.record.bytes': () => recorder.statistics.bytes,
        'pmgate.record.errors': () => recorder.statistics.errors,
        'pmgate.record.missed': () => recorder.statistics.missed,
        'pmgate.record.thinned': () => recorder.statistics.thinned,
        'pmgate.record.kept_bytes': () => recorder.keptBytes,
      },
      problems: () => (processes?.problem === undefined ? [] : [processes.problem]),
      start: () => void recorder.start(),
      close: () => recorder.close(),
    };
  },
};

function recordedGroups(groups: Config['record']['groups']): readonly RecordedGroup[] {
  const wanted = Object.entries(groups).map(([sec, metrics]) => ({ intervalMs: Number(sec) * 1000, metrics }));
  if (wanted.length > 0) return wanted;
  return [{ intervalMs: DEFAULT_INTERVAL_MS, metrics: namesIn('core-metrics.txt') }];
}

/** The metrics that a file lists: a name per line, and comments. */
function namesIn(file: string): readonly string[] {
  return shippedText(`config/record/${file}`)
    .split('\n')
    .filter((line) => /^\w/.test(line));
}
